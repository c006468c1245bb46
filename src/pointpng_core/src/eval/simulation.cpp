#include "eval/simulation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "cloud/normalise.h"
#include "cloud/normals.h"
#include "eval/distances.h"
#include "eval/random_motion.h"
#include "eval/ray_scene.h"
#include "eval/sensors.h"
#include "eval/table.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

using Eigen::Isometry3f;
using Eigen::Vector3f;

constexpr float kPi = std::numbers::pi_v<float>;
constexpr int kBackground = 0, kModel = 1;  // parts of a scene
constexpr int kAttempts = 200;

/// A pair before its clouds get frames of their own: all in the world's frame, except that a model
/// is in its own.
struct Views {
  Cloud source, target;
  Eigen::Isometry3d world_from_source = Eigen::Isometry3d::Identity();
  std::optional<Eigen::Vector3d> source_viewpoint, target_viewpoint;  ///< world
  bool present = true;
  std::string class_name;
};

Isometry3f placed(const Vector3f& at, float yaw = 0.0F) {
  Isometry3f pose = Isometry3f::Identity();
  pose.translate(at).rotate(Eigen::AngleAxisf(yaw, Vector3f::UnitZ()));
  return pose;
}

/// A sensor somewhere, looking at a place: x ahead, z as far up as that allows.
Isometry3f looking_at(const Vector3f& from, const Vector3f& at) {
  const Vector3f ahead = (at - from).normalized();
  const Vector3f left = Vector3f::UnitZ().cross(ahead).normalized();
  Isometry3f pose = Isometry3f::Identity();
  pose.linear() << ahead, left, ahead.cross(left);
  pose.translation() = from;
  return pose;
}

/// In double precision, and rigid to that precision.
Eigen::Isometry3d in_double(const Isometry3f& pose) {
  Eigen::Isometry3d result(Eigen::Quaterniond(pose.linear().cast<double>()).normalized());
  result.translation() = pose.translation().cast<double>();
  return result;
}

/// Builds a scene out of boxes, cylinders and the given shapes.
class SceneBuilder {
 public:
  SceneBuilder(const ShapeSet& shapes, Random& random) : shapes_(shapes), random_(random) {}

  float vary(float low, float high) { return random_.uniform(low, high); }
  bool chance(float probability) { return random_.uniform() < probability; }
  float turn() { return vary(-kPi, kPi); }
  int count(int low, int high) { return low + static_cast<int>(random_.below(high - low + 1)); }
  std::size_t any_shape() {
    return static_cast<std::size_t>(
        random_.below(static_cast<std::int64_t>(shapes_.shapes.size())));
  }

  /// Between two opposite corners.
  void box(const Vector3f& low, const Vector3f& high) {
    box(placed(0.5F * (low + high)), 0.5F * (high - low));
  }
  void box(const Isometry3f& pose, const Vector3f& half) {
    scene_.add_box(pose, half, kBackground);
  }
  void rod(const Vector3f& from, const Vector3f& to, float radius) {
    scene_.add_cylinder(from, to, radius, kBackground);
  }

  /// The shape scaled to a radius, resting on the ground at a place in any stable way. Returns
  /// world_from_shape of the scaled and centred shape.
  Isometry3f rest(std::size_t shape, float radius, const Vector3f& at, int part = kBackground) {
    const Cloud points = radius * normalised(shapes_.shapes[shape].points);
    const Table table = stable_table(points / radius, random_);
    Isometry3f pose = placed(at + Vector3f(0, 0, -radius * table.height), turn());
    pose.rotate(Eigen::Quaternionf::FromTwoVectors(table.up, Vector3f::UnitZ()));
    const Cloud normals = outward_normals(points, kNeighbours);
    scene_.add_surface(transformed(points, in_double(pose)), normals * pose.linear().transpose(),
                       kDiscRadius * static_cast<float>(mean_spacing(points)), part);
    return pose;
  }

  /// A crown of leaves: rays pass some of them.
  void foliage(const Vector3f& centre, float radius) {
    constexpr Eigen::Index kLeaves = 400;
    Cloud leaves(kLeaves, 3), normals(kLeaves, 3);
    for (Eigen::Index i = 0; i < kLeaves; ++i) {
      const float depth = radius * std::cbrt(random_.uniform());
      leaves.row(i) = (centre + depth * random_.direction()).transpose();
      normals.row(i) = random_.direction().transpose();
    }
    scene_.add_surface(leaves, normals, 0.07F * radius, kBackground);
  }

  RayScene finish() {
    scene_.build();
    return std::move(scene_);
  }

 private:
  static constexpr int kNeighbours = 12;
  static constexpr float kDiscRadius = 2.0F;  // spacings: 4 % of a random sample are holes

  const ShapeSet& shapes_;
  Random& random_;
  RayScene scene_;
};

// A model among other objects
// -------------------------------------------------------------------------------------------

/// Discs on the table that objects take, so that they touch but don't stand in each other.
class Places {
 public:
  std::optional<Vector3f> free_for(float radius, float half_side, Random& random) {
    constexpr float kCloseness = 0.8F;  // few objects fill their sphere
    for (int i = 0; i < 50; ++i) {
      const Vector3f at(random.uniform(-half_side, half_side),
                        random.uniform(-half_side, half_side), 0.0F);
      const auto apart = [&](const auto& other) {
        return (at - other.first).norm() > kCloseness * (radius + other.second);
      };
      if (!std::ranges::all_of(taken_, apart)) continue;
      taken_.emplace_back(at, radius);
      return at;
    }
    return std::nullopt;
  }

 private:
  std::vector<std::pair<Vector3f, float>> taken_;
};

void add_table_and_room(SceneBuilder& b) {
  const float half = b.vary(0.7F, 1.2F);
  b.box({-half, -half, -0.04F}, {half, half, 0.0F});
  b.box({-6, -6, -0.84F}, {6, 6, -0.74F});
  if (b.chance(0.6F))
    b.box(placed({0, b.vary(1.2F, 2.0F), 1.0F}, b.vary(-0.3F, 0.3F)), {6, 0.05F, 2});
  if (b.chance(0.3F)) b.box(placed({b.vary(1.2F, 2.0F), 0, 1.0F}), {0.05F, 6, 2});
}

/// The shape that must not be there is left out.
void add_other_objects(SceneBuilder& b, std::size_t model, std::size_t shapes, Places& places,
                       Random& random) {
  for (int i = b.count(5, 14); i > 0; --i) {
    const float radius = b.vary(0.05F, 0.22F);
    const auto at = places.free_for(radius, 0.55F, random);
    std::size_t shape = b.any_shape();
    if (shape == model) shape = (shape + 1) % shapes;
    if (at) b.rest(shape, radius, *at);
  }
}

Views look_for_model(const ShapeSet& shapes, std::size_t model, bool present, Random& random) {
  if (shapes.shapes.size() < 2)
    throw InputError("a scene of objects needs two shapes at least, a model and another one");
  constexpr double kFewest = 0.005, kMost = 0.10, kLeastSeen = 0.4;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    SceneBuilder b(shapes, random), alone(shapes, random);
    const float radius = b.vary(0.06F, 0.2F);
    Places places;
    const Vector3f at = *places.free_for(radius, 0.3F, random);
    add_table_and_room(b);
    Isometry3f pose = Isometry3f::Identity();
    if (present) {
      const Random before = random;
      pose = b.rest(model, radius, at, kModel);
      random = before;  // the same pose again
      alone.rest(model, radius, at, kModel);
    }
    add_other_objects(b, model, shapes.shapes.size(), places, random);
    const RayScene scene = b.finish(), only_model = alone.finish();
    const float elevation = b.vary(0.35F, 1.1F), azimuth = b.vary(-2.6F, -0.5F);
    const Vector3f from =
        at + b.vary(0.7F, 1.7F) * Vector3f(std::cos(azimuth) * std::cos(elevation),
                                           std::sin(azimuth) * std::cos(elevation),
                                           std::sin(elevation));
    const Isometry3f camera =
        looking_at(from, at + Vector3f(b.vary(-0.15F, 0.15F), b.vary(-0.15F, 0.15F), 0.05F));
    const RangeSensor sensor = depth_camera(240, b.vary(0.2F, 1.2F));
    const Scan seen = scan(scene, sensor, camera, random);
    const auto of_model = static_cast<double>(std::ranges::count(seen.parts, kModel));
    const double share = of_model / static_cast<double>(seen.parts.size());
    const auto unhidden =
        static_cast<double>(scan(only_model, sensor, camera, random).parts.size());
    if (present && (share < kFewest || share > kMost || of_model < kLeastSeen * unhidden)) continue;
    return {.source = radius * normalised(shapes.shapes[model].points),
            .target = seen.points,
            .world_from_source = in_double(pose),
            .source_viewpoint = {},
            .target_viewpoint = from.cast<double>(),
            .present = present,
            .class_name = {}};
  }
  throw InputError("no camera sees enough of " + shapes.shapes[model].name + " in a scene");
}

Views model_in_clutter(const ShapeSet& shapes, std::size_t model, Random& random) {
  return look_for_model(shapes, model, true, random);
}

Views model_absent(const ShapeSet& shapes, std::size_t model, Random& random) {
  return look_for_model(shapes, model, false, random);
}

// Two scans of one place
// -------------------------------------------------------------------------------------------

Views two_scans(const RayScene& scene, const RangeSensor& sensor, const Isometry3f& first,
                const Isometry3f& second, const char* class_name, Random& random) {
  return {.source = scan(scene, sensor, first, random).points,
          .target = scan(scene, sensor, second, random).points,
          .source_viewpoint = first.translation().cast<double>(),
          .target_viewpoint = second.translation().cast<double>(),
          .class_name = class_name};
}

/// The smaller of the shares of two scans that the other sensor sees too.
double overlap(const RayScene& scene, const RangeSensor& sensor, const Isometry3f& first,
               const Isometry3f& second, Random& random) {
  return std::min(seen_share(scan(scene, sensor, first, random).points, scene, sensor, second),
                  seen_share(scan(scene, sensor, second, random).points, scene, sensor, first));
}

// Rooms

struct Room {
  float width, depth, height;
};

/// Cupboards, shelves, door frames and the like along a wall, at `y` and reaching towards
/// `inwards`.
void furnish_wall(SceneBuilder& b, const Room& room, float y, float inwards) {
  for (int i = b.count(1, 4); i > 0; --i) {
    const float x = b.vary(0, room.width), half = b.vary(0.15F, 0.7F);
    const float low = b.chance(0.6F) ? 0.0F : b.vary(0.8F, 1.6F);
    const float high = std::min(room.height, low + b.vary(0.3F, 2.0F));
    const float reach = b.chance(0.3F) ? b.vary(0.03F, 0.1F) : b.vary(0.2F, 0.6F);
    b.box({x - half, std::min(y, y + inwards * reach), low},
          {x + half, std::max(y, y + inwards * reach), high});
  }
}

void add_desk(SceneBuilder& b, const Vector3f& at) {
  const Isometry3f pose = placed(at, b.turn());
  const float w = b.vary(0.4F, 0.9F), d = b.vary(0.3F, 0.5F), h = b.vary(0.6F, 0.8F);
  b.box(pose * Eigen::Translation3f(0, 0, h), {w, d, 0.02F});
  for (const float x : {-w + 0.04F, w - 0.04F})
    for (const float y : {-d + 0.04F, d - 0.04F})
      b.rod(pose * Vector3f(x, y, 0), pose * Vector3f(x, y, h), 0.025F);
  for (int i = b.count(0, 3); i > 0; --i)
    b.rest(b.any_shape(), b.vary(0.08F, 0.2F),
           pose * Vector3f(b.vary(-w, w) * 0.7F, b.vary(-d, d) * 0.7F, h + 0.02F));
}

Room add_room(SceneBuilder& b) {
  const Room room{b.vary(4, 9), b.vary(3.5F, 7), b.vary(2.4F, 3)};
  const auto [w, d, h] = room;
  b.box({-0.1F, -0.1F, -0.1F}, {w + 0.1F, d + 0.1F, 0});
  b.box({-0.1F, -0.1F, h}, {w + 0.1F, d + 0.1F, h + 0.1F});
  b.box({-0.1F, -0.1F, 0}, {w + 0.1F, 0, h});
  b.box({-0.1F, d, 0}, {w + 0.1F, d + 0.1F, h});
  b.box({-0.1F, 0, 0}, {0, d, h});
  b.box({w, 0, 0}, {w + 0.1F, d, h});
  furnish_wall(b, room, 0, 1);
  furnish_wall(b, room, d, -1);
  if (b.chance(0.5F)) {  // a wall with a door in it
    const float x = b.vary(0.35F, 0.65F) * w, door = b.vary(0.2F, 0.6F) * d;
    b.box({x - 0.06F, 0, 0}, {x + 0.06F, door, h});
    b.box({x - 0.06F, door + b.vary(0.9F, 1.5F), 0}, {x + 0.06F, d, h});
  }
  for (int i = b.count(1, 3); i > 0; --i)
    add_desk(b, {b.vary(0.7F, w - 0.7F), b.vary(0.7F, d - 0.7F), 0});
  for (int i = b.count(4, 9); i > 0; --i)
    b.rest(b.any_shape(), b.vary(0.25F, 0.75F),
           {b.vary(0.5F, w - 0.5F), b.vary(0.5F, d - 0.5F), 0});
  return room;
}

Vector3f somewhere(SceneBuilder& b, const Room& room, float low, float high) {
  return {b.vary(0.4F, room.width - 0.4F), b.vary(0.4F, room.depth - 0.4F), b.vary(low, high)};
}

/// Nothing right in front of it.
bool is_free(const RayScene& scene, const RangeSensor& sensor, const Isometry3f& pose) {
  constexpr std::size_t kStep = 97;
  constexpr float kNear = 0.6F, kMostNear = 0.1F;
  int near = 0, asked = 0;
  for (std::size_t i = 0; i < sensor.rays.size(); i += kStep, ++asked) {
    const auto hit = scene.cast({pose.translation(), pose.linear() * sensor.rays[i]});
    near += hit && hit->distance < kNear ? 1 : 0;
  }
  return static_cast<float>(near) < kMostNear * static_cast<float>(asked);
}

Views two_views_of_room(const ShapeSet& shapes, std::size_t, Random& random) {
  constexpr double kLeast = 0.2, kMost = 0.8;
  while (true) {
    SceneBuilder b(shapes, random);
    const Room room = add_room(b);
    const RayScene scene = b.finish();
    const bool camera = b.chance(0.65F);
    const RangeSensor sensor = camera ? depth_camera(240, b.vary(0.2F, 1)) : tilting_laser(20.0F);
    for (int attempt = 0; attempt < kAttempts / 10; ++attempt) {
      const Vector3f at = somewhere(b, room, 0.2F, 1.2F), from = somewhere(b, room, 0.8F, 1.7F);
      const Vector3f step = b.vary(0.2F, 2.5F) * random.direction();
      const Isometry3f first = camera ? looking_at(from, at) : placed(from, b.turn());
      const Vector3f there = from + Vector3f(step.x(), step.y(), 0.15F * step.z());
      const Isometry3f second = camera
                                    ? looking_at(there, at + b.vary(0, 1.5F) * random.direction())
                                    : placed(somewhere(b, room, 0.8F, 1.7F), b.turn());
      if (!is_free(scene, sensor, first) || !is_free(scene, sensor, second)) continue;
      const double shared = overlap(scene, sensor, first, second, random);
      if (shared >= kLeast && shared <= kMost)
        return two_scans(scene, sensor, first, second, camera ? "depth camera" : "laser", random);
    }
  }
}

// Streets

void add_building(SceneBuilder& b, float x, float width, float y, float outwards) {
  const float depth = b.vary(6, 12), height = b.vary(5, 18);
  const auto across = [&](float near, float far) {
    return std::minmax(y + outwards * near, y + outwards * far);
  };
  const auto [low, high] = across(0, depth);
  b.box({x, low, 0}, {x + width, high, height});
  for (int i = b.count(2, 8); i > 0; --i) {  // bays, balconies, doors
    const float at = x + b.vary(0.1F, 0.9F) * width, half = b.vary(0.4F, 1.4F);
    const float from = b.vary(0, 5), reach = b.vary(0.2F, 0.9F);
    const auto [near, far] = across(-reach, 0.1F);
    b.box({at - half, near, from}, {at + half, far, from + b.vary(0.5F, 2.5F)});
  }
}

void add_car(SceneBuilder& b, const Vector3f& at, float yaw) {
  const Isometry3f pose = placed(at, yaw);
  const float length = b.vary(1.7F, 2.5F), height = b.vary(0.28F, 0.5F);
  b.box(pose * Eigen::Translation3f(0, 0, 0.3F + height), {length, 0.88F, height});
  b.box(pose * Eigen::Translation3f(b.vary(-0.5F, 0.1F), 0, 0.5F + 2 * height),
        {b.vary(0.5F, 0.7F) * length, 0.78F, 0.28F});
}

void add_tree(SceneBuilder& b, const Vector3f& at) {
  const float trunk = b.vary(1.6F, 3), radius = b.vary(1.2F, 2.6F);
  b.rod(at, at + Vector3f(0, 0, trunk + 0.5F * radius), b.vary(0.1F, 0.25F));
  b.foliage(at + Vector3f(0, 0, trunk + radius), radius);
}

/// Along x, with a crossing; returns half of its width.
float add_street(SceneBuilder& b) {
  constexpr float kEnd = 80.0F;
  const float half = b.vary(4, 7), pavement = b.vary(1.5F, 3), crossing = b.vary(-40, 40);
  b.box({-kEnd, -kEnd, -1}, {kEnd, kEnd, 0});
  for (const float side : {-1.0F, 1.0F}) {
    const float kerb = side * half, wall = side * (half + pavement);
    for (float x = -kEnd; x < kEnd;) {
      const float width = b.vary(6, 20);
      if (x + width > crossing - 6 && x < crossing + 6) {
        x = crossing + 6;
        continue;
      }
      b.box({x, std::min(kerb, wall), 0}, {x + width, std::max(kerb, wall), 0.13F});
      add_building(b, x, width, wall + side * (b.chance(0.5F) ? 0 : b.vary(0, 3)), side);
      x += width + (b.chance(0.4F) ? b.vary(0.5F, 5) : 0.0F);
    }
    const auto along = [&] { return b.vary(-50, 50); };
    for (int i = b.count(3, 9); i > 0; --i)
      add_car(b, {along(), kerb - side * 1.1F, 0}, b.chance(0.5F) ? 0 : kPi);
    for (int i = b.count(2, 7); i > 0; --i) {
      const Vector3f at(along(), kerb + side * 0.6F, 0);
      b.rod(at, at + Vector3f(0, 0, b.vary(2.5F, 8)), b.vary(0.05F, 0.14F));
    }
    for (int i = b.count(0, 6); i > 0; --i) add_tree(b, {along(), kerb + side * 1.0F, 0});
    for (int i = b.count(1, 4); i > 0; --i)
      b.rest(b.any_shape(), b.vary(0.5F, 1.2F), {along(), kerb + side * 1.2F, 0.13F});
  }
  return half;
}

/// A vehicle's sensor, not quite upright.
Isometry3f on_vehicle(SceneBuilder& b, const Vector3f& at, float yaw) {
  Isometry3f pose = placed(at, yaw);
  pose.rotate(Eigen::AngleAxisf(b.vary(-0.025F, 0.025F), Vector3f::UnitX()));
  pose.rotate(Eigen::AngleAxisf(b.vary(-0.025F, 0.025F), Vector3f::UnitY()));
  return pose;
}

/// As LiDAR clouds often come: one point per voxel of this size, or all of them with 0.
Views thinned_out(Views views, float voxel) {
  if (voxel > 0.0F) {
    views.source = voxel_filter(views.source, voxel);
    views.target = voxel_filter(views.target, voxel);
  }
  return views;
}

Views two_places_in_street(const ShapeSet& shapes, std::size_t, Random& random) {
  while (true) {
    SceneBuilder b(shapes, random);
    const float half = add_street(b);
    const RayScene scene = b.finish();
    const RangeSensor sensor = b.chance(0.5F) ? spinning_lidar(64, 900, -24.0, 2.0)
                                              : spinning_lidar(48, 1024, -20.0, 20.0);
    for (int attempt = 0; attempt < kAttempts / 10; ++attempt) {
      const Vector3f from(b.vary(-15, 15), b.vary(-0.5F, 0.5F) * half, b.vary(1.6F, 2));
      const Vector3f there(from.x() + (b.chance(0.5F) ? 1 : -1) * b.vary(5, 20),
                           b.vary(-0.5F, 0.5F) * half, from.z());
      const float back = b.chance(0.15F) ? kPi : 0.0F;
      const Isometry3f first = on_vehicle(b, from, b.vary(-0.2F, 0.2F));
      const Isometry3f second = on_vehicle(b, there, back + b.vary(-0.4F, 0.4F));
      if (is_free(scene, sensor, first) && is_free(scene, sensor, second))
        return thinned_out(two_scans(scene, sensor, first, second, "lidar", random),
                           b.chance(0.6F) ? b.vary(0.1F, 0.3F) : 0.0F);
    }
  }
}

// Corridors and pipes

/// Two scans of which the place along the axis can't be told, or only from doors.
Views two_places_in_corridor(const ShapeSet& shapes, std::size_t, Random& random) {
  constexpr float kEnd = 60.0F;
  SceneBuilder b(shapes, random);
  const bool free = b.chance(0.5F);
  const float half = b.vary(0.9F, 1.6F), height = b.vary(2.3F, 3);
  b.box({-kEnd, -half, -0.1F}, {kEnd, half, 0});
  b.box({-kEnd, -half, height}, {kEnd, half, height + 0.1F});
  b.box({-kEnd, -half - 0.1F, 0}, {kEnd, -half, height});
  b.box({-kEnd, half, 0}, {kEnd, half + 0.1F, height});
  if (!free)
    for (float x = -20; x < 20; x += b.vary(1.5F, 5)) {
      const float side = b.chance(0.5F) ? half : -half, reach = b.vary(0.04F, 0.25F);
      b.box({x, side - reach, 0}, {x + b.vary(0.1F, 1), side + reach, b.vary(1.9F, height)});
    }
  const RayScene scene = b.finish();
  const RangeSensor sensor = tilting_laser(b.vary(8, 14));
  const auto in_it = [&](float x) {
    return placed({x, b.vary(-0.5F, 0.5F) * half, b.vary(0.8F, 1.5F)}, b.turn());
  };
  return two_scans(scene, sensor, in_it(0), in_it(b.vary(0.5F, 4)),
                   free ? "bare corridor" : "corridor", random);
}

Views two_views_of_pipe(const ShapeSet& shapes, std::size_t, Random& random) {
  constexpr float kEnd = 20.0F;
  SceneBuilder b(shapes, random);
  b.rod({-kEnd, 0, 0}, {kEnd, 0, 0}, b.vary(0.15F, 0.4F));
  const RayScene scene = b.finish();
  const auto from = [&](float x) {
    const float distance = b.vary(1.2F, 2), angle = b.vary(-0.6F, 1.2F);
    return Vector3f(x, -distance * std::cos(angle), distance * std::sin(angle));
  };
  const Vector3f here = from(0), there = from(b.vary(-0.6F, 0.6F));
  return two_scans(scene, depth_camera(240, b.vary(0.2F, 1)), looking_at(here, {0, 0, 0}),
                   looking_at(there, {b.vary(-0.3F, 0.3F), 0, 0}), "pipe", random);
}

Views free_direction(const ShapeSet& shapes, std::size_t shape, Random& random) {
  return random.uniform() < 0.7F ? two_places_in_corridor(shapes, shape, random)
                                 : two_views_of_pipe(shapes, shape, random);
}

// -------------------------------------------------------------------------------------------

/// Both clouds rotated at random and shifted by up to the source's size.
template <Views (*views)(const ShapeSet&, std::size_t, Random&)>
PosePair make(const ShapeSet& shapes, std::size_t shape, Random& random) {
  const Views seen = views(shapes, shape, random);
  const float size = measure(seen.source).scale;
  const Eigen::Isometry3d turned = random_motion(random, size);
  const Eigen::Isometry3d target_from_world = random_motion(random, size);
  PosePair pair;
  pair.source = transformed(seen.source, turned);
  pair.target = transformed(seen.target, target_from_world);
  pair.target_from_source = target_from_world * seen.world_from_source * turned.inverse();
  pair.present = seen.present;
  pair.class_name = seen.class_name;
  if (seen.source_viewpoint) pair.source_viewpoint = turned * *seen.source_viewpoint;
  if (seen.target_viewpoint) pair.target_viewpoint = target_from_world * *seen.target_viewpoint;
  pair.target_up = target_from_world.linear() * Eigen::Vector3d::UnitZ();
  if (seen.present) pair.source_up = pair.target_from_source.linear().transpose() * *pair.target_up;
  return pair;
}

constexpr std::array kProtocols = {
    SimulatedProtocol{"clutter", make<model_in_clutter>},
    SimulatedProtocol{"absent", make<model_absent>},
    SimulatedProtocol{"room", make<two_views_of_room>},
    SimulatedProtocol{"street", make<two_places_in_street>},
    SimulatedProtocol{"corridor", make<free_direction>},
};

}  // namespace

std::span<const SimulatedProtocol> simulated_protocols() { return kProtocols; }

}  // namespace pointpng
