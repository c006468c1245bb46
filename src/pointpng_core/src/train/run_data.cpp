#include "train/run_data.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/types.h>

#include "base/random.h"
#include "pointpng/error.h"
#include "train/labelled.h"

namespace pointpng {
namespace {

using nlohmann::json;

constexpr std::int64_t kMostHeldOutClassified = 512;  // classification is cheaper than pose
constexpr std::int64_t kFewestToHoldOut = 20;

}  // namespace

ShapeSet load_sources(const std::vector<std::string>& data, const LoadOptions& load,
                      const OnMessage& on_message, json* sources) {
  if (data.empty()) throw InputError("give the data to train on: --data F.h5|FOLDER|BAG");
  ShapeSet all;
  for (const std::string& source : data) {
    std::vector<std::string> notes;
    ShapeSet set = load_shapes(source, load, &notes);
    if (on_message)
      for (const std::string& note : notes) on_message(Severity::kWarning, note);
    Eigen::Index points = 0;
    for (const Shape& shape : set.shapes) points = std::max(points, shape.points.rows());
    if (sources != nullptr)
      sources->push_back({{"source", source},
                          {"shapes", set.shapes.size()},
                          {"points", points},
                          {"checksum", fmt::format("{:08x}", checksum_of(set))}});
    append_shapes(all, std::move(set));
  }
  return all;
}

RunData load_run_data(const RunPlan& plan, const OnMessage& on_message) {
  RunData data;
  ShapeSet all = load_sources(plan.data, plan.load, on_message, &data.sources);
  take_every(all, plan.left_out);
  const bool classify = plan.train.objective == "classify";
  if (classify) all = with_used_classes(all, fmt::format("{}", fmt::join(plan.data, ", ")));
  data.train.class_names = data.held_out.class_names = all.class_names;
  const auto count = static_cast<std::int64_t>(all.shapes.size());
  std::vector<std::int64_t> order(all.shapes.size());
  std::iota(order.begin(), order.end(), 0);
  Random({plan.train.seed, 7}).shuffle(order);
  const std::int64_t held_out =
      count < kFewestToHoldOut
          ? 0
          : std::min<std::int64_t>(classify ? kMostHeldOutClassified : kMostHeldOut,
                                   std::llround(plan.held_out * static_cast<double>(count)));
  for (std::int64_t i = 0; i < count; ++i) {
    Shape& shape = all.shapes[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])];
    (i < held_out ? data.held_out : data.train).shapes.push_back(std::move(shape));
  }
  return data;
}

void require_same_data(const json& then, const json& now, const std::filesystem::path& run) {
  for (std::size_t i = 0; i < std::min(then.size(), now.size()); ++i)
    for (const char* name : {"source", "shapes", "points", "checksum"})
      if (then[i].contains(name) && then[i][name] != now[i][name])
        throw InputError(
            fmt::format("{} has changed since the run in {} started: {} was {} and is {} now; put "
                        "the old data back, or start a new run",
                        now[i]["source"].get<std::string>(), run.string(), name,
                        then[i][name].dump(), now[i][name].dump()));
}

}  // namespace pointpng
