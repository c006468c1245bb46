#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/learn/commands.h"
#include "cli/learn/local_processes.h"
#include "cli/learn/terminal.h"
#include "cli/learn_commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "pointpng/error.h"
#include "pointpng/training.h"

namespace pointpng::cli {
namespace {

/// `pretrain`, `mae` and `finetune` differ in their objective and in what they start from.
struct TrainingCommand {
  std::string name;
  OutputOptions output;
  ComputeOptions compute;
  std::filesystem::path out, init;
  std::string model;  ///< that is fine-tuned
  std::vector<std::string> data, settings;
  std::string preset = "small", topic;
  std::optional<std::string> backbone, predictor, method;
  std::optional<double> epochs, minutes, learning_rate, mask_ratio;
  std::optional<std::int64_t> batch, workers;
  double held_out = RunPlan{}.held_out;
  std::uint64_t seed = 0;
  std::optional<std::string> rotations, up;  ///< of a classifier's clouds
  bool no_background = false;
  bool resume = false;
  int processes = 1;  ///< that train together on this machine
};

bool finetunes(const TrainingCommand& given) { return given.name.starts_with("finetune"); }

RunPlan make_plan(const TrainingCommand& given) {
  RunPlan plan = finetunes(given) ? finetuning_plan(given.name, given.model)
                                  : pretraining_plan(given.name, given.preset);
  plan.data = given.data;
  plan.held_out = given.held_out;
  plan.init = given.init;
  plan.load.topic = given.topic;
  plan.load.background = !given.no_background;
  plan.load.seed = plan.train.seed = given.seed;
  if (given.method) plan.train.objective = *given.method;
  if (given.rotations) plan.train.classify.rotations = *given.rotations;
  if (given.up) plan.train.classify.up = *given.up;
  if (given.backbone) plan.model.backbone = *given.backbone;
  if (given.predictor) plan.model.predictor = *given.predictor;
  if (given.epochs) plan.train.epochs = *given.epochs;
  if (given.minutes) plan.train.minutes = *given.minutes;
  if (given.learning_rate) plan.train.learning_rate = *given.learning_rate;
  if (given.mask_ratio) plan.train.mask_ratio = *given.mask_ratio;
  if (given.batch) plan.train.batch = *given.batch;
  if (given.workers) plan.train.workers = *given.workers;
  for (const std::string& setting : given.settings) override_setting(plan, setting);
  return plan;
}

std::string result_text(const RunResult& result, const TrainingCommand& given) {
  if (result.end == TrainEnd::kStopped)
    return fmt::format(
        "stopped after step {}; everything is saved. Go on with:\n  pointpng {} --resume "
        "--out {}\n",
        result.steps, given.name, given.out.string());
  std::string text = fmt::format("{} after {} steps\n", result.result.string(), result.steps);
  if (result.metrics.contains("accuracy"))
    text += fmt::format("held-out shapes: {:.1f} % named right\n",
                        100.0 * result.metrics["accuracy"].get<double>());
  if (result.metrics.contains("pa"))
    text += fmt::format(
        "held-out shapes: PA {:.3f}, AE {:.3f}, rotation error {:.1f}° mean, {:.1f}° "
        "median, {:.0f} % within 15°\n",
        result.metrics["pa"].get<double>(), result.metrics["ae"].get<double>(),
        result.metrics["rotation_deg"]["mean"].get<double>(),
        result.metrics["rotation_deg"]["median"].get<double>(),
        100.0 * result.metrics["success"]["15deg"].get<double>());
  return text + fmt::format("look at it with: pointpng report {}\n", given.out.string());
}

/// The place of this process: that of a launcher's environment, or the first of `--processes`.
ProcessPlace find_place(const TrainingCommand& given, LocalProcesses& others) {
  ProcessPlace place = place_from_environment();
  if (given.processes > 1 && place.size == 1) place = others.place(given.processes);
  if (given.processes > 1 && place.size != given.processes)
    throw InputError(
        fmt::format("--processes {} contradicts WORLD_SIZE={}; leave --processes to the launcher",
                    given.processes, place.size));
  place.on_lost = [](const std::string& sentence) {
    complain(sentence);
    std::_Exit(1);
  };
  return place;
}

/// What another process than the first does: it says nothing, except why it failed.
Outcome run_silently(const TrainingCommand& given, const ProcessPlace& place) {
  silence_remarks();
  OutputOptions output = given.output;
  output.quiet = true;
  Terminal terminal(output);
  RunHooks hooks = terminal.run_hooks();
  hooks.on_message = nullptr;
  hooks.on_event = nullptr;
  const auto who = [&](const Error& error) {
    return fmt::format("process {} of {}: {}", place.rank, place.size, error.what());
  };
  try {
    if (given.resume)
      resume_run(given.name, given.out, given.compute, hooks, place);
    else
      start_run(make_plan(given), given.out, given.compute, hooks, place);
    return Outcome::kDone;
  } catch (const InputError& error) {
    throw InputError(who(error));
  } catch (const Error& error) {
    throw Error(who(error));
  }
}

Outcome run(const TrainingCommand& given) {
  apply(given.output);
  LocalProcesses others;
  const ProcessPlace place = find_place(given, others);
  if (place.rank > 0) return run_silently(given, place);
  Terminal terminal(given.output);
  const RunResult result =
      given.resume
          ? resume_run(given.name, given.out, given.compute, terminal.run_hooks(), place)
          : start_run(make_plan(given), given.out, given.compute, terminal.run_hooks(), place);
  const bool finished = result.end == TrainEnd::kFinished;
  if (given.output.json)
    print_json({{"run", given.out.string()},
                {"result", result.result.string()},
                {"finished", finished},
                {"steps", result.steps},
                {"elapsed_s", result.elapsed_s},
                {"metrics", result.metrics}});
  else
    print_text(result_text(result, given));
  return finished ? Outcome::kDone : Outcome::kNoResult;
}

void add_training_options(Command command, TrainingCommand& given) {
  command
      .add_option(
          "--data", given.data,
          "What to train on: F.h5, a .txt that lists such files, a folder of clouds, meshes "
          "or depth frames, a rosbag2, procedural:COUNT[:SEED]; may be given several times")
      .group("Data");
  command.add_option("--topic", given.topic, kTopicHelp).group("Data");
  command.add_option("--held-out", given.held_out, "Share of the shapes held out to evaluate on")
      .range(0.0, 0.5)
      .show_default()
      .group("Data");
  command.add_option("--out", given.out, "Folder of the run").required();
  const Option resume =
      command.add_flag("--resume", given.resume, "Go on with the run in --out, as it was started");
  if (!finetunes(given)) {
    command.add_option("--preset", given.preset, "tiny, small or paper").show_default();
    command.add_option("--backbone", given.backbone, "transformer (the paper's) or equivariant");
    command.add_option("--init", given.init,
                       "Encoder to start from: a result of 'mae' or 'pretrain'");
  }
  command.add_option("--epochs", given.epochs, "Passes over the data");
  command.add_option("--minutes", given.minutes, "Train for this long instead");
  command.add_option("--batch", given.batch, "Shapes per step");
  command.add_option("--learning-rate", given.learning_rate, "Peak of the schedule");
  command.add_option("--mask-ratio", given.mask_ratio, "Share of the patches that are hidden");
  command.add_option("--workers", given.workers, "Threads that make batches");
  command.add_option("--set", given.settings,
                     "Any other setting by its name in config.json, as train.loss.beta=0.5; may be "
                     "given several times");
  add_seed_option(command, given.seed);
  // A resumed run is what it was: an option that would be ignored is refused.
  command.only_with(resume, {"--out"});
  command
      .add_option("--processes", given.processes,
                  "Train in this many processes on this machine, each on its share of every batch; "
                  "on several machines start one per GPU with torchrun")
      .range(1, 64)
      .show_default();
  add_compute_options(command, given.compute);
  add_output_options(command, given.output);
}

}  // namespace

void add_pretrain(Command parent) {
  const auto given = std::make_shared<TrainingCommand>();
  given->name = "pretrain";
  Command command = add_command(
      parent, given->name, learn_description(given->name),
      {{"pretrain --data shapes.h5 --out runs/a --minutes 20",
        "on two cores, the equivariant model"},
       {"pretrain --data recording/ --topic /points --out runs/b", "on the clouds of a rosbag2"},
       {"pretrain --data shapes.h5 --out runs/c --preset paper --init runs/m/encoder.safetensors",
        "as the paper does, from a masked autoencoder"},
       {"pretrain --data shapes.h5 --out runs/d --processes 2",
        "in two processes, with the result of one"},
       {"pretrain --resume --out runs/a", "go on after Ctrl-C or a power cut"}});
  command.add_option("--predictor", given->predictor, "cope (the paper's), wigner or sie");
  add_training_options(command, *given);
  on_run(command, [given] { return run(*given); });
}

void add_finetune_pose(Command parent) {
  const auto given = std::make_shared<TrainingCommand>();
  given->name = "finetune pose";
  Command command = add_command(
      command_group(parent, "finetune", learn_description("finetune")), "pose",
      "Train a model further for relative pose: L_align* and L_cope, as the paper does.",
      {{"finetune pose --model object --data parts/ --out runs/parts --minutes 10",
        "for your own objects"},
       {"finetune pose --model object --data depth_frames/ --out runs/room --minutes 10",
        "for a scene, from depth frames"}});
  command.add_option("--model", given->model, kModelHelp);
  add_training_options(command, *given);
  on_run(command, [given] { return run(*given); });
}

void add_finetune_classify(Command parent) {
  const auto given = std::make_shared<TrainingCommand>();
  given->name = "finetune classify";
  Command command = add_command(
      command_group(parent, "finetune", learn_description("finetune")), "classify",
      "Train a classifier from a model: its encoder, and a head that names the classes.",
      {{"finetune classify --data train.h5 --out runs/classes --epochs 40",
        "HDF5 files with labels; measure it with 'eval classify --model'"},
       {"finetune classify --data parts/ --out runs/parts --minutes 10",
        "a folder of clouds or meshes, one folder per class"},
       {"finetune classify --resume --out runs/parts", "go on after Ctrl-C"}});
  command.add_option("--model", given->model, kModelHelp);
  command
      .add_option("--rotations", given->rotations, "How clouds are rotated: none, z or so3 [so3]")
      .one_of({"none", "z", "so3"});
  command.add_option("--up", given->up, "The axis that points up in the data: x, y or z [z]")
      .one_of({"x", "y", "z"});
  command
      .add_flag("--no-background", given->no_background,
                "Leave out what the files' mask calls background (ScanObjectNN)")
      .group("Data");
  add_training_options(command, *given);
  on_run(command, [given] { return run(*given); });
}

void add_mae(Command parent) {
  const auto given = std::make_shared<TrainingCommand>();
  given->name = "mae";
  Command command = add_command(parent, given->name, learn_description(given->name),
                                {{"mae --data shapes.h5 --out runs/m --preset paper",
                                  "Point-MAE: reconstruct hidden patches"},
                                 {"mae --data shapes.h5 --out runs/p --method point2vec",
                                  "predict a teacher's features instead"}});
  command.add_option("--method", given->method, "mae (reconstruction) or point2vec (teacher)")
      .one_of({"mae", "point2vec"});
  add_training_options(command, *given);
  on_run(command, [given] { return run(*given); });
}

}  // namespace pointpng::cli
