#include "io/run_folder.h"

#include <utility>

#include <fmt/format.h>

#include "pointpng/error.h"
#include "pointpng/io.h"
#include "pointpng/json.h"

namespace pointpng {
namespace {

namespace fs = std::filesystem;

fs::path config_file(const fs::path& run) { return run / "config.json"; }
fs::path log_file(const fs::path& run) { return run / "log.jsonl"; }

/// The file of the weights is named after what the run trains.
fs::path result_file(const fs::path& run, const std::string& objective) {
  if (objective == "classify") return run / "classifier.safetensors";
  const bool encoder = objective == "mae" || objective == "point2vec";
  return run / (encoder ? "encoder.safetensors" : "model.safetensors");
}

void require_run(const fs::path& folder) {
  if (!fs::is_directory(folder))
    throw InputError(
        fmt::format("{} is not a folder; give the folder of a training run", folder.string()));
  for (const fs::path& file : {config_file(folder), log_file(folder)})
    if (!fs::is_regular_file(file))
      throw InputError(fmt::format(
          "{} has no {}; give a folder that `pointpng pretrain` or `pointpng mae` wrote",
          folder.string(), file.filename().string()));
}

/// A killed process may have left half a line: the next one must start on a new line.
void end_last_line(const fs::path& log) {
  if (!fs::exists(log)) return;
  const std::string text = read_file(log);
  if (!text.empty() && text.back() != '\n') std::ofstream(log, std::ios::app) << '\n';
}

}  // namespace

RunFolder::RunFolder(fs::path path, nlohmann::json config)
    : path_(std::move(path)), config_(std::move(config)) {
  end_last_line(log_file(path_));
  log_.open(log_file(path_), std::ios::app);
  if (!log_) throw Error(fmt::format("can't write {}", log_file(path_).string()));
}

RunFolder RunFolder::create(const fs::path& path, const nlohmann::json& config) {
  if (fs::exists(config_file(path)))
    throw InputError(
        fmt::format("{} holds a run already; go on with it by --resume, or give another "
                    "folder",
                    path.string()));
  std::error_code failure;
  fs::create_directories(path, failure);
  if (failure || !fs::is_directory(path))
    throw InputError(
        fmt::format("can't make the folder {}: {}", path.string(),
                    failure ? failure.message() : "a file of that name is in the way"));
  write_file_atomically(config_file(path), config.dump(2) + "\n");
  return RunFolder(path, config);
}

nlohmann::json RunFolder::read_config(const fs::path& path) {
  if (!fs::exists(config_file(path)))
    throw InputError(
        fmt::format("{} holds no run to resume: it has no config.json", path.string()));
  nlohmann::json config = nlohmann::json::parse(read_file(config_file(path)), nullptr, false);
  if (!config.is_object())
    throw InputError(fmt::format("{} is not readable JSON", config_file(path).string()));
  return config;
}

RunFolder RunFolder::open(const fs::path& path) { return RunFolder(path, read_config(path)); }

fs::path RunFolder::result() const {
  return result_file(path_, config_.value("/train/objective"_json_pointer, "pointpng"));
}

void RunFolder::log(const nlohmann::json& line) {
  // JSON has no NaN; `dump` writes null for it.
  log_ << line.dump() << '\n' << std::flush;
  if (!log_) throw Error(fmt::format("writing {} failed", log_file(path_).string()));
}

RunRecord read_run(const fs::path& folder) {
  require_run(folder);
  RunRecord run;
  run.folder = folder;
  run.config = parse_json(read_file(config_file(folder)));
  if (!run.config.is_object())
    throw InputError(fmt::format(
        "{} is not a JSON object, so this is not the folder of a training run, or the file was "
        "damaged; give a folder that `pointpng pretrain` or `pointpng mae` wrote",
        config_file(folder).string()));
  run.log = read_run_log(log_file(folder));
  for (const char* objective : {"pointpng", "classify", "mae"})
    if (const fs::path file = result_file(folder, objective); fs::exists(file)) run.result = file;
  return run;
}

}  // namespace pointpng
