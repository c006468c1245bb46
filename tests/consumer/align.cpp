// Registers two clouds with a model and prints target_from_source, row by row.
#include <cstdio>
#include <pointpng/error.h>
#include <pointpng/io.h>
#include <pointpng/registration.h>

int main(int argc, char** argv) try {
  if (argc != 4) {
    std::fprintf(stderr, "usage: align MODEL SOURCE TARGET\n");
    return 2;
  }
  const auto registration = pointpng::Registration::load(argv[1]);
  const pointpng::Alignment found =
      registration.align(pointpng::load_cloud(argv[2]), pointpng::load_cloud(argv[3]));
  if (!found.accepted) {
    std::fprintf(stderr, "%s\n", found.rejection_reason.c_str());
    return 1;
  }
  for (const double number : pointpng::row_major(found.target_from_source))
    std::printf("%.9f ", number);
} catch (const pointpng::InputError& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
