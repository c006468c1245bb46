#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "pointpng/evaluation.h"

namespace pointpng {
namespace {

double share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// "desk as table 12, …" for one class, most frequent first.
std::string mistakes(const Confusion& confusion, std::size_t i) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::pair<std::int64_t, std::size_t>> wrong;
  for (std::size_t j = 0; j < confusion.classes.size(); ++j)
    if (j != i && confusion.counts[i][j] > 0) wrong.emplace_back(confusion.counts[i][j], j);
  std::stable_sort(wrong.begin(), wrong.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (std::size_t k = 0; k < std::min(kNamed, wrong.size()); ++k)
    text += fmt::format("{}{} as {}", k == 0 ? "" : ", ", wrong[k].first,
                        confusion.classes[wrong[k].second]);
  return text;
}

}  // namespace

Confusion::Confusion(std::vector<std::string> names)
    : classes(std::move(names)),
      counts(classes.size(), std::vector<std::int64_t>(classes.size(), 0)) {}

void Confusion::add(std::int64_t true_class, std::int64_t named) {
  ++counts.at(static_cast<std::size_t>(true_class)).at(static_cast<std::size_t>(named));
}

std::int64_t Confusion::size_of(std::size_t class_number) const {
  std::int64_t size = 0;
  for (const std::int64_t count : counts[class_number]) size += count;
  return size;
}

std::int64_t Confusion::total() const {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) total += size_of(i);
  return total;
}

double Confusion::accuracy() const {
  std::int64_t right = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) right += counts[i][i];
  return share(right, total());
}

double Confusion::accuracy_of(std::size_t class_number) const {
  return share(counts[class_number][class_number], size_of(class_number));
}

double Confusion::mean_class_accuracy() const {
  double sum = 0.0;
  int seen = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (size_of(i) == 0) continue;
    sum += accuracy_of(i);
    ++seen;
  }
  return seen == 0 ? 0.0 : sum / seen;
}

void to_json(nlohmann::json& json, const Confusion& confusion) {
  json = {{"accuracy", confusion.accuracy()},
          {"mean_class_accuracy", confusion.mean_class_accuracy()},
          {"per_class", nlohmann::json::object()},
          {"shapes", confusion.total()},
          {"confusion", {{"classes", confusion.classes}, {"counts", confusion.counts}}}};
  for (std::size_t i = 0; i < confusion.classes.size(); ++i)
    if (confusion.size_of(i) > 0)
      json["per_class"][confusion.classes[i]] = confusion.accuracy_of(i);
}

std::string to_text(const Confusion& confusion) {
  std::string text = fmt::format(
      "accuracy {:.1f} % of {} shapes, {:.1f} % on average over the classes\n",
      100.0 * confusion.accuracy(), confusion.total(), 100.0 * confusion.mean_class_accuracy());
  for (std::size_t i = 0; i < confusion.classes.size(); ++i)
    if (confusion.size_of(i) > 0)
      text += fmt::format("  {:<16} {:5.1f} % of {:>4}   {}\n", confusion.classes[i],
                          100.0 * confusion.accuracy_of(i), confusion.size_of(i),
                          mistakes(confusion, i));
  return text;
}

}  // namespace pointpng
