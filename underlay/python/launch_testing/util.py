"""Helpers of launch tests."""

import sys

from launch.actions import ExecuteProcess

__all__ = ["KeepAliveProc"]


class KeepAliveProc(ExecuteProcess):
    """Does nothing, so that a launch does not end for want of processes."""

    def __init__(self):
        script = "import signal; signal.signal(signal.SIGINT, signal.SIG_DFL); signal.pause()"
        super().__init__(cmd=[sys.executable, "-c", script], name="keep_alive")
