#include "cli/machine.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <link.h>
#include <sched.h>
#include <thread>

#include <ATen/Context.h>
#include <torch/cuda.h>

namespace pointpng::cli {

namespace {

namespace fs = std::filesystem;

int cores_by_affinity() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    return std::max(1, CPU_COUNT(&set));
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

// In a container with "--cpus 2" all the cores are visible, but only two are ever given.
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

CudaStatus cuda_status() {
  CudaStatus status;
  if (!at::Context::hasCUDA() && !torch::cuda::is_available()) {
    const bool driver = fs::exists("/proc/driver/nvidia/version");
    status.reason = driver
                        ? "there is an NVIDIA driver, but this LibTorch was built without CUDA or "
                          "finds no device; build with a CUDA LibTorch (-DTorch_DIR=…)"
                        : "no NVIDIA driver is loaded on this machine";
    return status;
  }
  const auto count = static_cast<int>(torch::cuda::device_count());
  for (int i = 0; i < count; ++i) {
    status.devices.push_back("cuda:" + std::to_string(i));
  }
  status.usable = count > 0;
  if (!status.usable) {
    status.reason = "LibTorch knows CUDA, but finds no device";
  }
  return status;
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

Blas loaded_blas() {
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
  if (blas.kind == Blas::Kind::kUnknown && at::Context::hasMKL()) {
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

}  // namespace pointpng::cli
