#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

namespace pointpng {

/// N points, one a row: contiguous x y z floats, so that a tensor can look at them without a copy.
using Cloud = Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor>;

/// Corners of triangles as rows of a `Cloud`.
using Triangles = Eigen::Matrix<int, Eigen::Dynamic, 3, Eigen::RowMajor>;

/// A surface made of triangles.
struct Mesh {
  Cloud vertices;
  Triangles triangles;
};

/// One training or test item: points of one surface, in the source's own frame and unit.
struct Shape {
  Cloud points;
  int label = -1;    ///< row of `ShapeSet::class_names`, -1 where unknown
  std::string name;  ///< where it came from, for messages
};

/// Shapes with the names of their classes.
struct ShapeSet {
  std::vector<Shape> shapes;
  std::vector<std::string> class_names;
};

}  // namespace pointpng
