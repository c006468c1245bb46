"""Poses from clouds: of an object in a sensor's frame, of one sensor in another's, or the trajectory of a sensor.

    ros2 launch pointpng pose.launch.py cloud:=/camera/points reference_file:=part.ply
    ros2 launch pointpng pose.launch.py mode:=pair cloud:=/left/points target:=/right/points
    ros2 launch pointpng pose.launch.py mode:=sequence cloud:=/lidar/points base_frame:=base_link
"""

import shutil
import subprocess

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

# Parameters that are arguments as well, with their types: an empty one leaves what the config file says.
PARAMETERS = {
    "mode": (str, "reference: pose of an object; pair: pose of one sensor in the frame of another; sequence: trajectory of a sensor"),
    "model": (str, "model.safetensors, or the name of a shipped model"),
    "device": (str, "where to compute: auto, cpu or cuda"),
    "reference_file": (str, "mode reference: cloud or mesh of the object, metres"),
    "max_instances": (int, "mode reference: copies of each object that are looked for"),
    "up_frame": (str, "a frame whose z axis points up, looked up in tf: poses are upright"),
    "effort": (str, "how much work a cloud of the sensor is worth: fast, normal or thorough"),
    "object_frame": (str, "mode reference: frame of the object on /tf"),
    "reference_frame": (str, "mode sequence: frame of the first cloud on /tf"),
    "base_frame": (str, "frame of crop box and ground, looked up in tf"),
    "pair_slop": (float, "mode pair: largest difference of the stamps of a pair, seconds"),
    "voxel_size": (float, "edge of the voxel filter, metres"),
    "confidence": (float, "results below it are rejected, 0 to 1"),
    "reliability": (str, "QoS of the clouds: auto, best_effort or reliable"),
}
REFUSED = 2  # exit status of a node that can't use its parameters


def share(*parts):
    return PathJoinSubstitution([FindPackageShare("pointpng"), *parts])


def when_it_ends(respawn):
    """What to do when the node ends. One that refuses its parameters would refuse them again: the launch ends, with status 1."""
    def on_exit(event, context):
        if event.returncode == 0 or context.is_shutdown:
            return
        if shutil.which("fastdds"):  # Fast DDS leaves the shared memory of a killed process behind
            subprocess.run(["fastdds", "shm", "clean"], stdout=subprocess.DEVNULL, timeout=10, check=False)
        if event.returncode == REFUSED or not respawn:
            raise RuntimeError(f"{event.process_name} ended with status {event.returncode}: see its messages above")

    return on_exit


def start(context):
    def given(name):
        return LaunchConfiguration(name).perform(context)

    chosen = {name: ParameterValue(kind(given(name)), value_type=kind)
              for name, (kind, _) in PARAMETERS.items() if given(name)}
    chosen["use_sim_time"] = given("use_sim_time").lower() == "true"
    if given("references"):
        chosen["references"] = [file.strip() for file in given("references").split(",")]
    if given("viewpoint"):
        chosen["viewpoint"] = given("viewpoint") == "true"
    respawn = given("respawn") == "true"
    nodes = [Node(
        package="pointpng_ros", executable="pose_node", name=given("name"), namespace=given("namespace"),
        output="screen", parameters=[given("config"), chosen],
        respawn=respawn, respawn_delay=float(given("respawn_delay")), on_exit=when_it_ends(respawn),
        remappings=[("cloud", given("cloud")), ("target", given("target")), ("reference", given("reference"))],
        ros_arguments=["--log-level", given("log_level")])]
    if given("rviz").lower() == "true":
        nodes.append(Node(package="rviz2", executable="rviz2", output="log", arguments=["-d", given("rviz_config")]))
    return nodes


def generate_launch_description():
    return LaunchDescription([
        *(DeclareLaunchArgument(name, default_value="", description=text + "; empty: as in the config file")
          for name, (_, text) in PARAMETERS.items()),
        DeclareLaunchArgument("references", default_value="",
                              description="mode reference: files of several objects, separated by commas"),
        DeclareLaunchArgument("viewpoint", default_value="", choices=["", "true", "false"],
                              description="the sensor is at the origin of the cloud's frame; empty: as in the config file"),
        DeclareLaunchArgument("cloud", default_value="cloud", description="topic of the clouds"),
        DeclareLaunchArgument("target", default_value="target", description="mode pair: topic of the other sensor"),
        DeclareLaunchArgument("reference", default_value="reference", description="mode reference: topic of the object"),
        DeclareLaunchArgument("config", default_value=share("config", "pose.yaml"), description="parameter file"),
        DeclareLaunchArgument("name", default_value="pose", description="name of the node"),
        DeclareLaunchArgument("namespace", default_value="", description="namespace of the node"),
        DeclareLaunchArgument("use_sim_time", default_value="false", description="follow /clock",
                              choices=["true", "false"]),
        DeclareLaunchArgument("respawn", default_value="true", choices=["true", "false"],
                              description="start the node again when it ends; not where it refuses its parameters"),
        DeclareLaunchArgument("respawn_delay", default_value="0.3", description="seconds before that"),
        DeclareLaunchArgument("log_level", default_value="info", description="least severity that is logged: debug, info, warn or error"),
        DeclareLaunchArgument("rviz", default_value="false", description="start RViz", choices=["true", "false"]),
        DeclareLaunchArgument("rviz_config", default_value=share("rviz", "pose.rviz"), description="configuration of RViz"),
        OpaqueFunction(function=start),
    ])
