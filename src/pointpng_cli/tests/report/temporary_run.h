#pragma once

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "base/temporary_folder.h"

namespace pointpng {

/// A folder for one test, removed after it.
class TemporaryRun : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& content) const {
    temporary_.write(name, content);
  }

 private:
  const TemporaryFolder temporary_;

 protected:
  const std::filesystem::path folder_ = temporary_.path();
};

}  // namespace pointpng
