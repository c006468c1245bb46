#include "nodes.h"
#include "run_node.h"

int main(int argc, char** argv) {
  return pointpng_ros::run_node(argc, argv, pointpng_ros::make_replay_node);
}
