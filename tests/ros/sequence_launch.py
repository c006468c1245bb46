"""Without a reference the camera's way is followed, from keyframe to keyframe: as if it went around the object."""

import os
import sys
import unittest

import launch
import launch_testing
import launch_testing.actions
import launch_testing.asserts
import numpy as np
import pytest
from ament_index_python.packages import get_package_share_directory
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_ros.actions import Node

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from pointpng_testing import Listener, degrees_between  # noqa: E402

TRUE, FOUND = ("camera", "object_true"), ("pointpng_reference", "camera")


@pytest.mark.launch_test
def generate_test_description():
    file = os.path.join(get_package_share_directory("pointpng"), "launch", "pose.launch.py")
    return launch.LaunchDescription([
        Node(package="pointpng_ros", executable="replay_node", name="replay", output="screen",
             parameters=[{"pace": "served", "points": 8000, "turn_rate": 20.0}],
             remappings=[("alignment", "/pose/alignment")]),
        IncludeLaunchDescription(PythonLaunchDescriptionSource(file), launch_arguments={"mode": "sequence"}.items()),
        launch_testing.actions.ReadyToTest(),
    ])


class TestSequence(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.listener = Listener()

    @classmethod
    def tearDownClass(cls):
        cls.listener.close()

    def test_the_way_of_the_camera_is_the_true_one(self):
        def both():
            truth, found = (self.listener.transforms.get(key, {}) for key in (TRUE, FOUND))
            return sorted(stamp for stamp in found if stamp in truth)

        self.listener.spin_until(lambda: len(both()) >= 40, timeout=120)
        truth, found = self.listener.transforms[TRUE], self.listener.transforms[FOUND]
        first, errors = both()[0], []
        for stamp in both():
            true_way = truth[first] @ np.linalg.inv(truth[stamp])
            way = np.linalg.inv(found[first]) @ found[stamp]
            errors.append(degrees_between(true_way, way))
        print(f"{len(errors)} poses: {np.median(errors):.2f} deg median, {np.max(errors):.2f} deg largest")
        self.assertLess(np.median(errors), 3.0)
        self.assertLess(np.max(errors), 10.0)


@launch_testing.post_shutdown_test()
class TestAfterwards(unittest.TestCase):
    def test_everything_stopped_cleanly(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
