#pragma once

#include <functional>

#include <torch/types.h>

namespace pointpng {

/// A computation on a device.
using Computation = std::function<torch::Tensor(const torch::Tensor&)>;

/// Records a computation on inputs like this one, which is on the device, as one graph of all its
/// launches. The answer replays it on other inputs of that shape; every call overwrites the result
/// of the last one, so one thread at a time may use it.
using GraphRecorder = std::function<Computation(const Computation&, const torch::Tensor& like)>;

/// Set by cuda_graph.cpp where the build has CUDA, else empty.
GraphRecorder& graph_recorder();

}  // namespace pointpng
