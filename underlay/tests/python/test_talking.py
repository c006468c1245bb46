"""Topics, services, time and tf of a C++ node, with rclpy on the other side."""

import time

import numpy as np
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from rclpy.parameter_client import AsyncParameterClient
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import PointCloud2, PointField
from std_msgs.msg import Int64, String
from std_srvs.srv import SetBool, Trigger
from tf2_msgs.msg import TFMessage


def cloud_of(points):
    names = ("x", "y", "z", "intensity")
    fields = [PointField(name=name, offset=4 * i, datatype=PointField.FLOAT32, count=1) for i, name in enumerate(names)]
    message = PointCloud2(height=1, width=points, fields=fields, point_step=16, row_step=16 * points, is_dense=True)
    message.header.frame_id = "camera"
    message.header.stamp.sec = 5
    message.data = np.zeros(16 * points, np.uint8).tobytes()
    return message


def test_text_comes_back(start_probe, node, spin_until):
    start_probe()
    heard = []
    node.create_subscription(String, "echo", heard.append, 10)
    publisher = node.create_publisher(String, "text", 10)
    spin_until(lambda: publisher.get_subscription_count() and node.count_publishers("echo"))
    spin_until(lambda: heard, meanwhile=lambda: publisher.publish(String(data="grüezi")))
    assert heard[0].data == "grüezi"


def test_a_latecomer_hears_what_was_latched(start_probe, node, spin_until):
    start_probe()
    heard = []
    node.create_subscription(String, "/probe/latched", heard.append,
                             QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL))
    spin_until(lambda: heard)
    assert heard[0].data == "for those who come later"


def test_large_clouds_arrive_and_their_transform_leaves(start_probe, node, spin_until):
    start_probe()
    counts, transforms = [], []
    node.create_subscription(Int64, "points", lambda message: counts.append(message.data), 10)
    node.create_subscription(TFMessage, "/tf", lambda message: transforms.extend(message.transforms), 10)
    publisher = node.create_publisher(PointCloud2, "cloud", qos_profile_sensor_data)
    spin_until(lambda: publisher.get_subscription_count() and node.count_publishers("points"))
    cloud = cloud_of(300_000)
    sent = 0
    for _ in range(20):
        publisher.publish(cloud)
        sent += 1
        end = time.monotonic() + 0.1
        spin_until(lambda: time.monotonic() > end)
    spin_until(lambda: len(counts) >= sent - 2)
    assert set(counts) == {300_000}
    assert transforms[0].header.frame_id == "camera" and transforms[0].child_frame_id == "object"


def test_services_answer(start_probe, call):
    start_probe()
    answer = call(SetBool, "/probe/flip", SetBool.Request(data=True))
    assert (answer.success, answer.message) == (False, "was true")


def test_a_cpp_client_calls_a_python_service(start_probe, node, call):
    start_probe()

    def answer(request, response):
        response.message = "from Python"
        return response

    node.create_service(Trigger, "remote", answer)
    assert call(Trigger, "/probe/relay").message == "from Python"


def test_a_slow_service_does_not_delay_parameters(start_probe, node, spin_until):
    start_probe()
    slow = node.create_client(Trigger, "/probe/slow")
    parameters = AsyncParameterClient(node, "/probe")
    assert slow.wait_for_service(20) and parameters.wait_for_services(20)
    slow_answer = slow.call_async(Trigger.Request())
    time.sleep(0.2)
    longest = 0.0
    while not slow_answer.done():
        start = time.monotonic()
        future = parameters.get_parameters(["mode"])
        spin_until(future.done)
        longest = max(longest, time.monotonic() - start)
    assert longest < 1.0


def test_simulated_time_drives_its_timer(start_probe, node, spin_until):
    start_probe("-p", "use_sim_time:=true")
    ticks = []
    node.create_subscription(Int64, "/probe/ticks", lambda message: ticks.append(message.data), 10)
    clock = node.create_publisher(Clock, "/clock", 10)
    spin_until(lambda: clock.get_subscription_count() and node.count_publishers("/probe/ticks"))
    assert not ticks
    now = [100.0]

    def advance():
        now[0] += 0.05
        message = Clock()
        message.clock.sec, message.clock.nanosec = int(now[0]), int(now[0] % 1 * 1e9)
        clock.publish(message)

    spin_until(lambda: len(ticks) > 5, meanwhile=advance)
    assert 100e9 < ticks[-1] <= now[0] * 1e9


def test_names_follow_namespace_and_remapping(start_probe, node, spin_until):
    start_probe("-r", "__ns:=/robot", "-r", "__node:=eye", "-r", "text:=words", "-r", "/robot/eye/flip:=/flip")
    topics = lambda: {name for name, _ in node.get_topic_names_and_types()}  # noqa: E731
    spin_until(lambda: {"/robot/words", "/robot/echo", "/robot/eye/ticks"} <= topics())
    assert "/robot/text" not in topics()
    spin_until(lambda: ("eye", "/robot") in node.get_node_names_and_namespaces())
    spin_until(lambda: "/flip" in {name for name, _ in node.get_service_names_and_types()})
