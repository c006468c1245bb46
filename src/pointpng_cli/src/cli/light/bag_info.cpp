#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/light/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "pointpng/io.h"

namespace pointpng::cli {

namespace {

using nlohmann::json;

constexpr double kSecond = 1e9;  // in nanoseconds

struct BagInfoOptions {
  OutputOptions output;
  std::filesystem::path bag;
};

double duration_s(const BagContents& contents) {
  return static_cast<double>(contents.end_ns - contents.start_ns) / kSecond;
}

bool is_cloud(const BagTopic& topic) { return topic.type == "sensor_msgs/msg/PointCloud2"; }

json to_json(const BagInfo& info) {
  json topics = json::array();
  for (const auto& topic : info.contents.topics) {
    topics.push_back({{"name", topic.name},
                      {"type", topic.type},
                      {"serialization", topic.serialization},
                      {"messages", topic.messages},
                      {"is_cloud", is_cloud(topic)}});
  }
  json files = json::array();
  for (const auto& file : info.files) {
    files.push_back(file.string());
  }
  return {{"storage", info.storage},
          {"compression", info.compression},
          {"files", files},
          {"messages", info.contents.messages},
          {"start_ns", info.contents.start_ns},
          {"end_ns", info.contents.end_ns},
          {"duration_s", duration_s(info.contents)},
          {"topics", topics},
          {"warnings", info.warnings}};
}

std::string utc_time(std::int64_t nanoseconds) {
  return fmt::format("{:%F %T} UTC",
                     fmt::gmtime(static_cast<std::time_t>(nanoseconds / 1'000'000'000)));
}

std::string to_text(const BagInfo& info) {
  const BagContents& contents = info.contents;
  std::string text = fmt::format("storage   {}{}\n", info.storage,
                                 info.compression.empty() ? "" : ", " + info.compression);
  for (const auto& file : info.files) {
    text += fmt::format("file      {}\n", file.string());
  }
  text += fmt::format("messages  {}\n", contents.messages);
  if (contents.messages > 0) {
    text += fmt::format("recorded  {}, {}\n", utc_time(contents.start_ns),
                        short_duration(duration_s(contents)));
  }
  std::size_t width = 0;
  for (const auto& topic : contents.topics) {
    width = std::max(width, topic.name.size());
  }
  for (const auto& topic : contents.topics) {
    text += fmt::format("topic     {:<{}}  {:>8}  {}{}\n", topic.name, width, topic.messages,
                        topic.type, is_cloud(topic) ? "  (clouds)" : "");
  }
  return text;
}

Outcome show(const BagInfoOptions& options) {
  apply(options.output);
  const BagInfo info = inspect_bag(options.bag);
  for (const auto& warning : info.warnings) {
    warn(warning);
  }
  options.output.json ? print_json(to_json(info)) : print_text(to_text(info));
  return Outcome::kDone;
}

}  // namespace

void add_bag_info(Command parent) {
  const auto options = std::make_shared<BagInfoOptions>();
  Command command = add_command(command_group(parent, "bag", "Recordings of ROS 2"), "info",
                                "Show what a rosbag2 holds; works without ROS.",
                                {{"bag info recording/", "topics, counts and times of a bag"},
                                 {"bag info recording/recording_0.mcap --json", "for scripts"}});
  command.add_option("BAG", options->bag, "A rosbag2: its folder, or a .mcap or .db3 file")
      .required();
  add_output_options(command, options->output);
  on_run(command, [options] { return show(*options); });
}

}  // namespace pointpng::cli
