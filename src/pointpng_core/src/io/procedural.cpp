#include <cmath>

#include <fmt/format.h>

#include "io/solid.h"
#include "pointpng/io.h"

namespace pointpng {
namespace {

using Eigen::Vector3f;

/// Builds an object from parts with random proportions.
class Builder {
 public:
  explicit Builder(Random& random) : random_(random) {}

  float vary(float low, float high) { return random_.uniform(low, high); }
  bool chance(float probability) { return random_.uniform() < probability; }

  /// Between two opposite corners.
  void box(const Vector3f& low, const Vector3f& high) {
    add(Solid::Kind::kBox, 0.5F * (high - low).cwiseAbs(), 0.5F * (low + high));
  }
  /// Between two points, with a radius at each.
  void cone(const Vector3f& from, const Vector3f& to, float radius_from, float radius_to) {
    const Vector3f axis = to - from;
    add(Solid::Kind::kFrustum, {radius_from, radius_to, 0.5F * axis.norm()}, 0.5F * (from + to),
        Eigen::Quaternionf::FromTwoVectors(Vector3f::UnitZ(), axis));
  }
  void rod(const Vector3f& from, const Vector3f& to, float radius) {
    cone(from, to, radius, radius);
  }
  void ellipsoid(const Vector3f& centre, const Vector3f& axes) {
    add(Solid::Kind::kEllipsoid, axes, centre);
  }
  /// A ring around the given axis.
  void ring(const Vector3f& centre, const Vector3f& axis, float radius, float tube) {
    add(Solid::Kind::kTorus, {radius, tube, 0}, centre,
        Eigen::Quaternionf::FromTwoVectors(Vector3f::UnitZ(), axis));
  }

  const std::vector<Solid>& parts() const { return parts_; }

 private:
  void add(Solid::Kind kind, const Vector3f& size, const Vector3f& centre,
           const Eigen::Quaternionf& turn = Eigen::Quaternionf::Identity()) {
    Solid solid{kind, size, Eigen::Isometry3f::Identity()};
    solid.pose.translate(centre).rotate(turn);
    parts_.push_back(solid);
  }

  Random& random_;
  std::vector<Solid> parts_;
};

void build_chair(Builder& b) {
  const float w = b.vary(0.35F, 0.55F), d = b.vary(0.35F, 0.55F), seat = b.vary(0.4F, 0.6F);
  const float back = b.vary(0.4F, 0.8F), leg = b.vary(0.03F, 0.06F), thick = b.vary(0.05F, 0.1F);
  b.box({-w, -d, seat}, {w, d, seat + thick});
  for (const float x : {-w + leg, w - leg})
    for (const float y : {-d + leg, d - leg}) b.rod({x, y, 0}, {x, y, seat + 0.01F}, leg);
  b.box({-w, d - 0.08F, seat}, {w, d, seat + thick + back});
  if (b.chance(0.5F)) b.box({w - 0.08F, -d, seat + 0.3F}, {w, d, seat + 0.36F});
}

void build_table(Builder& b) {
  const float w = b.vary(0.6F, 0.9F), d = b.vary(0.35F, 0.6F), h = b.vary(0.5F, 0.8F);
  const float leg = b.vary(0.03F, 0.07F);
  b.box({-w, -d, h}, {w, d, h + 0.06F});
  for (const float x : {-w + 2 * leg, w - 2 * leg})
    for (const float y : {-d + 2 * leg, d - 2 * leg}) b.rod({x, y, 0}, {x, y, h + 0.01F}, leg);
  const float x = b.vary(0.3F, 0.8F) * w, y = b.vary(0.2F, 0.7F) * d, size = b.vary(0.1F, 0.18F);
  b.box({x - size, y - size, h + 0.05F}, {x + size, y + size, h + b.vary(0.2F, 0.5F)});
  b.cone({-x, y - 0.1F, h + 0.05F}, {-x, y - 0.1F, h + b.vary(0.25F, 0.5F)}, 0.12F, 0.06F);
}

void build_airplane(Builder& b) {
  const float length = b.vary(0.8F, 1.1F), body = b.vary(0.09F, 0.15F), span = b.vary(0.7F, 1.1F);
  const float chord = b.vary(0.12F, 0.2F), sweep = b.vary(-0.05F, 0.15F);
  b.ellipsoid({0, 0, 0}, {length, body, body});
  b.box({sweep - chord, -span, -0.03F}, {sweep + chord, span, 0.01F});
  const float tail = -length * 0.82F;
  b.box({tail - 0.1F, -span * 0.35F, 0.02F}, {tail + 0.1F, span * 0.35F, 0.05F});
  b.box({tail - 0.12F, -0.02F, 0}, {tail + 0.08F, 0.02F, b.vary(0.25F, 0.4F)});
  for (const float y : {-0.45F * span, 0.45F * span})
    b.rod({sweep - chord, y, -0.1F}, {sweep + chord + 0.1F, y, -0.1F}, b.vary(0.05F, 0.08F));
}

void build_lamp(Builder& b) {
  const float h = b.vary(0.9F, 1.3F), reach = b.vary(0.35F, 0.7F), base = b.vary(0.25F, 0.4F);
  const float drop = b.vary(0.0F, 0.3F), rod = b.vary(0.025F, 0.05F);
  b.rod({0, 0, 0}, {0, 0, 0.08F}, base);
  b.rod({0, 0, 0.05F}, {0, 0, h}, rod);
  b.rod({-0.1F, 0, h - 0.02F}, {reach, 0, h - drop}, rod);
  b.cone({reach, 0, h - drop - 0.25F}, {reach, 0, h - drop + 0.05F}, b.vary(0.2F, 0.3F),
         b.vary(0.06F, 0.1F));
  b.box({base * 0.4F, base * 0.2F, 0.05F}, {base * 0.7F, base * 0.5F, 0.16F});
}

void build_mug(Builder& b) {
  const float r = b.vary(0.3F, 0.45F), taper = b.vary(0.75F, 1.0F), h = b.vary(0.7F, 1.1F);
  const float handle = b.vary(0.18F, 0.26F);
  b.cone({0, 0, 0}, {0, 0, h}, r * taper, r);
  b.ring({0, 0, h}, Vector3f::UnitZ(), r, b.vary(0.02F, 0.04F));
  b.ring({r, 0, h * b.vary(0.55F, 0.65F)}, Vector3f::UnitY(), handle, b.vary(0.03F, 0.06F));
  b.ellipsoid({0, -r * 0.95F, h * b.vary(0.25F, 0.4F)}, {0.13F, 0.07F, 0.1F});
}

void build_car(Builder& b) {
  const float l = b.vary(0.8F, 1.1F), w = b.vary(0.35F, 0.45F), h = b.vary(0.18F, 0.28F);
  const float wheel = b.vary(0.13F, 0.2F), cabin = b.vary(0.2F, 0.32F), back = b.vary(0.5F, 0.85F);
  b.box({-l, -w, wheel}, {l, w, wheel + h});
  b.box({-l * back, -w * 0.85F, wheel + h - 0.01F}, {l * 0.3F, w * 0.85F, wheel + h + cabin});
  for (const float x : {-0.62F * l, 0.62F * l})
    for (const float y : {-w, w}) b.rod({x, y - 0.06F, wheel}, {x, y + 0.06F, wheel}, wheel);
  if (b.chance(0.5F)) b.box({-l, -w, wheel + h + 0.14F}, {-l + 0.15F, w, wheel + h + 0.18F});
}

void build_bracket(Builder& b) {
  const float a = b.vary(0.7F, 1.0F), c = b.vary(0.45F, 0.8F), w = b.vary(0.25F, 0.45F);
  const float t = b.vary(0.07F, 0.13F);
  b.box({0, -w, 0}, {a, w, t});
  b.box({0, -w, 0}, {t, w, c});
  b.rod({0.7F * a, 0.4F * w, t - 0.01F}, {0.7F * a, 0.4F * w, t + b.vary(0.15F, 0.3F)}, 0.35F * w);
  b.rod({t - 0.01F, -0.5F * w, 0.7F * c}, {t + b.vary(0.1F, 0.2F), -0.5F * w, 0.7F * c}, 0.25F * w);
  if (b.chance(0.5F)) b.box({0, -0.06F, 0}, {0.35F * a, 0.06F, 0.35F * c});
}

void build_stack(Builder& b) {
  Vector3f corner(0, 0, 0);
  float width = b.vary(0.6F, 0.9F), depth = b.vary(0.4F, 0.6F);
  for (int i = 0; i < 4; ++i) {
    const float height = b.vary(0.15F, 0.4F);
    b.box(corner, corner + Vector3f(width, depth, height));
    corner += Vector3f(b.vary(0.25F, 0.45F) * width, b.vary(-0.15F, 0.3F) * depth, height - 0.005F);
    width *= b.vary(0.6F, 0.9F);
    depth *= b.vary(0.6F, 0.9F);
  }
}

void build_hammer(Builder& b) {
  const float l = b.vary(1.0F, 1.5F), r = b.vary(0.05F, 0.08F), head = b.vary(0.09F, 0.14F);
  const float front = b.vary(0.25F, 0.4F), claw = b.vary(0.3F, 0.5F);
  b.cone({0, 0, 0}, {0, 0, l}, 1.3F * r, r);
  b.box({-head, -head, l - head}, {head, head, l + head});
  b.rod({head - 0.01F, 0, l}, {front, 0, l}, 1.1F * head);
  for (const float y : {-0.6F * head, 0.6F * head})
    b.cone({-head + 0.02F, y, l}, {-claw, 1.5F * y, l - 0.4F * claw}, 0.35F * head, 0.15F * head);
}

void build_arm(Builder& b) {
  const float base = b.vary(0.25F, 0.35F), first = b.vary(0.5F, 0.8F), second = b.vary(0.4F, 0.7F);
  const float lift = b.vary(0.9F, 1.4F), bend = b.vary(-0.9F, 0.1F), side = b.vary(0.3F, 0.9F);
  const float r = b.vary(0.06F, 0.1F);
  const Vector3f shoulder(0, 0, 0.3F);
  const Vector3f elbow = shoulder + first * Vector3f(std::cos(lift), 0, std::sin(lift));
  const Vector3f wrist =
      elbow + second * Vector3f(std::cos(bend), std::sin(side) * std::cos(bend), std::sin(bend));
  b.cone({0, 0, 0}, {0, 0, 0.3F}, base, 0.6F * base);
  b.rod(shoulder, elbow, r);
  b.rod(elbow, wrist, 0.8F * r);
  b.ellipsoid(elbow, Vector3f::Constant(1.4F * r));
  b.box(wrist - Vector3f(0.05F, 0.12F, 0.04F), wrist + Vector3f(0.15F, 0.12F, 0.04F));
}

struct Family {
  const char* name;
  void (*build)(Builder&);
};

constexpr Family kFamilies[] = {{"chair", build_chair},       {"table", build_table},
                                {"airplane", build_airplane}, {"lamp", build_lamp},
                                {"mug", build_mug},           {"car", build_car},
                                {"bracket", build_bracket},   {"stack", build_stack},
                                {"hammer", build_hammer},     {"arm", build_arm}};

void normalise(Cloud& points) {
  points.rowwise() -= points.colwise().mean();
  points /= points.rowwise().norm().maxCoeff();
}

}  // namespace

const std::vector<std::string>& procedural_families() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Family& family : kFamilies) list.emplace_back(family.name);
    return list;
  }();
  return names;
}

Shape procedural_shape(std::uint64_t seed, std::uint64_t index, Eigen::Index points) {
  const std::size_t family = index % std::size(kFamilies);
  Random random({seed, index});
  Builder builder(random);
  kFamilies[family].build(builder);
  Shape shape;
  shape.points = sample_union(builder.parts(), points, random);
  normalise(shape.points);
  shape.label = static_cast<int>(family);
  shape.name = fmt::format("{} {}", kFamilies[family].name, index);
  return shape;
}

ShapeSet procedural_shapes(std::int64_t count, Eigen::Index points, std::uint64_t seed) {
  ShapeSet set;
  set.class_names = procedural_families();
  for (std::int64_t i = 0; i < count; ++i)
    set.shapes.push_back(procedural_shape(seed, static_cast<std::uint64_t>(i), points));
  return set;
}

}  // namespace pointpng
