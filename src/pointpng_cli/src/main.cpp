#include "base/memory.h"
#include "base/threads.h"
#include "cli/app.h"

int main(int argc, char** argv) {
  pointpng::wait_without_spinning(argv);
  pointpng::tune_allocator();
  return pointpng::cli::run(argc, argv);
}
