"""The probe, started by its launch file in a namespace, has its parameters, answers and stops cleanly."""

import os
import time
import unittest

import launch
import launch_testing
import launch_testing.actions
import launch_testing.asserts
import pytest
import rclpy
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from rclpy.parameter_client import AsyncParameterClient
from std_msgs.msg import String


@pytest.mark.launch_test
def generate_test_description():
    path = os.path.join(os.path.dirname(__file__), "probe.launch.py")
    included = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(path), launch_arguments={"namespace": "robot", "mode": "sequence"}.items())
    return launch.LaunchDescription([included, launch_testing.actions.ReadyToTest()]), {"expected_mode": "sequence"}


class TestProbe(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        rclpy.init()
        cls.node = rclpy.create_node("test")

    @classmethod
    def tearDownClass(cls):
        cls.node.destroy_node()
        rclpy.shutdown()

    def test_it_says_that_it_is_ready(self, proc_output):
        proc_output.assertWaitFor("ready", process="probe", timeout=20, stream="stderr")

    def test_it_has_the_parameters_of_file_arguments_and_settings(self, expected_mode):
        client = AsyncParameterClient(self.node, "/robot/first")
        self.assertTrue(client.wait_for_services(20))
        future = client.get_parameters(["mode", "device", "voxel.size", "even", "weights"])
        rclpy.spin_until_future_complete(self.node, future, timeout_sec=20)
        mode, device, size, even, weights = future.result().values
        self.assertEqual(mode.string_value, expected_mode)
        self.assertEqual(device.string_value, "from file")
        self.assertEqual(size.double_value, 0.25)
        self.assertEqual(even.integer_value, 8)
        self.assertEqual(list(weights.double_array_value), [3.0, 4.0])

    def test_it_hears_its_remapped_topic(self):
        heard = []
        self.node.create_subscription(String, "/robot/echo", heard.append, 10)
        publisher = self.node.create_publisher(String, "/robot/words", 10)
        end = time.monotonic() + 20
        while not heard and time.monotonic() < end:
            publisher.publish(String(data="hello"))
            rclpy.spin_once(self.node, timeout_sec=0.1)
        self.assertEqual(heard[0].data, "hello")


@launch_testing.post_shutdown_test()
class TestAfterwards(unittest.TestCase):
    def test_it_stopped_cleanly(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
