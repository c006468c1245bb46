#include "pose/translation.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace pointpng {
namespace {

constexpr int kCells = 24;             // of the histogram, along an edge
constexpr Eigen::Index kVoters = 128;  // points of each scan
constexpr float kLikeNormals = 0.9F;   // |cosine|
constexpr float kFarthest = 1.2F;      // shift that is looked for, in radii of the larger scan

/// Counts of shifts over a cube around the origin.
class Histogram {
 public:
  explicit Histogram(float half_edge) : cells_per_unit_(0.5F * kCells / half_edge) {}

  void vote(const Eigen::Vector3f& shift) {
    const Eigen::Vector3i cell =
        (shift.array() * cells_per_unit_ + 0.5F * kCells).floor().cast<int>();
    if (cell.minCoeff() < 0 || cell.maxCoeff() >= kCells) return;
    ++counts_[index(cell[0], cell[1], cell[2])];
  }

  /// Centre of the fullest cell and its neighbours, which are emptied.
  Eigen::Vector3f take_peak() {
    const auto fullest = std::max_element(counts_.begin(), counts_.end());
    const int at = static_cast<int>(fullest - counts_.begin());
    const Eigen::Vector3i cell(at / (kCells * kCells), at / kCells % kCells, at % kCells);
    Eigen::Vector3f sum = Eigen::Vector3f::Zero();
    float total = 0.0F;
    const Eigen::Vector3i low = (cell.array() - 1).max(0),
                          high = (cell.array() + 1).min(kCells - 1);
    for (int x = low[0]; x <= high[0]; ++x)
      for (int y = low[1]; y <= high[1]; ++y)
        for (int z = low[2]; z <= high[2]; ++z) {
          int& count = counts_[index(x, y, z)];
          const auto weight = static_cast<float>(count);
          sum += weight * Eigen::Vector3f(static_cast<float>(x), static_cast<float>(y),
                                          static_cast<float>(z));
          total += weight;
          count = 0;
        }
    if (total == 0.0F) return Eigen::Vector3f::Zero();
    return ((sum / total).array() + 0.5F - 0.5F * kCells) / cells_per_unit_;
  }

 private:
  static std::size_t index(int x, int y, int z) {
    return (static_cast<std::size_t>(x) * kCells + static_cast<std::size_t>(y)) * kCells +
           static_cast<std::size_t>(z);
  }

  float cells_per_unit_;
  std::vector<int> counts_ = std::vector<int>(std::size_t{kCells} * kCells * kCells, 0);
};

}  // namespace

std::vector<Eigen::Vector3f> voted_translations(const Eigen::Matrix3f& rotation, const Scan& source,
                                                const Scan& target, int count) {
  Histogram histogram(kFarthest * std::max(source.radius, target.radius));
  const auto step = [](const Scan& scan) {
    return std::max<Eigen::Index>(1, scan.points.rows() / kVoters);
  };
  for (Eigen::Index i = 0; i < source.points.rows(); i += step(source)) {
    const Eigen::Vector3f place = rotation * source.points.row(i).transpose(),
                          normal = rotation * source.normals.row(i).transpose();
    for (Eigen::Index j = 0; j < target.points.rows(); j += step(target))
      if (std::abs(target.normals.row(j).dot(normal)) > kLikeNormals)
        histogram.vote(target.points.row(j).transpose() - place);
  }
  std::vector<Eigen::Vector3f> shifts;
  for (int k = 0; k < count; ++k) shifts.push_back(histogram.take_peak());
  return shifts;
}

}  // namespace pointpng
