"""Pre-training on a robot or from bags; an existing run is resumed.

    ros2 launch pointpng pretrain.launch.py data:=recording/ topic:=/points out:=runs/a minutes:=20
    ros2 launch pointpng pretrain.launch.py cloud:=/camera/points out:=runs/b
"""

from pathlib import Path

from ament_index_python.packages import get_package_prefix
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction, SetEnvironmentVariable
from launch.substitutions import EnvironmentVariable
from launch_ros.actions import Node
from pointpng_launch import chosen_parameters, given_in, parameter_arguments, share, supervision, supervision_arguments

# Parameters that are arguments as well, with their types: an empty one leaves what the config file says.
PARAMETERS = {
    "topic": (str, "PointCloud2 topic of bags that have several"),
    "out": (str, "folder of the run; an existing run is resumed"),
    "preset": (str, "sizes and hyperparameters: tiny, small or paper"),
    "epochs": (float, "passes over the data"),
    "minutes": (float, "training time instead of epochs"),
    "seed": (int, "the same seed and data give the same model"),
    "init": (str, "encoder to start from, made by 'pointpng mae'"),
    "clouds": (int, "clouds to collect from the topic before training"),
    "device": (str, "where to compute: auto, cpu or cuda"),
}


def start(context):
    given = given_in(context)
    if not Path(get_package_prefix("pointpng_ros"), "lib", "pointpng_ros", "pretrain_node").exists():
        raise RuntimeError("pointpng was built without LibTorch, so it can't train: see 'On a robot' in the README")
    chosen = chosen_parameters(PARAMETERS, given)
    if given("data"):
        chosen["data"] = given("data").split(",")
    chosen["autostart"] = given("autostart").lower() == "true"
    return [Node(
        package="pointpng_ros", executable="pretrain_node", name="pretrain", namespace=given("namespace"),
        output="screen", parameters=[given("config"), chosen], remappings=[("cloud", given("cloud"))],
        **supervision(given), sigterm_timeout="30", sigkill_timeout="30")]  # a step is finished and saved first


def generate_launch_description():
    return LaunchDescription([
        DeclareLaunchArgument("data", default_value="",
                              description="bags, folders or files, separated by commas; empty: clouds of the topic"),
        *parameter_arguments(PARAMETERS),
        DeclareLaunchArgument("cloud", default_value="cloud", description="topic of the clouds to collect"),
        DeclareLaunchArgument("autostart", default_value="true", description="start at once; false: wait for ~/start",
                              choices=["true", "false"]),
        DeclareLaunchArgument("config", default_value=share("config", "pretrain.yaml"), description="parameter file"),
        DeclareLaunchArgument("namespace", default_value="", description="namespace of the node"),
        *supervision_arguments(),
        # LibTorch's OpenMP threads would spin while they wait and take the cores from other programs.
        SetEnvironmentVariable("OMP_WAIT_POLICY", EnvironmentVariable("OMP_WAIT_POLICY", default_value="passive")),
        OpaqueFunction(function=start),
    ])
