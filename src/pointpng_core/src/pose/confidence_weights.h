// Written by bench/calibrate.py; do not edit.
#pragma once

namespace pointpng::confidence_weights {

/// A feature of the logistic regression in confidence.cpp and its weight.
struct Weight {
  const char* feature;
  double weight;
};

inline constexpr Weight kSearched[] = {
    {"one", 4.309},
    {"score", 1.085},
    {"clarity", -3.621},
    {"clarity*score", 1.564},
    {"separation", 1.048},
    {"log_separation", 0.162},
    {"log_separation*inside", 0.526},
    {"separation*score", -1.112},
    {"inside", 1.388},
    {"whole", -1.094},
    {"most_overlap", -0.956},
    {"least_overlap", 1.058},
    {"fragmentation", -10.767},
    {"residual", -6.856},
    {"competitors", -0.276},
};

inline constexpr Weight kTracked[] = {
    {"one", 9.258},       {"log_score", 2.912},      {"inside", 0.850},
    {"whole", 0.575},     {"least_overlap", -0.372}, {"fragmentation", -9.653},
    {"residual", -5.312},
};

}  // namespace pointpng::confidence_weights
