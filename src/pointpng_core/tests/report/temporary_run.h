#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace pointpng {

/// A folder of its own for each test, gone after it.
class TemporaryRun : public ::testing::Test {
 protected:
  TemporaryRun() {
    std::string pattern = (std::filesystem::temp_directory_path() / "run-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = pattern;
  }
  ~TemporaryRun() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
  }

  std::filesystem::path folder_;
};

}  // namespace pointpng
