#pragma once

#include <cmath>

namespace tf2 {

using tf2Scalar = double;

class Vector3 {
 public:
  Vector3() = default;
  Vector3(double x, double y, double z) : x_(x), y_(y), z_(z) {}

  const double& x() const { return x_; }
  const double& y() const { return y_; }
  const double& z() const { return z_; }
  const double& getX() const { return x_; }
  const double& getY() const { return y_; }
  const double& getZ() const { return z_; }
  void setX(double x) { x_ = x; }
  void setY(double y) { y_ = y; }
  void setZ(double z) { z_ = z; }
  void setValue(double x, double y, double z) { *this = Vector3(x, y, z); }

  Vector3 operator+(const Vector3& other) const {
    return {x_ + other.x_, y_ + other.y_, z_ + other.z_};
  }
  Vector3 operator-(const Vector3& other) const {
    return {x_ - other.x_, y_ - other.y_, z_ - other.z_};
  }
  Vector3 operator-() const { return {-x_, -y_, -z_}; }
  Vector3 operator*(double factor) const { return {x_ * factor, y_ * factor, z_ * factor}; }
  bool operator==(const Vector3& other) const {
    return x_ == other.x_ && y_ == other.y_ && z_ == other.z_;
  }

  double dot(const Vector3& other) const { return x_ * other.x_ + y_ * other.y_ + z_ * other.z_; }
  Vector3 cross(const Vector3& other) const {
    return {y_ * other.z_ - z_ * other.y_, z_ * other.x_ - x_ * other.z_,
            x_ * other.y_ - y_ * other.x_};
  }
  double length2() const { return dot(*this); }
  double length() const { return std::sqrt(length2()); }
  Vector3 normalized() const { return *this * (1.0 / length()); }
  Vector3 lerp(const Vector3& other, double ratio) const { return *this + (other - *this) * ratio; }

 private:
  double x_ = 0.0;
  double y_ = 0.0;
  double z_ = 0.0;
};

}  // namespace tf2
