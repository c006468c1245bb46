"""Poses from clouds: of an object in a sensor's frame, of one sensor in another's, or the trajectory of a sensor.

    ros2 launch pointpng pose.launch.py cloud:=/camera/points reference_file:=part.ply
    ros2 launch pointpng pose.launch.py mode:=pair cloud:=/left/points target:=/right/points
    ros2 launch pointpng pose.launch.py mode:=sequence cloud:=/lidar/points base_frame:=base_link
"""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch_ros.actions import Node
from pointpng_launch import chosen_parameters, given_in, parameter_arguments, share, supervision, supervision_arguments

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


def start(context):
    given = given_in(context)
    chosen = chosen_parameters(PARAMETERS, given)
    chosen["use_sim_time"] = given("use_sim_time").lower() == "true"
    if given("references"):
        chosen["references"] = [file.strip() for file in given("references").split(",")]
    if given("viewpoint"):
        chosen["viewpoint"] = given("viewpoint") == "true"
    nodes = [Node(
        package="pointpng_ros", executable="pose_node", name=given("name"), namespace=given("namespace"),
        output="screen", parameters=[given("config"), chosen], **supervision(given),
        remappings=[("cloud", given("cloud")), ("target", given("target")), ("reference", given("reference"))],
        ros_arguments=["--log-level", given("log_level")])]
    if given("rviz").lower() == "true":
        nodes.append(Node(package="rviz2", executable="rviz2", output="log", arguments=["-d", given("rviz_config")]))
    return nodes


def generate_launch_description():
    return LaunchDescription([
        *parameter_arguments(PARAMETERS),
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
        *supervision_arguments(),
        DeclareLaunchArgument("log_level", default_value="info", description="least severity that is logged: debug, info, warn or error"),
        DeclareLaunchArgument("rviz", default_value="false", description="start RViz", choices=["true", "false"]),
        DeclareLaunchArgument("rviz_config", default_value=share("rviz", "pose.rviz"), description="configuration of RViz"),
        OpaqueFunction(function=start),
    ])
