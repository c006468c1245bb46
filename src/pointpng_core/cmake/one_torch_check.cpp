// Prints which LibTorch the compiler and the loader took, as a CMake list; for OneTorch.cmake.
#include <cstdio>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include <torch/version.h>

int main() {
  std::printf("headers %d.%d", TORCH_VERSION_MAJOR, TORCH_VERSION_MINOR);
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void*) {
        const bool ours = strstr(info->dlpi_name, "/libtorch_cpu.so") != nullptr ||
                          strstr(info->dlpi_name, "/libc10.so") != nullptr;
        if (char* path = ours ? realpath(info->dlpi_name, nullptr) : nullptr) {
          std::printf(";library %s", path);
          free(path);
        }
        return 0;
      },
      nullptr);
}
