#include "report/classification_report.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "pointpng/io.h"
#include "report/format.h"
#include "report/json_leaves.h"
#include "report/page.h"

namespace pointpng {
namespace {

double accuracy_of(const Json& result) { return result.value("accuracy", 0.0); }

std::string head_text(const Json& result) {
  const std::string head = text_at(result, "head");
  if (head == "linear") return "a linear layer on the frozen encoder";
  if (head == "mlp") return "an MLP on the frozen encoder";
  if (head == "finetune") return "the whole network, fine-tuned";
  return head;
}

/// Half the width of the 95 % confidence interval of an accuracy.
double uncertainty(double accuracy, double shapes) {
  return shapes > 0.0 ? 1.96 * std::sqrt(accuracy * (1.0 - accuracy) / shapes) : 0.0;
}

std::vector<Tile> tiles_of(const Json& result) {
  const double accuracy = accuracy_of(result);
  std::vector<Tile> tiles;
  tiles.push_back({"Accuracy", fmt::format("{:.1f}", 100.0 * accuracy), "%",
                   fmt::format("± {:.1f} points (95 % interval, {} shapes)",
                               100.0 * uncertainty(accuracy, result.value("shapes", 0.0)),
                               text_at(result, "shapes"))});
  tiles.push_back({"Mean class accuracy",
                   fmt::format("{:.1f}", 100.0 * result.value("mean_class_accuracy", 0.0)), "%",
                   "every class has the same weight"});
  if (result.contains("baseline"))
    tiles.push_back({"PointNet, from scratch",
                     fmt::format("{:.1f}", 100.0 * accuracy_of(result["baseline"])), "%",
                     fmt::format("{:+.1f} points for ours, in the same training time",
                                 100.0 * (accuracy - accuracy_of(result["baseline"])))});
  if (result.contains("few_shot"))
    tiles.push_back({"Over episodes",
                     fmt::format("± {:.1f}", 100.0 * result["few_shot"].value("deviation", 0.0)),
                     "%", "standard deviation between episodes"});
  return tiles;
}

/// Rows are true classes; the darker a cell, the larger its share of the row.
Html confusion_table(const Json& confusion) {
  const auto classes = confusion["classes"].get<std::vector<std::string>>();
  const auto counts = confusion["counts"].get<std::vector<std::vector<std::int64_t>>>();
  Html html{R"(<div class="scroll"><table class="confusion"><thead><tr><th>true \ predicted</th>)"};
  for (const std::string& name : classes)
    html.markup += fmt::format("<th class=\"number\">{}</th>", escape_html(name));
  html.markup += "</tr></thead><tbody>";
  for (std::size_t i = 0; i < classes.size(); ++i) {
    std::int64_t total = 0;
    for (const std::int64_t count : counts[i]) total += count;
    html.markup += fmt::format("<tr><th>{}</th>", escape_html(classes[i]));
    for (std::size_t j = 0; j < classes.size(); ++j) {
      const double share =
          total > 0 ? static_cast<double>(counts[i][j]) / static_cast<double>(total) : 0.0;
      const char* colour = i == j ? "var(--line-3)" : "var(--alarm-edge)";
      html.markup += fmt::format(
          "<td class=\"number\" style=\"min-width:0;background:color-mix(in srgb,{} {:.0f}%,"
          "transparent)\">{}</td>",
          colour, 70.0 * std::sqrt(share), counts[i][j] > 0 ? std::to_string(counts[i][j]) : "");
    }
    html.markup += "</tr>";
  }
  html.markup += "</tbody></table></div>\n";
  return html;
}

Table class_table(const Json& result) {
  const bool compared = result.contains("baseline");
  Table table{{"Class", "Ours"}, {}};
  if (compared) table.columns.emplace_back("PointNet");
  for (const auto& [name, accuracy] : result["per_class"].items()) {
    table.rows.push_back({name, fmt::format("{:.1f} %", 100.0 * accuracy.get<double>())});
    if (compared)
      table.rows.back().push_back(
          fmt::format("{:.1f} %", 100.0 * result["baseline"]["per_class"].value(name, 0.0)));
  }
  return table;
}

std::vector<Fact> classifier_facts(const Json& result) {
  std::vector<Fact> facts;
  for (const char* name :
       {"model", "head", "protocol", "up", "votes", "seed", "classes", "train_shapes", "shapes"})
    if (result.contains(name)) facts.push_back({name, text_at(result, name)});
  const auto add_cost = [&](const std::string& whose, const Json& training) {
    facts.push_back({whose + ": steps", text_at(training, "steps")});
    facts.push_back({whose + ": training time", format_duration(training.value("seconds", 0.0))});
    facts.push_back({whose + ": CPU time", format_duration(training.value("cpu_seconds", 0.0))});
  };
  if (result.contains("training")) add_cost("ours", result["training"]);
  if (result.contains("baseline") && result["baseline"].contains("training"))
    add_cost("PointNet", result["baseline"]["training"]);
  return facts;
}

}  // namespace

std::string classification_page(const nlohmann::json& unordered) {
  const Json result(unordered);
  Page page(
      "Classification", "Point-PNG evaluation",
      fmt::format("{} shapes of {} classes, protocol {}: {}.", text_at(result, "shapes"),
                  text_at(result, "classes"), text_at(result, "protocol"), head_text(result)));
  page.add_section("").tiles(tiles_of(result));
  page.add_section("Classes").table(class_table(result));
  Section& confusion = page.add_section("Confusion matrix");
  confusion.text("Rows are true classes, columns predicted classes.");
  confusion.raw(confusion_table(result["confusion"]));
  if (result.contains("baseline") && result["baseline"].contains("confusion")) {
    Section of_baseline{""};
    of_baseline.raw(confusion_table(result["baseline"]["confusion"]));
    confusion.folded("Confusion matrix of PointNet", of_baseline);
  }
  page.add_section("How it was measured").facts(classifier_facts(result));
  if (result.contains("command"))
    page.add_section("Reproduce this").code(text_at(result, "command"));
  page.set_footer("Written by pointpng eval classify. This file needs no network.");
  return page.html();
}

void write_classification_report(const std::filesystem::path& path, const nlohmann::json& result) {
  write_file_atomically(path, classification_page(result));
}

}  // namespace pointpng
