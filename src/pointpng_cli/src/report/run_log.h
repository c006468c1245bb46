#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "report/series.h"

namespace pointpng {

/// Something that happened in a run: "resume", "stop", "collapse", "nan", "checkpoint", "done".
struct RunEvent {
  std::int64_t step = 0;
  std::string kind;
  std::string message;
};

/// What a run wrote into its log.jsonl, over the step. Where a resumed run went back a little, the
/// later lines stand. Nested numbers are named with underscores: {"success": {"15deg": 1}} is
/// "success_15deg".
struct RunLog {
  std::map<std::string, Series> metrics;      ///< measured on training batches
  std::map<std::string, Series> evaluations;  ///< measured on held-out shapes
  std::vector<RunEvent> events;               ///< in the order of the file
  std::int64_t last_step = 0;
  double training_seconds = 0.0;     ///< over all parts of a resumed run
  std::size_t steps_back = 0;        ///< how often the log went back to an earlier step
  std::size_t unreadable_lines = 0;  ///< not counting a last line that was cut
  bool last_line_cut = false;        ///< the process died, or writes just now
};

/// Throws `InputError` where there is no file or not one line of it can be read. An empty file is a
/// run that has only just started.
RunLog read_run_log(const std::filesystem::path& path);

}  // namespace pointpng
