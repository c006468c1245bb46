"""Poses of clouds: an object's in a sensor's frame, one sensor's in another's, or a sensor's way.

    ros2 launch pointpng pose.launch.py cloud:=/camera/points reference_file:=part.ply
    ros2 launch pointpng pose.launch.py mode:=pair cloud:=/left/points target:=/right/points
    ros2 launch pointpng pose.launch.py mode:=sequence cloud:=/lidar/points base_frame:=base_link
"""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction, SetEnvironmentVariable
from launch.substitutions import EnvironmentVariable, LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

# Parameters that are arguments as well, with their types: an empty one leaves what the config file says.
PARAMETERS = {
    "mode": (str, "reference: an object's pose; pair: one sensor in the other; sequence: where a sensor goes"),
    "model": (str, "model.safetensors, or the name of an installed model"),
    "device": (str, "where to compute: auto, cpu or cuda"),
    "reference_file": (str, "mode reference: cloud or mesh of the object, metres"),
    "object_frame": (str, "mode reference: frame of the object on /tf"),
    "reference_frame": (str, "mode sequence: frame of the first cloud on /tf"),
    "base_frame": (str, "frame of crop box and ground, looked up in tf"),
    "pair_slop": (float, "mode pair: stamps of a pair differ by at most this, seconds"),
    "voxel_size": (float, "one point for each cube of this edge, metres"),
    "confidence": (float, "results below it are rejected, 0 to 1"),
    "reliability": (str, "how clouds are taken: auto, best_effort or reliable"),
}


def share(*parts):
    return PathJoinSubstitution([FindPackageShare("pointpng"), *parts])


def start(context):
    def given(name):
        return LaunchConfiguration(name).perform(context)

    chosen = {name: ParameterValue(kind(given(name)), value_type=kind)
              for name, (kind, _) in PARAMETERS.items() if given(name)}
    chosen["use_sim_time"] = given("use_sim_time").lower() == "true"
    nodes = [Node(
        package="pointpng_ros", executable="pose_node", name=given("name"), namespace=given("namespace"),
        output="screen", parameters=[given("config"), chosen],
        remappings=[("cloud", given("cloud")), ("target", given("target")), ("reference", given("reference"))],
        ros_arguments=["--log-level", given("log_level")])]
    if given("rviz").lower() == "true":
        nodes.append(Node(package="rviz2", executable="rviz2", output="log", arguments=["-d", given("rviz_config")]))
    return nodes


def generate_launch_description():
    return LaunchDescription([
        *(DeclareLaunchArgument(name, default_value="", description=text + "; empty: as in the config file")
          for name, (_, text) in PARAMETERS.items()),
        DeclareLaunchArgument("cloud", default_value="cloud", description="topic of the clouds"),
        DeclareLaunchArgument("target", default_value="target", description="mode pair: topic of the other sensor"),
        DeclareLaunchArgument("reference", default_value="reference", description="mode reference: topic of the object"),
        DeclareLaunchArgument("config", default_value=share("config", "pose.yaml"), description="file of parameters"),
        DeclareLaunchArgument("name", default_value="pose", description="name of the node"),
        DeclareLaunchArgument("namespace", default_value="", description="namespace of the node"),
        DeclareLaunchArgument("use_sim_time", default_value="false", description="follow /clock",
                              choices=["true", "false"]),
        DeclareLaunchArgument("log_level", default_value="info", description="what is logged: debug, info, warn, error"),
        DeclareLaunchArgument("rviz", default_value="false", description="start RViz", choices=["true", "false"]),
        DeclareLaunchArgument("rviz_config", default_value=share("rviz", "pose.rviz"), description="what RViz shows"),
        # Threads that spin while they wait take the cores from everybody else.
        SetEnvironmentVariable("OMP_WAIT_POLICY", EnvironmentVariable("OMP_WAIT_POLICY", default_value="passive")),
        OpaqueFunction(function=start),
    ])
