#include "train/run_folder.h"

#include <utility>

#include <fmt/format.h>

#include "pointpng/error.h"
#include "pointpng/io.h"
#include "train/config.h"

namespace pointpng {
namespace {

namespace fs = std::filesystem;

fs::path config_file(const fs::path& run) { return run / "config.json"; }
fs::path log_file(const fs::path& run) { return run / "log.jsonl"; }

/// A process that was killed may have left half a line: the next one must not be glued to it.
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

RunFolder RunFolder::open(const fs::path& path) {
  if (!fs::exists(config_file(path)))
    throw InputError(
        fmt::format("{} holds no run to resume: it has no config.json", path.string()));
  nlohmann::json config = nlohmann::json::parse(read_file(config_file(path)), nullptr, false);
  if (!config.is_object())
    throw InputError(fmt::format("{} is not readable JSON", config_file(path).string()));
  return RunFolder(path, std::move(config));
}

fs::path RunFolder::result() const {
  const std::string objective = config_.value("/train/objective"_json_pointer, "pointpng");
  if (objective == "classify") return path_ / "classifier.safetensors";
  return path_ / (trains_model(objective) ? "model.safetensors" : "encoder.safetensors");
}

void RunFolder::log(const nlohmann::json& line) {
  // NaN has no name in JSON; `dump` writes null for it.
  log_ << line.dump() << '\n' << std::flush;
  if (!log_) throw Error(fmt::format("writing {} failed", log_file(path_).string()));
}

}  // namespace pointpng
