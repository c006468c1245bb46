// Memory for embedding one cloud of 20,000 points, program and libraries included.
#include <cstdio>
#include <sys/resource.h>

#include <torch/types.h>

#include "common.h"
#include "model/model.h"
#include "pointpng/io.h"
#include "pointpng/training.h"

namespace {

double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

}  // namespace

int main(int, char** argv) {
  set_up_benchmark(argv);
  const double before = peak_mib();
  pointpng::Model model(pointpng::preset("small").model);
  const auto z = model.embed(pointpng::procedural_shape(1, 0, 20000).points);
  std::printf(
      "embedding of %ld numbers: peak %.0f MiB, of which %.0f MiB are the loaded libraries\n",
      static_cast<long>(z.numel()), peak_mib(), before);
}
