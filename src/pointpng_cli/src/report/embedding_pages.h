#pragma once

#include <string>
#include <vector>

#include "pointpng/evaluation.h"
#include "report/page.h"
#include "report/picture.h"

namespace pointpng {

/// How the content of a page was made: its last section.
struct PageOrigin {
  std::vector<Fact> facts;
  std::string command;  ///< reproduces the page
};

/// The name of a method with its solver, and of a shape with its class.
std::string method_name(const EmbeddingMap& map, MapMethod method);
std::string shape_title(const ShapeTrajectory& shape);

/// t-SNE or PCA of embeddings, coloured by class, or by angle with `Poses::kSteps`.
Picture embedding_map_picture(const EmbeddingMap& map, MapMethod method, Poses poses);
std::string embedding_map_page(const EmbeddingMap& map, MapMethod method, Poses poses,
                               const std::string& data_name, const Picture& picture,
                               const PageOrigin& origin);

/// Embeddings of objects that make a full turn.
Picture trajectory_picture(const std::vector<ShapeTrajectory>& shapes);
std::string trajectory_page(const std::vector<ShapeTrajectory>& shapes,
                            const TrajectoryConfig& config, const std::string& data_name,
                            const Picture& picture, const PageOrigin& origin);

/// The loss of a pair over SO(3).
struct LandscapePictures {
  Picture axes;    ///< lowest loss about each axis
  Picture angles;  ///< angle of that lowest loss
  Picture shells;  ///< loss at several distances from the truth, or from the best hypothesis
};
LandscapePictures landscape_pictures(const Landscape& landscape);
std::string landscape_page(const PairLandscape& pair, const LandscapePictures& pictures,
                           const PageOrigin& origin);

}  // namespace pointpng
