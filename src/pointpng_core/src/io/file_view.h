#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pointpng {

/// The bytes of one file, its name for messages, and where to put what the user should know.
struct FileView {
  std::span<const std::byte> bytes;
  std::string name;
  std::vector<std::string>* notes = nullptr;

  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  void note(const std::string& what) const;               ///< "NAME: what"
  [[noreturn]] void fail(const std::string& what) const;  ///< InputError "NAME: what"
};

}  // namespace pointpng
