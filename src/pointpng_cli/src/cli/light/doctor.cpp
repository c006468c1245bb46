#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/light/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "pointpng/error.h"
#include "pointpng/runtime.h"

namespace pointpng::cli {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct DoctorOptions {
  OutputOptions output;
  ComputeOptions compute;
};

/// What was found, line by line for people and as one object for scripts.
struct Findings {
  json facts;
  std::vector<std::string> lines;
  std::vector<std::string> warnings;  ///< usable, but slower or less than it could be
  std::vector<std::string> problems;  ///< pointpng can't work like this

  void line(std::string_view name, const std::string& value) {
    lines.push_back(fmt::format("  {:<10} {}", name, value));
  }
};

/// Path of the loaded library whose file name starts with `name`; empty where there is none.
std::string find_library(std::string_view name) {
  for (const auto& path : loaded_libraries())
    if (fs::path(path).filename().string().starts_with(name)) return path;
  return "";
}

void examine_versions(Findings& found, const LearningInfo& learning) {
  const std::string library = find_library("libtorch_cpu");
  found.facts["version"] = version();
  found.facts["libtorch"] = {{"version", learning.torch_version}, {"library", library}};
  found.facts["compiler"] = __VERSION__;
  found.line("pointpng", std::string(version()));
  found.line("LibTorch", learning.installed
                             ? fmt::format("{} ({})", learning.torch_version, library)
                             : "not installed: no training, evaluation and CUDA");
  found.line("compiler",
             fmt::format("GCC-compatible {}, C++{}", __VERSION__, __cplusplus / 100 % 100));
}

void examine_devices(Findings& found, const LearningInfo& learning) {
  const std::string problem = learning.installed ? learning.cuda_problem : learning.problem;
  found.facts["cuda"] = {
      {"usable", learning.cuda_usable}, {"devices", learning.cuda_devices}, {"reason", problem}};
  found.line("CUDA", learning.cuda_usable
                         ? fmt::format("{}", fmt::join(learning.cuda_devices, ", "))
                         : "not used: " + problem);
}

void examine_processor(Findings& found) {
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") != 0;
  found.facts["avx2"] = avx2;
  if (!avx2) {
    found.warnings.emplace_back("this processor has no AVX2: expect a fraction of the usual speed");
  }
  const std::string vectors = avx2 ? ", AVX2" : ", no AVX2";
#else
  found.facts["avx2"] = false;
  const std::string vectors;
#endif
  const Memory memory = machine_memory();
  constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;
  found.facts["cores"] = usable_cores();
  found.facts["threads"] = num_threads();
  found.facts["memory_bytes"] = {{"total", memory.total}, {"available", memory.available}};
  found.line("processor",
             fmt::format("{} usable cores, {} threads{}", usable_cores(), num_threads(), vectors));
  found.line("memory", fmt::format("{:.1f} GiB, {:.1f} GiB available",
                                   static_cast<double>(memory.total) / kGibibyte,
                                   static_cast<double>(memory.available) / kGibibyte));
}

void examine_blas(Findings& found, const LearningInfo& learning) {
  const Blas blas = loaded_blas(learning.has_mkl);
  found.facts["blas"] = {{"kind", to_string(blas.kind)}, {"library", blas.library}};
  found.line("BLAS", fmt::format("{} ({})", to_string(blas.kind), blas.library));
  const std::string fix =
      "sudo apt install libopenblas0-openmp, then choose it for libblas.so.3 and liblapack.so.3 "
      "with sudo update-alternatives --config ('make setup' does both)";
  if (blas.kind == Blas::Kind::kReference) {
    found.warnings.push_back(
        "LibTorch multiplies matrices with the reference BLAS, some 40 times slower than "
        "OpenBLAS: " +
        fix);
  } else if (blas.kind == Blas::Kind::kOpenBlasPthread) {
    found.warnings.push_back(
        "OpenBLAS is the pthread flavour, whose threads compete with LibTorch's own for the "
        "cores: " +
        fix);
  }
}

void examine_speed(Findings& found, const LearningInfo& learning, Device device) {
  const LearningSpeed speed = learning_speed(device);
  found.facts["device"] = speed.device;
  found.facts["matrix_product_gflops"] = speed.gflops;
  found.line("speed",
             fmt::format("{:.0f} GFLOPS in a matrix product on {}", speed.gflops, speed.device));
  if (speed.gflops == 0)
    found.problems.push_back(
        fmt::format("LibTorch {} multiplied two matrices of ones wrongly: reinstall LibTorch",
                    learning.torch_version));
}

void examine_temp(Findings& found) {
  std::error_code failed;
  const fs::path folder = fs::temp_directory_path(failed);
  const fs::path probe = folder / fmt::format("pointpng-doctor-{}", getpid());
  const bool writable = !failed && (std::ofstream(probe) << "probe").flush().good();
  fs::remove(probe, failed);
  found.facts["temp"] = {{"path", folder.string()}, {"writable", writable}};
  found.line("temp", folder.string() + (writable ? "" : " (not writable)"));
  if (!writable) {
    found.problems.emplace_back(
        "the folder for temporary files can't be written: set TMPDIR to another");
  }
}

void print_findings(const Findings& found) {
  std::string text = "This machine, as pointpng sees it:\n";
  for (const auto& line : found.lines) {
    text += line + "\n";
  }
  for (const auto& warning : found.warnings) {
    text += "Warning: " + warning + ".\n";
  }
  for (const auto& problem : found.problems) {
    text += "Problem: " + problem + ".\n";
  }
  if (found.problems.empty()) {
    text += found.warnings.empty() ? "All is well.\n" : "Usable, with the warnings above.\n";
  }
  print_text(text);
}

Outcome examine(const DoctorOptions& options) {
  apply(options.output);
  set_num_threads(options.compute.threads);
  const LearningInfo learning = learning_info();
  if (!learning.installed && options.compute.device == Device::kCuda)
    throw InputError("device cuda: " + learning.problem);
  Findings found;
  examine_versions(found, learning);
  examine_devices(found, learning);
  examine_processor(found);
  if (learning.installed) {
    examine_blas(found, learning);
    examine_speed(found, learning, options.compute.device);
  }
  examine_temp(found);
  found.facts["ok"] = found.problems.empty();
  found.facts["warnings"] = found.warnings;
  found.facts["problems"] = found.problems;
  options.output.json ? print_json(found.facts) : print_findings(found);
  return found.problems.empty() ? Outcome::kDone : Outcome::kNoResult;
}

}  // namespace

void add_doctor(Command parent) {
  const auto options = std::make_shared<DoctorOptions>();
  Command command =
      add_command(parent, "doctor",
                  "Check this machine: versions, devices, BLAS, memory, measured speed. "
                  "Status 0 where pointpng can work, 1 where something is wrong.",
                  {{"doctor", "is everything here, and fast?"},
                   {"doctor --json | python3 -m json.tool", "the same for scripts"},
                   {"doctor --device cuda", "does the GPU work?"}});
  add_output_options(command, options->output);
  add_compute_options(command, options->compute);
  on_run(command, [options] { return examine(*options); });
}

}  // namespace pointpng::cli
