#include "cli/progress.h"

#include <cstdio>
#include <poll.h>
#include <pty.h>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pointpng::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// A stream that is a terminal of the given width, and what appears on it.
class FakeTerminal {
 public:
  explicit FakeTerminal(unsigned short columns) {
    winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    int program_side = -1;
    if (openpty(&screen_, &program_side, nullptr, nullptr, &size) != 0) {
      throw std::runtime_error("no pseudo-terminal");
    }
    stream_ = fdopen(program_side, "w");
  }
  ~FakeTerminal() {
    fclose(stream_);
    close(screen_);
  }
  FakeTerminal(const FakeTerminal&) = delete;
  FakeTerminal& operator=(const FakeTerminal&) = delete;

  FILE* stream() { return stream_; }
  /// Everything written so far. It arrives piece by piece, so this waits until nothing more comes.
  std::string take_output() {
    fflush(stream_);
    std::string text;
    pollfd readable{.fd = screen_, .events = POLLIN, .revents = 0};
    while (poll(&readable, 1, 50) > 0) {
      char part[4096];
      const auto count = read(screen_, part, sizeof(part));
      if (count <= 0) break;
      text.append(part, static_cast<std::size_t>(count));
    }
    return text;
  }

 private:
  int screen_ = -1;
  FILE* stream_ = nullptr;
};

std::string content_of(FILE* file) {
  std::fflush(file);
  std::rewind(file);
  std::string text(4096, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  return text;
}

TEST(ProgressTest, RewritesOneLineOnATerminalAndClearsItAtTheEnd) {
  FakeTerminal terminal(80);
  {
    Progress progress({.stream = terminal.stream(), .redraw_every = std::chrono::milliseconds(0)});
    progress.update("step 1");
    progress.update("step 2");
    const std::string shown = terminal.take_output();
    EXPECT_THAT(shown, HasSubstr("\rstep 1"));
    EXPECT_THAT(shown, HasSubstr("\rstep 2"));
    EXPECT_THAT(shown, Not(HasSubstr("\n")));
  }
  EXPECT_EQ(terminal.take_output(), "\r\x1b[K");
}

TEST(ProgressTest, NeverFillsTheWidthOfTheTerminal) {
  FakeTerminal terminal(10);
  Progress progress({.stream = terminal.stream()});
  progress.update("0123456789abcdef");
  EXPECT_EQ(terminal.take_output(), "\r012345678\x1b[K");
}

TEST(ProgressTest, RedrawsNoMoreOftenThanAsked) {
  FakeTerminal terminal(80);
  Progress progress({.stream = terminal.stream(), .redraw_every = std::chrono::hours(1)});
  EXPECT_TRUE(progress.due());
  progress.update("first");
  EXPECT_FALSE(progress.due());
  progress.update("second");
  EXPECT_THAT(terminal.take_output(), Not(HasSubstr("second")));
}

TEST(ProgressTest, OtherOutputGoesAboveTheLine) {
  FakeTerminal terminal(80);
  Progress progress({.stream = terminal.stream()});
  progress.update("half way");
  terminal.take_output();
  write_above_progress(terminal.stream(), "a remark\n");
  const std::string shown = terminal.take_output();
  EXPECT_THAT(shown, StartsWith("\r\x1b[Ka remark"));
  EXPECT_LT(shown.find("a remark"), shown.find("half way"));
}

TEST(ProgressTest, WritesPlainLinesNowAndThenElsewhere) {
  FILE* file = std::tmpfile();
  {
    Progress progress({.stream = file, .plain_line_every = std::chrono::hours(1)});
    progress.update("step 1");
    progress.update("step 2");
    progress.finish("done");
  }
  EXPECT_EQ(content_of(file), "step 1\ndone\n");
  std::fclose(file);
}

TEST(ProgressTest, QuietShowsNothing) {
  FILE* file = std::tmpfile();
  {
    Progress progress({.quiet = true, .stream = file});
    progress.update("step 1");
    progress.finish("done");
  }
  EXPECT_EQ(content_of(file), "");
  std::fclose(file);
}

TEST(ProgressTest, BarHasItsWidthAtEveryFraction) {
  EXPECT_EQ(progress_bar(0.0, 4), "    ");
  EXPECT_EQ(progress_bar(0.5, 4), "██  ");
  EXPECT_EQ(progress_bar(0.375, 4), "█▌  ");
  EXPECT_EQ(progress_bar(1.0, 4), "████");
  EXPECT_EQ(progress_bar(7.0, 2), "██");
  EXPECT_EQ(progress_bar(0.0 / 0.0, 2), "  ");
}

TEST(ProgressTest, DurationsReadWell) {
  EXPECT_EQ(short_duration(4.2), "4 s");
  EXPECT_EQ(short_duration(59.6), "1 min 00 s");
  EXPECT_EQ(short_duration(185), "3 min 05 s");
  EXPECT_EQ(short_duration(7620), "2 h 07 min");
  EXPECT_EQ(short_duration(-1), "?");
}

TEST(ProgressTest, TextIsCutBetweenCharacters) {
  EXPECT_EQ(fit_columns("äöü", 2), "äö");
  EXPECT_EQ(fit_columns("abc", 5), "abc");
  EXPECT_EQ(fit_columns("abc", 0), "");
}

}  // namespace
}  // namespace pointpng::cli
