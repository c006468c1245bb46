"""Nodes end cleanly, and wrong parameters stop them with a sentence."""

import signal
import subprocess
import time

import pytest
from conftest import probe_path
from std_srvs.srv import Trigger


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_node_cleanly(start_probe, number):
    probe = start_probe()
    start = time.monotonic()
    assert probe.stop(number) == 0, probe.output
    assert time.monotonic() - start < 5.0
    assert "ERROR" not in probe.output and "terminate" not in probe.output


def test_a_signal_in_a_long_callback_waits_for_its_end(start_probe, node):
    probe = start_probe()
    client = node.create_client(Trigger, "/probe/slow")
    assert client.wait_for_service(20)
    client.call_async(Trigger.Request())
    time.sleep(0.5)
    assert probe.stop(signal.SIGINT) == 0, probe.output


@pytest.mark.parametrize("arguments, expected", [
    (("-p", "voxel.size:=7.0"), "voxel.size"),
    (("-p", "mode:=5"), "mode"),
    (("--no-such-option",), "no-such-option"),
    (("--params-file", "/does/not/exist.yaml"), "exist"),
])
def test_wrong_arguments_stop_the_start(arguments, expected):
    done = subprocess.run([probe_path(), "--ros-args", *arguments], capture_output=True, text=True, timeout=20)
    assert done.returncode != 0
    assert expected in done.stderr
