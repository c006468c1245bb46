"""The probe, as a user would start it."""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, GroupAction
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node, PushRosNamespace, SetParameter
from launch_ros.substitutions import FindPackageShare


def generate_launch_description():
    return LaunchDescription([
        DeclareLaunchArgument("mode", default_value="pair", description="what the probe does",
                              choices=["reference", "pair", "sequence", "nonsense"]),
        DeclareLaunchArgument("namespace", default_value="", description="namespace of all nodes"),
        DeclareLaunchArgument("second", default_value="false", description="start a second probe"),
        DeclareLaunchArgument("size", default_value="0.25", description="voxel size, metres"),
        GroupAction([
            PushRosNamespace(LaunchConfiguration("namespace")),
            SetParameter("even", 8),
            Node(package="underlay_tests", executable="probe", name="first", output="screen",
                 parameters=[PathJoinSubstitution([FindPackageShare("underlay_tests"), "launch", "probe.yaml"]),
                             {"voxel": {"size": LaunchConfiguration("size")}, "mode": LaunchConfiguration("mode")}],
                 remappings=[("text", "words")]),
            Node(package="underlay_tests", executable="probe", name="second", output="screen",
                 condition=IfCondition(LaunchConfiguration("second"))),
        ]),
    ])
