#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "pointpng/cloud.h"

namespace pointpng {

/// Points sorted into cubic cells, so that the neighbours of a place are found in 27 of them. Takes
/// time and memory in proportion to the points, whatever their extent.
class VoxelIndex {
 public:
  VoxelIndex(const Cloud& points, float cell);

  /// Calls `use(row, squared distance)` for every point within `reach` of a place; needs
  /// reach <= cell.
  template <typename Use>
  void for_each_within(const Eigen::Vector3f& place, float reach, Use use) const {
    const Eigen::Vector3i middle = cell_of(place);
    for (int x = middle[0] - 1; x <= middle[0] + 1; ++x)
      for (int y = middle[1] - 1; y <= middle[1] + 1; ++y)
        for (int z = middle[2] - 1; z <= middle[2] + 1; ++z) {
          const std::uint64_t key = key_of({x, y, z});
          const std::size_t slot = slot_of(key);
          for (std::uint32_t i = start_[slot]; i < start_[slot + 1]; ++i) {
            const Entry& entry = entries_[i];
            if (entry.key != key) continue;
            const float square = (entry.point - place).squaredNorm();
            if (square <= reach * reach) use(static_cast<Eigen::Index>(entry.row), square);
          }
        }
  }

 private:
  struct Entry {
    Eigen::Vector3f point;
    std::int32_t row;
    std::uint64_t key;
  };

  Eigen::Vector3i cell_of(const Eigen::Vector3f& place) const {
    constexpr float kFarthest = 1e9F;  // what is farther away is far from everything
    return (place * cells_per_unit_).array().floor().max(-kFarthest).min(kFarthest).cast<int>();
  }
  /// 21 bits per axis: cells of one cloud never share a key.
  static std::uint64_t key_of(const Eigen::Vector3i& cell) {
    constexpr std::uint64_t kMask = (1U << 21U) - 1U;
    return (static_cast<std::uint64_t>(cell[0]) & kMask) << 42U |
           (static_cast<std::uint64_t>(cell[1]) & kMask) << 21U |
           (static_cast<std::uint64_t>(cell[2]) & kMask);
  }
  std::size_t slot_of(std::uint64_t key) const {
    return (key * 0x9E3779B97F4A7C15ULL) >> shift_;  // Fibonacci hashing
  }

  float cells_per_unit_;
  unsigned shift_;
  std::vector<std::uint32_t> start_;  // of each slot's entries
  std::vector<Entry> entries_;
};

/// Numbers the occupied cells of edge `size` in the order in which points fall into them.
class VoxelNumbers {
 public:
  VoxelNumbers(double size, std::size_t points);

  /// The number of the cell that a place is in.
  std::size_t operator()(const Eigen::Vector3d& place);
  std::size_t count() const { return count_; }

 private:
  using Cell = std::array<std::int64_t, 3>;
  struct Slot {
    Cell cell = {};
    std::int64_t number = -1;  // -1: free
  };

  double size_;
  std::size_t count_ = 0;
  std::vector<Slot> slots_;  // open addressing, at most half full
};

/// One row per occupied cell of edge `cell`: its first point.
std::vector<std::int64_t> voxel_rows(const Cloud& points, float cell);

}  // namespace pointpng
