#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <torch/types.h>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/models.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/pictures.h"
#include "cli/progress.h"
#include "eval/embeddings.h"
#include "eval/tsne.h"
#include "io/npy.h"
#include "pointpng/io.h"
#include "report/command_line.h"
#include "report/format.h"
#include "report/page.h"
#include "report/scatter.h"

namespace pointpng::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct TsneOptions {
  OutputOptions output;
  ComputeOptions compute;
  std::string model, data, method = "tsne", poses = "none";
  LoadOptions load;
  PosedShapesConfig shapes;
  TsneConfig tsne;
  fs::path out;
};

Poses poses_of(const std::string& name) {
  if (name == "random") return Poses::kRandom;
  return name == "steps" ? Poses::kSteps : Poses::kAsIs;
}

/// A map of embeddings with all that belongs to it.
struct EmbeddingMap {
  ShapeSet set;
  PosedShapes posed;
  Rows embeddings, places;
  double trust = 0.0;       ///< see `trustworthiness`
  double same_class = 0.0;  ///< share of clouds whose nearest on the map is of their class
  std::vector<double> explained;
  TsneMap tsne;
};

std::string class_of(const EmbeddingMap& map, std::size_t cloud) {
  const int label = map.set.shapes[map.posed.shape[cloud]].label;
  return label >= 0 && static_cast<std::size_t>(label) < map.set.class_names.size()
             ? map.set.class_names[static_cast<std::size_t>(label)]
             : "unlabelled";
}

/// Nearest clouds of other shapes: another pose of the same shape would be no evidence.
double share_beside_their_class(const EmbeddingMap& map) {
  const Eigen::Index count = map.places.rows();
  std::int64_t right = 0;
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto here = static_cast<std::size_t>(i);
    double nearest = std::numeric_limits<double>::infinity();
    std::size_t found = here;
    for (Eigen::Index j = 0; j < count; ++j) {
      const auto there = static_cast<std::size_t>(j);
      if (map.posed.shape[there] == map.posed.shape[here]) continue;
      const double distance = (map.places.row(i) - map.places.row(j)).squaredNorm();
      if (distance < nearest) nearest = distance, found = there;
    }
    right += found != here && class_of(map, found) == class_of(map, here) ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(count);
}

EmbeddingMap make_map(const TsneOptions& options, Model& model, ShapeSet set) {
  EmbeddingMap map;
  map.set = std::move(set);
  map.posed = posed_shapes(map.set, model.config(), options.shapes);
  map.embeddings = embed_prepared(model, map.posed.clouds);
  if (options.method == "pca") {
    const PrincipalComponents found = principal_components(map.embeddings, 2);
    map.places = found.coordinates;
    map.explained = {found.explained[0], found.explained[1]};
  } else {
    Progress progress({.quiet = options.output.quiet});
    map.tsne = tsne(map.embeddings, options.tsne, [&](std::int64_t done) {
      if (!progress.due()) return;
      const auto share = static_cast<double>(done) / static_cast<double>(options.tsne.iterations);
      progress.update(fmt::format("{} t-SNE, {} of {} iterations", progress_bar(share), done,
                                  options.tsne.iterations));
    });
    map.places = map.tsne.coordinates;
  }
  map.trust = trustworthiness(map.embeddings, map.places);
  map.same_class = share_beside_their_class(map);
  return map;
}

std::string_view method_name(const TsneOptions& options, const EmbeddingMap& map) {
  if (options.method == "pca") return "PCA";
  return map.tsne.exact ? "t-SNE (exact)" : "t-SNE (Barnes–Hut)";
}

Scatter scatter_of(const TsneOptions& options, const EmbeddingMap& map) {
  Scatter scatter;
  const bool by_pose = options.shapes.poses == Poses::kSteps;
  std::map<std::string, std::size_t> groups;
  for (std::size_t i = 0; i < map.posed.shape.size(); ++i) {
    const std::string& pose = map.posed.pose_names[map.posed.pose[i]];
    const std::string name = class_of(map, i);
    const std::string& group = by_pose ? pose : name;
    if (groups.emplace(group, scatter.groups.size()).second) scatter.groups.push_back(group);
    const auto row = static_cast<Eigen::Index>(i);
    ScatterPoint point{map.places(row, 0), map.places(row, 1), groups[group],
                       !by_pose && map.posed.pose[i] > 0, ""};
    point.tip = fmt::format("{} · {}", name, map.set.shapes[map.posed.shape[i]].name);
    if (map.posed.pose_names.size() > 1) point.tip += " · " + pose;
    scatter.points.push_back(std::move(point));
  }
  scatter.ordered = by_pose;
  if (options.shapes.poses == Poses::kRandom) {
    scatter.dot_name = map.posed.pose_names[0];
    scatter.cross_name = map.posed.pose_names[1];
  }
  if (options.method == "pca") {
    scatter.x_name =
        fmt::format("1st component, {} of the variance", format_percent(map.explained[0]));
    scatter.y_name = fmt::format("2nd component, {}", format_percent(map.explained[1]));
  }
  scatter.description =
      fmt::format("{} of {} embeddings, coloured by {}.", method_name(options, map),
                  scatter.points.size(), by_pose ? "angle" : "class");
  return scatter;
}

std::string command_of(const TsneOptions& options) {
  CommandLine line("eval tsne");
  line.option("data", options.data);
  if (!options.model.empty()) line.option("model", options.model);
  line.option("method", options.method);
  if (options.method == "tsne")
    line.option("perplexity", options.tsne.perplexity)
        .option("iterations", options.tsne.iterations);
  line.option("poses", options.poses).option("shapes", options.shapes.shapes);
  for (const std::string& name : options.shapes.classes) line.option("class", name);
  return line.option("seed", options.shapes.seed).option("out", "pictures").text();
}

std::vector<Tile> tiles_of(const TsneOptions& options, const EmbeddingMap& map) {
  std::vector<Tile> tiles = {{"Embeddings", format_count(map.places.rows()), "",
                              fmt::format("of {} numbers each", map.embeddings.cols())},
                             {"Trustworthiness", format_number(map.trust, 3), "",
                              "1: neighbours on the map are neighbours in truth"},
                             {"Beside their class", format_percent(map.same_class), "",
                              "the nearest cloud of another shape is of the same class"}};
  if (options.method == "tsne")
    tiles.push_back({"KL divergence", format_number(map.tsne.divergence, 4), "",
                     fmt::format("after {} iterations; lower is better", map.tsne.iterations)});
  else
    tiles.push_back({"Variance shown", format_percent(map.explained[0] + map.explained[1]), "",
                     "by two directions of all"});
  return tiles;
}

std::string explanation_of(const TsneOptions& options) {
  const std::string method =
      options.method == "pca"
          ? "The two directions in which the embeddings differ most; distances are true along them."
          : "Near embeddings stay near; distances between far groups mean little.";
  const std::string poses =
      options.shapes.poses == Poses::kRandom
          ? " Dots are shapes as they are in the data, crosses the same turned at random: an "
            "invariant embedding would put each cross onto its dot."
      : options.shapes.poses == Poses::kSteps
          ? " Every shape is turned about z in steps of 30°; colours are angles."
          : "";
  return method + poses + " Point at a mark to see what it is, at a name to see its marks alone.";
}

std::string page_of(const TsneOptions& options, const EmbeddingMap& map, const Picture& picture) {
  Page page(fmt::format("{} of {}", options.method == "pca" ? "PCA" : "t-SNE",
                        fs::path(options.data).filename().string()),
            "Point-PNG embeddings",
            "What the model holds for alike: clouds that lie together have similar embeddings.");
  page.add_section("").tiles(tiles_of(options, map));
  page.add_section("Map").raw(
      picture_figure(std::string(method_name(options, map)) + " of the embeddings",
                     explanation_of(options), picture));
  std::vector<Fact> facts = {{"Data", options.data},
                             {"Model", find_model(options.model).filename().string()},
                             {"Clouds", format_count(map.places.rows())},
                             {"Seed", std::to_string(options.shapes.seed)}};
  if (options.method == "tsne")
    facts.insert(facts.end(), {{"Perplexity", format_number(options.tsne.perplexity)},
                               {"Iterations", format_count(map.tsne.iterations)},
                               {"Start", options.tsne.start}});
  page.add_section("How it was made")
      .facts(facts)
      .text("The same command gives the same map, whatever the number of threads.")
      .code(command_of(options));
  page.set_footer("Written by pointpng eval tsne. This file needs no network.");
  return page.html();
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_of(const EmbeddingMap& map) {
  std::string csv = "name,class,pose,x,y\n";
  for (std::size_t i = 0; i < map.posed.shape.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    csv +=
        fmt::format("{},{},{},{:.6g},{:.6g}\n", csv_field(map.set.shapes[map.posed.shape[i]].name),
                    csv_field(class_of(map, i)), map.posed.pose_names[map.posed.pose[i]],
                    map.places(row, 0), map.places(row, 1));
  }
  return csv;
}

Drawings draw(const TsneOptions& options, const EmbeddingMap& map) {
  const Picture picture = scatter_picture(scatter_of(options, map));
  std::ostringstream npy;
  write_npy_rows(npy, map.embeddings.cast<float>());
  return {page_of(options, map, picture),
          {{options.method, picture}},
          {{options.method + ".csv", csv_of(map)}, {"embeddings.npy", npy.str()}}};
}

json to_json(const TsneOptions& options, const EmbeddingMap& map) {
  json result{{"method", options.method},
              {"data", options.data},
              {"model", find_model(options.model).string()},
              {"seed", options.shapes.seed},
              {"poses", options.poses},
              {"clouds", map.places.rows()},
              {"trustworthiness", map.trust},
              {"same_class_neighbour", map.same_class}};
  if (options.method == "tsne") {
    result["kl_divergence"] = map.tsne.divergence;
    result["exact"] = map.tsne.exact;
    result["iterations"] = map.tsne.iterations;
    result["perplexity"] = options.tsne.perplexity;
  } else {
    result["explained"] = map.explained;
  }
  for (std::size_t i = 0; i < map.posed.shape.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    result["items"].push_back({{"name", map.set.shapes[map.posed.shape[i]].name},
                               {"class", class_of(map, i)},
                               {"pose", map.posed.pose_names[map.posed.pose[i]]},
                               {"x", map.places(row, 0)},
                               {"y", map.places(row, 1)}});
  }
  return result;
}

std::string to_text(const TsneOptions& options, const EmbeddingMap& map) {
  std::string text =
      fmt::format("{} of {} embeddings\n", method_name(options, map), map.places.rows());
  if (options.method == "tsne")
    text += fmt::format("  KL divergence     {:7.4f}   after {} iterations\n", map.tsne.divergence,
                        map.tsne.iterations);
  else
    text += fmt::format("  variance shown    {:7.1f} % along the two directions\n",
                        100.0 * (map.explained[0] + map.explained[1]));
  return text +
         fmt::format(
             "  trustworthiness   {:7.3f}   1: neighbours on the map are neighbours in truth\n"
             "  beside their class {:6.1f} % have a cloud of their class as nearest one\n",
             map.trust, 100.0 * map.same_class);
}

Outcome evaluate(TsneOptions& options) {
  apply(options.output);
  const torch::Device device = apply(options.compute);
  require_place(options.out);
  validate(options.tsne);
  options.tsne.seed = options.shapes.seed;
  options.shapes.poses = poses_of(options.poses);
  const LoadedModel loaded = load_model(find_model(options.model), device);
  loaded.model->eval();
  std::vector<std::string> notes;
  ShapeSet set = load_shapes(options.data, options.load, &notes);
  warn(notes);
  const EmbeddingMap map = make_map(options, *loaded.model, std::move(set));
  const std::vector<fs::path> written = options.out.empty()
                                            ? std::vector<fs::path>{}
                                            : write_drawings(options.out, draw(options, map));
  return print_drawn(options.output, to_text(options, map), to_json(options, map), written);
}

void add_map_options(Command command, TsneOptions& options) {
  command.add_option("--method", options.method, "tsne, or pca: a straight projection")
      .one_of({"tsne", "pca"})
      .show_default();
  command
      .add_option("--perplexity", options.tsne.perplexity, "About how many neighbours a cloud has")
      .show_default();
  command.add_option("--iterations", options.tsne.iterations, "Of t-SNE")
      .range(1, 1000000)
      .show_default();
  command
      .add_option("--solver", options.tsne.method,
                  "exact: every pair counts; barnes-hut: far ones summed up; auto: by the number")
      .one_of({"auto", "exact", "barnes-hut"})
      .show_default();
  command.add_option("--start", options.tsne.start, "Of t-SNE: pca, or random with the seed")
      .one_of({"pca", "random"})
      .show_default();
}

void add_shape_options(Command command, TsneOptions& options) {
  command
      .add_option("--shapes", options.shapes.shapes,
                  "How many shapes at most, of all classes in turn")
      .range(1, 100000)
      .show_default();
  command.add_option("--class", options.shapes.classes,
                     "Only shapes of this class; may be repeated");
  command
      .add_option("--poses", options.poses,
                  "none: as they are; random: and turned at random; steps: turned by 0° … 180°")
      .one_of({"none", "random", "steps"})
      .show_default();
}

}  // namespace

void add_eval_tsne(Command parent) {
  const auto options = std::make_shared<TsneOptions>();
  Command command =
      add_command(command_group(parent, "eval", "Measure a model"), "tsne",
                  "A map of embeddings by t-SNE or PCA: what does the model hold for alike?",
                  {{"eval tsne --data test.h5 --out map.html", "a page to look at"},
                   {"eval tsne --data test.h5 --poses random --out pictures",
                    "as they are and turned, as in the paper; page, SVG, PNG and numbers"},
                   {"eval tsne --data test.h5 --class chair --poses steps --out chairs.png",
                    "one class under a turn"},
                   {"eval tsne --data test.h5 --method pca --json", "for scripts"}});
  command.add_option("--data", options->data, "Shapes: as for 'pretrain'").required();
  command.add_option("--model", options->model,
                     "A model.safetensors or the name of a shipped model [object]");
  command.add_option("--topic", options->load.topic, "PointCloud2 topic of a bag that has several");
  add_map_options(command, *options);
  add_shape_options(command, *options);
  command.add_option("--out", options->out, kDrawingsHelp);
  add_seed_option(command, options->shapes.seed);
  add_compute_options(command, options->compute);
  add_output_options(command, options->output);
  on_run(command, [options] { return evaluate(*options); });
}

}  // namespace pointpng::cli
