// Lets the Python tests compare our t-SNE with others. Reads one JSON object from stdin:
//   {"items": [[…], …], "config": {"perplexity", "iterations", "method", "theta"},
//    "map": [[x, y], …]}
// and prints one: the gradient and the divergence at "map", and the map that t-SNE finds.

#include <exception>
#include <iostream>

#include <nlohmann/json.hpp>

#include "eval/tsne.h"

namespace {

using namespace pointpng;
using nlohmann::json;

Rows rows_of(const json& lists) {
  Rows rows(static_cast<Eigen::Index>(lists.size()), static_cast<Eigen::Index>(lists.at(0).size()));
  for (Eigen::Index i = 0; i < rows.rows(); ++i)
    for (Eigen::Index k = 0; k < rows.cols(); ++k)
      rows(i, k) = lists.at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(k));
  return rows;
}

json lists_of(const Rows& rows) {
  json lists = json::array();
  for (Eigen::Index i = 0; i < rows.rows(); ++i)
    lists.push_back(std::vector<double>(rows.row(i).begin(), rows.row(i).end()));
  return lists;
}

}  // namespace

int main() {
  try {
    const json given = json::parse(std::cin);
    const Rows items = rows_of(given.at("items"));
    TsneConfig config;
    config.perplexity = given["config"].value("perplexity", config.perplexity);
    config.iterations = given["config"].value("iterations", config.iterations);
    config.method = given["config"].value("method", config.method);
    config.theta = given["config"].value("theta", config.theta);
    const bool exact = config.method == "exact";
    const auto neighbours =
        exact ? items.rows() - 1 : static_cast<std::int64_t>(3.0 * config.perplexity + 1);
    const MapGradient there = map_gradient(joint_affinities(items, config.perplexity, neighbours),
                                           rows_of(given.at("map")), exact ? 0.0 : config.theta);
    const TsneMap found = tsne(items, config);
    const PrincipalComponents components = principal_components(items, 2);
    std::cout << json{{"divergence_there", there.divergence},
                      {"gradient_there", lists_of(there.gradient)},
                      {"divergence", found.divergence},
                      {"map", lists_of(found.coordinates)},
                      {"trustworthiness", trustworthiness(items, found.coordinates)},
                      {"pca", lists_of(components.coordinates)},
                      {"explained", {components.explained[0], components.explained[1]}}}
              << "\n";
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
