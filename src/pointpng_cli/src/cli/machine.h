#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pointpng::cli {

/// Cores that this process may use: its affinity and its control group's quota, not what is built
/// in.
int usable_cores();

/// Memory of the machine in bytes.
struct Memory {
  std::uint64_t total = 0;
  std::uint64_t available = 0;
};
Memory machine_memory();

/// Whether LibTorch can compute with CUDA here and, where not, why.
struct CudaStatus {
  bool usable = false;
  std::string reason;                ///< empty where usable
  std::vector<std::string> devices;  ///< "0", "1", … with their names where known
};
CudaStatus cuda_status();

/// Paths of the shared libraries in this process, symbolic links resolved.
std::vector<std::string> loaded_libraries();

/// The library that multiplies LibTorch's matrices on the CPU.
struct Blas {
  enum class Kind {
    kOpenBlasOpenMp,
    kOpenBlasPthread,
    kOpenBlas,
    kMkl,
    kOther,
    kReference,
    kUnknown
  };
  Kind kind = Kind::kUnknown;
  std::string library;  ///< its path, or the library that has it built in
};
Blas loaded_blas();
const char* to_string(Blas::Kind kind);

}  // namespace pointpng::cli
