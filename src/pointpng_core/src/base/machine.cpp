#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <link.h>
#include <sched.h>
#include <thread>

#include "pointpng/runtime.h"

namespace pointpng {

namespace {

namespace fs = std::filesystem;

int cores_by_affinity() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    return std::max(1, CPU_COUNT(&set));
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

// In a container with "--cpus 2" all cores are visible, but only two can be used.
int cores_by_quota(int otherwise) {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (file >> quota >> period && quota != "max" && period > 0) {
    return std::max(1, static_cast<int>(std::ceil(std::stod(quota) / period)));
  }
  return otherwise;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

Blas::Kind blas_kind(const std::string& path) {
  const std::string name = fs::path(path).filename();
  if (contains(path, "openblas")) {
    if (contains(path, "openmp") || contains(name, "openblaso")) return Blas::Kind::kOpenBlasOpenMp;
    if (contains(path, "pthread") || contains(name, "openblasp"))
      return Blas::Kind::kOpenBlasPthread;
    return Blas::Kind::kOpenBlas;
  }
  if (name.starts_with("libmkl")) return Blas::Kind::kMkl;
  if (name.starts_with("libblis") || contains(path, "/blis") || contains(path, "/atlas")) {
    return Blas::Kind::kOther;
  }
  return name.starts_with("libblas.so") ? Blas::Kind::kReference : Blas::Kind::kUnknown;
}

}  // namespace

int usable_cores() {
  const int cores = cores_by_affinity();
  return std::min(cores, cores_by_quota(cores));
}

Memory machine_memory() {
  Memory memory;
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::string unit;
  for (std::uint64_t kibibytes = 0; file >> name >> kibibytes;) {
    std::getline(file, unit);
    if (name == "MemTotal:") memory.total = kibibytes * 1024;
    if (name == "MemAvailable:") memory.available = kibibytes * 1024;
  }
  return memory;
}

std::vector<std::string> loaded_libraries() {
  std::vector<std::string> paths;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        if (info->dlpi_name != nullptr && info->dlpi_name[0] == '/') {
          std::error_code failed;
          const fs::path resolved = fs::canonical(info->dlpi_name, failed);
          static_cast<std::vector<std::string>*>(data)->push_back(failed ? info->dlpi_name
                                                                         : resolved.string());
        }
        return 0;
      },
      &paths);
  return paths;
}

Blas loaded_blas(bool torch_has_mkl) {
  Blas blas;
  std::string torch_cpu;
  for (const auto& path : loaded_libraries()) {
    const Blas::Kind kind = blas_kind(path);
    if (kind != Blas::Kind::kUnknown && blas.kind == Blas::Kind::kUnknown) {
      blas = {kind, path};
    }
    if (contains(path, "libtorch_cpu")) {
      torch_cpu = path;
    }
  }
  // LibTorch from pytorch.org has MKL linked into itself.
  if (blas.kind == Blas::Kind::kUnknown && torch_has_mkl) {
    blas = {Blas::Kind::kMkl, torch_cpu};
  }
  return blas;
}

const char* to_string(Blas::Kind kind) {
  switch (kind) {
    case Blas::Kind::kOpenBlasOpenMp:
      return "OpenBLAS (OpenMP)";
    case Blas::Kind::kOpenBlasPthread:
      return "OpenBLAS (pthread)";
    case Blas::Kind::kOpenBlas:
      return "OpenBLAS";
    case Blas::Kind::kMkl:
      return "MKL";
    case Blas::Kind::kOther:
      return "another optimised BLAS";
    case Blas::Kind::kReference:
      return "reference BLAS";
    case Blas::Kind::kUnknown:
      break;
  }
  return "unknown";
}

}  // namespace pointpng
