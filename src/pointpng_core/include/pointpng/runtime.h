#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pointpng {

/// The version of this library, as in CMakeLists.txt and package.xml.
std::string_view version();

/// Where to compute. `kAuto` takes CUDA where it is usable and, for embedding, faster.
enum class Device { kAuto, kCpu, kCuda };

/// "auto", "cpu", "cuda".
const std::vector<std::string>& device_names();
Device parse_device(std::string_view name);  ///< throws `InputError` for other words
const std::string& to_string(Device device);

/// Where and with how many threads to compute.
struct ComputeOptions {
  int threads = 0;  ///< 0: every core that this process may use
  Device device = Device::kAuto;
};

/// Cores that this process may use: its affinity and its control group's quota.
int usable_cores();

/// Threads that registration computes with; 0: every usable core. One is enough for a caller that
/// aligns several pairs at once.
void set_num_threads(int threads);
int num_threads();

/// Memory of the machine in bytes.
struct Memory {
  std::uint64_t total = 0;
  std::uint64_t available = 0;
};
Memory machine_memory();

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
/// `torch_has_mkl`: LibTorch was built with MKL, which may be linked into it.
Blas loaded_blas(bool torch_has_mkl);
const char* to_string(Blas::Kind kind);

/// Where shipped models are installed: share/pointpng_core/models beside this library.
std::filesystem::path shipped_models();

/// What a model's name means: an empty one is $POINTPNG_MODEL or the shipped `object`, a word
/// without a slash that is no file here is a shipped model, everything else is a path. Throws
/// `InputError` with what to do where there is no such model.
std::filesystem::path find_model(const std::string& name);

/// What a model file says about itself; nothing of it is executed.
struct ModelInfo {
  std::filesystem::path file;
  std::uintmax_t bytes = 0;
  std::string kind;                                ///< "model" or "classifier"
  std::map<std::string, std::string> metadata;     ///< JSON texts: config, training, metrics, …
  std::map<std::string, std::int64_t> parameters;  ///< number of weights by part: backbone, …
  std::int64_t embedding_length = 0;               ///< of z; 0 for a classifier
  std::vector<std::int64_t> channels;              ///< of each degree of z; empty where it has none
};

/// Throws `InputError` for a file that is no model of ours.
ModelInfo inspect_model(const std::filesystem::path& file);

/// LibTorch and CUDA, which live in a library of their own and are loaded when first asked for.
struct LearningInfo {
  bool installed = false;
  std::string problem;        ///< why it is not usable, a sentence; empty where it is
  std::string torch_version;  ///< "1.13.1"
  bool cuda_usable = false;
  std::string cuda_problem;  ///< why CUDA is not usable; empty where it is
  std::vector<std::string> cuda_devices;
  bool has_mkl = false;  ///< MKL is linked into LibTorch
};

LearningInfo learning_info();

/// How fast LibTorch multiplies matrices; throws `InputError` where the device can't be used.
struct LearningSpeed {
  std::string device;   ///< "cpu" or "cuda:0"
  double gflops = 0.0;  ///< 0 where the product was wrong
};
LearningSpeed learning_speed(Device device);

}  // namespace pointpng
