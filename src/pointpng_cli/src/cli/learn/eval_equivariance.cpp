#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/learn/commands.h"
#include "cli/learn/eval_options.h"
#include "cli/learn/terminal.h"
#include "cli/output.h"

namespace pointpng::cli {
namespace {

struct EquivarianceOptions : EvalOptions {
  std::vector<std::string> train;
  SensitivityConfig config;
};

std::string to_text(const RotationProbe& probe) {
  return fmt::format(
      "  R²   {:6.3f}   of the rotation between two views, by a three-layer MLP on their "
      "embeddings;\n"
      "                {:.3f} as SIE counts it; trained on {} other shapes (there {:.3f})\n",
      probe.r2, probe.sie_r2, probe.train_shapes, probe.train_r2);
}

std::string to_text(const Sensitivity& measured) {
  const Equivariance& result = measured.equivariance;
  const Retrieval& retrieval = measured.retrieval;
  std::string text = fmt::format(
      "{} pairs, two samples of a surface, each rotated at random\n"
      "  PA   {:6.3f}   predictor accuracy: sim(u_g(z), z+)\n"
      "  AE   {:6.3f}   absolute equivariance: PA - sim(z, z+); 0 is an invariant embedding\n"
      "  rotation error of the search alone: {:.2f}° mean, {:.2f}° median, {:.1f}° largest;\n"
      "  {:.1f} % within 5°, {:.1f} % within 15°\n",
      result.pairs, result.pa, result.ae, result.search.mean_deg, result.search.median_deg,
      result.search.max_deg, 100.0 * result.search.within_5deg, 100.0 * result.search.within_15deg);
  text += fmt::format(
      "{} shapes, {} views each: which of them does the predictor mean?\n"
      "  MRR  {:6.3f}   H@1 {:.3f}   H@5 {:.3f}\n",
      retrieval.shapes, retrieval.views, retrieval.mrr, retrieval.hit_1, retrieval.hit_5);
  return text + (measured.probe ? to_text(*measured.probe)
                                : "  R² is measured where --train gives shapes for it\n");
}

Outcome evaluate(const EquivarianceOptions& options) {
  apply(options.output);
  const Sensitivity result = measure_sensitivity(options.input, options.train, options.config,
                                                 Terminal(options.output).evaluation_hooks());
  options.output.json ? print_json(nlohmann::json(result)) : print_text(to_text(result));
  return Outcome::kDone;
}

}  // namespace

void add_eval_equivariance(Command parent) {
  const auto options = std::make_shared<EquivarianceOptions>();
  Command command = add_eval_command(
      parent, "equivariance",
      "Does the embedding know the pose? PA, AE, MRR, H@k and R² as in the paper, with the "
      "rotation error.",
      {{"eval equivariance --model runs/a/model.safetensors --data test.h5", "on held-out shapes"},
       {"eval equivariance --model object --data test.h5 --train shapes.h5",
        "and R²: can a small network read the rotation off?"},
       {"eval equivariance --model runs/a/model.safetensors --data procedural:100:9 --json",
        "on procedural objects, for scripts"}});
  command.add_option("--train", options->train,
                     "Other shapes, to train the regressor of R² on; takes minutes");
  add_sensitivity_options(command, options->config);
  add_eval_options(command, *options);
  on_run(command, [options] { return evaluate(*options); });
}

}  // namespace pointpng::cli
