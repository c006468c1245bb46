#include "pose/confidence.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "pose/confidence_weights.h"
#include "pose/parameters.h"

namespace pointpng {
namespace {

using confidence_weights::Weight;

constexpr double kClear = 0.3;  // relative margin from which on a case is as clear as can be

double share(double value, double low, double high) {
  return std::clamp((value - low) / (high - low), 0.0, 1.0);
}

/// Weights, and what bench/calibrate.py calls them.
struct Table {
  const char* name;
  std::span<const Weight> weights;
};

/// A cloud that lies wholly on the other is a view of it and is judged as objects are; scenes that
/// overlap in part repeat themselves more often.
Table table_for(const Evidence& evidence) {
  if (!evidence.searched) return {"tracked", confidence_weights::kTracked};
  const bool overlaps_in_part =
      std::max(evidence.source_overlap, evidence.target_overlap) < kVerification.whole;
  if (evidence.detailed && overlaps_in_part) return {"detailed", confidence_weights::kDetailed};
  return {"searched", confidence_weights::kSearched};
}

}  // namespace

std::map<std::string, double> features_of(const Evidence& evidence) {
  const double least = std::min(evidence.source_overlap, evidence.target_overlap);
  const double most = std::max(evidence.source_overlap, evidence.target_overlap);
  const double separation = std::clamp(evidence.separation, 0.0, kVerification.max_separation);
  const double inside = share(most, 0.9, 0.98);
  return {
      {"one", 1.0},
      {"score", evidence.score},
      {"log_score", std::log(std::max(0.0, evidence.score) + 0.02)},
      {"clarity", share(evidence.margin / std::max(0.05, evidence.score), 0.0, kClear)},
      {"log_clarity",
       std::log(std::clamp(evidence.margin / std::max(0.05, evidence.score), 0.0, 1.0) + 0.03)},
      {"separation", separation},
      {"log_separation", std::log(separation + 0.3)},
      {"log_separation*inside", std::log(separation + 0.3) * inside},
      {"inside", inside},
      {"whole", share(least, 0.85, 0.95)},
      {"most_overlap", most},
      {"least_overlap", least},
      {"fragmentation", evidence.fragmentation},
      {"residual", evidence.residual},
      {"competitors", evidence.competitors},
  };
}

std::string weights_of(const Evidence& evidence) { return table_for(evidence).name; }

double confidence_of(const Evidence& evidence) {
  const std::map<std::string, double> features = features_of(evidence);
  double sum = 0.0;
  for (const Weight& term : table_for(evidence).weights)
    sum += term.weight * features.at(term.feature);
  // Beside the regression: its pairs have no viewpoints.
  sum -= kVisibility.log_odds * std::max(0.0, evidence.contradiction - kVisibility.tolerated);
  return 1.0 / (1.0 + std::exp(-sum));
}

}  // namespace pointpng
