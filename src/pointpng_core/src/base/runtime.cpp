#include "pointpng/runtime.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pointpng/error.h"

namespace pointpng {
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

}  // namespace

const std::vector<std::string>& device_names() {
  static const std::vector<std::string> kNames = {"auto", "cpu", "cuda"};
  return kNames;
}

Device parse_device(std::string_view name) {
  const auto& names = device_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw InputError(
        fmt::format("there is no device '{}'; there are: {}", name, fmt::join(names, ", ")));
  return static_cast<Device>(found - names.begin());
}

const std::string& to_string(Device device) {
  return device_names().at(static_cast<std::size_t>(device));
}

fs::path shipped_models() {
  Dl_info library{};
  ::dladdr(reinterpret_cast<const void*>(&shipped_models), &library);
  std::error_code unknown;
  const fs::path file = fs::canonical(library.dli_fname, unknown);
  const fs::path below = fs::path("share") / "pointpng_core" / "models";
  // lib, or lib/x86_64-linux-gnu
  for (fs::path folder = file.parent_path(); folder.has_relative_path();
       folder = folder.parent_path())
    if (fs::is_directory(folder / below, unknown)) return folder / below;
  return file.parent_path().parent_path() / below;
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

}  // namespace pointpng
