#include "replay_config.h"

#include <filesystem>

namespace pointpng_ros {
namespace {

using ReplaySet = Parameters<ReplayConfig>;

void add_simulator(ReplaySet& set) {
  set.add(
      "seed", [](auto& c) -> auto& { return c.simulator.seed; },
      "simulator: seed of object, motion and noise", fixed(0));
  set.add(
      "object", [](auto& c) -> auto& { return c.simulator.object; },
      "simulator: which object of the seed", fixed(0));
  set.add(
      "points", [](auto& c) -> auto& { return c.simulator.points; },
      "simulator: points on the whole surface; about half of them are visible",
      fixed(100, 1'000'000));
  set.add(
      "size", [](auto& c) -> auto& { return c.simulator.size; },
      "simulator: radius of the object, metres", fixed(0.001, 100));
  set.add(
      "distance", [](auto& c) -> auto& { return c.simulator.distance; },
      "simulator: from the camera to the object's centre, metres", fixed(0.001, 1000));
  set.add(
      "turn_rate", [](auto& c) -> auto& { return c.simulator.turn_rate; },
      "simulator: angular rate of the object, degrees per second", fixed(-3600, 3600));
  set.add(
      "noise", [](auto& c) -> auto& { return c.simulator.noise; },
      "simulator: standard deviation of the measured range, metres", fixed(0, 10));
  set.add(
      "whole", [](auto& c) -> auto& { return c.simulator.whole; },
      "simulator: show the hidden side as well", fixed());
}

}  // namespace

void validate(const ReplayConfig& config) {
  if (config.source.empty())
    throw pointpng::InputError("source must be 'simulator', a rosbag2 or a folder; it is empty");
  if (config.source != "simulator" && !std::filesystem::exists(config.source))
    throw pointpng::InputError("source: " + config.source +
                               " does not exist; give 'simulator', a rosbag2 or a folder");
  if (config.frame.empty() || config.true_frame.empty() || config.frame == config.true_frame)
    throw pointpng::InputError("frame and true_frame must be different and not empty");
  if (config.simulator.distance <= config.simulator.size)
    throw pointpng::InputError(
        "the camera is inside the object: distance must be larger than size");
  if (config.clock && config.restamp)
    throw pointpng::InputError(
        "clock publishes the recording's time: set restamp to false, or clock to false");
}

Parameters<ReplayConfig> replay_parameters() {
  ReplaySet set;
  set.add(
      "source", [](auto& c) -> auto& { return c.source; },
      "simulator, or a rosbag2, a folder of depth frames or of cloud files", fixed());
  set.add(
      "topic", [](auto& c) -> auto& { return c.topic; },
      "PointCloud2 topic of a bag that has several", fixed());
  set.add(
      "pace", [](auto& c) -> auto& { return c.pace; },
      "rate: at a fixed rate; recorded: as recorded; served: after the answer to the last cloud",
      {.choices = {"rate", "recorded", "served"}, .fixed = true});
  set.add("rate", [](auto& c) -> auto& { return c.rate; }, "clouds per second",
          {.least = 0.001, .most = 1000});
  set.add(
      "clouds", [](auto& c) -> auto& { return c.clouds; }, "stop after this many clouds; 0: never",
      fixed(0));
  set.add(
      "loop", [](auto& c) -> auto& { return c.loop; }, "start over at the end", fixed());
  set.add(
      "restamp", [](auto& c) -> auto& { return c.restamp; },
      "stamp clouds with the current time; false: with that of the recording", fixed());
  set.add(
      "clock", [](auto& c) -> auto& { return c.clock; }, "publish the recording's time on /clock",
      fixed());
  set.add(
      "frame", [](auto& c) -> auto& { return c.frame; },
      "frame_id of clouds that have none, and of the simulated camera", fixed());
  set.add(
      "true_frame", [](auto& c) -> auto& { return c.true_frame; },
      "simulator: frame of the object's true pose on /tf", fixed());
  add_simulator(set);
  return set;
}

}  // namespace pointpng_ros
