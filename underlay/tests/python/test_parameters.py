"""Parameters of a C++ node, through rclpy's own client."""

import pytest
from rcl_interfaces.msg import ParameterEvent, ParameterType
from rclpy.parameter import Parameter
from rclpy.parameter_client import AsyncParameterClient


@pytest.fixture
def client(start_probe, node):
    start_probe()
    made = AsyncParameterClient(node, "/probe")
    assert made.wait_for_services(20)
    return made


@pytest.fixture
def wait(spin_until):
    def wait(future):
        spin_until(future.done)
        return future.result()

    return wait


def test_are_listed(client, wait):
    names = wait(client.list_parameters([], 0)).result.names
    assert {"device", "even", "mode", "topics", "use_sim_time", "voxel.size", "weights"} <= set(names)
    assert wait(client.list_parameters(["voxel"], 1)).result.names == ["voxel.size"]


def test_are_described(client, wait):
    size, even, device = wait(client.describe_parameters(["voxel.size", "even", "device"])).descriptors
    assert (size.type, size.description) == (ParameterType.PARAMETER_DOUBLE, "points a cell")
    assert (size.floating_point_range[0].from_value, size.floating_point_range[0].to_value) == (0.0, 1.0)
    assert (even.integer_range[0].to_value, even.integer_range[0].step) == (10, 2)
    assert device.read_only


def test_are_got(client, wait):
    topics, weights = wait(client.get_parameters(["topics", "weights"])).values
    assert topics.string_array_value == ["a", "b"]
    assert list(weights.double_array_value) == [1.0, 2.0]
    types = wait(client.get_parameter_types(["even", "mode"])).types
    assert list(types) == [ParameterType.PARAMETER_INTEGER, ParameterType.PARAMETER_STRING]
    assert len(wait(client.get_parameters(["nobody"])).values) == 0


def test_are_set_or_refused_with_a_reason(client, wait):
    wanted = [Parameter("mode", value="pair"), Parameter("mode", value="nonsense"), Parameter("voxel.size", value=2.0),
              Parameter("even", value=3), Parameter("device", value="gpu"), Parameter("mode", value=1),
              Parameter("nobody", value=1)]
    results = wait(client.set_parameters(wanted)).results
    assert [result.successful for result in results] == [True] + 6 * [False]
    reasons = [result.reason for result in results]
    assert reasons[1] == "mode must be reference, pair or sequence"
    assert "range" in reasons[2] and "range" in reasons[3]
    assert "read-only" in reasons[4] and "type" in reasons[5] and "declared" in reasons[6]
    assert wait(client.get_parameters(["mode"])).values[0].string_value == "pair"


def test_are_set_all_or_none(client, wait):
    wanted = [Parameter("mode", value="sequence"), Parameter("even", value=3)]
    assert not wait(client.set_parameters_atomically(wanted)).result.successful
    assert wait(client.get_parameters(["mode"])).values[0].string_value == "reference"


def test_changes_are_published(client, wait, node, spin_until):
    events = []
    node.create_subscription(ParameterEvent, "/parameter_events", events.append, 100)
    spin_until(lambda: node.count_publishers("/parameter_events") >= 2)

    def changed():
        return any(event.node == "/probe" and event.changed_parameters for event in events)

    spin_until(changed, meanwhile=lambda: client.set_parameters([Parameter("mode", value="pair")]))
