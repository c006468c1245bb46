"""Bags that we write are read by `rosbags` and `mcap`."""

from pathlib import Path

import mcap.reader
import mcap.stream_reader
import numpy as np
import pytest
from rosbags.highlevel import AnyReader
from rosbags.rosbag2 import Reader
from rosbags.typesys import Stores, get_typestore

TYPES = get_typestore(Stores.ROS2_JAZZY)
KINDS = [
    ("mcap", "none"),
    ("mcap", "lz4"),
    ("mcap", "zstd"),
    ("sqlite3", "none"),
    ("sqlite3", "zstd"),
]


def points_of(message):
    return message.data.view(np.float32).reshape(-1, 3)


def by_time(clouds):
    return sorted(clouds, key=lambda cloud: cloud["time"])


@pytest.mark.parametrize(("storage", "compression"), KINDS)
def test_rosbags_reads_ours(tool, tmp_path, storage, compression):
    written = by_time(tool("bag-write", tmp_path / "bag", storage, compression)["clouds"])
    with Reader(tmp_path / "bag") as reader:
        assert reader.message_count == len(written)
        assert {c.topic: c.msgcount for c in reader.connections} == {"/even": 3, "/odd": 3}
        assert reader.start_time == written[0]["time"]
        messages = [
            (c.topic, time, TYPES.deserialize_cdr(data, c.msgtype))
            for c, time, data in reader.messages()
        ]
    assert len(messages) == len(written)
    for (topic, time, message), expected in zip(messages, written):
        assert (topic, time) == (expected["topic"], expected["time"])
        assert message.header.frame_id == "map"
        assert message.header.stamp.sec * 10**9 + message.header.stamp.nanosec == time - 5
        np.testing.assert_array_equal(points_of(message), np.float32(expected["points"]))


@pytest.mark.parametrize(("storage", "compression"), KINDS)
def test_our_schema_is_enough_to_decode(tool, tmp_path, storage, compression):
    """Without a type store: the definitions in the bag must be complete."""
    written = by_time(tool("bag-write", tmp_path / "bag", storage, compression)["clouds"])
    with AnyReader([tmp_path / "bag"]) as reader:
        clouds = [points_of(reader.deserialize(d, c.msgtype)) for c, _, d in reader.messages()]
    for cloud, expected in zip(clouds, written, strict=True):
        np.testing.assert_array_equal(cloud, np.float32(expected["points"]))


def test_our_type_hash_is_that_of_ros(tool, tmp_path):
    tool("bag-write", tmp_path / "bag", "mcap", "none")
    with Reader(tmp_path / "bag") as reader:
        for connection in reader.connections:
            assert connection.digest == TYPES.hash_rihs01("sensor_msgs/msg/PointCloud2")


@pytest.mark.parametrize("compression", ["none", "lz4", "zstd"])
def test_mcap_reads_ours(tool, tmp_path, compression):
    written = by_time(tool("bag-write", tmp_path / "bag", "mcap", compression)["clouds"])
    path = next(Path(tmp_path / "bag").glob("*.mcap"))
    with path.open("rb") as stream:
        reader = mcap.reader.make_reader(stream, validate_crcs=True)
        assert reader.get_header().profile == "ros2"
        summary = reader.get_summary()
        assert summary.statistics.message_count == len(written)
        assert summary.statistics.chunk_count == len(summary.chunk_indexes) > 1
        messages = list(reader.iter_messages())
    for (schema, channel, message), expected in zip(messages, written, strict=True):
        assert schema.name == "sensor_msgs/msg/PointCloud2"
        assert schema.encoding == "ros2msg"
        assert channel.message_encoding == "cdr"
        assert (channel.topic, message.log_time) == (expected["topic"], expected["time"])


@pytest.mark.parametrize("compression", ["none", "lz4", "zstd"])
def test_mcap_checks_our_checksums(tool, tmp_path, compression):
    tool("bag-write", tmp_path / "bag", "mcap", compression)
    path = next(Path(tmp_path / "bag").glob("*.mcap"))
    with path.open("rb") as stream:
        reader = mcap.stream_reader.StreamReader(stream, validate_crcs=True)
        assert sum(type(record).__name__ == "Message" for record in reader.records) == 6
