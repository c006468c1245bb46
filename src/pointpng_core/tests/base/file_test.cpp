#include "base/file.h"

#include <csignal>
#include <cstring>
#include <ostream>
#include <stdexcept>
#include <sys/resource.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/temporary_folder.h"
#include "pointpng/error.h"
#include "pointpng/io.h"

namespace pointpng {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// During its lifetime no file can grow past `bytes`: writes fail as on a full disk.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SmallDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

template <class Action>
std::string message_of_input_error(Action&& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no InputError";
  return {};
}

TEST(WriteFileTest, WritesTheContentAndNothingElse) {
  const TemporaryFolder folder;
  const std::string content("text\0with\nbytes", 15);
  write_file_atomically(folder / "a", content);
  EXPECT_EQ(read_file(folder / "a"), content);
  EXPECT_THAT(folder.names(), ElementsAre("a"));
}

TEST(WriteFileTest, ReplacesAnOlderFile) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "a", "a longer text that was there before");
  write_file_atomically(folder / "a", "new");
  EXPECT_EQ(read_file(folder / "a"), "new");
}

TEST(WriteFileTest, AWriterThatThrowsLeavesTheOldFileAndNoPartialOne) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "a", "old");
  EXPECT_THROW(write_file_atomically(folder / "a",
                                     [](std::ostream& out) {
                                       out << "half of the";
                                       throw std::runtime_error("no more");
                                     }),
               std::runtime_error);
  EXPECT_EQ(read_file(folder / "a"), "old");
  EXPECT_THAT(folder.names(), ElementsAre("a"));
}

TEST(WriteFileTest, AFullDiskLeavesTheOldFileAndNoPartialOne) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "a", "old");
  const std::string large(1 << 20, 'x');
  {
    const SmallDisk disk(64 << 10);
    EXPECT_THROW(write_file_atomically(folder / "a", large), Error);
  }
  EXPECT_EQ(read_file(folder / "a"), "old");
  EXPECT_THAT(folder.names(), ElementsAre("a"));
}

TEST(WriteFileTest, AFullDiskIsNotCalledWrongInput) {
  const TemporaryFolder folder;
  const SmallDisk disk(1 << 10);
  try {
    write_file_atomically(folder / "a", std::string(1 << 20, 'x'));
    FAIL() << "nothing was thrown";
  } catch (const InputError&) {
    FAIL() << "a full disk is nobody's wrong input";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr((folder / "a").string()));
  }
}

TEST(WriteFileTest, AMissingFolderIsAnError) {
  const TemporaryFolder folder;
  EXPECT_THROW(write_file_atomically(folder / "missing" / "a", "x"), Error);
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(WriteFileTest, AFolderInItsPlaceIsAnErrorAndStays) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "a");
  EXPECT_THROW(write_file_atomically(folder / "a", "x"), Error);
  EXPECT_THAT(folder.names(), ElementsAre("a"));
  EXPECT_TRUE(std::filesystem::is_directory(folder / "a"));
}

TEST(ReadFileTest, AMissingFileAndAFolderAreInputErrorsThatNameThePath) {
  const TemporaryFolder folder;
  for (const auto& path : {folder / "missing", folder / "."}) {
    const std::string message = message_of_input_error([&] { read_file(path); });
    EXPECT_THAT(message, HasSubstr(path.string()));
  }
}

TEST(MappedFileTest, ShowsTheBytesOfTheFile) {
  const TemporaryFolder folder;
  const std::string content(100'000, 'q');
  write_file_atomically(folder / "a", content);
  const MappedFile file(folder / "a");
  ASSERT_EQ(file.bytes().size(), content.size());
  EXPECT_EQ(std::memcmp(file.bytes().data(), content.data(), content.size()), 0);
  EXPECT_EQ(file.path(), folder / "a");
}

TEST(MappedFileTest, AnEmptyFileHasNoBytes) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "a", "");
  EXPECT_TRUE(MappedFile(folder / "a").bytes().empty());
}

TEST(MappedFileTest, KeepsItsBytesWhenTheFileIsReplaced) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "a", "old");
  const MappedFile file(folder / "a");
  write_file_atomically(folder / "a", "new");
  EXPECT_EQ(std::memcmp(file.bytes().data(), "old", 3), 0);
}

TEST(MappedFileTest, AMissingFileIsAnInputErrorThatNamesThePath) {
  const TemporaryFolder folder;
  const std::string message = message_of_input_error([&] { MappedFile file(folder / "missing"); });
  EXPECT_THAT(message, HasSubstr((folder / "missing").string()));
}

TEST(MappedFileTest, AFolderAndADeviceAreInputErrors) {
  const TemporaryFolder folder;
  EXPECT_THAT(message_of_input_error([&] { MappedFile file(folder / "."); }), HasSubstr("folder"));
  EXPECT_THAT(message_of_input_error([] { MappedFile file("/dev/null"); }),
              HasSubstr("not a regular file"));
}

}  // namespace
}  // namespace pointpng
