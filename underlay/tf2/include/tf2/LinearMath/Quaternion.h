#pragma once

#include <algorithm>
#include <cmath>

#include "tf2/LinearMath/Vector3.h"

namespace tf2 {

class Quaternion {
 public:
  Quaternion() = default;
  Quaternion(double x, double y, double z, double w) : x_(x), y_(y), z_(z), w_(w) {}
  Quaternion(const Vector3& axis, double angle) { setRotation(axis, angle); }

  static const Quaternion& getIdentity() {
    static const Quaternion identity(0.0, 0.0, 0.0, 1.0);
    return identity;
  }

  double x() const { return x_; }
  double y() const { return y_; }
  double z() const { return z_; }
  double w() const { return w_; }
  double getX() const { return x_; }
  double getY() const { return y_; }
  double getZ() const { return z_; }
  double getW() const { return w_; }
  void setValue(double x, double y, double z, double w) { *this = Quaternion(x, y, z, w); }

  void setRotation(const Vector3& axis, double angle) {
    const Vector3 v = axis * (std::sin(angle / 2.0) / axis.length());
    setValue(v.x(), v.y(), v.z(), std::cos(angle / 2.0));
  }
  /// About the fixed axes x, then y, then z.
  void setRPY(double roll, double pitch, double yaw) {
    *this = Quaternion({0.0, 0.0, 1.0}, yaw) * Quaternion({0.0, 1.0, 0.0}, pitch) *
            Quaternion({1.0, 0.0, 0.0}, roll);
  }

  Quaternion operator*(const Quaternion& q) const {
    return {w_ * q.x_ + x_ * q.w_ + y_ * q.z_ - z_ * q.y_,
            w_ * q.y_ + y_ * q.w_ + z_ * q.x_ - x_ * q.z_,
            w_ * q.z_ + z_ * q.w_ + x_ * q.y_ - y_ * q.x_,
            w_ * q.w_ - x_ * q.x_ - y_ * q.y_ - z_ * q.z_};
  }
  Quaternion operator*(double factor) const {
    return {x_ * factor, y_ * factor, z_ * factor, w_ * factor};
  }
  Quaternion operator+(const Quaternion& q) const {
    return {x_ + q.x_, y_ + q.y_, z_ + q.z_, w_ + q.w_};
  }
  Quaternion operator-() const { return *this * -1.0; }
  bool operator==(const Quaternion& q) const {
    return x_ == q.x_ && y_ == q.y_ && z_ == q.z_ && w_ == q.w_;
  }

  double dot(const Quaternion& q) const { return x_ * q.x_ + y_ * q.y_ + z_ * q.z_ + w_ * q.w_; }
  double length2() const { return dot(*this); }
  double length() const { return std::sqrt(length2()); }
  Quaternion normalized() const { return *this * (1.0 / length()); }
  Quaternion& normalize() { return *this = normalized(); }
  /// Of a unit quaternion.
  Quaternion inverse() const { return {-x_, -y_, -z_, w_}; }
  double getAngle() const { return 2.0 * std::acos(std::clamp(w_, -1.0, 1.0)); }
  Vector3 getAxis() const {
    const Vector3 v(x_, y_, z_);
    return v.length2() < 1e-20 ? Vector3(1.0, 0.0, 0.0) : v.normalized();
  }
  /// The angle of the rotation between two, the short way.
  double angleShortestPath(const Quaternion& q) const {
    return 2.0 *
           std::acos(std::clamp(std::abs(dot(q)) / std::sqrt(length2() * q.length2()), 0.0, 1.0));
  }

  /// Along the shorter arc.
  Quaternion slerp(const Quaternion& q, double ratio) const {
    const Quaternion to = dot(q) < 0.0 ? -q : q;
    const double cosine = std::clamp(dot(to), -1.0, 1.0);
    if (cosine > 1.0 - 1e-10) return (*this * (1.0 - ratio) + to * ratio).normalized();
    const double angle = std::acos(cosine);
    return (*this * std::sin((1.0 - ratio) * angle) + to * std::sin(ratio * angle)) *
           (1.0 / std::sin(angle));
  }

 private:
  double x_ = 0.0;
  double y_ = 0.0;
  double z_ = 0.0;
  double w_ = 1.0;
};

inline Vector3 quatRotate(const Quaternion& q, const Vector3& v) {
  const Quaternion turned = q * Quaternion(v.x(), v.y(), v.z(), 0.0) * q.inverse();
  return {turned.x(), turned.y(), turned.z()};
}

}  // namespace tf2
