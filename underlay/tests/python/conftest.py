"""A probe that runs, and a node of rclpy beside it: clients that were not written here."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
import rclpy
from ament_index_python.packages import get_package_prefix


def probe_path():
    return str(Path(get_package_prefix("underlay_tests")) / "lib" / "underlay_tests" / "probe")


class Probe:
    """A process of the probe. Its output is in a file: a full pipe would stop it."""

    def __init__(self, log, *arguments):
        self._log = Path(log)
        with open(self._log, "wb") as file:
            self.process = subprocess.Popen(
                [probe_path(), "--ros-args", *arguments], stdout=file, stderr=subprocess.STDOUT, start_new_session=True)

    @property
    def output(self):
        return self._log.read_text(errors="replace")

    def wait_for(self, text, timeout=20.0):
        end = time.monotonic() + timeout
        while text not in self.output:
            assert self.process.poll() is None and time.monotonic() < end, f"no '{text}' in:\n{self.output}"
            time.sleep(0.02)

    def stop(self, number=signal.SIGINT):
        self.process.send_signal(number)
        return self.process.wait(timeout=10)


@pytest.fixture
def start_probe(tmp_path):
    probes = []

    def start(*arguments):
        probes.append(Probe(tmp_path / f"probe{len(probes)}.log", *arguments))
        probes[-1].wait_for("ready")
        return probes[-1]

    yield start
    for probe in probes:
        if probe.process.poll() is None:
            os.killpg(probe.process.pid, signal.SIGKILL)
            probe.process.wait()


@pytest.fixture
def node():
    rclpy.init()
    made = rclpy.create_node("tester")
    yield made
    made.destroy_node()
    rclpy.shutdown()


@pytest.fixture
def spin_until(node):
    def spin(condition, timeout=20.0, meanwhile=lambda: None):
        end = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < end, "nothing came in time"
            meanwhile()
            rclpy.spin_once(node, timeout_sec=0.05)

    return spin


@pytest.fixture
def call(node):
    """Calls a service and returns its answer."""

    def call(service_type, name, request=None, timeout=20.0):
        client = node.create_client(service_type, name)
        assert client.wait_for_service(timeout_sec=timeout), f"no service {name}"
        # A service may know its caller later than the caller knows it: an answer that is lost then is asked for again.
        for _ in range(3):
            future = client.call_async(request or service_type.Request())
            rclpy.spin_until_future_complete(node, future, timeout_sec=timeout / 2)
            if future.done():
                return future.result()
        raise AssertionError(f"{name} does not answer")

    return call
