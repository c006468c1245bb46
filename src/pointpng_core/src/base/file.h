#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace pointpng {

/// Syncs a file, or a folder after a rename: what was written survives a power cut.
void sync_to_disk(const std::filesystem::path& path);

/// A file mapped into memory, read-only. Throws `InputError` where it can't be opened.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace pointpng
