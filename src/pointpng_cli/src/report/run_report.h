#pragma once

#include <filesystem>

namespace pointpng {

/// Writes one self-contained HTML page about a training run: what it was, how it went, its curves,
/// configuration, data and machine, and the command that repeats it.
/// Reads config.json and log.jsonl of the folder, the size of model.safetensors and the table in
/// demo.json where there are any. Throws `InputError` where the folder is not one of a run.
void write_run_report(const std::filesystem::path& run_folder,
                      const std::filesystem::path& out_path);

}  // namespace pointpng
