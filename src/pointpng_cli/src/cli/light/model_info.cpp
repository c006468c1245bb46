#include <filesystem>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/light/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "pointpng/runtime.h"

namespace pointpng::cli {
namespace {

using nlohmann::json;

struct ModelInfoOptions {
  OutputOptions output;
  std::string model;
};

json parsed(const ModelInfo& info, const std::string& field) {
  const auto found = info.metadata.find(field);
  json value = found == info.metadata.end()
                   ? json()
                   : json::parse(found->second, nullptr, /*allow_exceptions=*/false);
  return value.is_object() ? value : json::object();
}

std::int64_t weights_of(const ModelInfo& info, const std::string& part) {
  const auto found = info.parameters.find(part);
  return found == info.parameters.end() ? 0 : found->second;
}

json describe(const ModelInfo& info) {
  json result = {{"file", info.file.string()},
                 {"bytes", info.bytes},
                 {"training", parsed(info, "training")},
                 {"metrics", parsed(info, "metrics")}};
  if (info.kind == "classifier") {
    result["classifier"] = parsed(info, "classifier");
    const bool pointnet = result["classifier"].value("encoder", "") == "pointnet";
    result["parameters"] = {{"encoder", weights_of(info, pointnet ? "pointnet" : "backbone")},
                            {"head", weights_of(info, "head")}};
    return result;
  }
  result["config"] = parsed(info, "config");
  result["embedding"] = info.embedding_length;
  result["parameters"] = {{"backbone", weights_of(info, "backbone")},
                          {"predictor", weights_of(info, "predictor")}};
  return result;
}

std::string classifier_text(const json& info) {
  const json& config = info["classifier"];
  const std::string encoder = config.value("encoder", "");
  const std::string backbone =
      config.contains("model") ? config["model"].value("backbone", "") : "";
  std::string text = fmt::format(
      "classifier  {}, {:.1f} MB\n"
      "encoder     {}, {} weights\n"
      "head        {} weights\n"
      "classes     {}\n",
      info["file"].get<std::string>(), info["bytes"].get<double>() / 1e6,
      encoder == "pointnet" ? encoder : backbone, info["parameters"]["encoder"].get<std::int64_t>(),
      info["parameters"]["head"].get<std::int64_t>(),
      fmt::join(config.value("classes", std::vector<std::string>()), ", "));
  if (!info["metrics"].empty()) text += fmt::format("held out    {}\n", info["metrics"].dump());
  return text;
}

std::string to_text(const json& info) {
  if (info.contains("classifier")) return classifier_text(info);
  std::string text = fmt::format("model       {}, {:.1f} MB\n", info["file"].get<std::string>(),
                                 info["bytes"].get<double>() / 1e6);
  const json& config = info["config"];
  text += fmt::format("backbone    {}, {} weights\n", config["backbone"].get<std::string>(),
                      info["parameters"]["backbone"].get<std::int64_t>());
  text += fmt::format("predictor   {}, {} weights\n", config["predictor"].get<std::string>(),
                      info["parameters"]["predictor"].get<std::int64_t>());
  text += fmt::format("embedding   {} numbers\n", info["embedding"].get<std::int64_t>());
  text += fmt::format("looks at    {} points in {} patches of {}\n", config["points"].get<int>(),
                      config["patches"].get<int>(), config["patch_points"].get<int>());
  for (const json& source : info["training"].value("data", json::array()))
    text += fmt::format("trained on  {}, {} shapes\n", source.value("source", "?"),
                        source.value("shapes", 0));
  if (info["training"].contains("steps"))
    text +=
        fmt::format("training    {} steps, {} clouds, {:.0f} s, seed {}\n",
                    info["training"].value("steps", 0), info["training"].value("clouds_seen", 0),
                    info["training"].value("elapsed_s", 0.0), info["training"].value("seed", 0));
  if (!info["metrics"].empty()) text += fmt::format("held out    {}\n", info["metrics"].dump());
  return text;
}

Outcome show(const ModelInfoOptions& options) {
  apply(options.output);
  const std::filesystem::path file = find_model(options.model);
  const json info = describe(inspect_model(file));
  options.output.json ? print_json(info) : print_text(to_text(info));
  return Outcome::kDone;
}

}  // namespace

void add_model_info(Command parent) {
  const auto options = std::make_shared<ModelInfoOptions>();
  Command command =
      add_command(command_group(parent, "model", "Trained models"), "info",
                  "Show what a model is, what it was trained on and how good it was.",
                  {{"model info runs/a/model.safetensors", "architecture, data, figures"},
                   {"model info object --json", "every number of a shipped model, for scripts"}});
  command.add_option("MODEL", options->model, "A model.safetensors, or the name of a shipped model")
      .required();
  add_output_options(command, options->output);
  on_run(command, [options] { return show(*options); });
}

}  // namespace pointpng::cli
