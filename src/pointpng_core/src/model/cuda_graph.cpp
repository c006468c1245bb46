#include <memory>

#include <ATen/cuda/CUDAGraph.h>
#include <torch/types.h>

#include "model/graph.h"

namespace pointpng {
namespace {

/// Input and result stay where they are: the graph knows their addresses.
struct Recording {
  at::cuda::CUDAGraph graph;
  torch::Tensor input, result;
};

Computation record(const Computation& compute, const torch::Tensor& like) {
  auto made = std::make_shared<Recording>();
  made->input = like.clone();
  compute(made->input);  // cuBLAS and the allocator do things at first that can't be recorded
  made->graph.capture_begin();
  try {
    made->result = compute(made->input);
  } catch (...) {
    made->graph.capture_end();  // or the stream would go on recording
    throw;
  }
  made->graph.capture_end();
  return [made](const torch::Tensor& input) {
    made->input.copy_(input, /*non_blocking=*/true);
    made->graph.replay();
    return made->result;
  };
}

const bool registered = [] {
  graph_recorder() = record;
  return true;
}();

}  // namespace
}  // namespace pointpng
