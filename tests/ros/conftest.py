"""Nodes as processes, with an rclpy node as an independent client."""

import pytest
from pointpng_testing import Listener, Process, node_command


@pytest.fixture
def start(tmp_path):
    """start(command…) starts a process that ends with the test."""
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
    return lambda *node: start(*node_command(*node))


@pytest.fixture
def listener():
    made = Listener()
    yield made
    made.close()
