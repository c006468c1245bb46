"""The actions."""

from .basic import (
    AppendEnvironmentVariable,
    DeclareLaunchArgument,
    EmitEvent,
    GroupAction,
    IncludeLaunchDescription,
    LogInfo,
    OpaqueFunction,
    RegisterEventHandler,
    SetEnvironmentVariable,
    SetLaunchConfiguration,
    Shutdown,
    TimerAction,
    UnregisterEventHandler,
    UnsetEnvironmentVariable,
)
from .execute_process import ExecuteLocal, ExecuteProcess

__all__ = [
    "AppendEnvironmentVariable", "DeclareLaunchArgument", "EmitEvent", "ExecuteLocal", "ExecuteProcess", "GroupAction",
    "IncludeLaunchDescription", "LogInfo", "OpaqueFunction", "RegisterEventHandler", "SetEnvironmentVariable",
    "SetLaunchConfiguration", "Shutdown", "TimerAction", "UnregisterEventHandler", "UnsetEnvironmentVariable",
]
