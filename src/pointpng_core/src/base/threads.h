#pragma once

namespace pointpng {

/// Lets OpenMP's threads sleep while they wait for each other. By default they spin, and when
/// anything else wants a core (the loader of batches, another node of the robot) every parallel
/// loop takes until the scheduler comes round: a training step took ten times longer. OpenMP reads
/// its environment before main(), so the program starts itself again once; a choice of the user's
/// (OMP_WAIT_POLICY, GOMP_SPINCOUNT) stays. Call first thing in main().
void wait_without_spinning(char** argv);

}  // namespace pointpng
