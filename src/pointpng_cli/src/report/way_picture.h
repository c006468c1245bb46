#pragma once

#include <string>
#include <vector>

#include "report/picture.h"

namespace pointpng {

/// The trajectory of an embedding on a plane, while its object makes a full turn.
struct Way {
  std::string title;
  std::string note;                     ///< one line below
  std::vector<double> angle_deg;        ///< of each point
  std::vector<PicturePoint> places;     ///< the embedding
  std::vector<PicturePoint> predicted;  ///< the prediction
};

/// One panel per trajectory, coloured by the angle, the prediction dashed.
Picture way_picture(const std::vector<Way>& ways, const std::string& description);

}  // namespace pointpng
