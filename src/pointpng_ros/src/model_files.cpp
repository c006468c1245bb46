#include "model_files.h"

#include <cstdlib>
#include <sstream>

#include "cli/models.h"

namespace pointpng_ros {
namespace {

namespace fs = std::filesystem;
constexpr const char* kDefault = "object";

/// Where a model of this name was installed; empty where it was not.
fs::path installed(const std::string& name) {
  const char* prefixes = std::getenv("AMENT_PREFIX_PATH");
  std::istringstream list(prefixes == nullptr ? "" : prefixes);
  for (std::string prefix; std::getline(list, prefix, ':');) {
    const fs::path file =
        fs::path(prefix) / "share" / "pointpng_core" / "models" / (name + ".safetensors");
    if (fs::exists(file)) return file;
  }
  return {};
}

bool user_has_chosen() {
  const char* chosen = std::getenv("POINTPNG_MODEL");
  return chosen != nullptr && *chosen != '\0';
}

}  // namespace

fs::path find_model(const std::string& name) {
  const bool is_name = name.find('/') == std::string::npos && !fs::path(name).has_extension();
  const bool wants_default = name.empty() && !user_has_chosen();
  if (wants_default || (!name.empty() && is_name)) {
    const fs::path file = installed(wants_default ? kDefault : name);
    if (!file.empty()) return file;
  }
  return pointpng::cli::find_model(name);  // says what to do where there is nothing
}

}  // namespace pointpng_ros
