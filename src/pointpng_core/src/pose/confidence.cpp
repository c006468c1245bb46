#include "pose/confidence.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "pose/confidence_weights.h"
#include "pose/parameters.h"

namespace pointpng {
namespace {

using confidence_weights::Weight;

constexpr double kClear = 0.3;  // relative margin from which on a case is as clear as can be

double share(double value, double low, double high) {
  return std::clamp((value - low) / (high - low), 0.0, 1.0);
}

/// The features of an evidence by the names that the weights use; bench/calibrate.py has the same.
class Features {
 public:
  explicit Features(const Evidence& evidence) : e_(evidence) {}

  double operator()(std::string_view name) const {
    const auto product = name.find('*');
    if (product == std::string_view::npos) return single(name);
    return single(name.substr(0, product)) * single(name.substr(product + 1));
  }

 private:
  double single(std::string_view name) const {
    const double least = std::min(e_.source_overlap, e_.target_overlap);
    const double most = std::max(e_.source_overlap, e_.target_overlap);
    const double separation = std::clamp(e_.separation, 0.0, kVerification.max_separation);
    const std::pair<std::string_view, double> known[] = {
        {"one", 1.0},
        {"score", e_.score},
        {"log_score", std::log(std::max(0.0, e_.score) + 0.02)},
        {"clarity", share(e_.margin / std::max(0.05, e_.score), 0.0, kClear)},
        {"separation", separation},
        {"log_separation", std::log(separation + 0.3)},
        {"inside", share(most, 0.9, 0.98)},
        {"whole", share(least, 0.85, 0.95)},
        {"most_overlap", most},
        {"least_overlap", least},
        {"fragmentation", e_.fragmentation},
        {"residual", e_.residual},
        {"competitors", e_.competitors},
    };
    for (const auto& [feature, value] : known)
      if (feature == name) return value;
    throw std::logic_error("confidence_weights.h names an unknown feature");
  }

  const Evidence& e_;
};

}  // namespace

double confidence_of(const Evidence& evidence) {
  const std::span<const Weight> weights =
      evidence.searched ? std::span<const Weight>(confidence_weights::kSearched)
                        : std::span<const Weight>(confidence_weights::kTracked);
  const Features feature(evidence);
  double sum = 0.0;
  for (const Weight& term : weights) sum += term.weight * feature(term.feature);
  // Beside the regression: its pairs have no viewpoints.
  sum -= kVisibility.log_odds * std::max(0.0, evidence.contradiction - kVisibility.tolerated);
  return 1.0 / (1.0 + std::exp(-sum));
}

}  // namespace pointpng
