// Written by bench/calibrate.py; do not edit.
#pragma once

namespace pointpng::confidence_weights {

/// A feature of the logistic regression in confidence.cpp and its weight.
struct Weight {
  const char* feature;
  double weight;
};

inline constexpr Weight kSearched[] = {
    {"one", 3.925},
    {"separation", 0.325},
    {"log_separation", 0.038},
    {"log_separation*inside", 0.105},
    {"inside", 1.527},
    {"fragmentation", -8.079},
    {"residual", -7.613},
    {"competitors", -0.172},
};

inline constexpr Weight kDetailed[] = {
    {"one", 8.154},       {"log_score", 1.425},    {"log_clarity", 2.484},
    {"residual", -5.444}, {"competitors", -0.186},
};

inline constexpr Weight kTracked[] = {
    {"one", 8.261},           {"score", 0.403},           {"log_score", 2.590}, {"inside", 1.003},
    {"least_overlap", 2.039}, {"fragmentation", -13.351}, {"residual", -7.242},
};

}  // namespace pointpng::confidence_weights
