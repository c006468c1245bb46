#include "eval/scene_pairs.h"

#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/random.h"
#include "base/rows.h"
#include "eval/distances.h"
#include "eval/random_motion.h"
#include "io/depth.h"
#include "io/subset.h"
#include "pointpng/cloud.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

constexpr float kLargestSceneShift = 0.5F;  // metres

/// Ids of the random streams of one seed.
enum SceneStream : std::uint64_t { kSceneFrame = 201, kSceneOrder = 202, kScenePair = 203 };

/// What is kept of a depth frame.
struct Frame {
  Cloud points;            ///< camera frame
  Cloud surface;           ///< world frame, downsampled
  Eigen::Isometry3d pose;  ///< world_from_camera
};

/// The nearest rigid transform: trackers write about five digits.
Eigen::Isometry3d rigid(const Eigen::Matrix4d& pose) {
  const Eigen::Matrix3d rotation = pose.topLeftCorner<3, 3>();
  Eigen::Isometry3d motion(Eigen::Quaterniond(rotation).normalized());
  motion.translation() = pose.topRightCorner<3, 1>();
  return motion;
}

/// The frames of a folder, each read when it is first needed.
class Frames {
 public:
  Frames(std::filesystem::path folder, std::uint64_t seed, const ScenePairsConfig& config)
      : folder_(std::move(folder)),
        seed_(seed),
        config_(config),
        names_(list_depth_frames(folder_)),
        frames_(names_.size()) {}

  std::int64_t count() const { return static_cast<std::int64_t>(names_.size()); }
  const std::string& name(std::int64_t i) const { return names_[static_cast<std::size_t>(i)]; }

  const Frame& at(std::int64_t i) {
    std::optional<Frame>& frame = frames_[static_cast<std::size_t>(i)];
    if (!frame) frame = load(i);
    return *frame;
  }

 private:
  Frame load(std::int64_t i) const {
    const DepthFrame read = load_depth_frame(folder_, name(i));
    const Eigen::Isometry3d pose = rigid(read.world_from_camera);
    Random random({seed_, kSceneFrame, static_cast<std::uint64_t>(i)});
    const auto voxel = static_cast<float>(0.6 * config_.reach);
    return {random_subset(read.points, config_.points, random),
            transformed(voxel_filter(read.points, voxel), pose), pose};
  }

  std::filesystem::path folder_;
  std::uint64_t seed_;
  const ScenePairsConfig& config_;
  std::vector<std::string> names_;
  std::vector<std::optional<Frame>> frames_;
};

/// Share of a surface that has another one near by.
double overlap(const Cloud& surface, const Cloud& other, double reach) {
  constexpr Eigen::Index kAsked = 1000;
  const Eigen::VectorXf distances = nearest_distances(thinned(surface, kAsked), other);
  return static_cast<double>((distances.array() < static_cast<float>(reach)).count()) /
         static_cast<double>(distances.size());
}

bool overlapping(const Frame& a, const Frame& b, const ScenePairsConfig& config) {
  return overlap(a.surface, b.surface, config.reach) >= config.overlap &&
         overlap(b.surface, a.surface, config.reach) >= config.overlap;
}

PosePair make_pair(const Frame& source, const Frame& target, Random& random) {
  const Eigen::Isometry3d motion = random_motion(random, kLargestSceneShift);
  PosePair pair;
  pair.source = transformed(source.points, motion);
  pair.target = target.points;
  pair.target_from_source = target.pose.inverse() * source.pose * motion.inverse();
  pair.kind = pair.class_name = "scene";
  pair.source_viewpoint = motion.translation();
  pair.target_viewpoint = Eigen::Vector3d::Zero();
  return pair;
}

}  // namespace

std::vector<PosePair> make_scene_pairs(const std::filesystem::path& folder, std::int64_t count,
                                       std::uint64_t seed, std::vector<std::string>* notes,
                                       const ScenePairsConfig& config) {
  if (!is_depth_folder(folder))
    throw InputError(
        fmt::format("{}: is no folder of depth frames (frame-000000.depth.png, …), "
                    "which the protocol 'scene' needs",
                    folder.string()));
  Frames frames(folder, seed, config);
  std::vector<std::int64_t> order(static_cast<std::size_t>(frames.count() * frames.count()));
  std::iota(order.begin(), order.end(), 0);
  Random({seed, kSceneOrder}).shuffle(order);
  std::vector<PosePair> pairs;
  for (const std::int64_t both : order) {
    const std::int64_t i = both / frames.count(), j = both % frames.count();
    if (std::cmp_equal(pairs.size(), count)) break;
    if (i == j || !overlapping(frames.at(i), frames.at(j), config)) continue;
    Random random({seed, kScenePair, static_cast<std::uint64_t>(pairs.size())});
    pairs.push_back(make_pair(frames.at(i), frames.at(j), random));
    pairs.back().name = frames.name(i) + " to " + frames.name(j);
  }
  if (pairs.empty())
    throw InputError(fmt::format("{}: no two of its {} frames overlap by {:.0f} % or more",
                                 folder.string(), frames.count(), 100.0 * config.overlap));
  if (std::cmp_less(pairs.size(), count) && notes)
    notes->push_back(fmt::format("{}: only {} pairs of frames overlap by {:.0f} % or more",
                                 folder.string(), pairs.size(), 100.0 * config.overlap));
  return pairs;
}

}  // namespace pointpng
