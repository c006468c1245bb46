#pragma once

#include "cli/command.h"

namespace pointpng::cli {

// One function per command, each in a file of its own name; pretrain.cpp has all that train.
void add_bench_pose(Command parent);
void add_demo(Command parent);
void add_eval_ablate(Command parent);
void add_eval_classify(Command parent);
void add_eval_compare(Command parent);
void add_eval_equivariance(Command parent);
void add_eval_landscape(Command parent);
void add_eval_paper(Command parent);
void add_eval_pose(Command parent);
void add_eval_retrieval(Command parent);
void add_eval_trajectory(Command parent);
void add_eval_tsne(Command parent);
void add_finetune_classify(Command parent);
void add_finetune_pose(Command parent);
void add_mae(Command parent);
void add_pretrain(Command parent);
void add_report(Command parent);

}  // namespace pointpng::cli
