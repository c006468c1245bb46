#include "report/run_charts.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace pointpng {
namespace {

constexpr std::size_t kMaxOtherCharts = 24;

struct Measure {
  std::string_view key, name, meaning;
};

constexpr std::array kMeasures = {
    Measure{"loss", "total loss", "What training minimises; lower is better."},
    Measure{"align", "align*",
            "Squared distance between the predicted and the actual embedding of the rotated cloud; "
            "0 is "
            "perfect."},
    Measure{
        "cope", "cope",
        "How hard it is to tell the true rotation from wrong ones; log(M+1) is chance, lower is "
        "better."},
    Measure{"unif", "unif",
            "Uniformity of the embeddings of different clouds; more negative is better spread."},
    Measure{
        "reconstruction", "reconstruction",
        "Chamfer distance between the masked patches and their reconstruction; lower is better."},
    Measure{"pa", "PA",
            "Predictor accuracy: cosine between the predicted and the actual embedding of the "
            "rotated cloud; 1 is perfect."},
    Measure{"ae", "AE",
            "Absolute equivariance: PA minus the cosine without prediction; at 0 the embedding "
            "ignores rotation."},
    Measure{"lr", "learning rate", ""},
    Measure{"grad_norm", "gradient norm", ""},
    Measure{"clouds_per_s", "clouds per second", ""},
    Measure{"data_wait_ms", "waiting for data", ""},
};

// Bookkeeping, not worth a curve.
constexpr std::array<std::string_view, 3> kNotDrawn = {"epoch", "elapsed_s", "step"};

const Measure* find_measure(std::string_view key) {
  const auto found = std::find_if(kMeasures.begin(), kMeasures.end(),
                                  [&](const Measure& measure) { return measure.key == key; });
  return found == kMeasures.end() ? nullptr : &*found;
}

std::string name_of(const std::string& key) {
  if (const Measure* measure = find_measure(key)) return std::string(measure->name);
  const std::string_view rotation = "rotation_deg_", success = "success_";
  if (key.starts_with(rotation)) return key.substr(rotation.size());
  if (key.starts_with(success) && key.ends_with("deg"))
    return fmt::format("within {}°", key.substr(success.size(), key.size() - success.size() - 3));
  return key;
}

std::vector<ChartMarker> make_markers(const RunLog& log) {
  std::vector<ChartMarker> markers;
  for (const RunEvent& event : log.events) {
    if (event.kind == "checkpoint" || event.kind == "done") continue;
    const bool bad = event.kind == "nan" || event.kind == "collapse";
    markers.push_back({static_cast<double>(event.step), event.kind,
                       fmt::format("step {}: {}{}{}", event.step, event.kind,
                                   event.message.empty() ? "" : ": ", event.message),
                       bad});
  }
  return markers;
}

/// Distributes the curves of a log to charts, each once.
class ChartBuilder {
 public:
  explicit ChartBuilder(const RunLog& log) : log_(log), markers_(make_markers(log)) {
    for (const auto& [key, series] : log.metrics) left_.insert(key);
    for (const auto& [key, series] : log.evaluations) left_.insert(key);
    for (const auto key : kNotDrawn) left_.erase(std::string(key));
  }

  /// Appends a chart of the curves that were logged; none where there are no curves.
  void add(std::vector<LineChart>& to, const std::string& title, const std::string& explanation,
           const std::vector<std::string>& keys, double unit = 1.0) {
    LineChart chart{title, explanation, "step", Scale::kLinear, {}, markers_};
    int colour = 0;
    for (const std::string& key : keys) {
      if (left_.erase(key) == 0) continue;
      add_line(chart, log_.metrics, key, unit, {false, colour});
      add_line(chart, log_.evaluations, key, unit, {true, colour});
      ++colour;
    }
    if (chart.lines.empty()) return;
    chart.y_scale = std::all_of(chart.lines.begin(), chart.lines.end(),
                                [](const ChartLine& line) { return spans_decades(line.points); })
                        ? Scale::kLogarithmic
                        : Scale::kLinear;
    to.push_back(std::move(chart));
  }

  std::vector<std::string> left_with_prefix(std::string_view prefix) const {
    std::vector<std::string> keys;
    for (const std::string& key : left_)
      if (key.starts_with(prefix)) keys.push_back(key);
    return keys;
  }

 private:
  struct Look {
    bool held_out;
    int colour;
  };

  static void add_line(LineChart& chart, const std::map<std::string, Series>& from,
                       const std::string& key, double unit, Look look) {
    const auto found = from.find(key);
    if (found == from.end() || found->second.empty()) return;
    ChartLine line;
    line.name = name_of(key) + (look.held_out ? ", held-out" : "");
    line.points = found->second;
    for (SeriesPoint& point : line.points) point.y *= unit;
    // The learning rate is set, not measured: no noise to average.
    line.noisy = !look.held_out && key != "lr";
    line.sparse = look.held_out;
    line.colour = look.colour;
    chart.lines.push_back(std::move(line));
  }

  const RunLog& log_;
  std::vector<ChartMarker> markers_;
  std::set<std::string> left_;
};

}  // namespace

RunCharts make_run_charts(const RunLog& log) {
  RunCharts charts;
  ChartBuilder builder(log);
  constexpr double kPercent = 100.0;
  builder.add(charts.learning, "Total loss", "What training minimises. Lower is better.", {"loss"});
  builder.add(charts.learning, "Loss terms", "The terms of the total, unweighted.",
              {"align", "cope", "unif", "reconstruction"});
  builder.add(
      charts.learning, "PA and AE (cosines)",
      "Accuracy of the predictor (PA) and response of the embedding to rotation (AE). Higher "
      "is better.",
      {"pa", "ae"});
  builder.add(charts.learning, "Rotation error (degrees)",
              "Pose search on held-out shapes, rotated at random. Lower is better.",
              builder.left_with_prefix("rotation_deg_"));
  builder.add(charts.learning, "Poses found (percent)",
              "Share of held-out shapes with a rotation error below the angle.",
              builder.left_with_prefix("success_"), kPercent);
  builder.add(charts.mechanics, "Learning rate", "Warm-up, then cosine decay.", {"lr"});
  builder.add(charts.mechanics, "Gradient norm", "Before clipping. Spikes are unstable steps.",
              {"grad_norm"});
  builder.add(charts.mechanics, "Throughput (clouds per second)", "Higher is faster.",
              {"clouds_per_s"});
  builder.add(charts.mechanics, "Waiting for data (ms per step)",
              "Near 0 the model never waits for data.", {"data_wait_ms"});
  for (const std::string& key : builder.left_with_prefix("")) {
    if (charts.others.size() < kMaxOtherCharts)
      builder.add(charts.others, key, "As logged.", {key});
    else
      ++charts.left_out;
  }
  for (const Measure& measure : kMeasures) {
    const std::string key(measure.key);
    if (!measure.meaning.empty() && (log.metrics.contains(key) || log.evaluations.contains(key)))
      charts.meanings.push_back({std::string(measure.name), std::string(measure.meaning)});
  }
  return charts;
}

}  // namespace pointpng
