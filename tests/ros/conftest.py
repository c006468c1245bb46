"""Nodes as processes, and a node of rclpy beside them: a client that was not written here."""

import os
import signal
import subprocess
from pathlib import Path

import pytest
from ament_index_python.packages import get_package_prefix
from pointpng_testing import Listener


class Process:
    """Its output is in a file: a full pipe would stop it."""

    def __init__(self, log, command):
        self._log = Path(log)
        with open(self._log, "wb") as file:
            self._process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, start_new_session=True)

    @property
    def output(self):
        return self._log.read_text(errors="replace")

    def stop(self, number=signal.SIGINT, timeout=30):
        self._process.send_signal(number)
        return self.wait(timeout)

    def wait(self, timeout=60):
        return self._process.wait(timeout)

    def runs(self):
        return self._process.poll() is None

    def end(self):
        if not self.runs():
            return
        try:
            self.stop()  # a launch takes its nodes along
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


@pytest.fixture
def start(tmp_path):
    """start(command…) gives a process that ends with the test."""
    processes = []

    def start(*command):
        processes.append(Process(tmp_path / f"process{len(processes)}.log", [str(word) for word in command]))
        return processes[-1]

    yield start
    for process in processes:
        process.end()
        print(process.output)


@pytest.fixture
def start_node(start):
    """start_node("pose_node", {"mode": "pair"}, {"cloud": "/left"}): with parameters and remappings."""

    def start_node(executable, parameters=None, remappings=None):
        words = ["--ros-args"]
        for name, value in (parameters or {}).items():
            words += ["-p", f"{name}:={str(value).lower() if isinstance(value, bool) else value}"]
        for source, target in (remappings or {}).items():
            words += ["-r", f"{source}:={target}"]
        return start(Path(get_package_prefix("pointpng_ros")) / "lib" / "pointpng_ros" / executable, *words)

    return start_node


@pytest.fixture
def listener():
    made = Listener()
    yield made
    made.close()
