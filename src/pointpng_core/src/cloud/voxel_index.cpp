#include "cloud/voxel_index.h"

#include <algorithm>
#include <bit>
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

std::vector<std::int64_t> voxel_rows(const Cloud& points, float cell) {
  // A cell's first point is the one that no earlier point shares its cell with.
  const auto slots = std::bit_ceil(static_cast<std::size_t>(std::max<Eigen::Index>(2, 2 * points.rows())));
  std::vector<std::int64_t> taken(slots, -1);
  std::vector<Eigen::Vector3i> cells(static_cast<std::size_t>(points.rows()));
  std::vector<std::int64_t> rows;
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    const Eigen::Vector3i at = (points.row(i).transpose() / cell).array().floor().cast<int>();
    cells[static_cast<std::size_t>(i)] = at;
    std::size_t slot = (static_cast<std::size_t>(at[0]) * 73856093U ^ static_cast<std::size_t>(at[1]) * 19349663U ^
                        static_cast<std::size_t>(at[2]) * 83492791U) & (slots - 1);
    while (taken[slot] >= 0 && cells[static_cast<std::size_t>(taken[slot])] != at)
      slot = (slot + 1) & (slots - 1);
    if (taken[slot] >= 0) continue;
    taken[slot] = i;
    rows.push_back(i);
  }
  return rows;
}

}  // namespace pointpng
