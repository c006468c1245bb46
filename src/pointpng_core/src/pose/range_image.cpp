#include "pose/range_image.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "pose/parameters.h"

namespace pointpng {
namespace {

constexpr float kNone = std::numeric_limits<float>::infinity();

}  // namespace

RangeImage::Pixel RangeImage::pixel_of(const Eigen::Vector3f& ray, int side) {
  int axis = 0;
  const float length = ray.cwiseAbs().maxCoeff(&axis);
  const auto coordinate = [&](int other) {
    const float along = 0.5F + 0.5F * ray[other] / length;  // in [0, 1]
    return std::clamp(static_cast<int>(along * static_cast<float>(side)), 0, side - 1);
  };
  return {static_cast<std::size_t>(2 * axis + (ray[axis] < 0.0F ? 1 : 0)),
          coordinate((axis + 1) % 3), coordinate((axis + 2) % 3)};
}

RangeImage::RangeImage(const Cloud& rays) {
  // The solid angle that was seen, counted in coarse cells, says how fine the cells may be.
  std::unordered_set<std::size_t> coarse;
  constexpr int kCoarse = kVisibility.coarse_side;
  for (Eigen::Index i = 0; i < rays.rows(); ++i) {
    const Pixel pixel = pixel_of(rays.row(i).transpose(), kCoarse);
    coarse.insert((pixel.face * kCoarse + static_cast<std::size_t>(pixel.column)) * kCoarse +
                  static_cast<std::size_t>(pixel.row));
  }
  const double points_per_coarse_cell =
      static_cast<double>(rays.rows()) /
      static_cast<double>(std::max<std::size_t>(1, coarse.size()));
  side_ = std::clamp(
      static_cast<int>(kCoarse * std::sqrt(points_per_coarse_cell / kVisibility.points_per_cell)),
      kVisibility.least_side, kVisibility.most_side);
  for (Eigen::Index i = 0; i < rays.rows(); ++i) {
    const Eigen::Vector3f ray = rays.row(i).transpose();
    const float range = ray.norm();
    if (!(range > 0.0F)) continue;
    const Pixel pixel = pixel_of(ray, side_);
    std::vector<Cell>& face = faces_[pixel.face];
    if (face.empty()) face.assign(index(0, side_), {kNone, 0.0F, false});
    Cell& cell = face[index(pixel.column, pixel.row)];
    cell = {std::min(cell.nearest, range), std::max(cell.farthest, range), true};
  }
  for (std::vector<Cell>& face : faces_)
    if (!face.empty()) widen(face);
}

/// Ranges of the cells around are taken as well: a surface may end, or be slanted, within a cell.
/// The cells at the border of a face miss some of theirs, and count as unknown.
void RangeImage::widen(std::vector<Cell>& face) const {
  const std::vector<Cell> before = face;
  for (int row = 0; row < side_; ++row)
    for (int column = 0; column < side_; ++column) {
      Cell& cell = face[index(column, row)];
      if (row == 0 || column == 0 || row == side_ - 1 || column == side_ - 1) cell.is_known = false;
      if (!cell.is_known) continue;
      for (int y = row - 1; y <= row + 1; ++y)
        for (int x = column - 1; x <= column + 1; ++x) {
          const Cell& other = before[index(x, y)];
          cell.nearest = std::min(cell.nearest, other.nearest);
          cell.farthest = std::max(cell.farthest, other.farthest);
        }
    }
}

RangeImage::Place RangeImage::at(const Eigen::Vector3f& ray, float margin) const {
  const float range = ray.norm();
  if (!(range > 0.0F)) return Place::kUnknown;
  const Pixel pixel = pixel_of(ray, side_);
  const std::vector<Cell>& face = faces_[pixel.face];
  if (face.empty()) return Place::kUnknown;
  const Cell& cell = face[index(pixel.column, pixel.row)];
  if (!cell.is_known) return Place::kUnknown;
  if (range < cell.nearest - margin) return Place::kFree;
  return range > cell.farthest + margin ? Place::kHidden : Place::kSurface;
}

}  // namespace pointpng
