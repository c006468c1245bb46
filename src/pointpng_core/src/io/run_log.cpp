#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "io/run_folder.h"
#include "pointpng/error.h"
#include "pointpng/json.h"
#include "pointpng/training.h"

namespace pointpng {
namespace {

using Json = nlohmann::ordered_json;

/// The length of a bare nan, inf or infinity at the start of `text`, with its sign; 0 without one.
std::size_t bare_word_length(std::string_view text) {
  const std::size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  for (const std::string_view word : {"infinity", "inf", "nan"}) {
    const std::string_view here = text.substr(sign, word.size());
    const auto same = [](char a, char b) {
      return std::tolower(static_cast<unsigned char>(a)) == b;
    };
    if (std::equal(here.begin(), here.end(), word.begin(), word.end(), same))
      return sign + word.size();
  }
  return 0;
}

/// Python and printf write NaN and Infinity as bare words, which JSON does not know.
std::string without_bare_nan(std::string_view line) {
  std::string clean;
  while (!line.empty()) {
    const std::size_t colon = std::min(line.find(':'), line.size() - 1);
    const std::size_t value = std::min(line.find_first_not_of(" \t", colon + 1), line.size());
    clean += line.substr(0, value);
    line.remove_prefix(value);
    if (const std::size_t length = bare_word_length(line); length > 0) {
      clean += "null";
      line.remove_prefix(length);
    }
  }
  return clean;
}

/// The object in one line, discarded (`is_discarded`) where there is none.
Json parse_line(std::string_view line) {
  Json object = parse_json(line);
  if (object.is_discarded()) object = parse_json(without_bare_nan(line));
  const bool usable = object.is_object() && object.contains("step") && object["step"].is_number();
  return usable ? object : Json(Json::value_t::discarded);
}

std::string text_of(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// A number, or NaN for null; nothing for text, lists and booleans.
std::optional<double> measured_value(const Json& leaf) {
  if (leaf.is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (!leaf.is_number()) return std::nullopt;
  constexpr double kInfinite = 1e100;  // sums and squares of larger values could overflow
  const double value = leaf.get<double>();
  return std::abs(value) < kInfinite ? value : std::copysign(INFINITY, value);
}

/// Adds lines one by one and keeps the log consistent while a resumed run goes back.
class LogBuilder {
 public:
  void add(const Json& line) {
    const double number = line["step"].get<double>();
    constexpr double kLargest = 9e15;  // a larger step is not exact as a double
    if (!(std::abs(number) < kLargest)) {
      ++log_.unreadable_lines;
      return;
    }
    const auto step = static_cast<std::int64_t>(number);
    if (line.contains("event")) return add_event(step, line);
    if (line.contains("eval")) return add_values(step, line["eval"], log_.evaluations);
    go_to(step);
    add_time(line);
    Json values = line;
    values.erase("step");
    add_values(step, values, log_.metrics);
  }

  RunLog& log() { return log_; }

 private:
  static void forget_after(std::map<std::string, Series>& all, std::int64_t step) {
    for (auto& [name, series] : all)
      while (!series.empty() && series.back().x > static_cast<double>(step)) series.pop_back();
  }

  void go_to(std::int64_t step) {
    if (started_ && step < log_.last_step) {
      forget_after(log_.metrics, step);
      forget_after(log_.evaluations, step);
      ++log_.steps_back;
    }
    started_ = true;
    log_.last_step = step;
  }

  /// A resumed run may go on counting its seconds or start again from zero.
  void add_time(const Json& line) {
    if (!line.contains("elapsed_s") || !line["elapsed_s"].is_number()) return;
    const double elapsed = line["elapsed_s"].get<double>();
    const Series& clock = log_.metrics["elapsed_s"];
    if (!clock.empty() && elapsed < clock.back().y) seconds_before_ += clock.back().y;
    log_.training_seconds = seconds_before_ + elapsed;
  }

  static void add_values(std::int64_t step, const Json& values, std::map<std::string, Series>& to) {
    if (values.is_object()) add_values(static_cast<double>(step), "", values, to);
  }

  /// Members of members are named "outer_inner".
  static void add_values(double x, const std::string& prefix, const Json& values,
                         std::map<std::string, Series>& to) {
    for (const auto& [key, value] : values.items()) {
      if (value.is_object()) {
        add_values(x, prefix + key + '_', value, to);
      } else if (const std::optional<double> y = measured_value(value)) {
        Series& series = to[prefix + key];
        while (!series.empty() && series.back().x >= x) series.pop_back();
        series.push_back({x, *y});
      }
    }
  }

  void add_event(std::int64_t step, const Json& line) {
    log_.events.push_back(
        {step, text_of(line["event"]), line.contains("message") ? text_of(line["message"]) : ""});
  }

  RunLog log_;
  double seconds_before_ = 0.0;
  bool started_ = false;
};

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

RunLog read_run_log(const std::filesystem::path& path) {
  const MappedFile file(path);
  std::string_view rest(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  LogBuilder builder;
  std::size_t readable = 0;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const bool last = end == std::string_view::npos;
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(last ? rest.size() : end + 1);
    if (is_blank(line)) continue;
    if (const Json object = parse_line(line); !object.is_discarded()) {
      builder.add(object);
      ++readable;
    } else if (last) {
      builder.log().last_line_cut = true;
    } else {
      ++builder.log().unreadable_lines;
    }
  }
  if (readable == 0 && builder.log().unreadable_lines > 0)
    throw InputError(fmt::format(
        "{} holds no line that a training run writes; give the folder of a run of `pointpng "
        "pretrain` or `pointpng mae`",
        path.string()));
  return std::move(builder.log());
}

}  // namespace pointpng
