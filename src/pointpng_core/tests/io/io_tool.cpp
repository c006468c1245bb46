// Lets the interoperability tests in Python drive the io stage. Prints one JSON object.

#include <functional>
#include <iostream>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/cloud_file.h"
#include "io/hdf5.h"
#include "pointpng/error.h"
#include "pointpng/io.h"

namespace {

using namespace pointpng;
using nlohmann::json;
using Arguments = std::vector<std::string>;

json to_json(const Cloud& points) {
  json rows = json::array();
  for (Eigen::Index i = 0; i < points.rows(); ++i)
    rows.push_back({points(i, 0), points(i, 1), points(i, 2)});
  return rows;
}

json to_json(const ShapeSet& set) {
  json result{{"class_names", set.class_names}, {"shapes", json::array()}};
  for (const Shape& shape : set.shapes)
    result["shapes"].push_back(
        {{"name", shape.name}, {"label", shape.label}, {"points", to_json(shape.points)}});
  return result;
}

json convert(const Arguments& arguments) {
  LoadOptions options;
  options.max_points = 0;
  const Cloud points = load_cloud(arguments.at(0), options);
  save_cloud(arguments.at(1), points);
  return {{"points", points.rows()}};
}

json cloud_dump(const Arguments& arguments) {
  return {{"points", to_json(load_cloud(arguments.at(0)))}};
}

json h5_dump(const Arguments& arguments) { return to_json(load_hdf5(arguments.at(0))); }

json h5_write(const Arguments& arguments) {
  const ShapeSet set = procedural_shapes(5, 64, 1);
  save_hdf5(arguments.at(0), set);
  return to_json(set);
}

/// OUT mcap|sqlite3 none|lz4|zstd: six clouds on two topics, the times of one running backwards.
json bag_write(const Arguments& arguments) {
  static const std::map<std::string, BagCompression> kCompressions = {
      {"none", BagCompression::kNone},
      {"lz4", BagCompression::kLz4},
      {"zstd", BagCompression::kZstd}};
  BagWriterOptions options;
  options.storage = arguments.at(1) == "mcap" ? BagStorageKind::kMcap : BagStorageKind::kSqlite3;
  options.compression = kCompressions.at(arguments.at(2));
  options.chunk_bytes = 4096;
  BagWriter writer(arguments.at(0), options);
  json clouds = json::array();
  for (int i = 0; i < 6; ++i) {
    const Cloud points = procedural_shape(1, static_cast<std::uint64_t>(i), 100 + i).points;
    const std::string topic = i % 2 == 0 ? "/even" : "/odd";
    const std::int64_t time = 1'700'000'000'000'000'000 + (i % 2 == 0 ? i : 10 - i) * 1'000'000;
    writer.write(topic, time, from_cloud(points, "map", time - 5));
    clouds.push_back({{"topic", topic}, {"time", time}, {"points", to_json(points)}});
  }
  writer.close();
  return {{"clouds", clouds}};
}

/// BAG [TOPIC]
json bag_dump(const Arguments& arguments) {
  const BagInfo info = inspect_bag(arguments.at(0));
  json result{{"storage", info.storage},
              {"compression", info.compression},
              {"messages", info.contents.messages},
              {"start", info.contents.start_ns},
              {"end", info.contents.end_ns},
              {"topics", json::array()},
              {"clouds", json::array()}};
  for (const BagTopic& topic : info.contents.topics)
    result["topics"].push_back({{"name", topic.name},
                                {"type", topic.type},
                                {"serialization", topic.serialization},
                                {"messages", topic.messages}});
  std::vector<std::string> notes;
  read_clouds(
      arguments.at(0), arguments.size() > 1 ? arguments[1] : "",
      [&](const CloudMessage& message) {
        std::size_t dropped = 0;
        const Cloud points = to_cloud(message.cloud, &dropped);
        result["clouds"].push_back({{"topic", message.topic},
                                    {"time", message.receive_ns},
                                    {"stamp", message.cloud.stamp_ns},
                                    {"frame", message.cloud.frame_id},
                                    {"dropped", dropped},
                                    {"points", to_json(points)}});
        return true;
      },
      &notes);
  result["notes"] = notes;
  return result;
}

/// SOURCE: what `load_shapes` makes of it, without the points.
json shapes(const Arguments& arguments) {
  std::vector<std::string> notes;
  const ShapeSet set = load_shapes(arguments.at(0), {}, &notes);
  json result{{"class_names", set.class_names}, {"notes", notes}, {"shapes", json::array()}};
  for (const Shape& shape : set.shapes)
    result["shapes"].push_back(
        {{"name", shape.name}, {"label", shape.label}, {"points", shape.points.rows()}});
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  static const std::map<std::string, std::function<json(const Arguments&)>> kCommands = {
      {"convert", convert},   {"cloud-dump", cloud_dump}, {"h5-dump", h5_dump},
      {"h5-write", h5_write}, {"bag-write", bag_write},   {"bag-dump", bag_dump},
      {"shapes", shapes}};
  try {
    const Arguments arguments(argv + std::min(argc, 2), argv + argc);
    std::cout << kCommands.at(argc > 1 ? argv[1] : "")(arguments) << "\n";
    return 0;
  } catch (const InputError& error) {
    std::cerr << error.what() << "\n";
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "unexpected: " << error.what() << "\n";
    return 1;
  }
}
