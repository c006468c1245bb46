#include "pointpng/runtime.h"

#include <cstdlib>
#include <dlfcn.h>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/choices.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModelVariable = "POINTPNG_MODEL";
constexpr const char* kModelExtension = ".safetensors";

fs::path shipped(const std::string& name) { return shipped_models() / (name + kModelExtension); }

/// "object, paper", or "none" where nothing was installed.
std::string shipped_names() {
  std::set<std::string> names;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(shipped_models(), missing))
    if (entry.path().extension() == kModelExtension) names.insert(entry.path().stem().string());
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

fs::path default_model() {
  if (const char* chosen = std::getenv(kModelVariable); chosen != nullptr && *chosen != '\0') {
    if (!fs::exists(chosen))
      throw InputError(fmt::format("{}: no such model (named by {})", chosen, kModelVariable));
    return chosen;
  }
  const fs::path object = shipped("object");
  if (!fs::exists(object))
    throw InputError(
        fmt::format("the default model 'object' is not installed: {} is missing; name another "
                    "model, or train one with 'pointpng pretrain'",
                    object.string()));
  return object;
}

}  // namespace

std::string_view version() { return POINTPNG_VERSION; }

const std::vector<std::string>& device_names() {
  static const std::vector<std::string> names = {"auto", "cpu", "cuda"};
  return names;
}

Device parse_device(std::string_view name) {
  return static_cast<Device>(choice("device", name, device_names()));
}

const std::string& to_string(Device device) {
  return device_names()[static_cast<std::size_t>(device)];
}

/// <prefix>/lib or <prefix>/lib/<architecture> holds this library: no environment variable and no
/// layout of a workspace matters.
fs::path shipped_models() {
  const fs::path models = fs::path("share") / "pointpng_core" / "models";
  Dl_info library;
  fs::path folder;
  if (dladdr(reinterpret_cast<const void*>(&shipped_models), &library) != 0) {
    std::error_code unknown;
    folder = fs::weakly_canonical(library.dli_fname, unknown).parent_path();
  }
  for (fs::path prefix = folder.parent_path(); prefix.has_relative_path();
       prefix = prefix.parent_path())
    if (fs::is_directory(prefix / models)) return prefix / models;
  return folder.parent_path() / models;
}

fs::path find_model(const std::string& name) {
  if (name.empty()) return default_model();
  if (name.find('/') != std::string::npos || fs::exists(name)) return name;
  if (fs::path(name).has_extension()) return name;  // a missing file: reading it says so
  const fs::path found = shipped(name);
  if (!fs::exists(found))
    throw InputError(fmt::format("'{}' is neither a file nor a shipped model; those are: {}", name,
                                 shipped_names()));
  return found;
}

}  // namespace pointpng
