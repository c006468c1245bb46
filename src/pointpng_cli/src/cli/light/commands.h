#pragma once

#include "cli/command.h"

namespace pointpng::cli {

// One function per command, each in a file of its own name.
void add_bag_info(Command parent);
void add_doctor(Command parent);
void add_model_info(Command parent);
void add_pose(Command parent);
void add_track(Command parent);

}  // namespace pointpng::cli
