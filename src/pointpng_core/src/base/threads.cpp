#include "base/threads.h"

#include <cstdlib>
#include <unistd.h>

namespace pointpng {

void wait_without_spinning(char** argv) {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr) return;
  if (::setenv("OMP_WAIT_POLICY", "passive", 1) != 0) return;
  ::execv("/proc/self/exe", argv);  // where that fails, the program goes on as it is
}

}  // namespace pointpng
