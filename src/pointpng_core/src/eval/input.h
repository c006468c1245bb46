#pragma once

#include <filesystem>
#include <memory>

#include <torch/types.h>

#include "model/model.h"
#include "pointpng/evaluation.h"

namespace pointpng {

/// What an evaluation works on, loaded.
struct LoadedInput {
  std::filesystem::path file;
  std::shared_ptr<Model> model;
  ShapeSet shapes;  ///< empty where the input names no data
};

/// Sets threads and device, and loads the model, then the data.
LoadedInput load_input(const EvaluationInput& input, const EvaluationHooks& hooks);

/// Passes the notes of readers to the caller.
void pass_on(const std::vector<std::string>& notes, const OnMessage& on_message);

}  // namespace pointpng
