#pragma once

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/temporary_folder.h"
#include "io/cloud_file.h"
#include "io/file_view.h"
#include "pointpng/cloud.h"
#include "pointpng/error.h"

namespace pointpng {

/// The bytes of a sequence of values, as this (little-endian) machine has them.
template <class... T>
std::string raw(T... values) {
  std::string bytes;
  const auto add = [&](auto value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  (add(values), ...);
  return bytes;
}

/// The same in big-endian order.
template <class... T>
std::string raw_big(T... values) {
  std::string bytes;
  const auto add = [&](auto value) {
    const std::string one = raw(value);
    bytes.append(one.rbegin(), one.rend());
  };
  (add(values), ...);
  return bytes;
}

/// Reads the content as a file of that name.
inline Mesh parse(const std::string& name, const std::string& content) {
  return parse_geometry({std::as_bytes(std::span(content)), name, nullptr});
}

/// Expects an InputError that names the file and contains `words`.
inline void expect_refused(const std::string& name, const std::string& content,
                           const std::string& words) {
  try {
    parse(name, content);
    ADD_FAILURE() << name << " was accepted, but should be refused with: " << words;
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(words));
    EXPECT_THAT(error.what(), testing::StartsWith(name));
  }
}

/// Expects `action` to end with an InputError that contains `words`.
template <class Action>
void expect_input_error(Action action, const std::string& words) {
  try {
    action();
    ADD_FAILURE() << "accepted, but should be refused with: " << words;
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(words));
  }
}

inline Cloud make_cloud(std::initializer_list<std::array<float, 3>> rows) {
  Cloud points(static_cast<Eigen::Index>(rows.size()), 3);
  Eigen::Index i = 0;
  for (const auto& row : rows) points.row(i++) << row[0], row[1], row[2];
  return points;
}

inline std::string read_all(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace pointpng
