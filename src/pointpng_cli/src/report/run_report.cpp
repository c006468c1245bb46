#include "report/run_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "pointpng/error.h"
#include "pointpng/io.h"
#include "pointpng/json.h"
#include "pointpng/training.h"
#include "report/format.h"
#include "report/json_leaves.h"
#include "report/page.h"
#include "report/run_charts.h"
#include "report/run_verdict.h"

namespace pointpng {
namespace {

namespace fs = std::filesystem;

std::string folder_name(const fs::path& folder) {
  const fs::path clean = fs::absolute(folder).lexically_normal();
  return (clean.has_filename() ? clean : clean.parent_path()).filename().string();
}

std::string title_of(const Json& config, const fs::path& folder) {
  const std::string command = text_at(config, "command");
  const std::string what = command == "pretrain" ? "Pre-training"
                           : command == "mae"    ? "Masked autoencoding"
                           : command.empty()     ? "Training"
                                                 : command;
  const std::string preset = text_at(config, "preset");
  return fmt::format("{}{}: {}", what, preset.empty() ? "" : " of the " + preset + " model",
                     folder_name(folder));
}

void add_charts(Page& page, const RunCharts& charts) {
  if (!charts.learning.empty()) {
    Section& section = page.add_section("Learning").charts(charts.learning);
    Table meanings{{"Measure", "What it means"}, {}};
    for (const Fact& fact : charts.meanings) meanings.rows.push_back({fact.name, fact.value});
    if (!meanings.rows.empty()) section.table(meanings);
  }
  if (!charts.mechanics.empty()) page.add_section("Optimiser and speed").charts(charts.mechanics);
  if (charts.others.empty()) return;
  Section& section = page.add_section("Other measurements").charts(charts.others);
  if (charts.left_out > 0)
    section.callout(Callout::kNote, "Not all drawn.",
                    fmt::format("{} more curves are in log.jsonl.", charts.left_out));
}

/// The table that `pointpng demo` wrote, such as true and estimated angles.
void add_demo(Page& page, const fs::path& path) {
  if (!fs::is_regular_file(path)) return;
  const Json demo = parse_json(read_file(path));
  const bool usable = demo.is_object() && demo.contains("columns") && demo["columns"].is_array() &&
                      demo.contains("rows") && demo["rows"].is_array();
  Section& section = page.add_section("Demonstration");
  if (!usable) {
    section.callout(Callout::kWarning, "No table.", "demo.json of this run can't be read.");
    return;
  }
  Table table;
  for (const Json& column : demo["columns"]) table.columns.push_back(leaf_text(column));
  for (const Json& row : demo["rows"]) {
    table.rows.emplace_back();
    for (const Json& cell : row) table.rows.back().push_back(leaf_text(cell));
  }
  if (const std::string title = text_at(demo, "title"); !title.empty()) section.text(title);
  section.table(table);
}

std::vector<Fact> facts_of(const Json& object) {
  std::vector<Fact> facts;
  for_each_leaf(object, "", '.', [&](const std::string& name, const Json& leaf) {
    if (!name.empty()) facts.push_back({name, leaf_text(leaf)});
  });
  return facts;
}

void add_configuration(Page& page, const Json& config) {
  Section& section = page.add_section("Configuration");
  Json run = config;
  for (const char* key : {"model", "train", "data", "machine", "parameters", "command_line"})
    run.erase(key);
  section.facts(facts_of(run));
  const std::pair<const char*, const char*> groups[] = {{"model", "Model"}, {"train", "Training"}};
  for (const auto& [key, title] : groups) {
    if (!config.contains(key)) continue;
    Section content{""};
    content.facts(facts_of(config[key]));
    section.folded(title, content);
  }
}

/// Columns in the order in which they first appear, the source first.
std::vector<std::string> data_columns(const Json& data) {
  std::vector<std::string> columns = {"source"};
  for (const Json& entry : data)
    if (entry.is_object())
      for (const auto& [key, value] : entry.items())
        if (std::find(columns.begin(), columns.end(), key) == columns.end()) columns.push_back(key);
  return columns;
}

void add_data(Page& page, const Json& config) {
  if (!config.contains("data") || !config["data"].is_array() || config["data"].empty()) return;
  Table table{data_columns(config["data"]), {}};
  for (const Json& entry : config["data"]) {
    table.rows.emplace_back();
    for (const std::string& column : table.columns)
      table.rows.back().push_back(entry.is_object() ? text_at(entry, column) : leaf_text(entry));
  }
  page.add_section("Data").table(table);
}

void add_machine(Page& page, const Json& config) {
  if (!config.contains("machine") || !config["machine"].is_object()) return;
  static const std::map<std::string, std::string> kNames = {
      {"cpu", "Processor"},  {"cores", "Cores"}, {"memory_gib", "Memory (GiB)"},
      {"torch", "LibTorch"}, {"blas", "BLAS"},   {"threads", "Threads used"}};
  std::vector<Fact> facts = facts_of(config["machine"]);
  for (Fact& fact : facts)
    if (const auto name = kNames.find(fact.name); name != kNames.end()) fact.name = name->second;
  page.add_section("Machine").facts(facts);
}

/// The plain value at `key` of a group (or of the whole), "" where there is none.
std::string scalar_at(const Json& config, const std::string& group, const std::string& key) {
  const Json& place = group.empty() ? config : config.value(group, Json::object());
  if (!place.is_object() || !place.contains(key) || place[key].is_structured()) return "";
  return text_at(place, key);
}

std::string data_option(const Json& config) {
  std::string words;
  if (config.contains("data") && config["data"].is_array())
    for (const Json& entry : config["data"])
      if (const std::string source = text_at(entry, "source"); !source.empty())
        words += " " + shell_quoted(source);
  return words.empty() ? "" : " --data" + words;
}

/// The command line that reproduces a run, quoted for a shell: the recorded one, or put together
/// from the configuration.
std::string run_command(const Json& config) {
  if (const std::string recorded = text_at(config, "command_line"); !recorded.empty())
    return recorded;
  struct Option {
    std::string_view group, key;
  };
  constexpr std::array kOptions = {Option{"", "preset"},         Option{"model", "backbone"},
                                   Option{"model", "predictor"}, Option{"train", "epochs"},
                                   Option{"train", "minutes"},   Option{"", "seed"},
                                   Option{"", "device"}};
  const std::string command = text_at(config, "command");
  const bool finetune = command.starts_with("finetune ");
  std::string line = "pointpng " + (command.empty() ? "pretrain"
                                    : finetune      ? "finetune " + shell_quoted(command.substr(9))
                                                    : shell_quoted(command));
  if (const std::string start = text_at(config, "finetuned"); finetune && !start.empty())
    line += " --model " + shell_quoted(start);
  line += data_option(config) + " --out RUN";
  for (const auto& [group, key] : kOptions) {
    // A fine-tuned model keeps its architecture.
    if (finetune && (key == "preset" || group == "model")) continue;
    const std::string value = scalar_at(config, std::string(group), std::string(key));
    const bool unset = value.empty() || (group == "train" && value == "0");
    if (!unset) line += fmt::format(" --{} {}", key, shell_quoted(value));
  }
  return line;
}

void add_reproduction(Page& page, const Json& config) {
  page.add_section("Reproduce this run")
      .text("The same command, seed and machine give the same curves.")
      .code(run_command(config));
}

void add_events(Page& page, const RunLog& log) {
  constexpr std::size_t kMaxEvents = 200;
  if (log.events.empty()) return;
  Table table{{"Step", "Event", "Message"}, {}};
  const std::size_t first = log.events.size() - std::min(kMaxEvents, log.events.size());
  for (std::size_t i = first; i < log.events.size(); ++i)
    table.rows.push_back(
        {std::to_string(log.events[i].step), log.events[i].kind, log.events[i].message});
  Section content{""};
  content.table(table);
  page.add_section("Events").folded(
      first > 0 ? fmt::format("The last {} of {}", kMaxEvents, log.events.size())
                : fmt::format("{} logged", log.events.size()),
      content);
}

std::optional<std::uint64_t> model_size(const fs::path& folder) {
  for (const char* name : {"model.safetensors", "classifier.safetensors"}) {
    std::error_code missing;
    const std::uintmax_t size = fs::file_size(folder / name, missing);
    if (!missing) return size;
  }
  return std::nullopt;
}

}  // namespace

void write_run_report(const fs::path& run_folder, const fs::path& out_path) {
  const RunRecord run = read_run(run_folder);
  if (fs::is_directory(out_path))
    throw InputError(fmt::format("{} is a folder; name the HTML file to write", out_path.string()));
  const Json& config = run.config;
  const RunLog& log = run.log;

  const std::string version = text_at(config, "version");
  Page page(title_of(config, run_folder), "Point-PNG training report", run_summary(config, log));
  Section& top = page.add_section("");
  top.tiles(run_tiles(config, log, model_size(run_folder)));
  add_run_callouts(top, log);
  add_charts(page, make_run_charts(log));
  add_demo(page, run_folder / "demo.json");
  add_configuration(page, config);
  add_data(page, config);
  add_machine(page, config);
  add_reproduction(page, config);
  add_events(page, log);
  page.set_footer(fmt::format("Written by pointpng report{}{}. This file needs no network.",
                              version.empty() ? "" : " from a run of version ", version));
  write_file_atomically(out_path, page.html());
}

}  // namespace pointpng
