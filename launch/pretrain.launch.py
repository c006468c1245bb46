"""Pre-training on a robot or from bags; an existing run is resumed.

    ros2 launch pointpng pretrain.launch.py data:=recording/ topic:=/points out:=runs/a minutes:=20
    ros2 launch pointpng pretrain.launch.py cloud:=/camera/points out:=runs/b
"""

import shutil
import subprocess
from pathlib import Path

from ament_index_python.packages import get_package_prefix
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction, SetEnvironmentVariable
from launch.substitutions import EnvironmentVariable, LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

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
REFUSED = 2  # exit status of a node that can't use its parameters


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

    if not Path(get_package_prefix("pointpng_ros"), "lib", "pointpng_ros", "pretrain_node").exists():
        raise RuntimeError("pointpng was built without LibTorch, so it can't train: see 'On a robot' in the README")
    chosen = {name: ParameterValue(kind(given(name)), value_type=kind)
              for name, (kind, _) in PARAMETERS.items() if given(name)}
    if given("data"):
        chosen["data"] = given("data").split(",")
    chosen["autostart"] = given("autostart").lower() == "true"
    respawn = given("respawn") == "true"
    return [Node(
        package="pointpng_ros", executable="pretrain_node", name="pretrain", namespace=given("namespace"),
        output="screen", parameters=[given("config"), chosen], remappings=[("cloud", given("cloud"))],
        respawn=respawn, respawn_delay=float(given("respawn_delay")), on_exit=when_it_ends(respawn),
        sigterm_timeout="30", sigkill_timeout="30")]  # a step is finished and saved first


def generate_launch_description():
    config = PathJoinSubstitution([FindPackageShare("pointpng"), "config", "pretrain.yaml"])
    return LaunchDescription([
        DeclareLaunchArgument("data", default_value="",
                              description="bags, folders or files, separated by commas; empty: clouds of the topic"),
        *(DeclareLaunchArgument(name, default_value="", description=text + "; empty: as in the config file")
          for name, (_, text) in PARAMETERS.items()),
        DeclareLaunchArgument("cloud", default_value="cloud", description="topic of the clouds to collect"),
        DeclareLaunchArgument("autostart", default_value="true", description="start at once; false: wait for ~/start",
                              choices=["true", "false"]),
        DeclareLaunchArgument("config", default_value=config, description="parameter file"),
        DeclareLaunchArgument("namespace", default_value="", description="namespace of the node"),
        DeclareLaunchArgument("respawn", default_value="true", choices=["true", "false"],
                              description="start the node again when it ends; not where it refuses its parameters"),
        DeclareLaunchArgument("respawn_delay", default_value="0.3", description="seconds before that"),
        # LibTorch's OpenMP threads would spin while they wait and take the cores from other programs.
        SetEnvironmentVariable("OMP_WAIT_POLICY", EnvironmentVariable("OMP_WAIT_POLICY", default_value="passive")),
        OpaqueFunction(function=start),
    ])
