#include "io/bag_storage.h"

#include <algorithm>

namespace pointpng {

void BagContents::count(std::uint64_t more, std::int64_t from_ns, std::int64_t to_ns) {
  if (more == 0) return;
  start_ns = messages == 0 ? from_ns : std::min(start_ns, from_ns);
  end_ns = messages == 0 ? to_ns : std::max(end_ns, to_ns);
  messages += more;
}

}  // namespace pointpng
