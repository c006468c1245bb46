#include "eval/input.h"

#include "model/device.h"
#include "train/run_data.h"

namespace pointpng {

LoadedInput load_input(const EvaluationInput& input, const EvaluationHooks& hooks) {
  const torch::Device device = use(input.compute);
  LoadedInput loaded;
  loaded.file = find_model(input.model);
  loaded.model = load_model(loaded.file, device).model;
  if (!input.data.empty()) loaded.shapes = load_sources(input.data, input.load, hooks.on_message);
  return loaded;
}

void pass_on(const std::vector<std::string>& notes, const OnMessage& on_message) {
  if (!on_message) return;
  for (const std::string& note : notes) on_message(Severity::kWarning, note);
}

}  // namespace pointpng
