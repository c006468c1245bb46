#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/angle.h"
#include "cli/learn/commands.h"
#include "cli/learn/eval_options.h"
#include "cli/learn/pictures.h"
#include "cli/learn/terminal.h"
#include "report/command_line.h"
#include "report/format.h"
#include "report/page.h"
#include "report/sphere_map.h"

namespace pointpng::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct LandscapeOptions : EvalOptions {
  LandscapePair pair;
  LandscapeConfig landscape;
  fs::path out;
};

struct AxisAngle {
  double longitude_deg = 0.0, latitude_deg = 0.0, angle_deg = 0.0;
};

AxisAngle axis_angle(const Eigen::Quaterniond& rotation) {
  const Eigen::AngleAxisd turn(rotation.w() < 0.0 ? Eigen::Quaterniond(-rotation.coeffs())
                                                  : rotation);
  const Eigen::Vector3d& axis = turn.axis();
  return {std::atan2(axis.y(), axis.x()) * kDegreesPerRadian,
          std::asin(std::clamp(axis.z(), -1.0, 1.0)) * kDegreesPerRadian,
          turn.angle() * kDegreesPerRadian};
}

double degrees_between(const Eigen::Quaterniond& a, const Eigen::Quaterniond& b) {
  return a.angularDistance(b) * kDegreesPerRadian;
}

const char* centre_name(const Landscape& land) { return land.truth ? "truth" : "best found"; }

SphereMark mark_of(const LossAt& place, const std::string& what, std::string label, bool star) {
  const AxisAngle at = axis_angle(place.rotation);
  return {at.longitude_deg, at.latitude_deg, std::move(label), star,
          fmt::format("{}: {:.0f}° about this axis, loss {}", what, at.angle_deg,
                      format_number(place.loss, 3))};
}

std::vector<SphereMark> absolute_marks(const Landscape& land) {
  std::vector<SphereMark> marks;
  for (std::size_t k = 0; k < land.hypotheses.size(); ++k)
    marks.push_back(mark_of(land.hypotheses[k], fmt::format("found, number {}", k + 1),
                            std::to_string(k + 1), false));
  if (land.truth) marks.push_back(mark_of(*land.truth, "the truth", "", true));
  return marks;
}

SpherePanel panel_of(std::string title, const SphereValues& values, std::vector<SphereMark> marks) {
  return {std::move(title), values.latitudes, values.longitudes, values.values, std::move(marks)};
}

Picture map_picture(const Landscape& land) {
  SphereMaps maps;
  maps.panels = {panel_of("lowest loss over all angles about each axis", land.best_loss,
                          absolute_marks(land))};
  maps.low = land.lowest, maps.high = land.highest;
  maps.value_name = "loss";
  maps.mark_names = {land.truth ? "truth" : "", "found, the best is 1"};
  maps.description = "The lowest loss of all rotations about each axis, as a map of the axes.";
  return sphere_maps_picture(maps);
}

Picture angle_picture(const Landscape& land) {
  SphereMaps maps;
  maps.panels = {
      panel_of("the angle of that lowest loss", land.best_angle_deg, absolute_marks(land))};
  maps.low = 0.0, maps.high = 180.0;
  maps.value_name = "angle";
  maps.unit = "°";
  maps.mark_names = {land.truth ? "truth" : "", "found, the best is 1"};
  maps.description = "The angle at which the loss about each axis is lowest, as a map of the axes.";
  return sphere_maps_picture(maps);
}

/// Hypotheses as turns away from the centre, on the shell that is nearest to each.
std::vector<SphereMark> marks_on_shell(const Landscape& land, std::size_t shell) {
  std::vector<SphereMark> marks;
  for (std::size_t k = 0; k < land.hypotheses.size(); ++k) {
    const Eigen::Quaterniond away = land.hypotheses[k].rotation * land.centre.rotation.inverse();
    const double distance = degrees_between(land.hypotheses[k].rotation, land.centre.rotation);
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < land.shells_deg.size(); ++i)
      if (std::abs(land.shells_deg[i] - distance) < std::abs(land.shells_deg[nearest] - distance))
        nearest = i;
    const bool at_centre = distance < 0.5 * land.shells_deg.front();
    if (nearest != shell || at_centre) continue;
    SphereMark mark = mark_of({away, land.hypotheses[k].loss},
                              fmt::format("found, number {}", k + 1), std::to_string(k + 1), false);
    marks.push_back(std::move(mark));
  }
  return marks;
}

Picture shells_picture(const Landscape& land) {
  SphereMaps maps;
  maps.columns = 3;
  for (std::size_t i = 0; i < land.shells.size(); ++i)
    maps.panels.push_back(
        panel_of(fmt::format("{:.0f}° from the {}", land.shells_deg[i], centre_name(land)),
                 land.shells[i], marks_on_shell(land, i)));
  maps.low = land.lowest, maps.high = land.highest;
  maps.value_name = "loss";
  maps.tips = false;
  maps.mark_names = {"", "found"};
  maps.description = fmt::format(
      "The loss at several distances from the {}, over the axis of the "
      "turn away from it.",
      centre_name(land));
  return sphere_maps_picture(maps);
}

LineChart curves_chart(const Landscape& land) {
  LineChart chart;
  chart.title = fmt::format("Loss along turns away from the {}", centre_name(land));
  chart.explanation =
      "A narrow valley at 0° is a sharp answer; a second one as low is a turn after which the "
      "object looks alike.";
  chart.x_name = "turn (°)";
  for (const LossCurve& curve : land.curves) {
    ChartLine line{"about " + curve.axis, {}};
    for (std::size_t i = 0; i < curve.loss.size(); ++i)
      line.points.push_back({curve.angle_deg[i], curve.loss[i]});
    chart.lines.push_back(std::move(line));
  }
  return chart;
}

LineChart distance_chart(const Landscape& land) {
  LineChart chart;
  chart.title = fmt::format("Loss against the distance from the {}", centre_name(land));
  chart.explanation =
      "Over rotations spread evenly over SO(3). Where the lowest comes down to the loss at 0°, a "
      "search can go wrong.";
  chart.x_name = "distance (°)";
  chart.lines.resize(3);
  chart.lines[0].name = "lowest", chart.lines[1].name = "median", chart.lines[2].name = "highest";
  for (const LossShell& shell : land.distances) {
    chart.lines[0].points.push_back({shell.distance_deg, shell.lowest});
    chart.lines[1].points.push_back({shell.distance_deg, shell.median});
    chart.lines[2].points.push_back({shell.distance_deg, shell.highest});
  }
  return chart;
}

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

std::vector<Tile> tiles_of(const Landscape& land) {
  const LossAt& best = land.hypotheses.front();
  std::vector<Tile> tiles = {
      {"Best found", format_number(best.loss, 3), "",
       fmt::format("loss of the search's first answer; all rotations: {} to {}",
                   format_number(land.lowest, 3), format_number(land.highest, 3))}};
  if (land.truth) {
    tiles.push_back({"At the truth", format_number(land.truth->loss, 3), "", "loss"});
    tiles.push_back({"Error of the best",
                     format_number(degrees_between(best.rotation, land.truth->rotation), 3), "°",
                     "before anything is refined"});
    tiles.push_back({"Lower than the truth", format_percent(land.below_truth), "",
                     "of all rotations; those around a sharp valley are few"});
  }
  return tiles;
}

Table hypotheses_table(const Landscape& land) {
  Table table{{"", "axis (x y z)", "angle", "loss", fmt::format("from the {}", centre_name(land))},
              {}};
  const auto add = [&](const std::string& name, const LossAt& place) {
    const Eigen::AngleAxisd turn(place.rotation);
    table.rows.push_back(
        {name,
         fmt::format("{:.3f} {:.3f} {:.3f}", turn.axis().x(), turn.axis().y(), turn.axis().z()),
         fmt::format("{:.1f}°", turn.angle() * kDegreesPerRadian),
         fmt::format("{:.4f}", place.loss),
         fmt::format("{:.1f}°", degrees_between(place.rotation, land.centre.rotation))});
  };
  if (land.truth) add("truth", *land.truth);
  for (std::size_t k = 0; k < land.hypotheses.size(); ++k)
    add(fmt::format("found, number {}", k + 1), land.hypotheses[k]);
  return table;
}

std::string page_of(const LandscapeOptions& options, const PairLandscape& pair,
                    const std::vector<Drawings::Named>& pictures) {
  const Landscape& land = pair.landscape;
  Page page(fmt::format("Loss over SO(3): {}", pair.name), "Point-PNG embeddings",
            "How the embeddings of two clouds disagree under every rotation: what the search for "
            "a pose looks at.");
  page.add_section("").tiles(tiles_of(land));
  page.add_section("All rotations")
      .raw(picture_figure(
          "The best that each axis can do",
          "A map of the axes of rotation, x in the middle, y a quarter to the right, z at the top; "
          "areas are true. Dark is where two embeddings agree. Point at the map for values.",
          pictures[0].picture))
      .raw(picture_figure("At which angle",
                          "The angle about the same axes at which that loss is reached.",
                          pictures[1].picture));
  page.add_section(fmt::format("Around the {}", centre_name(land)))
      .charts({curves_chart(land), distance_chart(land)})
      .raw(picture_figure(
          "Shell by shell",
          fmt::format(
              "The loss after a further turn by so much from the {}, over the axis of "
              "that turn. Dark places far away are turns after which the object looks alike.",
              centre_name(land)),
          pictures[2].picture));
  page.add_section("Rotations").table(hypotheses_table(land));
  std::vector<Fact> facts = {{"Model", find_model(options.input.model).filename().string()}};
  if (options.input.data.empty())
    facts.insert(facts.end(), {{"Source", options.pair.source.string()},
                               {"Target", options.pair.target.string()}});
  else
    facts.insert(facts.end(), {{"Data", data_text(options.input)},
                               {"Protocol", options.pair.protocol},
                               {"Pair", std::to_string(options.pair.number)},
                               {"Seed", std::to_string(options.input.seed)}});
  page.add_section("How it was made").facts(facts).code(command_of(options));
  page.set_footer("Written by pointpng eval landscape. This file needs no network.");
  return page.html();
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
  if (land.truth) text += fmt::format("  at the truth      {:.4f}\n", land.truth->loss);
  for (std::size_t k = 0; k < land.hypotheses.size(); ++k) {
    text += fmt::format("  found, number {}   {:.4f}", k + 1, land.hypotheses[k].loss);
    text += land.truth
                ? fmt::format("   {:.1f}° from the truth\n",
                              degrees_between(land.hypotheses[k].rotation, land.truth->rotation))
                : "\n";
  }
  return text;
}

Drawings draw(const LandscapeOptions& options, const PairLandscape& pair) {
  const Landscape& land = pair.landscape;
  std::vector<Drawings::Named> pictures = {{"landscape", map_picture(land)},
                                           {"angles", angle_picture(land)},
                                           {"shells", shells_picture(land)}};
  std::string page = page_of(options, pair, pictures);
  json numbers = to_json(options, pair);
  numbers["maps"] = maps_json(land);
  return {std::move(page), std::move(pictures), {{"landscape.json", numbers.dump() + "\n"}}};
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
