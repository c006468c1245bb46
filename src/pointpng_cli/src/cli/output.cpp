#include "cli/output.h"

#include <cstdio>
#include <memory>
#include <mutex>
#include <utility>

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include "cli/progress.h"
#include "pointpng/error.h"

namespace pointpng::cli {

namespace {

bool printed_json = false;

class StderrSink : public spdlog::sinks::base_sink<std::mutex> {
 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    write_above_progress(stderr, {line.data(), line.size()});
  }
  void flush_() override { std::fflush(stderr); }
};

void write_stdout(const std::string& text) {
  write_above_progress(stdout, text);
  if (std::ferror(stdout) != 0) {
    throw Error("The result could not be written to stdout: is the disk full?");
  }
}

}  // namespace

void set_up_logging() {
  auto logger = std::make_shared<spdlog::logger>("pointpng", std::make_shared<StderrSink>());
  logger->set_pattern("pointpng %l: %v");
  spdlog::set_default_logger(std::move(logger));
}

void silence_remarks() { spdlog::set_level(spdlog::level::warn); }

void remark(const std::string& sentence) { spdlog::info(sentence); }

void warn(const std::string& sentence) { spdlog::warn(sentence); }

void warn(const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) warn(sentence);
}

void complain(const std::string& sentence) { spdlog::error(sentence); }

void print_json(const nlohmann::json& result) {
  printed_json = true;
  // Names of files may hold any bytes; what is not UTF-8 is replaced rather than refused.
  const auto text = result.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  write_stdout(text);
}

bool json_printed() { return printed_json; }

void print_text(const std::string& text) { write_stdout(text); }

}  // namespace pointpng::cli
