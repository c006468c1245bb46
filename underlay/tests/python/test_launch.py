"""ros2 launch, ros2 param and launch_test, as a user calls them."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest
from ament_index_python.packages import get_package_share_directory


def ros2(*arguments, timeout=30):
    return subprocess.run(["ros2", *arguments], capture_output=True, text=True, timeout=timeout)


def lists(line, *arguments, timeout=60):
    """Whether a command prints that line, at the latest when a busy machine has discovered everything."""
    end = time.monotonic() + timeout
    while line not in ros2(*arguments).stdout.splitlines():
        if time.monotonic() > end:
            return False
    return True


class Launch:
    def __init__(self, log, *arguments):
        self.log = log
        with open(log, "wb") as file:
            self.process = subprocess.Popen(["ros2", "launch", *arguments], stdout=file, stderr=subprocess.STDOUT)

    def wait_for(self, text, timeout=30):
        end = time.monotonic() + timeout
        while text not in self.log.read_text():
            assert self.process.poll() is None and time.monotonic() < end, self.log.read_text()
            time.sleep(0.05)

    def stop(self, number=signal.SIGINT):
        self.process.send_signal(number)
        return self.process.wait(timeout=20)


@pytest.fixture
def launch(tmp_path):
    launches = []

    def start(*arguments):
        launches.append(Launch(tmp_path / f"launch{len(launches)}.log", *arguments))
        return launches[-1]

    yield start
    for each in launches:
        if each.process.poll() is None:
            each.stop(signal.SIGTERM)


LAUNCH_FILE = """\
import sys
from launch import *
from launch.actions import *
from launch.conditions import *
from launch.event_handlers import *
from launch.substitutions import *
from launch_ros.actions import *


def say(text, **more):
    return ExecuteProcess(cmd=[sys.executable, "-c", f"print({text!r})"], output="screen", **more)


def generate_launch_description():
    return LaunchDescription([
ACTIONS
    ])
"""


@pytest.fixture
def launch_file(tmp_path):
    def write(actions):
        path = tmp_path / "it.launch.py"
        path.write_text(LAUNCH_FILE.replace("ACTIONS", textwrap.dedent(actions).strip()))
        return str(path)

    return write


def test_arguments_are_shown():
    shown = ros2("launch", "underlay_tests", "probe.launch.py", "--show-args")
    assert shown.returncode == 0, shown.stderr
    assert "'mode':\n        what the probe does" in shown.stdout
    assert "Valid choices are: ['reference', 'pair', 'sequence', 'nonsense']" in shown.stdout
    assert "(default: 'pair')" in shown.stdout


def test_nobody_has_to_read_it_all():
    for unbuffered in ("", "1"):  # the pipe breaks at the end or in the middle
        reader, writer = os.pipe()
        os.close(reader)
        shown = subprocess.run(["ros2", "launch", "underlay_tests", "probe.launch.py", "--show-args"], stdout=writer,
                               stderr=subprocess.PIPE, text=True, timeout=60, env={**os.environ, "PYTHONUNBUFFERED": unbuffered})
        os.close(writer)
        assert shown.stderr == ""


def test_a_launch_file_with_arguments_runs_and_stops_with_ctrl_c(launch):
    running = launch("underlay_tests", "probe.launch.py", "mode:=sequence", "second:=true", "namespace:=a")
    running.wait_for("[probe-1]")
    running.wait_for("[probe-2]")
    got = ros2("param", "get", "/a/first", "mode")
    assert got.stdout == "String value is: sequence\n", got.stderr
    assert ros2("param", "set", "/a/first", "voxel.size", "0.75").returncode == 0
    assert ros2("param", "get", "/a/first", "voxel.size").stdout == "Double value is: 0.75\n"
    refused = ros2("param", "set", "/a/first", "voxel.size", "3.0")
    assert refused.returncode == 1 and "range" in refused.stderr
    assert "  weights" in ros2("param", "list", "/a/first").stdout
    assert running.stop() == 0, running.log.read_text()
    assert running.log.read_text().count("process has finished cleanly") == 2


def test_the_command_line_sees_a_running_node(launch):
    launch("underlay_tests", "probe.launch.py").wait_for("ready")
    assert lists("/first", "node", "list")
    assert lists("/first/ticks [std_msgs/msg/Int64]", "topic", "list", "-t")
    echoed = ros2("topic", "echo", "/first/latched", "--once")
    assert echoed.stdout == "{data: for those who come later}\n---\n", echoed.stderr
    called = ros2("service", "call", "/first/flip", "std_srvs/srv/SetBool", "{data: true}")
    assert called.stdout == "{success: false, message: was true}\n", called.stderr
    assert "read_only: true" in ros2("param", "describe", "/first", "device").stdout
    assert "device: from file" in ros2("param", "dump", "/first").stdout
    missing = ros2("topic", "echo", "/first/latched", "no/such/Type", "--once")
    assert missing.returncode == 1 and "no/such/Type" in missing.stderr


def test_sigterm_stops_a_launch_as_well(launch):
    running = launch("underlay_tests", "probe.launch.py")
    running.wait_for("ready")
    assert running.stop(signal.SIGTERM) == 0
    assert "process has finished cleanly" in running.log.read_text()


def test_a_process_that_ignores_sigint_is_ended_by_force(launch, launch_file):
    script = "import signal, time; signal.signal(2, signal.SIG_IGN); print('deaf', flush=True); time.sleep(60)"
    running = launch(launch_file(
        f"ExecuteProcess(cmd=[sys.executable, '-c', {script!r}], output='screen', sigterm_timeout=0.5)"))
    running.wait_for("deaf")
    start = time.monotonic()
    running.stop()
    assert time.monotonic() - start < 10


@pytest.mark.parametrize("arguments, expected", [
    (("underlay_tests", "probe.launch.py", "mode:=wrong"), "not valid"),
    (("underlay_tests", "nothing.launch.py"), "probe.launch.py"),
    (("no_such_package", "x.launch.py"), "no_such_package"),
    (("underlay_tests", "probe.launch.py", "malformed"), "malformed"),
])
def test_wrong_calls_are_refused(arguments, expected):
    refused = ros2("launch", *arguments)
    assert refused.returncode != 0
    assert expected in refused.stdout + refused.stderr


def run(path, *arguments):
    return subprocess.run(["ros2", "launch", path, *arguments], capture_output=True, text=True, timeout=30)


def test_conditions_groups_and_expressions(launch_file):
    path = launch_file("""
        DeclareLaunchArgument('on', default_value='true'), DeclareLaunchArgument('n', default_value='2'),
        say('IF', condition=IfCondition(LaunchConfiguration('on'))),
        say('UNLESS', condition=UnlessCondition(LaunchConfiguration('on'))),
        GroupAction([SetLaunchConfiguration('n', '5'), LogInfo(msg=['inside ', LaunchConfiguration('n')])]),
        LogInfo(msg=['outside ', LaunchConfiguration('n')]),
        LogInfo(msg=['sum ', PythonExpression([LaunchConfiguration('n'), ' + 1'])]),
        OpaqueFunction(function=lambda context: [LogInfo(msg='opaque ' + context.launch_configurations['n'])]),
    """)
    done = run(path, "n:=7")
    assert done.returncode == 0
    for text in ("] IF", "inside 5", "outside 7", "sum 8", "opaque 7"):
        assert text in done.stdout
    assert "UNLESS" not in done.stdout
    off = run(path, "on:=false")
    assert "] IF" not in off.stdout and "UNLESS" in off.stdout


def test_events_follow_each_other(launch_file):
    done = run(launch_file("""
        *(lambda first: [first, RegisterEventHandler(OnProcessExit(target_action=first, on_exit=[say('SECOND')]))])(say('FIRST')),
        TimerAction(period=0.2, actions=[say('LATER', on_exit=Shutdown(reason='all said'))]),
        RegisterEventHandler(OnShutdown(on_shutdown=[LogInfo(msg='going down')])),
        ExecuteProcess(cmd=['sleep', '60']),
    """))
    assert done.returncode == 0, done.stderr
    for text in ("] FIRST", "] SECOND", "] LATER", "going down"):
        assert text in done.stdout
    assert done.stdout.index("] FIRST") < done.stdout.index("] SECOND")


def test_a_process_is_respawned(launch_file):
    done = run(launch_file("""
        say('AGAIN', respawn=True, respawn_delay=0.1), TimerAction(period=2.0, actions=[Shutdown()])
    """))
    assert done.stdout.count("] AGAIN") >= 2


def test_a_failing_exit_handler_ends_the_launch_with_1(launch_file):
    done = run(launch_file("""
        ExecuteProcess(cmd=['sleep', '60']),
        say('ONCE', respawn=True, respawn_delay=0.5, on_exit=lambda event, context: 1 / event.returncode),
    """))
    assert done.returncode == 1
    assert "division by zero" in done.stderr
    assert done.stdout.count("] ONCE") == 1


def test_an_error_in_a_launch_file_ends_with_1(launch_file):
    assert run(launch_file("LogInfo(msg=LaunchConfiguration('nobody'))")).returncode == 1
    assert "nobody" in run(launch_file("LogInfo(msg=LaunchConfiguration('nobody'))")).stderr


def test_what_is_left_out_is_refused():
    with pytest.raises(ImportError):
        from launch_ros.actions import ComposableNodeContainer  # noqa: F401


def test_launch_test_reports_failures(tmp_path):
    share = get_package_share_directory("underlay_tests")
    passing = subprocess.run(["launch_test", os.path.join(share, "launch", "probe.test.py")],
                             capture_output=True, text=True, timeout=60)
    assert passing.returncode == 0, passing.stdout + passing.stderr
    failing = tmp_path / "failing.test.py"
    failing.write_text(textwrap.dedent("""\
        import unittest, launch, launch.actions, launch_testing.actions, launch_testing.asserts, sys

        def generate_test_description():
            crash = launch.actions.ExecuteProcess(cmd=[sys.executable, "-c", "raise SystemExit(3)"])
            return launch.LaunchDescription([crash, launch_testing.actions.ReadyToTest()]), {"crash": crash}

        class TestIt(unittest.TestCase):
            def test_it_ends(self, proc_info, crash):
                proc_info.assertWaitForShutdown(crash, timeout=10)

        @launch_testing.post_shutdown_test()
        class TestAfter(unittest.TestCase):
            def test_exit_codes(self, proc_info):
                launch_testing.asserts.assertExitCodes(proc_info)
        """))
    junit = tmp_path / "result.xml"
    done = subprocess.run([sys.executable, "-m", "launch_testing.launch_test", str(failing), f"--junit-xml={junit}"],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "exited with 3" in done.stderr
    assert 'failures="1"' in junit.read_text() and 'tests="2"' in junit.read_text()
