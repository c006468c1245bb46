#pragma once

#include <string>
#include <vector>

#include "eval/pose_evaluation.h"

namespace pointpng {

/// Another way to a pose, to compare with on the same pairs.
struct Peer {
  std::string name;
  Aligner align;
};

/// What PCL offers, set up as well as we know how: lengths follow from the clouds' spacing, and
/// normals point away from the centroid (FPFH with normals of random sign does much worse).
/// They accept everything they find.
///   SAC-IA + ICP       FPFH matches, sample consensus, then ICP
///   prerejective + ICP the same with PCL's newer sample consensus, which rejects early
///   ICP, GICP          from the identity with the centroids brought together
std::vector<Peer> pcl_peers(int threads);

}  // namespace pointpng
