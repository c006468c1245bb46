#pragma once

#include <array>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace pointpng {

/// Where a hypothesis came from.
enum class Origin {
  kEmbedding,     ///< the search over rotations in embedding space
  kPointPairs,    ///< point pair features
  kLocalMatches,  ///< matches of local neighbourhoods
  kNormals,       ///< distributions of normals
  kInitialGuess,  ///< the caller
};

const std::string& to_string(Origin origin);  ///< "embedding", "parts", "matches", "normals" …

/// One way in which two clouds may fit together. Lengths are in the clouds' unit.
struct Hypothesis {
  Eigen::Isometry3d target_from_source = Eigen::Isometry3d::Identity();
  Origin origin = Origin::kEmbedding;
  /// Bidirectional embedding loss of the search; NaN where the embedding did not propose it.
  double embedding_loss = std::numeric_limits<double>::quiet_NaN();
  double score = 0.0;           ///< in [0, 1]: how well the surfaces agree
  double source_overlap = 0.0;  ///< share of the source's points that are inliers
  double target_overlap = 0.0;  ///< share of the target's points that are inliers
  double residual = 0.0;        ///< RMS point-to-plane distance of the inliers, both directions
};

/// Milliseconds spent in each stage of an alignment.
struct StageTimes {
  double prepare = 0.0;  ///< cleaning, downsampling, normals, nearest-point fields; first use only
  double embed = 0.0;    ///< embeddings; 0 for a cloud that was embedded before
  double search = 0.0;   ///< rotations in embedding space
  double parts = 0.0;    ///< hypotheses from point pairs, where they were needed
  double refine = 0.0;   ///< refinement and verification of all hypotheses
  double total = 0.0;

  StageTimes& operator+=(const StageTimes& other);
};

/// Covariance of (x, y, z, rotation about x, y, z), as ROS defines it: the source's origin in the
/// target's frame, and a small rotation about the target's axes.
using PoseCovariance = Eigen::Matrix<double, 6, 6>;

/// What speaks for and against the best hypothesis. A competitor is another hypothesis that a
/// symmetry of the object does not explain. Nothing here has a unit.
struct Evidence {
  double score = 0.0;           ///< in [0, 1]: how well the surfaces agree
  double source_overlap = 0.0;  ///< inlier share of the source
  double target_overlap = 0.0;  ///< inlier share of the target
  double residual = 0.0;        ///< of the inliers, in units of the point spacing
  bool detailed = false;        ///< measured at a finer resolution than the embedding's
  bool searched = true;  ///< false: tracked from a guess, so there are no competitors to compare
  double margin = 0.0;   ///< score minus the best competitor's
  double competitor_angle_deg = 0.0;  ///< rotation between the best and that competitor
  /// z-score of the paired difference between the best and the closest competitor; at most 10.
  double separation = 10.0;
  double competitors = 0.0;    ///< how many score within 80 % of the best
  double fragmentation = 0.0;  ///< share of neighbouring points of which only one is an inlier
  /// Share of a cloud's points that stand in front of what the other cloud's sensor saw, the larger
  /// of both; 0 where no sensor's place is known.
  double contradiction = 0.0;
  /// Share of the source's points that the target's sensor should have seen; 1 where its place is
  /// not known.
  double expected_source_overlap = 1.0;
  double expected_target_overlap = 1.0;  ///< the reverse
  /// Degrees of freedom that the surfaces leave unconstrained: 0 for most objects, 1 for a body of
  /// revolution, 3 for a sphere or a plane.
  int unconstrained_dof = 0;
  /// Share of the score that is left where the source is moved along the direction that the
  /// surfaces constrain least, in the target's frame: near 1 in a corridor. 0 where a rotation is
  /// freer.
  double sliding = 0.0;
  Eigen::Vector3d sliding_direction = Eigen::Vector3d::Zero();
};

/// The answer: the rigid transform that moves the source onto the target, and how far it can be
/// trusted.
struct Alignment {
  bool accepted = false;
  std::string rejection_reason;  ///< a sentence; empty where accepted
  Eigen::Isometry3d target_from_source = Eigen::Isometry3d::Identity();
  PoseCovariance covariance = PoseCovariance::Zero();
  double confidence = 0.0;  ///< in [0, 1]: calibrated probability that the pose is right
  double score = 0.0;       ///< of the best hypothesis
  double residual = 0.0;    ///< of the best hypothesis
  double embedding_loss = std::numeric_limits<double>::quiet_NaN();
  Evidence evidence;  ///< what the confidence was computed from
  /// Poses that the clouds can't tell apart: more than 1 for symmetric objects. All of them are
  /// among the hypotheses.
  int num_symmetric_modes = 1;
  std::vector<Hypothesis> hypotheses;  ///< best first; the first is the answer
  std::vector<std::string> notes;      ///< what the user should know, such as downsampling
  StageTimes times_ms;

  /// The same answer with source and target exchanged, covariance and hypotheses included.
  Alignment inverse() const;
  /// The same answer in another target frame.
  Alignment in_frame(const Eigen::Isometry3d& frame_from_target) const;
  /// The same answer for another frame that is fixed to the source.
  Alignment for_child(const Eigen::Isometry3d& source_from_child) const;
};

/// 16 numbers, row by row, as files and JSON hold a transform.
std::array<double, 16> row_major(const Eigen::Isometry3d& transform);

}  // namespace pointpng
