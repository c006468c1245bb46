#pragma once

#include <CLI/CLI.hpp>

namespace pointpng::cli {

// One function a command, each in a file of its own name; `app.cpp` lists them.
void add_bag_info(CLI::App& parent);
void add_bench_pose(CLI::App& parent);
void add_demo(CLI::App& parent);
void add_doctor(CLI::App& parent);
void add_eval_ablate(CLI::App& parent);
void add_eval_classify(CLI::App& parent);
void add_eval_compare(CLI::App& parent);
void add_eval_equivariance(CLI::App& parent);
void add_eval_landscape(CLI::App& parent);
void add_eval_paper(CLI::App& parent);
void add_eval_pose(CLI::App& parent);
void add_eval_retrieval(CLI::App& parent);
void add_eval_trajectory(CLI::App& parent);
void add_eval_tsne(CLI::App& parent);
void add_finetune_classify(CLI::App& parent);
void add_finetune_pose(CLI::App& parent);
void add_mae(CLI::App& parent);
void add_model_info(CLI::App& parent);
void add_pose(CLI::App& parent);
void add_pretrain(CLI::App& parent);
void add_report(CLI::App& parent);
void add_track(CLI::App& parent);

}  // namespace pointpng::cli
