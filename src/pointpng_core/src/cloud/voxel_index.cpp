#include "cloud/voxel_index.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace pointpng {

VoxelIndex::VoxelIndex(const Cloud& points, float cell) : cells_per_unit_(1.0F / cell) {
  const auto count = static_cast<std::size_t>(points.rows());
  const auto slots = std::bit_ceil(std::max<std::size_t>(2, 2 * count));
  shift_ = 64U - static_cast<unsigned>(std::countr_zero(slots));
  start_.assign(slots + 1, 0);
  std::vector<std::uint64_t> keys(count);
  for (std::size_t i = 0; i < count; ++i) {
    keys[i] = key_of(cell_of(points.row(static_cast<Eigen::Index>(i)).transpose()));
    ++start_[slot_of(keys[i]) + 1];
  }
  std::partial_sum(start_.begin(), start_.end(), start_.begin());
  std::vector<std::uint32_t> next(start_.begin(), start_.end() - 1);
  entries_.resize(count);
  for (std::size_t i = 0; i < count; ++i)
    entries_[next[slot_of(keys[i])]++] = {points.row(static_cast<Eigen::Index>(i)).transpose(),
                                          static_cast<std::int32_t>(i), keys[i]};
}

VoxelNumbers::VoxelNumbers(double size, std::size_t points)
    : size_(size), slots_(std::bit_ceil(std::max<std::size_t>(2, 2 * points))) {}

std::size_t VoxelNumbers::operator()(const Eigen::Vector3d& place) {
  Cell cell;
  std::uint64_t hash = 0;
  for (std::size_t axis = 0; axis < cell.size(); ++axis) {
    constexpr double kFarthest = 9e18;
    cell[axis] = static_cast<std::int64_t>(std::clamp(
        std::floor(place[static_cast<Eigen::Index>(axis)] / size_), -kFarthest, kFarthest));
    hash = (hash ^ static_cast<std::uint64_t>(cell[axis])) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 29U;
  }
  std::size_t at = hash & (slots_.size() - 1);
  while (slots_[at].number >= 0 && slots_[at].cell != cell) at = (at + 1) & (slots_.size() - 1);
  if (slots_[at].number < 0) slots_[at] = {cell, static_cast<std::int64_t>(count_++)};
  return static_cast<std::size_t>(slots_[at].number);
}

std::vector<std::int64_t> voxel_rows(const Cloud& points, float cell) {
  VoxelNumbers number(cell, static_cast<std::size_t>(points.rows()));
  std::vector<std::int64_t> rows;
  for (Eigen::Index i = 0; i < points.rows(); ++i)
    if (number(points.row(i).transpose().cast<double>()) == rows.size()) rows.push_back(i);
  return rows;
}

}  // namespace pointpng
