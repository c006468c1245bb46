#include "pointpng/base/memory.h"
#include "pointpng/cli/app.h"

int main(int argc, char** argv) {
  pointpng::tune_allocator();
  return pointpng::cli::run(argc, argv);
}
