#include "model/graph.h"

namespace pointpng {

GraphRecorder& graph_recorder() {
  static GraphRecorder recorder;
  return recorder;
}

}  // namespace pointpng
