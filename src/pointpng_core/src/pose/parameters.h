#pragma once

#include <cstddef>
#include <cstdint>

/// Every threshold of registration and tracking, one struct per stage. None has a unit: lengths are
/// relative to the point spacing or the radius of the clouds.
namespace pointpng {

/// prepared_cloud.cpp: clean, downsample, normals, nearest-point field.
struct PreparationParameters {
  std::int64_t min_points = 8;         ///< fewer say nothing about a surface
  std::int64_t cleaned_points = 2048;  ///< random sample of a large cloud that is cleaned
  std::int64_t neighbours = 12;        ///< of a point, for its normal and its spacing
  std::int64_t spacing_rank = 4;       ///< the neighbour whose distance counts as spacing
  float outlier_distance = 3.0F;       ///< farther from its neighbours, in median spacings: removed
  float field_reach = 0.4F;            ///< of the nearest-point field, in radii
  float radius_quantile = 0.95F;       ///< share of the points within the radius
  std::int64_t detail_points = 131072;  ///< kept at full resolution, for finer levels
  std::int64_t least_detail = 3;        ///< times as many points as the base: worth a finer level
  float level_reach = 2.2F;        ///< of the neighbours of a point of a finer level, in voxels
  float sparse_reach = 2.5F;       ///< times that, where the cloud is sparse
  float level_field_reach = 6.0F;  ///< of a finer level's nearest-point field, in spacings
};
inline constexpr PreparationParameters kPreparation;

/// problem.h: what makes a pair.
struct PairParameters {
  float inlier_distance = 1.5F;    ///< of a point to the other surface, in spacings
  double usual_size_ratio = 20.0;  ///< of the clouds' radii; beyond, units may differ …
  double max_size_ratio = 200.0;   ///< … and beyond this, they do
  float same_angle = 0.17F;        ///< radians: closer poses are one hypothesis …
  float same_shift = 0.15F;        ///< … if they are also this close, in radii
};
inline constexpr PairParameters kPair;

/// propose.cpp: translations for the rotations of the embedding by Hough voting.
struct VotingParameters {
  int translations = 2;            ///< per rotation
  int cells = 24;                  ///< of the histogram, along an edge
  std::int64_t voters = 128;       ///< points per cloud
  float normal_agreement = 0.9F;   ///< |cosine| of the normals of a pair that votes
  float largest_shift = 1.2F;      ///< in radii of the larger cloud
  double rotation_steps = 1024.0;  ///< quaternions are rounded to 1/1024, so that the last digits
                                   ///< of an embedding do not decide which minimum is found
};
inline constexpr VotingParameters kVoting;

/// propose.cpp: rotations from the distributions of normals.
struct NormalDistributionParameters {
  int rotations = 16;          ///< that are tried
  int refined = 32;            ///< of which those are the best
  double distinct_deg = 20.0;  ///< between them
  std::int64_t voters = 256;   ///< points per cloud that vote for translations
  int translations = 2;        ///< per rotation
};
inline constexpr NormalDistributionParameters kNormalDistribution;

/// point_pairs.cpp: hypotheses from point pair features (Drost 2010).
struct PointPairParameters {
  float shortest = 0.35F, longest = 1.6F;  ///< length of a pair, in radii
  std::int64_t target_points = 256;        ///< whose pairs are hashed
  std::int64_t source_points = 256;        ///< whose pairs are looked up
  std::int64_t source_pairs = 4000;        ///< that are looked up
  std::int64_t attempts_per_pair = 40;     ///< random draws per pair that is looked up
  std::int64_t matches = 8;                ///< at most, per pair
  float normal_agreement = 0.85F;          ///< |cosine| of the second normals of matching pairs
  float inlier_distance = 0.15F;           ///< of the quick score, in radii
  std::int64_t first_points = 16;          ///< per cloud, for the quick score of all hypotheses …
  std::size_t first_kept = 8;              ///< … of which one in 8 is kept
  std::int64_t second_points = 64;         ///< per cloud, for the second quick score …
  std::size_t second_kept = 1500;          ///< … of which so many are kept
  std::size_t proposed = 64;               ///< distinct hypotheses that are returned
};
inline constexpr PointPairParameters kPointPairs;

/// pose_voting.cpp: a model in a scene by Hough voting of point pairs (Drost 2010).
struct PoseVotingParameters {
  float spacing = 0.12F;            ///< of the points whose pairs are used, in radii of the model
  float longest = 1.8F;             ///< length of a pair, in radii of the model
  float shortest = 0.1F;            ///< length of a pair, in the longest
  float in_plane = 0.1F;            ///< |cosine| below which a line is in a point's tangent plane
  float parallel = 0.95F;           ///< |cosine| of normals: such pairs on one plane are left out
  std::size_t model_points = 500;   ///< at most
  std::size_t references = 600;     ///< scene points that vote
  std::size_t most_partners = 400;  ///< model pairs with the same feature; more say nothing
  std::size_t clustered = 1000;     ///< poses that are clustered
  std::size_t proposed = 48;        ///< distinct poses that are returned
};
inline constexpr PoseVotingParameters kPoseVoting;

/// local_matches.cpp: matches of local equivariant moments.
struct LocalMatchParameters {
  float reaches[2] = {0.25F, 0.5F};  ///< radii of the balls, in radii of the smaller cloud
  std::int64_t source_keys = 96, target_keys = 192;  ///< balls per cloud
  float degree_0 = 0.25F;                            ///< weight of degree 0, which does not rotate
  float similar = 0.12F;         ///< share of the pairs of balls, by spectra, that is looked at
  int rotations = 576;           ///< of the grid
  float temperature = 0.03F;     ///< of the dual softmax
  std::size_t matches = 200;     ///< per scale
  int newton_steps = 3;          ///< to a match's best rotation
  float power = 0.5F;            ///< of a match's weight
  float agreeing_shift = 0.15F;  ///< of matches that agree, in radii
  float agreeing_angle = 0.44F;  ///< radians
  float lever = 0.3F;            ///< a rotation counts like a shift at this distance, in radii
  std::size_t proposed = 64;     ///< distinct poses that are returned
};
inline constexpr LocalMatchParameters kLocalMatches;

/// registration.cpp: where hypotheses from parts of the clouds are looked for.
struct EffortParameters {
  float coarse_detail = 1.0F;  ///< spacing at which they are proposed, in the smaller cloud's …
  float fine_detail = 0.5F;    ///< … and at which they are judged
  std::size_t patience = 3;    ///< times the points of pose voting, in the thorough round
};
inline constexpr EffortParameters kEffort;

/// icp.cpp: symmetric point-to-plane ICP with a Geman-McClure kernel.
struct IcpParameters {
  float match_limit = 2.0F;     ///< longest match, in kernel scales
  float point_to_point = 0.1F;  ///< weight of point-to-point residuals: flat surfaces don't slide
  float largest_step = 0.35F;   ///< radians per iteration
  float converged = 1e-4F;      ///< motion per iteration, in final kernel scales
  float damping = 3e-5F;        ///< of the normal equations, relative to the trace of each block
};
inline constexpr IcpParameters kIcp;

/// refine.cpp: coarse refinement of many hypotheses, fine refinement of the contenders.
struct RefinementParameters {
  float first_kernel = 0.15F;        ///< first kernel scale, in radii …
  float least_first_kernel = 2.0F;   ///< … and at least so many spacings
  std::int64_t coarse_points = 256;  ///< per cloud
  int coarse_iterations = 12;
  std::size_t promising = 16;       ///< of more hypotheses the best after a quick pass:
  std::int64_t quick_points = 96;   ///< points per cloud of the quick pass
  int quick_iterations = 8;         ///< of the quick pass
  std::int64_t quick_judged = 384;  ///< points per cloud by which it is judged
  std::int64_t judged = 512;        ///< points per cloud by which coarse refinement is judged
  float second_kernel = 3.0F;       ///< first kernel scale after the quick pass, in spacings
  int second_iterations = 6;
  float fine_kernel = 2.0F;  ///< first kernel scale of the fine refinement, in spacings
  int fine_iterations = 8;
  std::size_t fine_hypotheses = 8;  ///< at most
  float refined = 0.6F;             ///< of the best score: below, refinement can't make it the best
  float contender = 0.8F;           ///< of the best score: above, it competes with it
};
inline constexpr RefinementParameters kRefinement;

/// icp.cpp: the last refinement, trimmed to the overlap.
struct TrimmedIcpParameters {
  int iterations = 3;                ///< the pose is refined already
  std::int64_t source_points = 512;  ///< whose correspondences are found
  float match_limit = 2.5F;          ///< longest match, in spacings
  float least_overlap = 0.3F;        ///< share of the source that is never trimmed away
  float disc_thickness = 1e-3F;      ///< GICP: variance along the normal; 1 along the surface
};
inline constexpr TrimmedIcpParameters kTrimmedIcp;

/// normal_weights.cpp: how points are weighted by how common their normals are.
struct NormalWeightParameters {
  float similar = 0.9F;   ///< |cosine| from which on normals count as similar
  float rarest = 0.005F;  ///< density that is added, so that single points do not count too much
};
inline constexpr NormalWeightParameters kNormalWeights;

/// fit.cpp: how well two surfaces agree.
struct FitParameters {
  float plane_distance = 0.25F;  ///< point-to-plane distance that scores 0, in inlier distances
  float near_miss = 0.5F;        ///< largest penalty of a point near the surface but not on it
};
inline constexpr FitParameters kFit;

/// range_image.cpp, fit.cpp: where the sensor's place is known.
struct VisibilityParameters {
  int coarse_side = 32;          ///< cells along an edge of the cube that measure what was seen
  double points_per_cell = 2.0;  ///< on average; 14 % of the cells within what was seen stay empty
  int least_side = 8, most_side = 512;
  float margin = 1.0F;      ///< of a surface, in spacings
  float free_space = 3.0F;  ///< what a point in free space costs, in perfect inliers
  double tolerated = 0.01;  ///< share of points in free space that says nothing …
  double log_odds = 100.0;  ///< … and what each more costs the confidence
  double named = 0.02;      ///< share that is named as the reason for a rejection
};
inline constexpr VisibilityParameters kVisibility;

/// gravity.cpp: where both clouds know which way is up.
struct GravityParameters {
  float upright = 0.17F;         ///< radians: what is tilted less is upright
  float turned = 0.44F;          ///< radians: a proposal that is tilted less is turned upright
  std::size_t competitors = 16;  ///< tilted hypotheses from point pairs
};
inline constexpr GravityParameters kGravity;

/// instances.cpp: several copies of an object.
struct InstanceParameters {
  float explained = 2.0F;      ///< distance of a point that an instance explains, in spacings
  float shared_place = 0.25F;  ///< share of the points in another's box: the same place
  double ahead = 1.1;          ///< of the best score that is rejected: less is no instance
};
inline constexpr InstanceParameters kInstances;

/// slippage.cpp: motions that the surfaces leave free.
struct SlippageParameters {
  double unconstrained = 0.004;  ///< mean square of normal · motion, about 4° of normal error
  float distances[6] = {-0.3F, -0.15F, -0.08F, 0.08F, 0.15F, 0.3F};  ///< tried, in radii
  double free = 0.93;  ///< of the score: a direction along which as much is left is free
};
inline constexpr SlippageParameters kSlippage;

/// verify.cpp: evidence and symmetry.
struct VerificationParameters {
  float whole = 0.95F;            ///< overlap of both clouds from which on they are whole
  float symmetric_score = 0.9F;   ///< of the best score: a self-alignment this good is a symmetry
  std::int64_t few_points = 128;  ///< that exclude most motions from being symmetries …
  float few_overlap = 0.8F;       ///< … where less than this overlaps
  float symmetric_mode = 0.95F;   ///< of the best score: a mode that is as good an answer
  double max_separation = 10.0;   ///< z-score: more counts as this
  double clear = 0.97;            ///< confidence from which on nothing more is proposed
  double low_overlap = 0.4;       ///< named as the reason for a rejection
  double close_competitor = 0.1;  ///< relative margin that is named as the reason
};
inline constexpr VerificationParameters kVerification;

/// tracker.cpp: when a second look replaces the tracked pose.
struct SecondLookParameters {
  double clearly_better = 1.15;  ///< ratio of scores; a symmetry does not reach it
  double same_rotation = 0.17;   ///< radians: two looks that agree
};
inline constexpr SecondLookParameters kSecondLook;

}  // namespace pointpng
