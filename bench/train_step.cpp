// A training step of a preset against its matrix products alone: their shapes are recorded from a
// real step (forward and backward), and the products are computed again on the same threads. Of
// those inside our own kernels, the forward one over all points is counted (backward, the kernel
// does less); those of attention are not.
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <vector>

#include <ATen/record_function.h>
#include <benchmark/benchmark.h>
#include <torch/types.h>

#include "base/random.h"
#include "common.h"
#include "pointpng/io.h"
#include "train/loader.h"
#include "train/objective.h"
#include "train/optimiser.h"

namespace {

using namespace pointpng;

struct Product {
  std::vector<std::int64_t> a, b;  // sizes
  bool a_transposed, b_transposed;
};

std::vector<Product>* recording = nullptr;

std::unique_ptr<at::ObserverContext> record(const at::RecordFunction& call) {
  const bool with_bias = std::strcmp(call.name(), "aten::addmm") == 0;
  const bool product = with_bias || std::strcmp(call.name(), "aten::mm") == 0 ||
                       std::strcmp(call.name(), "aten::bmm") == 0;
  if (recording == nullptr || !product) return nullptr;
  const auto inputs = call.inputs();
  const Tensor a = inputs[with_bias ? 1 : 0].toTensor(), b = inputs[with_bias ? 2 : 1].toTensor();
  recording->push_back({a.sizes().vec(), b.sizes().vec(), a.stride(-1) != 1, b.stride(-1) != 1});
  return nullptr;
}

struct Setup {
  Preset preset;
  std::unique_ptr<Objective> objective;
  std::unique_ptr<FlatAdamW> optimiser;
  std::unique_ptr<PairSource> source;
  std::vector<PairBatch> batches;
  std::int64_t steps = 0;

  Setup() : preset(pointpng::preset("small")) {
    objective = make_objective(preset.model, preset.train);
    optimiser = std::make_unique<FlatAdamW>(objective->module(), preset.train);
    source =
        std::make_unique<PairSource>(procedural_shapes(128, 2048, 1), preset.model, preset.train);
    for (int i = 0; i < 4; ++i) batches.push_back(source->make(i));
  }

  void step(const PairBatch& batch) {
    torch::Generator generator = at::globalContext().defaultGenerator(torch::kCPU).clone();
    generator.set_current_seed(mix_seed({1, static_cast<std::uint64_t>(steps++)}));
    optimiser->clear_gradients();
    const StepLoss loss = objective->loss(batch, generator);
    loss.total.backward();
    optimiser->step(1e-4);
  }
  void step() { step(batches[static_cast<std::size_t>(steps) % batches.size()]); }
};

Setup& setup() {
  static Setup made;
  return made;
}

std::vector<Product> recorded_products() {
  std::vector<Product> products;
  recording = &products;
  setup().step();
  recording = nullptr;
  const ModelConfig& model = setup().preset.model;
  const std::int64_t points = 2 * setup().preset.train.batch * model.patches * model.patch_points;
  products.push_back({{points, model.patch_widths[1]},
                      {model.patch_widths[1], model.patch_widths[2]},
                      false,
                      true});
  return products;
}

Tensor operand(const std::vector<std::int64_t>& sizes, bool transposed) {
  if (!transposed) return torch::rand(sizes);
  std::vector<std::int64_t> swapped = sizes;
  std::swap(swapped[swapped.size() - 1], swapped[swapped.size() - 2]);
  return torch::rand(swapped).transpose(-1, -2);
}

void train_step(benchmark::State& state) {
  for (auto _ : state) setup().step();
  state.counters["clouds/s"] =
      benchmark::Counter(static_cast<double>(2 * setup().preset.train.batch),
                         benchmark::Counter::kIsIterationInvariantRate);
}

void products_alone(benchmark::State& state) {
  const std::vector<Product> products = recorded_products();
  const torch::NoGradGuard no_grad;
  std::vector<std::pair<Tensor, Tensor>> operands;
  double flop = 0.0;
  for (const Product& p : products) {
    operands.emplace_back(operand(p.a, p.a_transposed), operand(p.b, p.b_transposed));
    flop += 2.0 * static_cast<double>(operands.back().first.numel() * p.b.back());
  }
  for (auto _ : state)
    for (const auto& [a, b] : operands) benchmark::DoNotOptimize(a.matmul(b));
  state.counters["GFLOPS"] =
      benchmark::Counter(flop * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

/// As in `pretrain`: a worker thread makes the batches meanwhile.
void train_step_with_loading(benchmark::State& state) {
  BatchLoader loader([](std::int64_t step) { return setup().source->make(step); }, 0, 1);
  for (auto _ : state) setup().step(loader.next());
  state.counters["waited_ms"] =
      1e3 * loader.waited_seconds() / static_cast<double>(state.iterations());
}

void batch_alone(benchmark::State& state) {
  std::int64_t step = 0;
  for (auto _ : state) benchmark::DoNotOptimize(setup().source->make(step++));
}

double resident_peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

}  // namespace

int main(int argc, char** argv) {
  set_up_benchmark();
  at::addGlobalCallback(
      at::RecordFunctionCallback(record).needsInputs(true).scopes({at::RecordScope::FUNCTION}));
  const auto add = [](const char* name, void (*body)(benchmark::State&)) {
    benchmark::RegisterBenchmark(name, body)
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond)
        ->MinTime(1);
  };
  add("small/train_step", train_step);
  add("small/matrix_products_alone", products_alone);
  add("small/train_step_with_loading", train_step_with_loading);
  add("small/batch_alone", batch_alone);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  std::printf("peak memory of the process: %.0f MiB\n", resident_peak_mib());
}
