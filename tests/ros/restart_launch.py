"""The camera stops and comes back: poses go on."""

import os
import signal

import numpy as np
import pytest
from launch.actions import RegisterEventHandler
from launch.event_handlers import OnProcessStart
from pointpng_testing import BesideNodes, StoppedCleanly, camera, degrees_between, pose_launch, simulation  # noqa: F401

TRUE, FOUND = ("camera", "object_true"), ("camera", "object")


@pytest.mark.launch_test
def generate_test_description():
    # Slowly: when the object starts again, the last pose is a good enough initial guess for tracking.
    source = camera(respawn=True, points=6000, turn_rate=5.0)
    starts = []
    remember = OnProcessStart(target_action=source, on_start=lambda event, context: starts.append(event.pid))
    return simulation(RegisterEventHandler(remember), source, pose_launch(reference="/replay/model")), {"starts": starts}


class TestRestart(BesideNodes):
    def test_poses_go_on_when_the_source_has_restarted(self, starts):
        poses = lambda: self.listener.compared(TRUE, FOUND)  # noqa: E731
        self.listener.spin_until(lambda: len(poses()) >= 8)
        for restarts in (1, 2):
            os.kill(starts[-1], signal.SIGINT)
            self.listener.spin_until(lambda: len(starts) > restarts)  # noqa: B023
            count = len(poses())
            self.listener.spin_until(lambda: len(poses()) >= count + 8)  # noqa: B023
        errors = [degrees_between(*pair) for pair in poses()]
        print(f"{len(errors)} poses: {np.median(errors):.2f} deg median, {np.max(errors):.2f} deg largest")
        self.assertLess(np.median(errors), 3.0)
