#include "base/rows.h"

#include <numeric>

namespace pointpng {

Cloud rows_at(const Cloud& cloud, std::span<const std::int64_t> rows) {
  Cloud chosen(static_cast<Eigen::Index>(rows.size()), 3);
  for (std::size_t i = 0; i < rows.size(); ++i)
    chosen.row(static_cast<Eigen::Index>(i)) = cloud.row(rows[i]);
  return chosen;
}

Cloud random_subset(const Cloud& cloud, Eigen::Index count, Random& random) {
  if (count >= cloud.rows()) return cloud;
  Cloud chosen(count, 3);
  Eigen::Index taken = 0;
  // Selection sampling: each point is taken with (still needed) / (still to come).
  for (Eigen::Index i = 0; taken < count; ++i)
    if (random.below(cloud.rows() - i) < count - taken) chosen.row(taken++) = cloud.row(i);
  return chosen;
}

std::vector<std::int64_t> shuffled_rows(std::int64_t count, Random& random) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), 0);
  random.shuffle(rows);
  return rows;
}

std::pair<Cloud, Cloud> disjoint_samples(const Cloud& cloud, Eigen::Index count, Random& random) {
  const std::vector<std::int64_t> rows = shuffled_rows(cloud.rows(), random);
  const auto size = static_cast<std::size_t>(count);
  return {rows_at(cloud, std::span(rows).first(size)),
          rows_at(cloud, std::span(rows).subspan(size, size))};
}

}  // namespace pointpng
