#include "io/bag_metadata.h"

#include <algorithm>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "pointpng/error.h"
#include "pointpng/io.h"

namespace pointpng {
namespace {

constexpr int kVersion = 9;
constexpr const char* kRoot = "rosbag2_bagfile_information";

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

void emit_span(YAML::Emitter& out, const BagContents& contents) {
  out << YAML::Key << "duration" << YAML::Value << YAML::BeginMap << YAML::Key << "nanoseconds"
      << YAML::Value << contents.end_ns - contents.start_ns << YAML::EndMap;
  out << YAML::Key << "starting_time" << YAML::Value << YAML::BeginMap << YAML::Key
      << "nanoseconds_since_epoch" << YAML::Value << contents.start_ns << YAML::EndMap;
  out << YAML::Key << "message_count" << YAML::Value << contents.messages;
}

void emit_topic(YAML::Emitter& out, const BagTopic& topic, const std::string& hash) {
  out << YAML::BeginMap << YAML::Key << "topic_metadata" << YAML::Value << YAML::BeginMap;
  out << YAML::Key << "name" << YAML::Value << topic.name;
  out << YAML::Key << "type" << YAML::Value << topic.type;
  out << YAML::Key << "serialization_format" << YAML::Value << topic.serialization;
  out << YAML::Key << "offered_qos_profiles" << YAML::Value << YAML::Flow << YAML::BeginSeq
      << YAML::EndSeq;
  out << YAML::Key << "type_description_hash" << YAML::Value << hash << YAML::EndMap;
  out << YAML::Key << "message_count" << YAML::Value << topic.messages << YAML::EndMap;
}

void emit_files(YAML::Emitter& out, const BagMetadata& metadata, const BagContents& contents) {
  out << YAML::Key << "relative_file_paths" << YAML::Value << metadata.files;
  out << YAML::Key << "files" << YAML::Value << YAML::BeginSeq;
  for (const std::string& file : metadata.files) {
    out << YAML::BeginMap << YAML::Key << "path" << YAML::Value << file;
    emit_span(out, contents);
    out << YAML::EndMap;
  }
  out << YAML::EndSeq;
}

}  // namespace

BagMetadata read_bag_metadata(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  try {
    const YAML::Node root = YAML::Load(text)[kRoot];
    BagMetadata metadata;
    metadata.storage = root["storage_identifier"].as<std::string>();
    metadata.files = root["relative_file_paths"].as<std::vector<std::string>>();
    metadata.messages = root["message_count"].as<std::uint64_t>(0);
    metadata.compression_format = lower(root["compression_format"].as<std::string>(""));
    metadata.compression_mode = lower(root["compression_mode"].as<std::string>(""));
    if (metadata.compression_mode == "none") metadata.compression_mode.clear();
    return metadata;
  } catch (const YAML::Exception& error) {
    throw InputError(
        fmt::format("{}: is not the metadata of a rosbag2 ({})", path.string(), error.what()));
  }
}

std::string format_bag_metadata(const BagMetadata& metadata, const BagContents& contents,
                                const std::vector<std::string>& type_hashes) {
  YAML::Emitter out;
  out << YAML::BeginMap << YAML::Key << kRoot << YAML::Value << YAML::BeginMap;
  out << YAML::Key << "version" << YAML::Value << kVersion;
  out << YAML::Key << "storage_identifier" << YAML::Value << metadata.storage;
  emit_span(out, contents);
  out << YAML::Key << "topics_with_message_count" << YAML::Value << YAML::BeginSeq;
  for (std::size_t i = 0; i < contents.topics.size(); ++i)
    emit_topic(out, contents.topics[i], type_hashes[i]);
  out << YAML::EndSeq;
  out << YAML::Key << "compression_format" << YAML::Value << YAML::DoubleQuoted
      << metadata.compression_format;
  out << YAML::Key << "compression_mode" << YAML::Value << YAML::DoubleQuoted
      << metadata.compression_mode;
  emit_files(out, metadata, contents);
  out << YAML::Key << "custom_data" << YAML::Value << YAML::Null;
  out << YAML::Key << "ros_distro" << YAML::Value << "unknown";
  out << YAML::EndMap << YAML::EndMap;
  return std::string(out.c_str()) + "\n";
}

}  // namespace pointpng
