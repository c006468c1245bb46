#pragma once

#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

namespace pointpng::cli {

/// One live line on a terminal that rewrites itself and disappears at the end; elsewhere (a log
/// file, a pipe) a plain line now and then. One at a time; log messages pass above it.
class Progress {
 public:
  struct Options {
    bool quiet = false;                                 ///< show nothing at all
    std::FILE* stream = stderr;                         ///< where it is shown
    std::chrono::milliseconds redraw_every{100};        ///< on a terminal
    std::chrono::milliseconds plain_line_every{30000};  ///< elsewhere
  };

  Progress();
  explicit Progress(const Options& options);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows the text if it is time for it; cheap enough for an inner loop.
  void update(std::string_view text);

  /// Replaces the live line by a last one that stays.
  void finish(std::string_view text);

  /// Whether the next `update` would be shown: spares making the text.
  bool due() const;

 private:
  friend void write_above_progress(std::FILE* stream, std::string_view text);

  void draw();
  void erase();

  Options options_;
  bool terminal_;
  bool drawn_ = false;
  std::string text_;
  std::chrono::steady_clock::time_point next_;
};

/// Writes text past the live line, if there is one: it goes above, the line stays the last.
void write_above_progress(std::FILE* stream, std::string_view text);

/// "████▌     " for 0.45 and 10 columns.
std::string progress_bar(double fraction, int columns = 20);

/// "4 s", "3 min 05 s", "2 h 07 min".
std::string short_duration(double seconds);

/// The start of a UTF-8 text that fits in this many columns, cut between characters.
std::string_view fit_columns(std::string_view text, int columns);

}  // namespace pointpng::cli
