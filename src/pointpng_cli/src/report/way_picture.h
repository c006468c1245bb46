#pragma once

#include <string>
#include <vector>

#include "report/picture.h"

namespace pointpng {

/// The way of an embedding while its object turns once, on a plane.
struct Way {
  std::string title;
  std::string note;                     ///< one line below
  std::vector<double> angle_deg;        ///< of each place
  std::vector<PicturePoint> places;     ///< where the embedding is
  std::vector<PicturePoint> predicted;  ///< where the predictor has it
};

/// One panel a way, coloured by the angle, with the predicted way dashed.
Picture way_picture(const std::vector<Way>& ways, const std::string& description);

}  // namespace pointpng
