#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/light/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/pose_options.h"
#include "cli/progress.h"
#include "pointpng/error.h"
#include "pointpng/io.h"
#include "pointpng/tracker.h"

namespace pointpng::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct TrackOptions {
  OutputOptions output;
  ComputeOptions compute;
  PoseOptions pose;
  LoadOptions load;
  TrackerConfig tracker;
  fs::path sequence, reference, out;
};

/// What a whole sequence gave.
struct Track {
  std::string trajectory;  ///< TUM text
  json frames = json::array();
  std::map<std::string, std::int64_t> states;
  std::int64_t keyframes = 0, poses = 0;
  double mean_ms = 0.0;
};

void add_frame(const SequenceFrame& frame, const TrackedFrame& tracked, Track& track) {
  ++track.states[to_string(tracked.state)];
  track.keyframes += tracked.new_keyframe ? 1 : 0;
  json row = {{"name", frame.name},
              {"seconds", frame.seconds},
              {"state", to_string(tracked.state)},
              {"keyframe", tracked.new_keyframe},
              {"ms", tracked.alignment.times_ms.total}};
  if (tracked.state == TrackedFrame::State::kLost) {
    row["reason"] = tracked.alignment.rejection_reason;
  } else {
    row["reference_from_cloud"] = row_major(tracked.reference_from_cloud);
    row["confidence"] = tracked.alignment.confidence;
    track.trajectory += tum_line(frame.seconds, tracked.reference_from_cloud);
    ++track.poses;
  }
  track.mean_ms += tracked.alignment.times_ms.total;
  track.frames.push_back(std::move(row));
}

void add_unusable(const SequenceFrame& frame, const std::string& reason, Track& track) {
  ++track.states["unusable"];
  track.frames.push_back({{"name", frame.name},
                          {"seconds", frame.seconds},
                          {"state", "unusable"},
                          {"reason", reason}});
}

Track follow(const TrackOptions& options, Tracker& tracker, std::vector<std::string>& notes) {
  Track track;
  Progress progress({.quiet = options.output.quiet});
  read_sequence(
      options.sequence, options.load,
      [&](const SequenceFrame& frame) {
        try {
          add_frame(frame, tracker.add(frame.points, frame.name), track);
          tracker.look_again();
        } catch (const InputError& unusable) {
          add_unusable(frame, unusable.what(), track);
        }
        if (progress.due())
          progress.update(fmt::format("{} clouds, {} with a pose, {} keyframes",
                                      track.frames.size(), track.poses, track.keyframes));
        return true;
      },
      &notes);
  if (!track.frames.empty()) track.mean_ms /= static_cast<double>(track.frames.size());
  return track;
}

std::string to_text(const Track& track, const fs::path& out) {
  std::string text = fmt::format("{} clouds, {} with a pose, {:.1f} ms per cloud\n",
                                 track.frames.size(), track.poses, track.mean_ms);
  for (const auto& [state, count] : track.states)
    text += fmt::format("  {:<10} {}\n", state, count);
  text += fmt::format("  keyframes  {}\n", track.keyframes);
  text +=
      out.empty() ? track.trajectory : fmt::format("the trajectory (TUM text): {}\n", out.string());
  return text;
}

Outcome run_track(const TrackOptions& options) {
  apply(options.output);
  Tracker tracker(Registration::load(options.pose.model, options.pose.config, options.compute),
                  options.tracker);
  std::vector<std::string> notes;
  if (!options.reference.empty())
    tracker.set_reference(load_cloud(options.reference, options.load, &notes),
                          options.reference.filename().string());
  const Track track = follow(options, tracker, notes);
  warn(notes);
  if (track.frames.empty())
    throw InputError(fmt::format("{} has no clouds", options.sequence.string()));
  if (!options.out.empty()) write_file_atomically(options.out, track.trajectory);
  if (options.output.json)
    print_json({{"clouds", track.frames.size()},
                {"poses", track.poses},
                {"keyframes", track.keyframes},
                {"states", track.states},
                {"ms_per_cloud", track.mean_ms},
                {"frames", track.frames}});
  else
    print_text(to_text(track, options.out));
  return track.poses > 0 ? Outcome::kDone : Outcome::kNoResult;
}

}  // namespace

void add_track(Command parent) {
  const auto options = std::make_shared<TrackOptions>();
  options->load.max_points = 0;
  Command command = add_command(
      parent, "track",
      "Track the pose of a recording's clouds, relative to a reference or from frame to frame.",
      {{"track recording/ --topic /points --out trajectory.tum",
        "the trajectory of a sensor through a bag"},
       {"track recording/ --topic /points --reference part.ply --json", "a known object's pose"},
       {"track depth_frames/ --out trajectory.tum", "depth frames, frame to keyframe"}});
  command
      .add_option("SEQUENCE", options->sequence, "A rosbag2, or a folder of depth frames or clouds")
      .required();
  command.add_option("--topic", options->load.topic, kTopicHelp);
  command.add_option("--reference", options->reference,
                     "Cloud or mesh that every cloud is aligned to; without it, the first cloud");
  add_ranged_option(command, options->tracker.second_look, range_of("second_look"));
  command.add_flag("!--no-keyframes", options->tracker.keyframes,
                   "Align everything to the first cloud");
  command.add_option("--out", options->out, "Write the trajectory as TUM text");
  add_pose_options(command, options->pose);
  add_compute_options(command, options->compute);
  add_output_options(command, options->output);
  on_run(command, [options] { return run_track(*options); });
}

}  // namespace pointpng::cli
