#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

namespace pointpng {

/// Writes a file so that it is either the old one or the whole new one, even when the disk fills up
/// or the process is killed: writes beside it, syncs, renames. Throws `Error` and leaves nothing.
void write_file_atomically(const std::filesystem::path& path,
                           const std::function<void(std::ostream&)>& write);
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// What was written to a file, or renamed in a folder, survives a power cut from here on.
void sync_to_disk(const std::filesystem::path& path);

/// The whole file as text; throws `InputError` where it can't be read.
std::string read_file(const std::filesystem::path& path);

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
