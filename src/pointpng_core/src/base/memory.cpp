#include "base/memory.h"

#include <malloc.h>

namespace pointpng {

void tune_allocator() {
#ifdef __GLIBC__
  constexpr int kMebibyte = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, 1024 * kMebibyte);
  mallopt(M_TRIM_THRESHOLD, 2047 * kMebibyte);
  mallopt(M_TOP_PAD, 64 * kMebibyte);
#endif
}

}  // namespace pointpng
