#include "base/file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "pointpng/error.h"
#include "pointpng/io.h"

namespace pointpng {
namespace {

namespace fs = std::filesystem;

/// Removes the partially written file unless it was renamed.
struct TemporaryFile {
  fs::path path;
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(path, ignored);
  }
};

}  // namespace

void sync_to_disk(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw Error(fmt::format("{}: {}", path.string(), std::strerror(errno)));
  const bool synced = ::fsync(descriptor) == 0;
  const int reason = errno;
  ::close(descriptor);
  // A directory on some file systems can't be synced (EINVAL); the rename is still done.
  if (!synced && reason != EINVAL)
    throw Error(fmt::format("{}: {}", path.string(), std::strerror(reason)));
}

void write_file_atomically(const fs::path& path, const std::function<void(std::ostream&)>& write) {
  const TemporaryFile temporary{path.string() + fmt::format(".{}.partial", ::getpid())};
  {
    std::ofstream out(temporary.path, std::ios::binary);
    if (!out) throw Error(fmt::format("can't write {}: {}", path.string(), std::strerror(errno)));
    write(out);
    out.flush();
    if (!out)
      throw Error(fmt::format("writing {} failed ({}); what was there before is unchanged",
                              path.string(), std::strerror(errno)));
  }
  sync_to_disk(temporary.path);
  std::error_code problem;
  fs::rename(temporary.path, path, problem);
  if (problem) throw Error(fmt::format("can't write {}: {}", path.string(), problem.message()));
  sync_to_disk(path.has_parent_path() ? path.parent_path() : fs::path("."));
}

void write_file_atomically(const fs::path& path, std::string_view content) {
  write_file_atomically(path, [&](std::ostream& out) {
    out.write(content.data(), static_cast<std::streamsize>(content.size()));
  });
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || fs::is_directory(path))
    throw InputError(fmt::format("can't read {}: {}", path.string(),
                                 fs::is_directory(path) ? "it is a folder" : std::strerror(errno)));
  return {std::istreambuf_iterator<char>(in), {}};
}

MappedFile::MappedFile(const fs::path& path) : path_(path) {
  const auto fail = [&](const char* why) {
    throw InputError(fmt::format("can't read {}: {}", path.string(), why));
  };
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(std::strerror(errno));
  struct stat status {};
  const bool known = ::fstat(descriptor, &status) == 0;
  if (!known || !S_ISREG(status.st_mode)) {
    ::close(descriptor);
    fail(known && S_ISDIR(status.st_mode) ? "it is a folder" : "it is not a regular file");
  }
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ > 0) {
    void* mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapped == MAP_FAILED) {
      ::close(descriptor);
      fail(std::strerror(errno));
    }
    data_ = static_cast<const std::byte*>(mapped);
  }
  ::close(descriptor);
}

MappedFile::~MappedFile() {
  if (size_ > 0) ::munmap(const_cast<std::byte*>(data_), size_);
}

}  // namespace pointpng
