// Aligns two clouds with a model and prints target_from_source, row by row.
#include <cstdio>

#include "io/cloud_file.h"
#include "model/model.h"
#include "pointpng/error.h"
#include "pose/estimator.h"

int main(int argc, char** argv) try {
  if (argc != 4) {
    std::fprintf(stderr, "usage: align MODEL SOURCE TARGET\n");
    return 2;
  }
  const pointpng::PoseEstimator estimator(pointpng::load_model(argv[1]).model);
  const pointpng::Cloud source = pointpng::load_cloud(argv[2]);
  const pointpng::Cloud target = pointpng::load_cloud(argv[3]);
  const pointpng::Alignment found = estimator.align(source, target);
  if (!found.accepted) {
    std::fprintf(stderr, "%s\n", found.reason.c_str());
    return 1;
  }
  for (const double number : pointpng::row_major(found.target_from_source))
    std::printf("%.9f ", number);
} catch (const pointpng::InputError& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
