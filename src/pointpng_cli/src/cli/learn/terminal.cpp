#include "cli/learn/terminal.h"

#include <csignal>
#include <optional>

#include <fmt/format.h>

#include "cli/output.h"
#include "cli/progress.h"

namespace pointpng::cli {
namespace {

std::atomic<bool> stop_requested = false;

std::string status_text(const TrainStatus& status) {
  std::string text = fmt::format("{} {:3.0f} %  step {}", progress_bar(status.progress, 16),
                                 100.0 * status.progress, status.step);
  const auto add = [&](const char* label, const char* name, int digits) {
    const auto found = status.means.find(name);
    if (found != status.means.end())
      text += fmt::format("  {} {:.{}f}", label, found->second, digits);
  };
  add("loss", "loss", 3);
  add("align", "align", 3);
  add("cope", "cope", 3);
  add("unif", "unif", 3);
  add("reconstruction", "reconstruction", 4);
  add("prediction", "prediction", 4);
  add("PA", "pa", 3);
  add("AE", "ae", 3);
  add("accuracy", "accuracy", 3);
  return text + fmt::format("  {:.0f} clouds/s  {} left", status.clouds_per_s,
                            short_duration(status.left_s));
}

}  // namespace

/// The live line, and while a run trains its signals.
class Terminal::LiveRun {
  class StopOnSignal {
   public:
    StopOnSignal() {
      stop_requested = false;
      struct sigaction action {};
      action.sa_handler = [](int) { stop_requested = true; };
      action.sa_flags = static_cast<int>(SA_RESETHAND);
      sigaction(SIGINT, &action, &interrupt_);
      sigaction(SIGTERM, &action, &terminate_);
    }
    ~StopOnSignal() {
      sigaction(SIGINT, &interrupt_, nullptr);
      sigaction(SIGTERM, &terminate_, nullptr);
    }
    StopOnSignal(const StopOnSignal&) = delete;
    StopOnSignal& operator=(const StopOnSignal&) = delete;

   private:
    struct sigaction interrupt_ {
    }, terminate_{};
  };

 public:
  explicit LiveRun(bool quiet) : progress({.quiet = quiet}) {}

  Progress progress;
  std::optional<StopOnSignal> signals;
};

Terminal::Terminal(const OutputOptions& output) : quiet_(output.quiet) {}
Terminal::~Terminal() = default;

void Terminal::show(std::string_view what, double share) {
  if (!live_) live_ = std::make_unique<LiveRun>(quiet_);
  if (live_->progress.due())
    live_->progress.update(
        fmt::format("{} {:3.0f} %  {}", progress_bar(share, 16), 100.0 * share, what));
}

OnMessage Terminal::on_message() {
  return [this](Severity severity, const std::string& sentence) {
    if (severity == Severity::kRemark) return remark(sentence);
    warnings_.push_back(sentence);
    warn(sentence);
  };
}

RunHooks Terminal::run_hooks() {
  RunHooks hooks;
  hooks.on_message = on_message();
  hooks.on_preparation = [this](std::string_view what, double share) { show(what, share); };
  hooks.on_start = [this] {
    live_.reset();  // one line at a time
    live_ = std::make_unique<LiveRun>(quiet_);
    live_->signals.emplace();
  };
  hooks.on_status = [this](const TrainStatus& status) {
    if (live_->progress.due()) live_->progress.update(status_text(status));
  };
  hooks.on_event = [](const TrainEvent& event) { warn(event.message); };
  hooks.on_end = [this](const RunResult& result) {
    live_->progress.finish(
        fmt::format("{} steps in {}", result.steps, short_duration(result.elapsed_s)));
    live_.reset();
  };
  hooks.stop = &stop_requested;
  return hooks;
}

EvaluationHooks Terminal::evaluation_hooks() {
  return {on_message(), [this](std::string_view what, double share) { show(what, share); }};
}

}  // namespace pointpng::cli
