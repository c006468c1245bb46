#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/learn/commands.h"
#include "cli/learn/eval_options.h"
#include "cli/learn/pictures.h"
#include "cli/learn/terminal.h"
#include "report/command_line.h"
#include "report/embedding_pages.h"
#include "report/format.h"

namespace pointpng::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct TsneOptions : EvalOptions {
  std::string method = "tsne", poses = "none";
  PosedShapesConfig shapes;
  TsneConfig tsne;
  fs::path out;
};

bool is_pca(const TsneOptions& options) { return options.method == "pca"; }

MapMethod method_of(const TsneOptions& options) {
  return is_pca(options) ? MapMethod::kPca : MapMethod::kTsne;
}

Poses poses_of(const std::string& name) {
  if (name == "random") return Poses::kRandom;
  return name == "steps" ? Poses::kSteps : Poses::kAsIs;
}

std::string command_of(const TsneOptions& options) {
  CommandLine line("eval tsne");
  for (const std::string& source : options.input.data) line.option("data", source);
  if (!options.input.model.empty()) line.option("model", options.input.model);
  line.option("method", options.method);
  if (!is_pca(options))
    line.option("perplexity", options.tsne.perplexity)
        .option("iterations", options.tsne.iterations);
  line.option("poses", options.poses).option("shapes", options.shapes.shapes);
  for (const std::string& name : options.shapes.classes) line.option("class", name);
  return line.option("seed", options.input.seed).option("out", "pictures").text();
}

PageOrigin origin_of(const TsneOptions& options, const EmbeddingMap& map) {
  std::vector<Fact> facts = {{"Data", data_text(options.input)},
                             {"Model", find_model(options.input.model).filename().string()},
                             {"Clouds", format_count(map.places.rows())},
                             {"Seed", std::to_string(options.input.seed)}};
  if (!is_pca(options))
    facts.insert(facts.end(), {{"Perplexity", format_number(options.tsne.perplexity)},
                               {"Iterations", format_count(map.iterations)},
                               {"Start", options.tsne.start}});
  return {std::move(facts), command_of(options)};
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_of(const EmbeddingMap& map) {
  std::string csv = "name,class,pose,x,y\n";
  for (std::size_t i = 0; i < map.clouds.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    csv += fmt::format("{},{},{},{:.6g},{:.6g}\n", csv_field(map.clouds[i].name),
                       csv_field(map.clouds[i].class_name), map.pose_names[map.clouds[i].pose],
                       map.places(row, 0), map.places(row, 1));
  }
  return csv;
}

Drawings draw(const TsneOptions& options, const EmbeddingMap& map) {
  const MapMethod method = method_of(options);
  const Picture picture = embedding_map_picture(map, method, options.shapes.poses);
  std::ostringstream npy;
  write_npy_rows(npy, map.embeddings.cast<float>());
  return {embedding_map_page(map, method, options.shapes.poses, data_name(options.input), picture,
                             origin_of(options, map)),
          {{options.method, picture}},
          {{options.method + ".csv", csv_of(map)}, {"embeddings.npy", npy.str()}}};
}

json to_json(const TsneOptions& options, const EmbeddingMap& map) {
  json result{{"method", options.method},
              {"data", data_json(options.input)},
              {"model", find_model(options.input.model).string()},
              {"seed", options.input.seed},
              {"poses", options.poses},
              {"clouds", map.places.rows()},
              {"trustworthiness", map.trustworthiness},
              {"same_class_neighbour", map.same_class}};
  if (!is_pca(options)) {
    result["kl_divergence"] = map.divergence;
    result["exact"] = map.exact;
    result["iterations"] = map.iterations;
    result["perplexity"] = options.tsne.perplexity;
  } else {
    result["explained"] = map.explained;
  }
  for (std::size_t i = 0; i < map.clouds.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    result["items"].push_back({{"name", map.clouds[i].name},
                               {"class", map.clouds[i].class_name},
                               {"pose", map.pose_names[map.clouds[i].pose]},
                               {"x", map.places(row, 0)},
                               {"y", map.places(row, 1)}});
  }
  return result;
}

std::string to_text(const TsneOptions& options, const EmbeddingMap& map) {
  std::string text =
      fmt::format("{} of {} embeddings\n", method_name(map, method_of(options)), map.places.rows());
  if (!is_pca(options))
    text += fmt::format("  KL divergence     {:7.4f}   after {} iterations\n", map.divergence,
                        map.iterations);
  else
    text += fmt::format("  explained variance {:6.1f} % by the first two components\n",
                        100.0 * (map.explained[0] + map.explained[1]));
  return text + fmt::format(
                    "  trustworthiness   {:7.3f}   1: neighbours on the map are neighbours in "
                    "embedding space\n"
                    "  same class        {:7.1f} % have a shape of their class as the nearest\n",
                    map.trustworthiness, 100.0 * map.same_class);
}

Outcome evaluate(TsneOptions& options) {
  apply(options.output);
  require_place(options.out);
  options.tsne.seed = options.shapes.seed = options.input.seed;
  options.shapes.poses = poses_of(options.poses);
  const EmbeddingMap map =
      map_embeddings(options.input, options.shapes, method_of(options), options.tsne,
                     Terminal(options.output).evaluation_hooks());
  return finish_drawn(options.output, options.out, to_text(options, map), to_json(options, map),
                      [&] { return draw(options, map); });
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
                  "none: as they are; random: and rotated at random; steps: rotated by 0° … 180°")
      .one_of({"none", "random", "steps"})
      .show_default();
}

}  // namespace

void add_eval_tsne(Command parent) {
  const auto options = std::make_shared<TsneOptions>();
  Command command = add_eval_command(
      parent, "tsne",
      "A map of embeddings by t-SNE or PCA: which clouds does the model find similar?",
      {{"eval tsne --data test.h5 --out map.html", "a page to look at"},
       {"eval tsne --data test.h5 --poses random --out pictures",
        "as they are and rotated, as in the paper; page, SVG, PNG and numbers"},
       {"eval tsne --data test.h5 --class chair --poses steps --out chairs.png",
        "one class under a rotation"},
       {"eval tsne --data test.h5 --method pca --json", "for scripts"}});
  add_map_options(command, *options);
  add_shape_options(command, *options);
  command.add_option("--out", options->out, kDrawingsHelp);
  add_eval_options(command, *options);
  on_run(command, [options] { return evaluate(*options); });
}

}  // namespace pointpng::cli
