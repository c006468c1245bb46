#pragma once

#include "tf2/LinearMath/Quaternion.h"
#include "tf2/LinearMath/Vector3.h"

namespace tf2 {

/// A rotation, then a translation. The rotation is kept as a quaternion; there is no Matrix3x3
/// here.
class Transform {
 public:
  Transform() = default;
  explicit Transform(const Quaternion& rotation, const Vector3& origin = Vector3())
      : rotation_(rotation), origin_(origin) {}

  static const Transform& getIdentity() {
    static const Transform identity;
    return identity;
  }

  const Quaternion& getRotation() const { return rotation_; }
  const Vector3& getOrigin() const { return origin_; }
  void setRotation(const Quaternion& rotation) { rotation_ = rotation; }
  void setOrigin(const Vector3& origin) { origin_ = origin; }
  void setIdentity() { *this = Transform(); }

  Transform inverse() const {
    const Quaternion back = rotation_.inverse();
    return Transform(back, quatRotate(back, -origin_));
  }
  Vector3 operator*(const Vector3& point) const { return quatRotate(rotation_, point) + origin_; }
  Transform operator*(const Transform& other) const {
    return Transform(rotation_ * other.rotation_, *this * other.origin_);
  }

 private:
  Quaternion rotation_;
  Vector3 origin_;
};

}  // namespace tf2
