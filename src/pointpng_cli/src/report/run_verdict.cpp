#include "report/run_verdict.h"

#include <algorithm>
#include <cmath>
#include <ranges>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/format.h"
#include "report/json_leaves.h"

namespace pointpng {
namespace {

enum class Ending { kDone, kStopped, kNaN, kOpen };

Ending ending_of(const RunLog& log) {
  for (const auto& event : std::views::reverse(log.events)) {
    if (event.kind == "done") return Ending::kDone;
    if (event.kind == "stop") return Ending::kStopped;
    if (event.kind == "nan") return Ending::kNaN;
    if (event.kind == "resume") return Ending::kOpen;
  }
  return Ending::kOpen;
}

std::string_view ending_words(Ending ending) {
  switch (ending) {
    case Ending::kDone:
      return "Finished";
    case Ending::kStopped:
      return "Stopped early";
    case Ending::kNaN:
      return "Ended with NaN values";
    case Ending::kOpen:
      return "Not finished (still running, or killed)";
  }
  return "";
}

const Series& series_of(const std::map<std::string, Series>& from, const std::string& key) {
  static const Series kNone;
  const auto found = from.find(key);
  return found == from.end() ? kNone : found->second;
}

/// "2025-06-01T12:30:05Z" -> "2025-06-01 12:30 UTC"; anything else stays as it is.
std::string readable_time(std::string time) {
  if (time.size() < 17 || time[10] != 'T' || time[13] != ':') return time;
  const bool utc = time.back() == 'Z';
  return fmt::format("{} {}{}", time.substr(0, 10), time.substr(11, 5), utc ? " UTC" : "");
}

/// PA or AE: on held-out shapes where that was measured.
std::optional<Tile> equivariance_tile(const RunLog& log, const std::string& key,
                                      const std::string& label, const std::string& meaning) {
  const Series& held_out = series_of(log.evaluations, key);
  if (!held_out.empty())
    return Tile{label, format_number(held_out.back().y), "", meaning + "; held-out shapes"};
  const Series& training = series_of(log.metrics, key);
  if (training.empty()) return std::nullopt;
  return Tile{label, format_number(final_value(training)), "", meaning + "; training batches"};
}

void add_pose_tiles(const RunLog& log, std::vector<Tile>& tiles) {
  const Series& mean = series_of(log.evaluations, "rotation_deg_mean");
  if (!mean.empty())
    tiles.push_back(
        {"Rotation error", format_number(mean.back().y, 3) + "°", "", "mean, held-out shapes"});
  const Series& found = series_of(log.evaluations, "success_15deg");
  if (!found.empty())
    tiles.push_back(
        {"Poses found", format_percent(found.back().y), "", "within 15°, held-out shapes"});
}

void add_size_tile(const Json& config, std::optional<std::uint64_t> bytes,
                   std::vector<Tile>& tiles) {
  double parameters = 0.0;
  if (config.contains("parameters"))
    for_each_leaf(config["parameters"], "", '.', [&](const std::string&, const Json& leaf) {
      if (leaf.is_number()) parameters += leaf.get<double>();
    });
  if (parameters <= 0.0 && !bytes) return;
  const bool millions = parameters >= 1e6;
  tiles.push_back({"Parameters",
                   parameters > 0.0 ? format_number(parameters / (millions ? 1e6 : 1e3), 3) : "",
                   parameters > 0.0 ? (millions ? "million" : "thousand") : "",
                   bytes ? "checkpoint of " + format_bytes(*bytes) : "no checkpoint file"});
}

const RunEvent* first_event(const RunLog& log, std::string_view kind) {
  const auto found = std::find_if(log.events.begin(), log.events.end(),
                                  [&](const RunEvent& event) { return event.kind == kind; });
  return found == log.events.end() ? nullptr : &*found;
}

std::ptrdiff_t count_events(const RunLog& log, std::string_view kind) {
  return std::count_if(log.events.begin(), log.events.end(),
                       [&](const RunEvent& event) { return event.kind == kind; });
}

std::string times(std::ptrdiff_t count) {
  return count == 1 ? "once" : count == 2 ? "twice" : fmt::format("{} times", count);
}

std::string message_of(const RunEvent& event) {
  return event.message.empty() ? "" : fmt::format(" Message: {}", event.message);
}

void add_collapse(Section& section, const RunLog& log) {
  const RunEvent* collapse = first_event(log, "collapse");
  if (collapse == nullptr) return;
  section.callout(
      Callout::kAlarm, "Collapse.",
      fmt::format(
          "Since step {}, detected {}: the embedding hardly responds to rotation (AE near 0), "
          "so the model cannot find poses.{}",
          format_count(collapse->step), times(count_events(log, "collapse")),
          message_of(*collapse)));
}

void add_nan(Section& section, const RunLog& log) {
  std::size_t count = 0;
  std::string where;
  for (const auto& [name, series] : log.metrics)
    for (const SeriesPoint& point : series) {
      if (std::isfinite(point.y)) continue;
      if (count++ == 0) where = fmt::format("{} at step {}", name, format_number(point.x));
    }
  const RunEvent* event = first_event(log, "nan");
  if (count == 0 && event == nullptr) return;
  const std::string first =
      count == 0 ? fmt::format("Detected at step {}.", format_count(event->step))
                 : fmt::format("{} logged value{}, the first: {}. The curves have gaps there.",
                               format_count(static_cast<std::int64_t>(count)),
                               count == 1 ? "" : "s", where);
  section.callout(Callout::kAlarm, "Values that are not finite.",
                  first + (event != nullptr ? message_of(*event) : ""));
}

void add_interruptions(Section& section, const RunLog& log) {
  const std::ptrdiff_t resumed =
      std::max(count_events(log, "resume"), static_cast<std::ptrdiff_t>(log.steps_back));
  if (resumed > 0)
    section.callout(
        Callout::kNote, "Resumed.",
        fmt::format("The run was interrupted and resumed {}. For repeated steps the last values "
                    "are shown.",
                    times(resumed)));
  const Ending ending = ending_of(log);
  if (ending == Ending::kStopped)
    section.callout(
        Callout::kWarning, "Stopped early.",
        "The figures are those of the last step, not of a finished run; --resume continues it.");
  if (ending == Ending::kOpen && !log.metrics.empty())
    section.callout(Callout::kWarning, "No end in the log.",
                    "The run is still active, or it was killed; --resume continues from its last "
                    "checkpoint.");
}

void add_damage(Section& section, const RunLog& log) {
  if (log.last_line_cut)
    section.callout(Callout::kNote, "Last line cut.",
                    "The last line of log.jsonl is half-written and was left out.");
  if (log.unreadable_lines > 0)
    section.callout(Callout::kWarning, "Unreadable lines.",
                    fmt::format("{} of log.jsonl could not be read and were left out.",
                                format_count(static_cast<std::int64_t>(log.unreadable_lines))));
}

/// PA and AE can be high while poses are wrong by 180°.
void add_missing_pose(Section& section, const RunLog& log) {
  if (series_of(log.metrics, "pa").empty() || log.evaluations.contains("rotation_deg_mean")) return;
  section.callout(
      Callout::kNote, "No pose error was measured.",
      "PA and AE alone do not show that poses are found; pointpng eval pose measures it.");
}

}  // namespace

std::string run_summary(const Json& config, const RunLog& log) {
  std::string text(ending_words(ending_of(log)));
  text += fmt::format(" after {} steps", format_count(log.last_step));
  if (log.training_seconds > 0.0) text += " in " + format_duration(log.training_seconds);
  if (const std::string started = text_at(config, "started"); !started.empty())
    text += ", started " + readable_time(started);
  text += '.';
  const Series& loss = series_of(log.metrics, "loss");
  const double first = initial_value(loss), last = final_value(loss);
  if (loss.size() > 1 && std::isfinite(first) && std::isfinite(last))
    text += fmt::format(" The loss {} from {} to {}.", last <= first ? "fell" : "rose",
                        format_number(first), format_number(last));
  return text;
}

std::vector<Tile> run_tiles(const Json& config, const RunLog& log,
                            std::optional<std::uint64_t> model_bytes) {
  std::vector<Tile> tiles;
  add_pose_tiles(log, tiles);
  if (auto tile = equivariance_tile(log, "pa", "PA", "1 is perfect")) tiles.push_back(*tile);
  if (auto tile = equivariance_tile(log, "ae", "AE", "0 is collapse")) tiles.push_back(*tile);
  if (const Series& loss = series_of(log.metrics, "loss"); !loss.empty())
    tiles.push_back({"Final loss", format_number(final_value(loss)), "",
                     "at the start " + format_number(initial_value(loss))});
  if (const Series& speed = series_of(log.metrics, "clouds_per_s"); !speed.empty())
    tiles.push_back({"Throughput", format_number(final_value(speed), 3), "clouds/s",
                     text_at(config, "device")});
  if (log.training_seconds > 0.0)
    tiles.push_back({"Training time", format_duration(log.training_seconds), "",
                     format_count(log.last_step) + " steps"});
  add_size_tile(config, model_bytes, tiles);
  return tiles;
}

void add_run_callouts(Section& section, const RunLog& log) {
  if (log.metrics.empty())
    section.callout(Callout::kNote, "Nothing logged yet.",
                    "The run has not finished its first steps; write the report again later.");
  add_collapse(section, log);
  add_nan(section, log);
  add_interruptions(section, log);
  add_missing_pose(section, log);
  add_damage(section, log);
}

}  // namespace pointpng
