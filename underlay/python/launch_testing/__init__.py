"""Stand-in for launch_testing: tests beside a launch that runs, and tests of what it left."""

from . import actions, asserts, markers, util
from .io_handler import ActiveIoHandler
from .proc_info_handler import ActiveProcInfoHandler
from .test_runner import post_shutdown_test

__all__ = ["ActiveIoHandler", "ActiveProcInfoHandler", "actions", "asserts", "markers", "post_shutdown_test", "util"]
