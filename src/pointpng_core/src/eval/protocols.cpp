#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/parallel.h"
#include "base/random.h"
#include "base/rows.h"
#include "cloud/normalise.h"
#include "eval/distances.h"
#include "eval/random_motion.h"
#include "eval/simulation.h"
#include "eval/table.h"
#include "pointpng/cloud.h"
#include "pointpng/error.h"
#include "pointpng/evaluation.h"

namespace pointpng {
namespace {

constexpr std::int64_t kPoints = 1024;  ///< of a cloud, where there are enough
constexpr std::int64_t kFewestPoints = 64;
constexpr float kViewDistance = 3.0F;  ///< radii
constexpr float kLargestShift = 0.5F;

/// Ids of the random streams of one seed.
enum Stream : std::uint64_t { kClasses = 101, kShapes = 102, kPair = 103, kSimulated = 104 };

/// Two views of a shape in the shape's own frame.
struct Views {
  Cloud source, target;
  Cloud object = {};                              ///< see `PosePair`
  std::optional<Eigen::Vector3f> viewpoint = {};  ///< of the target, where it is a view
};

using Order = std::vector<std::int64_t>;

void add_noise(Cloud& cloud, float sigma, float largest, Random& random) {
  for (Eigen::Index i = 0; i < cloud.size(); ++i)
    cloud.data()[i] += std::clamp(sigma * random.normal(), -largest, largest);
}

Views same_points(const Cloud& shape, Random& random) {
  const std::int64_t count = std::min<std::int64_t>(shape.rows(), kPoints);
  const Order order = shuffled_rows(shape.rows(), random);
  const Cloud sample = rows_at(shape, std::span(order).first(static_cast<std::size_t>(count)));
  return {sample, rows_at(sample, shuffled_rows(count, random))};
}

Views two_samples(const Cloud& shape, Random& random) {
  auto [source, target] =
      disjoint_samples(shape, std::min<Eigen::Index>(shape.rows() / 2, kPoints), random);
  return {std::move(source), std::move(target)};
}

Views noisy_samples(const Cloud& shape, Random& random) {
  constexpr float kNoise = 0.01F, kLargestNoise = 0.05F, kStrays = 0.05F;
  Views views = two_samples(shape, random);
  add_noise(views.source, kNoise, kLargestNoise, random);
  add_noise(views.target, kNoise, kLargestNoise, random);
  const auto strays =
      static_cast<std::size_t>(std::lround(kStrays * static_cast<float>(views.target.rows())));
  const Order order = shuffled_rows(views.target.rows(), random);
  for (const std::int64_t row : std::span(order).first(strays))
    for (Eigen::Index axis = 0; axis < 3; ++axis) views.target(row, axis) = random.uniform(-1, 1);
  return views;
}

/// The given share of the points that lies lowest along a random direction.
Cloud cut(const Cloud& cloud, double share, Random& random) {
  const Eigen::VectorXf height = cloud * random.direction();
  Order order(static_cast<std::size_t>(cloud.rows()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::int64_t row) { return height[row]; });
  const auto kept = std::lround(share * static_cast<double>(cloud.rows()));
  order.resize(static_cast<std::size_t>(kept));
  std::ranges::sort(order);  // the order of the points must not reveal the cut
  return rows_at(cloud, order);
}

Views partial_samples(const Cloud& shape, Random& random) {
  constexpr double kShare = 0.7;
  const Views whole = two_samples(shape, random);
  return {cut(whole.source, kShare, random), cut(whole.target, kShare, random), shape};
}

/// The whole shape, and the points of another sample that are visible from a viewpoint.
Views whole_and_view(const Cloud& shape, const Eigen::Vector3f& viewpoint, std::size_t most_seen,
                     Random& random) {
  const auto count = static_cast<std::size_t>(std::min<std::int64_t>(shape.rows() / 2, kPoints));
  const Order order = shuffled_rows(shape.rows(), random);
  const std::vector<bool> seen = seen_points(shape, viewpoint);  // computed from all of them
  Order target;
  for (const std::int64_t row : std::span(order).subspan(count))
    if (seen[static_cast<std::size_t>(row)] && target.size() < most_seen) target.push_back(row);
  return {rows_at(shape, std::span(order).first(count)), rows_at(shape, target)};
}

Views view_of_sample(const Cloud& shape, Random& random) {
  const Eigen::Vector3f viewpoint = kViewDistance * random.direction();
  Views views = whole_and_view(shape, viewpoint, kPoints, random);
  views.viewpoint = viewpoint;
  return views;
}

/// Looking down at the table, by 15° at least.
Eigen::Vector3f viewpoint_above(const Table& table, Random& random) {
  while (true) {
    const Eigen::Vector3f direction = random.direction();
    if (direction.dot(table.up) > 0.26F) return kViewDistance * direction;
  }
}

/// Whether the shape occludes a point of the table from the viewpoint. Each of its points occludes
/// as much as the surface around it.
bool in_shadow(const Eigen::RowVector3f& point, const Cloud& shape,
               const Eigen::RowVector3f& viewpoint, float radius) {
  const float length = (point - viewpoint).norm();
  const Eigen::RowVector3f ray = (point - viewpoint) / length;
  for (Eigen::Index i = 0; i < shape.rows(); ++i) {
    const Eigen::RowVector3f offset = shape.row(i) - viewpoint;
    const float along = offset.dot(ray);
    if (along < length - radius && (offset - along * ray).squaredNorm() < radius * radius)
      return true;
  }
  return false;
}

/// `count` points of the table that are seen from the viewpoint.
Cloud seen_of_table(const Table& table, const Cloud& shape, const Eigen::Vector3f& viewpoint,
                    Eigen::Index count, Random& random) {
  constexpr float kHalfSide = 1.5F;  // radii
  const float radius = 2.0F * static_cast<float>(mean_spacing(shape));
  const Eigen::Vector3f right = table.up.unitOrthogonal(), ahead = table.up.cross(right);
  Cloud points(count, 3);
  for (Eigen::Index found = 0; found < count;) {
    const Eigen::Vector3f point = table.height * table.up +
                                  random.uniform(-kHalfSide, kHalfSide) * right +
                                  random.uniform(-kHalfSide, kHalfSide) * ahead;
    if (in_shadow(point.transpose(), shape, viewpoint.transpose(), radius)) continue;
    points.row(found++) = point.transpose();
  }
  return points;
}

Views view_on_table(const Cloud& shape, Random& random) {
  constexpr float kNoise = 0.005F, kLargestNoise = 0.025F;
  const Table table = stable_table(shape, random);
  const Eigen::Vector3f viewpoint = viewpoint_above(table, random);
  Views views = whole_and_view(shape, viewpoint, kPoints / 2, random);
  views.viewpoint = viewpoint;
  const Eigen::Index seen = views.target.rows();
  Cloud scene(2 * seen, 3);
  scene << views.target, seen_of_table(table, shape, viewpoint, seen, random);
  add_noise(scene, kNoise, kLargestNoise, random);
  views.target = rows_at(scene, shuffled_rows(scene.rows(), random));
  return views;
}

struct Protocol {
  std::string_view name;
  Views (*views)(const Cloud& shape, Random& random);
  std::int64_t points;  ///< that a shape should have for 1024 of each cloud
};

constexpr std::array kProtocols = {
    Protocol{"same", same_points, kPoints},
    Protocol{"resampled", two_samples, 2 * kPoints},
    Protocol{"noisy", noisy_samples, 2 * kPoints},
    Protocol{"partial", partial_samples, 2 * kPoints},
    Protocol{"view", view_of_sample, 2 * kPoints},
    Protocol{"plane", view_on_table, 2 * kPoints},
};

[[noreturn]] void refuse_protocol(const std::string& name) {
  if (name == "scene")
    throw InputError("the protocol 'scene' needs a folder of depth frames, not shapes");
  throw InputError(fmt::format("'{}' is no protocol; these are: {}, scene", name,
                               fmt::join(pose_protocols(), ", ")));
}

/// Cycles through the classes, and through the shapes of each, in an order that depends on the
/// seed and the round.
class EvenVisits {
 public:
  EvenVisits(const ShapeSet& shapes, std::uint64_t seed) : seed_(seed) {
    std::map<int, Order> classes;
    for (std::size_t i = 0; i < shapes.shapes.size(); ++i)
      classes[shapes.shapes[i].label].push_back(static_cast<std::int64_t>(i));
    for (auto& [label, members] : classes) {
      Random({seed, kShapes, static_cast<std::uint64_t>(label)}).shuffle(members);
      classes_.push_back(std::move(members));
    }
  }

  /// Row of the shape of pair i.
  std::size_t shape_of(std::int64_t pair) {
    const auto classes = static_cast<std::int64_t>(classes_.size());
    const std::int64_t round = pair / classes;
    if (round != round_) {
      Random random({seed_, kClasses, static_cast<std::uint64_t>(round)});
      order_ = shuffled_rows(classes, random);
      round_ = round;
    }
    const auto chosen = order_[static_cast<std::size_t>(pair % classes)];
    const Order& members = classes_[static_cast<std::size_t>(chosen)];
    return static_cast<std::size_t>(members[static_cast<std::size_t>(round) % members.size()]);
  }

 private:
  std::uint64_t seed_;
  std::vector<Order> classes_;
  std::int64_t round_ = -1;
  Order order_;
};

PosePair make_pair(const Cloud& shape, const Protocol& protocol, Random& random) {
  const Views views = protocol.views(normalised(shape), random);
  const Eigen::Isometry3d turn = random_motion(random, 0.0F);
  PosePair pair;
  pair.target_from_source = random_motion(random, kLargestShift);
  pair.source = transformed(views.source, turn);
  if (views.object.rows() > 0) pair.object = transformed(views.object, turn);
  pair.target = transformed(views.target, pair.target_from_source * turn);
  if (views.viewpoint)
    pair.target_viewpoint = pair.target_from_source * turn * views.viewpoint->cast<double>();
  return pair;
}

/// Which shape a pair is about, and what it is called.
struct Subject {
  std::size_t shape;
  std::string name, class_name;
};

std::vector<Subject> subjects_of(const ShapeSet& shapes, std::int64_t count, std::uint64_t seed) {
  EvenVisits visits(shapes, seed);
  std::vector<Subject> subjects;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::size_t number = visits.shape_of(i);
    const Shape& shape = shapes.shapes[number];
    const auto label = static_cast<std::size_t>(shape.label);
    subjects.push_back({number, shape.name, shape.label < 0 ? "" : shapes.class_names[label]});
  }
  return subjects;
}

std::vector<PosePair> make_shape_pairs(const ShapeSet& shapes, const Protocol& protocol,
                                       const std::vector<Subject>& subjects, std::uint64_t seed,
                                       std::vector<std::string>* notes) {
  std::vector<PosePair> pairs;
  std::int64_t small = 0;
  for (const Subject& subject : subjects) {
    const Cloud& points = shapes.shapes[subject.shape].points;
    require_usable(points, subject.name, kFewestPoints);
    Random random({seed, kPair, pairs.size()});
    pairs.push_back(make_pair(points, protocol, random));
    small += points.rows() < protocol.points ? 1 : 0;
  }
  if (small > 0 && notes)
    notes->push_back(
        fmt::format("{} of {} pairs are of shapes with fewer than {} points: their clouds have "
                    "fewer than {}",
                    small, subjects.size(), protocol.points, kPoints));
  return pairs;
}

std::vector<PosePair> simulate_pairs(const ShapeSet& shapes, const SimulatedProtocol& protocol,
                                     const std::vector<Subject>& subjects, std::uint64_t seed) {
  for (const Shape& shape : shapes.shapes) require_usable(shape.points, shape.name, kFewestPoints);
  std::vector<PosePair> pairs(subjects.size());
  parallel_for(0, static_cast<std::int64_t>(pairs.size()), [&](std::int64_t i) {
    const auto number = static_cast<std::size_t>(i);
    Random random({seed, kSimulated, number});
    pairs[number] = protocol.make(shapes, subjects[number].shape, random);
  });
  return pairs;
}

}  // namespace

std::vector<std::string> pose_protocols() {
  std::vector<std::string> names;
  for (const Protocol& protocol : kProtocols) names.emplace_back(protocol.name);
  for (const SimulatedProtocol& protocol : simulated_protocols()) names.emplace_back(protocol.name);
  return names;
}

std::vector<PosePair> make_pairs(const ShapeSet& shapes, const std::string& protocol,
                                 std::int64_t count, std::uint64_t seed,
                                 std::vector<std::string>* notes) {
  const auto of_shapes = std::ranges::find(kProtocols, protocol, &Protocol::name);
  const auto simulated =
      std::ranges::find(simulated_protocols(), protocol, &SimulatedProtocol::name);
  if (of_shapes == kProtocols.end() && simulated == simulated_protocols().end())
    refuse_protocol(protocol);
  if (shapes.shapes.empty()) throw InputError("there are no shapes to make pairs of");
  const std::vector<Subject> subjects = subjects_of(shapes, count, seed);
  std::vector<PosePair> pairs = of_shapes != kProtocols.end()
                                    ? make_shape_pairs(shapes, *of_shapes, subjects, seed, notes)
                                    : simulate_pairs(shapes, *simulated, subjects, seed);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const bool is_of_shape = pairs[i].class_name.empty();  // and not of two places
    pairs[i].name = is_of_shape ? subjects[i].name : fmt::format("{} {}", protocol, i);
    pairs[i].kind = protocol;
    if (is_of_shape) pairs[i].class_name = subjects[i].class_name;
  }
  return pairs;
}

}  // namespace pointpng
