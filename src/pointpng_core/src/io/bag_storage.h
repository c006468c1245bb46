#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "pointpng/io.h"

namespace pointpng {

/// One file of a bag. Opening throws `InputError` for a file that is none; damage further in is a
/// warning, and the messages before it are read.
class BagStorage {
 public:
  virtual ~BagStorage() = default;

  /// Restricts what `next` reads to these topics; none means all. Call it before `next`.
  virtual void select(const std::vector<std::string>& topics) = 0;
  /// Reads on in the order of time; false at the end.
  virtual bool next(BagMessage& message) = 0;

  const BagContents& contents() const { return contents_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 protected:
  BagContents contents_;
  std::vector<std::string> warnings_;
};

std::unique_ptr<BagStorage> open_mcap(const std::filesystem::path& path);
std::unique_ptr<BagStorage> open_db3(const std::filesystem::path& path);

}  // namespace pointpng
