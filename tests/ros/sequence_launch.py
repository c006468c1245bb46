"""Without a reference the camera's trajectory is tracked from keyframe to keyframe, as if it moved around the object."""

import numpy as np
import pytest
from pointpng_testing import BesideNodes, StoppedCleanly, camera, degrees_between, pose_launch, simulation  # noqa: F401

TRUE, FOUND = ("camera", "object_true"), ("pointpng_reference", "camera")


@pytest.mark.launch_test
def generate_test_description():
    return simulation(camera(turn_rate=20.0), pose_launch(mode="sequence"))


class TestSequence(BesideNodes):
    def test_the_way_of_the_camera_is_the_true_one(self):
        self.listener.spin_until(lambda: len(self.listener.compared(TRUE, FOUND)) >= 40)
        poses = self.listener.compared(TRUE, FOUND)
        first_truth, first_found = poses[0]
        errors = [degrees_between(first_truth @ np.linalg.inv(truth), np.linalg.inv(first_found) @ found)
                  for truth, found in poses]
        print(f"{len(errors)} poses: {np.median(errors):.2f} deg median, {np.max(errors):.2f} deg largest")
        self.assertLess(np.median(errors), 3.0)
        self.assertLess(np.max(errors), 10.0)
