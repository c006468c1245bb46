"""An object turns in front of a simulated depth camera; its pose is compared with the truth, on /tf and in RViz.

    ros2 launch pointpng demo.launch.py
    ros2 launch pointpng demo.launch.py seconds:=10 object:=3
"""

import os

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription, OpaqueFunction, Shutdown
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from pointpng_launch import chosen_parameters, given_in, parameter_arguments, share, when_it_ends

# Parameters of the replay that are arguments as well: an empty one leaves what the config file says.
PARAMETERS = {
    "source": (str, "simulator, or a rosbag2 or folder to play instead"),
    "object": (int, "which simulated object"),
    "rate": (float, "clouds per second"),
    "turn_rate": (float, "angular rate of the object, degrees per second"),
}


def can_show_rviz():
    try:
        return bool(get_package_prefix("rviz2")) and any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
    except PackageNotFoundError:
        return False


def start(context):
    given = given_in(context)
    rviz = given("rviz") == "true" or (given("rviz") == "auto" and can_show_rviz())
    return [
        Node(package="pointpng_ros", executable="replay_node", name="replay", output="screen",
             parameters=[share("config", "replay.yaml"), chosen_parameters(PARAMETERS, given)],
             on_exit=when_it_ends(respawn=False)),  # without clouds there is nothing to show
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(share("launch", "pose.launch.py")),
            launch_arguments={"reference": "/replay/model", "model": given("model"),
                              "rviz": str(rviz).lower()}.items()),
        Node(package="pointpng", executable="compare_poses", name="compare_poses", output="screen",
             parameters=[{"seconds": float(given("seconds")), "report": ParameterValue(given("report"), value_type=str)}],
             on_exit=[Shutdown(reason="the demo is over")]),
    ]


def generate_launch_description():
    return LaunchDescription([
        *parameter_arguments(PARAMETERS),
        DeclareLaunchArgument("model", default_value="", description="model.safetensors, or the name of a shipped model"),
        DeclareLaunchArgument("seconds", default_value="0", description="end this long after the first answer; 0: never"),
        DeclareLaunchArgument("report", default_value="", description="HTML page of the errors to write at the end; empty: none"),
        DeclareLaunchArgument("rviz", default_value="auto", description="start RViz; auto: where RViz and a display are available",
                              choices=["auto", "true", "false"]),
        OpaqueFunction(function=start),
    ])
