#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace pointpng {

/// Which classes were taken for which.
struct Confusion {
  std::vector<std::string> classes;
  std::vector<std::vector<std::int64_t>> counts;  ///< [true class][class that was named]

  explicit Confusion(std::vector<std::string> names);
  void add(std::int64_t true_class, std::int64_t named);

  std::int64_t total() const;
  std::int64_t size_of(std::size_t class_number) const;
  double accuracy() const;  ///< share of the shapes that were named right
  double accuracy_of(std::size_t class_number) const;  ///< of one class; 0 where it has no shapes
  double mean_class_accuracy() const;                  ///< over the classes that have shapes
};

/// {"accuracy", "mean_class_accuracy", "per_class", "shapes", "confusion": {"classes", "counts"}}
void to_json(nlohmann::json& json, const Confusion& confusion);

/// Accuracies and the commonest mistakes, for people.
std::string to_text(const Confusion& confusion);

}  // namespace pointpng
