"""Pre-training on a robot or from bags; a run that was stopped goes on.

    ros2 launch pointpng pretrain.launch.py data:=recording/ topic:=/points out:=runs/a minutes:=20
    ros2 launch pointpng pretrain.launch.py cloud:=/camera/points out:=runs/b
"""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction, SetEnvironmentVariable
from launch.substitutions import EnvironmentVariable, LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

# Parameters that are arguments as well, with their types: an empty one leaves what the config file says.
PARAMETERS = {
    "topic": (str, "PointCloud2 topic of bags that have several"),
    "out": (str, "folder of the run; one that holds a run already is gone on with"),
    "preset": (str, "sizes and hyperparameters: tiny, small or paper"),
    "epochs": (float, "passes over the data"),
    "minutes": (float, "train for this long instead"),
    "seed": (int, "the same seed and data give the same model"),
    "init": (str, "encoder to start from, a result of 'pointpng mae'"),
    "clouds": (int, "clouds that are collected from the topic before training"),
    "device": (str, "where to compute: auto, cpu or cuda"),
}


def start(context):
    def given(name):
        return LaunchConfiguration(name).perform(context)

    chosen = {name: ParameterValue(kind(given(name)), value_type=kind)
              for name, (kind, _) in PARAMETERS.items() if given(name)}
    if given("data"):
        chosen["data"] = given("data").split(",")
    chosen["autostart"] = given("autostart").lower() == "true"
    return [Node(
        package="pointpng_ros", executable="pretrain_node", name="pretrain", namespace=given("namespace"),
        output="screen", parameters=[given("config"), chosen], remappings=[("cloud", given("cloud"))],
        sigterm_timeout="30", sigkill_timeout="30")]  # a step is finished and saved first


def generate_launch_description():
    config = PathJoinSubstitution([FindPackageShare("pointpng"), "config", "pretrain.yaml"])
    return LaunchDescription([
        DeclareLaunchArgument("data", default_value="",
                              description="bags, folders or files, with commas between them; empty: the topic's clouds"),
        *(DeclareLaunchArgument(name, default_value="", description=text + "; empty: as in the config file")
          for name, (_, text) in PARAMETERS.items()),
        DeclareLaunchArgument("cloud", default_value="cloud", description="topic of the clouds to collect"),
        DeclareLaunchArgument("autostart", default_value="true", description="begin at once; false: wait for ~/start",
                              choices=["true", "false"]),
        DeclareLaunchArgument("config", default_value=config, description="file of parameters"),
        DeclareLaunchArgument("namespace", default_value="", description="namespace of the node"),
        # Threads that spin while they wait take the cores from everybody else.
        SetEnvironmentVariable("OMP_WAIT_POLICY", EnvironmentVariable("OMP_WAIT_POLICY", default_value="passive")),
        OpaqueFunction(function=start),
    ])
