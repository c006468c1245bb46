#pragma once

#include <filesystem>
#include <string>

namespace pointpng::cli {

/// Where the shipped models are: share/pointpng_core/models beside the program's bin.
std::filesystem::path shipped_models();

/// The model to take where the user names none: $POINTPNG_MODEL, or the shipped `object`.
/// Throws `InputError` with what to do where there is none.
std::filesystem::path default_model();

/// What `--model` means: nothing is the default, a word without a slash that is no file here is a
/// shipped model ("object"), and everything else is a path.
std::filesystem::path find_model(const std::string& name);

}  // namespace pointpng::cli
