"""What the launch files of pointpng share: arguments that set parameters, and what happens when a node ends."""

import shutil
import subprocess

from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

REFUSED = 2  # exit status of a node that can't use its parameters


def share(*parts):
    """A file of the package pointpng."""
    return PathJoinSubstitution([FindPackageShare("pointpng"), *parts])


def given_in(context):
    """given(name): the text of an argument."""
    return lambda name: LaunchConfiguration(name).perform(context)


def parameter_arguments(parameters):
    """Arguments that are parameters of the node, from {name: (type, description)}."""
    return [DeclareLaunchArgument(name, default_value="", description=text + "; empty: as in the config file")
            for name, (_, text) in parameters.items()]


def chosen_parameters(parameters, given):
    """Those of them that are given, with their types."""
    return {name: ParameterValue(kind(given(name)), value_type=kind) for name, (kind, _) in parameters.items() if given(name)}


def supervision_arguments():
    return [
        DeclareLaunchArgument("respawn", default_value="true", choices=["true", "false"],
                              description="start the node again when it ends; not where it refuses its parameters"),
        DeclareLaunchArgument("respawn_delay", default_value="0.3", description="seconds before that"),
    ]


def supervision(given):
    """What a `Node` needs to be started again, as the arguments say."""
    respawn = given("respawn") == "true"
    return {"respawn": respawn, "respawn_delay": float(given("respawn_delay")), "on_exit": when_it_ends(respawn)}


def when_it_ends(respawn):
    """What to do when the node ends. One that refuses its parameters would refuse them again: the launch ends, with status 1."""
    def on_exit(event, context):
        if event.returncode == 0 or context.is_shutdown:
            return
        end = RuntimeError(f"{event.process_name} ended with status {event.returncode}: see its messages above")
        if event.returncode == REFUSED:
            raise end  # first of all: launch would start the node again while this function is busy
        if shutil.which("fastdds"):  # Fast DDS leaves the shared memory of a killed process behind
            subprocess.run(["fastdds", "shm", "clean"], stdout=subprocess.DEVNULL, timeout=10, check=False)
        if not respawn:
            raise end

    return on_exit
