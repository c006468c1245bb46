#pragma once

#include <filesystem>

namespace pointpng {

/// Writes one self-contained HTML page about a training run: result, curves, configuration, data,
/// machine, and the command that reproduces it.
/// Reads config.json and log.jsonl of the folder, the size of model.safetensors and the table in
/// demo.json if present. Throws `InputError` where the folder is not that of a run.
void write_run_report(const std::filesystem::path& run_folder,
                      const std::filesystem::path& out_path);

}  // namespace pointpng
