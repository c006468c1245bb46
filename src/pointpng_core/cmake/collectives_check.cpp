// Can a program use c10d's process groups of this LibTorch? Compiled by Collectives.cmake.
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#ifdef USE_C10D_GLOO
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
using Group = c10d::ProcessGroupGloo;
#endif
#ifdef USE_C10D_NCCL
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
using Group = c10d::ProcessGroupNCCL;
#endif

int main() {
  const auto store = c10::make_intrusive<c10d::TCPStore>("127.0.0.1");
  c10::make_intrusive<Group>(store, 0, 1);
}
