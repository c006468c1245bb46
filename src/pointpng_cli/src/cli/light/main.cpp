// The program `pointpng`: registration and tracking, without LibTorch. Commands that learn or
// measure are handed on to `pointpng-learn`.

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

#include "cli/app.h"
#include "cli/learn_commands.h"
#include "cli/light/commands.h"
#include "pointpng/error.h"

namespace pointpng::cli {
namespace {

namespace fs = std::filesystem;

/// lib/pointpng_cli/pointpng-learn of the installation, or beside this program where it was built.
/// Empty where there is none.
fs::path learn_program() {
  std::error_code failed;
  const fs::path folder = fs::read_symlink("/proc/self/exe", failed).parent_path();
  for (const fs::path& place : {folder.parent_path() / "lib" / "pointpng_cli" / "pointpng-learn",
                                folder / "pointpng-learn"})
    if (fs::exists(place, failed)) return place;
  return {};
}

/// OpenMP's threads sleep while they wait for each other. By default they spin, and when anything
/// else wants a core (the loader of batches, another node of the robot) every parallel loop takes
/// until the scheduler comes round: a training step took ten times longer. OpenMP reads this before
/// main(); a choice of the user's stays.
void let_openmp_sleep() {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr) return;
  ::setenv("OMP_WAIT_POLICY", "passive", 1);
  ::setenv("GOMP_SPINCOUNT", "0", 1);
}

/// What LibTorch's process groups log about sockets is said in a sentence by the command. Read before
/// main() too.
void quiet_sockets() {
  ::setenv("GLOG_minloglevel", "3", 0);
  ::setenv("TORCH_CPP_LOG_LEVEL", "FATAL", 0);
}

/// Replaces this program where the command belongs to the other one.
void hand_on(int argc, char** argv) {
  if (argc < 2 || find_learn_command(argv[1]) == nullptr) return;
  const fs::path program = learn_program();
  if (program.empty())
    throw InputError(
        fmt::format("'{}' needs LibTorch, which this installation was built without; install "
                    "LibTorch (libtorch-dev, or pip's torch) and build pointpng again",
                    argv[1]));
  let_openmp_sleep();
  quiet_sockets();
  ::execv(program.c_str(), argv);
  throw Error(fmt::format("can't start {}: {}", program.string(), std::strerror(errno)));
}

void list_learn_command(Command root, std::string_view name) {
  list_command(root, std::string(name), learn_description(name));
}

void add_commands(Command root) {
  list_learn_command(root, "demo");
  add_pose(root);
  add_track(root);
  for (const char* name : {"pretrain", "mae", "finetune", "eval", "bench"})
    list_learn_command(root, name);
  list_learn_command(root, "report");
  add_model_info(root);
  add_bag_info(root);
  add_doctor(root);
}

}  // namespace
}  // namespace pointpng::cli

int main(int argc, char** argv) {
  return pointpng::cli::run(argc, argv, pointpng::cli::add_commands, pointpng::cli::hand_on);
}
