#include "cli/models.h"

#include <cstdlib>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pointpng/error.h"

namespace pointpng::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVariable = "POINTPNG_MODEL";
constexpr const char* kExtension = ".safetensors";

fs::path shipped(const std::string& name) { return shipped_models() / (name + kExtension); }

/// "object, paper", or "none" where nothing was installed.
std::string shipped_names() {
  std::set<std::string> names;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(shipped_models(), missing))
    if (entry.path().extension() == kExtension) names.insert(entry.path().stem().string());
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

fs::path shipped_models() {
  std::error_code unknown;
  const fs::path program = fs::read_symlink("/proc/self/exe", unknown);
  return program.parent_path().parent_path() / "share" / "pointpng_core" / "models";
}

fs::path default_model() {
  if (const char* chosen = std::getenv(kVariable); chosen != nullptr && *chosen != '\0') {
    if (!fs::exists(chosen))
      throw InputError(fmt::format("{}: there is no such model; {} names it", chosen, kVariable));
    return chosen;
  }
  const fs::path object = shipped("object");
  if (!fs::exists(object))
    throw InputError(
        fmt::format("the model 'object' is not installed ({} is missing); give another one with "
                    "--model, or train one with 'pointpng pretrain'",
                    object.string()));
  return object;
}

fs::path find_model(const std::string& name) {
  if (name.empty()) return default_model();
  if (name.find('/') != std::string::npos || fs::exists(name)) return name;
  if (fs::path(name).has_extension()) return name;  // a file that is missing: reading it says so
  const fs::path found = shipped(name);
  if (!fs::exists(found))
    throw InputError(
        fmt::format("'{}' is no file and no shipped model; those are: {}", name, shipped_names()));
  return found;
}

}  // namespace pointpng::cli
