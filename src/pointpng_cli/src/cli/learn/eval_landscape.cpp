#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/learn/commands.h"
#include "cli/learn/eval_options.h"
#include "cli/learn/pictures.h"
#include "cli/learn/terminal.h"
#include "report/angle.h"
#include "report/command_line.h"
#include "report/embedding_pages.h"

namespace pointpng::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct LandscapeOptions : EvalOptions {
  LandscapePair pair;
  LandscapeConfig landscape;
  fs::path out;
};

std::string command_of(const LandscapeOptions& options) {
  CommandLine line("eval landscape");
  if (options.input.data.empty())
    line.option("source", options.pair.source.string())
        .option("target", options.pair.target.string());
  else
    line.option("data", data_text(options.input))
        .option("protocol", options.pair.protocol)
        .option("pair", options.pair.number)
        .option("seed", options.input.seed);
  if (!options.input.model.empty()) line.option("model", options.input.model);
  return line.option("latitudes", options.landscape.latitudes).option("out", "pictures").text();
}

PageOrigin origin_of(const LandscapeOptions& options) {
  std::vector<Fact> facts = {{"Model", find_model(options.input.model).filename().string()}};
  if (options.input.data.empty())
    facts.insert(facts.end(), {{"Source", options.pair.source.string()},
                               {"Target", options.pair.target.string()}});
  else
    facts.insert(facts.end(), {{"Data", data_text(options.input)},
                               {"Protocol", options.pair.protocol},
                               {"Pair", std::to_string(options.pair.number)},
                               {"Seed", std::to_string(options.input.seed)}});
  return {std::move(facts), command_of(options)};
}

json as_json(const LossAt& place) {
  const Eigen::Quaterniond& q = place.rotation;
  const double sign = q.w() < 0.0 ? -1.0 : 1.0;
  return {{"quaternion_wxyz", {sign * q.w(), sign * q.x(), sign * q.y(), sign * q.z()}},
          {"loss", place.loss}};
}

json to_json(const LandscapeOptions& options, const PairLandscape& pair) {
  const Landscape& land = pair.landscape;
  json result{{"pair", pair.name},
              {"model", find_model(options.input.model).string()},
              {"lowest", land.lowest},
              {"highest", land.highest},
              {"truth", land.truth ? as_json(*land.truth) : json(nullptr)},
              {"hypotheses", json::array()},
              {"distances", json::array()}};
  for (const LossAt& place : land.hypotheses) {
    json one = as_json(place);
    if (land.truth) one["error_deg"] = degrees_between(place.rotation, land.truth->rotation);
    result["hypotheses"].push_back(std::move(one));
  }
  if (land.truth) result["lower_than_truth"] = land.below_truth;
  for (const LossShell& shell : land.distances)
    result["distances"].push_back({{"deg", shell.distance_deg},
                                   {"lowest", shell.lowest},
                                   {"median", shell.median},
                                   {"highest", shell.highest}});
  if (!options.input.data.empty())
    result.update(json{{"data", data_json(options.input)},
                       {"protocol", options.pair.protocol},
                       {"seed", options.input.seed}});
  return result;
}

json maps_json(const Landscape& land) {
  return {{"latitudes", land.best_loss.latitudes},
          {"longitudes", land.best_loss.longitudes},
          {"best_loss", land.best_loss.values},
          {"best_angle_deg", land.best_angle_deg.values}};
}

std::string to_text(const PairLandscape& pair) {
  const Landscape& land = pair.landscape;
  std::string text = fmt::format("{}: loss over SO(3) from {:.4f} to {:.4f}\n", pair.name,
                                 land.lowest, land.highest);
  if (land.truth) text += fmt::format("  true rotation     {:.4f}\n", land.truth->loss);
  for (std::size_t k = 0; k < land.hypotheses.size(); ++k) {
    text += fmt::format("  hypothesis {}      {:.4f}", k + 1, land.hypotheses[k].loss);
    text += land.truth
                ? fmt::format("   {:.1f}° from the true rotation\n",
                              degrees_between(land.hypotheses[k].rotation, land.truth->rotation))
                : "\n";
  }
  return text;
}

Drawings draw(const LandscapeOptions& options, const PairLandscape& pair) {
  LandscapePictures pictures = landscape_pictures(pair.landscape);
  std::string page = landscape_page(pair, pictures, origin_of(options));
  json numbers = to_json(options, pair);
  numbers["maps"] = maps_json(pair.landscape);
  return {std::move(page),
          {{"landscape", std::move(pictures.axes)},
           {"angles", std::move(pictures.angles)},
           {"shells", std::move(pictures.shells)}},
          {{"landscape.json", numbers.dump() + "\n"}}};
}

Outcome evaluate(const LandscapeOptions& options) {
  apply(options.output);
  require_place(options.out);
  const PairLandscape pair = evaluate_landscape(options.input, options.pair, options.landscape,
                                                Terminal(options.output).evaluation_hooks());
  return finish_drawn(options.output, options.out, to_text(pair), to_json(options, pair),
                      [&] { return draw(options, pair); });
}

}  // namespace

void add_eval_landscape(Command parent) {
  const auto options = std::make_shared<LandscapeOptions>();
  Command command = add_eval_command(
      parent, "landscape",
      "The loss of a pair over all rotations: where the search looks, and where it can go wrong.",
      {{"eval landscape --data test.h5 --pair 3 --out landscape.html", "a page to look at"},
       {"eval landscape --data test.h5 --protocol view --pair 3 --out pictures",
        "of an object seen from one side; page, SVG, PNG and numbers"},
       {"eval landscape --source part.ply --target scan.ply --out map.png",
        "of clouds of your own"},
       {"eval landscape --data test.h5 --json", "for scripts"}});
  command.add_option("--data", options->input.data,
                     "Shapes as for 'pretrain', to make the pair of");
  command
      .add_option("--protocol", options->pair.protocol, "How the pair is made, as for 'eval pose'")
      .one_of(pose_protocols())
      .show_default();
  command.add_option("--pair", options->pair.number, "Which pair of that protocol and seed")
      .range(0, 99999)
      .show_default();
  command.add_option("--source", options->pair.source, "A cloud or mesh of your own instead");
  command.add_option("--target", options->pair.target, "And the one it is aligned to");
  command.add_option("--topic", options->input.load.topic, kTopicHelp);
  command.add_option("--model", options->input.model, kModelHelp);
  command
      .add_option("--latitudes", options->landscape.latitudes,
                  "Cells of the maps from pole to pole; twice as many around")
      .range(6, 180)
      .show_default();
  command.add_option("--out", options->out, kDrawingsHelp);
  add_common_options(command, *options);
  on_run(command, [options] { return evaluate(*options); });
}

}  // namespace pointpng::cli
