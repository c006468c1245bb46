// Memory for embedding one cloud of 20,000 points, program and libraries included.
#include <cstdio>
#include <sys/resource.h>

#include "pointpng/io.h"
#include "pointpng/registration.h"

namespace {

double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: bench_embed_memory MODEL\n");
    return 2;
  }
  const double before = peak_mib();
  const auto registration = pointpng::Registration::load(argv[1]);
  const auto cloud = registration.prepare(pointpng::procedural_shape(1, 0, 20000).points);
  std::printf(
      "embedding of %ld numbers: peak %.0f MiB, of which %.0f MiB are the loaded libraries\n",
      static_cast<long>(cloud.embedding().size()), peak_mib(), before);
}
