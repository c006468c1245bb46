"""Assertions about processes that have ended."""

from .io_handler import contains
from .proc_lookup import find

__all__ = ["EXIT_FORCED", "EXIT_OK", "EXIT_SIGINT", "EXIT_SIGKILL", "EXIT_SIGQUIT", "EXIT_SIGSEGV", "EXIT_SIGTERM",
           "assertExitCodes", "assertInStderr", "assertInStdout"]

EXIT_OK = 0
EXIT_FORCED = 1
EXIT_SIGINT = -2
EXIT_SIGQUIT = -3
EXIT_SIGKILL = -9
EXIT_SIGSEGV = -11
EXIT_SIGTERM = -15


def assertExitCodes(proc_info, allowable_exit_codes=(EXIT_OK,), process=None):
    for action in find(proc_info.processes(), process):
        event = proc_info[action]
        assert event.returncode in allowable_exit_codes, (
            f"process {event.process_name} exited with {event.returncode}, expected one of {list(allowable_exit_codes)}")


def assertInStdout(proc_output, expected_output, process=None):
    _assert_in(proc_output, expected_output, process, "stdout")


def assertInStderr(proc_output, expected_output, process=None):
    _assert_in(proc_output, expected_output, process, "stderr")


def _assert_in(proc_output, expected, process, stream):
    text = proc_output.text(process, stream)
    assert contains(text, expected), f"'{expected}' is not on {stream}:\n{text}"
