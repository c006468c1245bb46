// The program `pointpng-learn`: what `pointpng` hands on to be trained or measured with LibTorch.

#include "cli/app.h"
#include "cli/learn/commands.h"

namespace pointpng::cli {
namespace {

void add_commands(Command root) {
  add_demo(root);
  add_pretrain(root);
  add_mae(root);
  add_finetune_pose(root);
  add_finetune_classify(root);
  add_eval_equivariance(root);
  add_eval_pose(root);
  add_eval_classify(root);
  add_eval_retrieval(root);
  add_eval_compare(root);
  add_eval_ablate(root);
  add_eval_tsne(root);
  add_eval_trajectory(root);
  add_eval_landscape(root);
  add_eval_paper(root);
  add_bench_pose(root);
  add_report(root);
}

}  // namespace
}  // namespace pointpng::cli

int main(int argc, char** argv) {
  return pointpng::cli::run(argc, argv, pointpng::cli::add_commands);
}
