#include "cli/progress.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

namespace pointpng::cli {

namespace {

using Clock = std::chrono::steady_clock;

// The screen is one, whoever writes to it: training threads, log messages, the live line.
std::mutex screen_mutex;
Progress* live_line = nullptr;

int terminal_columns(std::FILE* stream) {
  winsize size{};
  const bool known = ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

bool starts_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

}  // namespace

Progress::Progress() : Progress(Options{}) {}

Progress::Progress(const Options& options)
    : options_(options), terminal_(isatty(fileno(options.stream)) == 1), next_(Clock::now()) {
  const std::scoped_lock lock(screen_mutex);
  if (terminal_ && live_line == nullptr) {
    live_line = this;
  }
}

Progress::~Progress() {
  const std::scoped_lock lock(screen_mutex);
  erase();
  if (live_line == this) {
    live_line = nullptr;
  }
}

bool Progress::due() const { return !options_.quiet && Clock::now() >= next_; }

void Progress::update(std::string_view text) {
  if (!due()) {
    return;
  }
  next_ = Clock::now() + (terminal_ ? options_.redraw_every : options_.plain_line_every);
  const std::scoped_lock lock(screen_mutex);
  text_ = text;
  draw();
}

void Progress::finish(std::string_view text) {
  if (options_.quiet) {
    return;
  }
  const std::scoped_lock lock(screen_mutex);
  erase();
  std::fprintf(options_.stream, "%.*s\n", static_cast<int>(text.size()), text.data());
  std::fflush(options_.stream);
}

void Progress::draw() {
  if (terminal_) {
    // One column stays free: a full last column makes some terminals wrap.
    const auto line = fit_columns(text_, terminal_columns(options_.stream) - 1);
    std::fprintf(options_.stream, "\r%.*s\x1b[K", static_cast<int>(line.size()), line.data());
    drawn_ = true;
  } else {
    std::fprintf(options_.stream, "%s\n", text_.c_str());
  }
  std::fflush(options_.stream);
}

void Progress::erase() {
  if (drawn_) {
    std::fputs("\r\x1b[K", options_.stream);
    std::fflush(options_.stream);
    drawn_ = false;
  }
}

void write_above_progress(std::FILE* stream, std::string_view text) {
  const std::scoped_lock lock(screen_mutex);
  const bool interrupted = live_line != nullptr && live_line->drawn_;
  if (interrupted) {
    live_line->erase();
  }
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
  if (interrupted) {
    live_line->draw();
  }
}

std::string progress_bar(double fraction, int columns) {
  static constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double clamped = std::isfinite(fraction) ? std::clamp(fraction, 0.0, 1.0) : 0.0;
  const int eighths = static_cast<int>(std::lround(clamped * columns * 8));
  std::string bar;
  for (int i = 0; i < eighths / 8; ++i) {
    bar += "█";
  }
  bar += kEighths[eighths % 8];
  const int filled = (eighths + 7) / 8;
  return bar.append(static_cast<std::size_t>(columns - filled), ' ');
}

std::string short_duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) {
    return "?";
  }
  const auto whole = std::llround(seconds);
  if (whole < 60) {
    return fmt::format("{} s", whole);
  }
  if (whole < 3600) {
    return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  }
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string_view fit_columns(std::string_view text, int columns) {
  int used = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (starts_character(text[i]) && ++used > columns) {
      return text.substr(0, i);
    }
  }
  return text;
}

}  // namespace pointpng::cli
