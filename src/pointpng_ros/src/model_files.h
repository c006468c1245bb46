#pragma once

#include <filesystem>
#include <string>

namespace pointpng_ros {

/// The file that the parameter `model` means: nothing or a name is a model that was installed with
/// pointpng_core, in any prefix of the sourced workspaces; else a path. Throws `InputError` where
/// there is none.
std::filesystem::path find_model(const std::string& name);

}  // namespace pointpng_ros
