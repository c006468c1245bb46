"""What a robot does to a pose node, by rclpy: pairs, services, broken clouds, restarts, time that jumps, foreign bags."""

import time
from pathlib import Path

import numpy as np
import pytest
from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from geometry_msgs.msg import Quaternion, TransformStamped, Vector3
from pointpng_msgs.msg import Embedding
from pointpng_msgs.srv import Align, SetReference
from pointpng_testing import (
    HAS_TRAINING, LATCHED, MISSING_PART, chair, cloud_message, degrees_between, matrix_of, motion, moved, quaternion_of, stamp_of,
    write_bag)
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import PointCloud2
from tf2_msgs.msg import TFMessage

FOUND = ("camera", "object")
POSE = motion((1, 2, 3), 70, (0.1, -0.2, 1.2))


@pytest.fixture
def chair_file(tmp_path):
    np.savetxt(tmp_path / "chair.xyz", chair(4000))
    return tmp_path / "chair.xyz"


@pytest.fixture
def reference_node(start_node, listener, chair_file):
    """A pose node that knows the chair, with a publisher of clouds and served(message), which gives its answer."""
    listener.process = start_node("pose_node", {"reference_file": chair_file})
    clouds = listener.publisher("/cloud")

    def served(message):
        stamp = stamp_of(message.header.stamp)
        answers = lambda: [a for a in listener.alignments if stamp_of(a.header.stamp) == stamp]  # noqa: E731
        listener.spin_until(answers, meanwhile=lambda: clouds.publish(message), every=2.0)
        return answers()[0]

    listener.served = served
    listener.clouds = clouds
    return listener


def send_static_transform(listener, parent, child, matrix):
    x, y, z, w = quaternion_of(matrix)
    transform = TransformStamped(child_frame_id=child)
    transform.header.frame_id = parent
    transform.transform.rotation = Quaternion(x=x, y=y, z=z, w=w)
    transform.transform.translation = Vector3(**dict(zip("xyz", map(float, matrix[:3, 3]))))
    listener.node.create_publisher(TFMessage, "/tf_static", LATCHED).publish(TFMessage(transforms=[transform]))


def expect_pose(answer, truth=POSE, degrees=3.0, metres=0.01):
    assert answer.accepted, answer.reason
    found = matrix_of(answer.target_from_source)
    assert degrees_between(found, truth) < degrees
    assert np.linalg.norm(found[:3, 3] - truth[:3, 3]) < metres


def test_an_object_from_a_file_is_found(reference_node):
    expect_pose(reference_node.served(cloud_message(moved(chair(3000, 1), POSE))))


def test_broken_clouds_are_told_and_the_node_goes_on(reference_node):
    good = moved(chair(3000, 1), POSE)
    expect_pose(reference_node.served(cloud_message(good)))
    no_field = cloud_message(good)
    no_field.fields = no_field.fields[:2]
    too_short = cloud_message(good)
    too_short.data = too_short.data[:100]
    broken = {
        "empty": cloud_message(np.empty((0, 3))),
        "NaN": cloud_message(np.full((500, 3), np.nan)),
        "in one place": cloud_message(np.ones((500, 3))),
        "frame_id": cloud_message(good, frame=""),
        "field 'z'": no_field,
        "bytes": too_short,
    }
    for words, message in broken.items():
        answer = reference_node.served(message)
        assert not answer.accepted
        assert answer.reason, words
        if words != "in one place":
            assert words in answer.reason
        assert stamp_of(message.header.stamp) not in reference_node.transforms.get(FOUND, {})
    reference_node.spin_until(lambda: reference_node.told("unusable") >= len(broken))
    expect_pose(reference_node.served(cloud_message(good)))


def test_the_layout_of_the_points_may_change(reference_node):
    points = moved(chair(3000, 1), POSE)
    with_missing = np.vstack([points, np.zeros((200, 3)), np.full((100, 3), np.nan)])
    for message in (cloud_message(points, padding=4), cloud_message(points, dtype=np.float64),
                    cloud_message(with_missing, padding=20), cloud_message(moved(chair(300_000, 2), POSE))):
        expect_pose(reference_node.served(message))


def test_clouds_are_taken_as_their_publishers_offer_them(reference_node):
    def wait_for(topics):
        reference_node.spin_until(lambda: (reference_node.last_diagnostic() or {}).get("topics") == f"/cloud: {topics}")

    wait_for("1 publisher, reliable")
    expect_pose(reference_node.served(cloud_message(moved(chair(3000, 1), POSE))))
    sensor = reference_node.node.create_publisher(PointCloud2, "/cloud", qos_profile_sensor_data)
    wait_for("2 publishers, best effort")
    message, before = cloud_message(moved(chair(3000, 2), POSE)), len(reference_node.alignments)
    reference_node.spin_until(lambda: len(reference_node.alignments) > before, meanwhile=lambda: sensor.publish(message), every=2.0)
    expect_pose(reference_node.alignments[-1])
    reference_node.node.destroy_publisher(sensor)
    wait_for("1 publisher, reliable")
    expect_pose(reference_node.served(cloud_message(moved(chair(3000, 3), POSE))))


def test_silence_is_explained(start_node, listener):
    def told(words):
        return lambda: (listener.last_diagnostic() or {}).get("message") == words

    node = start_node("pose_node", {"mode": "pair"}, {"cloud": "/left", "target": "/right"})
    nobody = "no clouds come on /left: nobody publishes there"
    listener.spin_until(told(nobody))
    listener.spin_until(lambda: nobody in node.output)
    left, cloud = listener.publisher("/left"), chair(500)
    listener.spin_until(told("no clouds come on /left, which has 1 publisher"))
    listener.spin_until(told("no clouds come on /right: nobody publishes there"),
                        meanwhile=lambda: left.publish(cloud_message(cloud, "left")))
    right = listener.publisher("/right")

    def publish():
        now = time.time_ns()
        left.publish(cloud_message(cloud, "left", now))
        right.publish(cloud_message(cloud, "right", now + 10**9))

    listener.spin_until(told("clouds come on /left and /right, but no two of them within pair_slop (0.02 s)"),
                        meanwhile=publish, every=0.3)


@pytest.mark.parametrize("message_type, parameters, words", [
    (PointCloud2, {"reliability": "reliable"}, "they are offered best effort"),
    (TFMessage, {}, "no sensor_msgs/msg/PointCloud2"),
])
def test_a_publisher_that_does_not_fit_is_told(start_node, listener, message_type, parameters, words):
    start_node("pose_node", parameters)
    publisher = listener.node.create_publisher(message_type, "/cloud", qos_profile_sensor_data)
    listener.spin_until(lambda: words in (listener.last_diagnostic() or {}).get("message", ""),
                        meanwhile=lambda: publisher.publish(message_type()), every=0.3)


def test_time_that_jumps_is_told_and_poses_go_on(reference_node):
    def message(pose, stamp_ns, seed):
        return cloud_message(moved(chair(3000, seed), pose), stamp_ns=stamp_ns)

    def told(words):
        return words in (reference_node.last_diagnostic() or {}).get("last event", "")

    now = time.time_ns()
    elsewhere = motion((0, 1, 0), 200, (0, 0.1, 1.0))
    expect_pose(reference_node.served(message(POSE, now, 1)))
    expect_pose(reference_node.served(message(elsewhere, now - 50 * 10**9, 2)), elsewhere)
    reference_node.spin_until(lambda: told("time went back by 50.000 s"))
    assert reference_node.told("time jumps") == 1
    expect_pose(reference_node.served(message(POSE, now + 3600 * 10**9, 3)))
    reference_node.spin_until(lambda: told("no cloud came for 3650.000 s"))
    assert (reference_node.told("time jumps"), reference_node.told("pauses")) == (1, 1)


def test_the_newest_cloud_wins_and_drops_are_counted(reference_node):
    points = moved(chair(20000, 1), POSE)
    expect_pose(reference_node.served(cloud_message(points)))
    answered, sent = len(reference_node.alignments), 0

    def send_more():
        nonlocal sent
        for _ in range(5):
            reference_node.clouds.publish(cloud_message(points))
            sent += 1
        return reference_node.told("dropped") > 0

    reference_node.spin_until(send_more)
    expect_pose(reference_node.served(cloud_message(points)))
    assert len(reference_node.alignments) - answered < sent
    stamps = [stamp_of(alignment.header.stamp) for alignment in reference_node.alignments]
    assert stamps == sorted(stamps), "an older cloud was answered after a newer one"


def test_a_slow_cloud_delays_neither_parameters_nor_services(start_node, listener, chair_file):
    # The slowest cloud that there is: one that waits for a transform that never comes.
    start_node("pose_node", {"reference_file": chair_file, "base_frame": "base_link", "tf_timeout": 10.0})
    clouds = listener.publisher("/cloud")
    listener.parameters("/pose")
    message = cloud_message(moved(chair(3000, 1), POSE))
    clouds.publish(message)
    listener.spin_until(lambda: listener.told("clouds") >= 1)
    listener.parameters("/pose")
    request = Align.Request(source=cloud_message(chair(1000, 1), frame="a"), target=cloud_message(chair(1000, 2), frame="b"))
    listener.call(Align, "/pose/align", request)
    assert not listener.alignments  # it still waits
    listener.spin_until(lambda: listener.alignments)
    assert "base_link" in listener.alignments[0].reason


def test_two_clouds_are_aligned_on_request(reference_node):
    request = Align.Request(source=cloud_message(chair(3000, 1), frame="a"),
                            target=cloud_message(moved(chair(3000, 2), POSE), frame="b"))
    answer = reference_node.call(Align, "/pose/align", request).alignment
    expect_pose(answer)
    assert (answer.header.frame_id, answer.child_frame_id) == ("b", "a")
    assert not reference_node.transforms.get(("b", "a"))
    onto_reference = Align.Request(source=cloud_message(moved(chair(3000, 1), np.linalg.inv(POSE))))
    expect_pose(reference_node.call(Align, "/pose/align", onto_reference).alignment)
    wrong = reference_node.call(Align, "/pose/align", Align.Request(source=cloud_message(np.ones((9, 3))))).alignment
    assert not wrong.accepted and wrong.reason


def test_the_reference_can_be_changed(reference_node, tmp_path):
    def set_reference(**request):
        return reference_node.call(SetReference, "/pose/set_reference", SetReference.Request(**request))

    turned = motion((0, 0, 1), 90)
    answer = set_reference(source=SetReference.Request.CLOUD, cloud=cloud_message(moved(chair(4000, 3), turned)))
    assert answer.success and answer.points == 4000
    expect_pose(reference_node.served(cloud_message(moved(chair(3000, 1), POSE))), POSE @ np.linalg.inv(turned))
    answer = set_reference(source=SetReference.Request.FILE, file="/no/such/part.ply")
    assert not answer.success and MISSING_PART in answer.message
    assert not set_reference(source=7).success
    assert set_reference(source=SetReference.Request.FILE, file=str(tmp_path / "chair.xyz")).success
    expect_pose(reference_node.served(cloud_message(moved(chair(3000, 2), POSE))))
    assert set_reference(source=SetReference.Request.NEXT_CLOUD).success
    reference_node.served(cloud_message(moved(chair(3000, 4), POSE)))
    expect_pose(reference_node.served(cloud_message(moved(chair(3000, 5), turned @ POSE))), turned)


def test_a_reference_from_a_latched_topic(start_node, listener):
    listener.node.create_publisher(PointCloud2, "/reference", LATCHED).publish(cloud_message(chair(4000)))
    start_node("pose_node")
    clouds = listener.publisher("/cloud")
    listener.spin_until(listener.accepted, meanwhile=lambda: clouds.publish(cloud_message(moved(chair(3000, 1), POSE))),
                        every=0.5)
    expect_pose(listener.accepted()[0])


def test_the_embedding_is_published_when_asked(reference_node):
    heard = reference_node.subscribe(Embedding, "/pose/embedding")
    assert reference_node.set_parameter("/pose", "publish_embedding", True).successful
    reference_node.spin_until(
        lambda: heard, meanwhile=lambda: reference_node.clouds.publish(cloud_message(moved(chair(3000, 1), POSE))), every=0.5)
    embedding = heard[0]
    assert embedding.model == "object"
    assert len(embedding.values) == sum((2 * degree + 1) * channels for degree, channels in enumerate(embedding.channels))
    assert abs(np.linalg.norm(embedding.values) - 1.0) < 1e-4
    assert np.linalg.norm([embedding.centre.x, embedding.centre.y, embedding.centre.z] - POSE[:3, 3]) < 0.2


def test_a_missing_frame_is_told_and_the_node_lives(start_node, listener):
    node = start_node("pose_node", {"base_frame": "base_link"})
    clouds = listener.publisher("/cloud")
    told = lambda: "base_link" in (listener.last_diagnostic() or {}).get("message", "")  # noqa: E731
    listener.spin_until(told, meanwhile=lambda: clouds.publish(cloud_message(chair(500))), every=0.3)
    assert listener.last_diagnostic()["level"] != b"\0"
    assert node.runs()
    assert node.stop() == 0


def test_the_box_and_the_ground_are_meant_in_the_base_frame(start_node, listener, chair_file):
    parameters = {"reference_file": chair_file, "base_frame": "base_link", "crop": True,
                  "crop_min": "[0.5,-1.0,-0.2]", "crop_max": "[2.0,1.0,1.0]", "remove_ground": True, "ground_distance": 0.01}
    start_node("pose_node", parameters)
    base_from_camera = motion((1, 1, 1), -120, (0.0, 0.0, 0.5))  # the camera looks ahead, along the base's x
    send_static_transform(listener, "base_link", "camera", base_from_camera)
    random = np.random.default_rng(0)
    chair_in_base = motion((0, 0, 1), 50, (1.2, 0.1, 0.3))
    floor = np.column_stack([random.uniform(-3, 3, (6000, 2)), np.zeros(6000)])
    wall = np.column_stack([np.full(6000, 3.0), random.uniform(-3, 3, (6000, 2))])
    scene = np.vstack([moved(chair(4000, 1), chair_in_base), floor, wall])
    camera_from_base = np.linalg.inv(base_from_camera)
    clouds = listener.publisher("/cloud")
    listener.spin_until(listener.accepted, meanwhile=lambda: clouds.publish(cloud_message(moved(scene, camera_from_base))),
                        every=0.5)
    answer = listener.accepted()[0]
    assert answer.header.frame_id == "camera"
    assert 3000 < answer.target_points <= 4100
    expect_pose(answer, camera_from_base @ chair_in_base)


def test_a_pair_of_sensors(start_node, listener):
    start_node("pose_node", {"mode": "pair"}, {"cloud": "/left", "target": "/right"})
    left, right = listener.publisher("/left"), listener.publisher("/right")
    truth = motion((0, 1, 0), 40, (0.3, 0.0, 0.1))
    scene = moved(chair(6000, 1), POSE)

    def publish():
        now = time.time_ns()
        left.publish(cloud_message(scene[::2], "left", now))
        right.publish(cloud_message(moved(scene[1::2], truth), "right", now + 5_000_000))
        left.publish(cloud_message(scene[::2], "left", now + 40_000_000))  # belongs to nothing

    listener.spin_until(lambda: len(listener.accepted()) >= 3, meanwhile=publish, every=0.5)
    answer = listener.accepted()[-1]
    assert (answer.header.frame_id, answer.child_frame_id) == ("right", "left")
    assert stamp_of(answer.target_stamp) - stamp_of(answer.header.stamp) == 5_000_000
    expect_pose(answer, truth)
    listener.spin_until(lambda: listener.transforms.get(("right", "left")))


def test_the_device_is_told_in_the_log_and_in_diagnostics(reference_node):
    told = lambda: (reference_node.last_diagnostic() or {}).get("device", "")  # noqa: E731
    reference_node.spin_until(lambda: told().split(":")[0] in ("cpu", "cuda"))
    device = told()
    assert f"computes on {device}" in reference_node.process.output


@pytest.fixture
def foreign_bag(tmp_path):
    """Five clouds of the chair, a second apart, by another program."""
    write_bag(tmp_path / "bag", [cloud_message(moved(chair(2000, i), POSE), "lidar", (100 + i) * 10**9) for i in range(5)])
    return tmp_path / "bag"


def test_a_foreign_bag_is_played_in_a_loop(start_node, listener, chair_file, foreign_bag):
    start_node("pose_node", {"reference_file": chair_file})
    start_node("replay_node", {"source": foreign_bag, "pace": "served", "restamp": False}, {"alignment": "/pose/alignment"})
    # With its own stamps: time goes back after the fifth cloud.
    listener.spin_until(lambda: len(listener.alignments) >= 12 and listener.told("time jumps") >= 1)
    assert {answer.header.stamp.sec for answer in listener.alignments} == {100, 101, 102, 103, 104}
    assert all(answer.header.frame_id == "lidar" for answer in listener.alignments)
    expect_pose(listener.accepted()[-1])


def test_a_clock_that_is_reset_does_not_stop_poses(start_node, listener, chair_file, foreign_bag):
    # The recording's time is everybody's time, and starts over with each round; tf has to be looked up in each.
    start_node("pose_node", {"reference_file": chair_file, "base_frame": "base_link", "use_sim_time": True})
    send_static_transform(listener, "base_link", "lidar", motion((0, 0, 1), 30, (0.0, 0.0, 0.5)))
    start_node("replay_node", {"source": foreign_bag, "pace": "served", "restamp": False, "clock": True},
               {"alignment": "/pose/alignment"})
    for rounds in (1, 2):
        listener.spin_until(lambda: listener.told("time jumps") >= rounds)  # noqa: B023
        count = len(listener.accepted())
        listener.spin_until(lambda: len(listener.accepted()) >= count + 3)  # noqa: B023
    expect_pose(listener.accepted()[-1])


def container():
    """The program of a real ROS 2 that takes components; the stand-ins have none."""
    try:
        return Path(get_package_prefix("rclcpp_components")) / "lib" / "rclcpp_components" / "component_container_mt"
    except PackageNotFoundError:
        return None


@pytest.mark.skipif(not (container() and container().exists()), reason="no component container in this ROS 2")
def test_nodes_share_the_process_of_a_container(start, listener, chair_file, tmp_path):
    from composition_interfaces.srv import ListNodes, LoadNode

    sequence = tmp_path / "sequence"
    sequence.mkdir()
    for number in range(4):
        np.savetxt(sequence / f"{number}.xyz", moved(chair(2000, number), POSE))
    process = start(container(), "--ros-args", "-r", "__node:=container")
    nodes = [("PoseNode", "pose", {"reference_file": chair_file}), ("ReplayNode", "replay", {"source": sequence})]
    nodes += [("PretrainNode", "pretrain", {})] * HAS_TRAINING
    for plugin, name, parameters in nodes:
        request = LoadNode.Request(package_name="pointpng_ros", plugin_name=f"pointpng_ros::{plugin}", node_name=name)
        for key, value in parameters.items():
            text = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=str(value))
            request.parameters.append(Parameter(name=key, value=text))
        answer = listener.call(LoadNode, "/container/_container/load_node", request)
        assert answer.success, answer.error_message
    loaded = listener.call(ListNodes, "/container/_container/list_nodes").full_node_names
    assert sorted(loaded) == sorted(f"/{name}" for _, name, _ in nodes)
    listener.spin_until(lambda: len(listener.accepted()) >= 3)
    expect_pose(listener.accepted()[-1])
    assert process.stop() == 0
