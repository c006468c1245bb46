#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

namespace counting {

/// An operation of the counting device: counted, and computed on the CPU.
void compute_on_cpu(const c10::OperatorHandle& op, torch::jit::Stack* stack);

}  // namespace counting
