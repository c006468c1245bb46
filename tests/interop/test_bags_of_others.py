"""Bags that `rosbags` and `mcap` write are read by us."""

import numpy as np
import pytest
from mcap.writer import CompressionType, IndexType
from mcap.writer import Writer as McapWriter
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin
from rosbags.rosbag2 import Writer as BagWriter
from rosbags.typesys import Stores, get_typestore

TYPES = get_typestore(Stores.ROS2_JAZZY)
CLOUD = "sensor_msgs/msg/PointCloud2"
START = 1_700_000_000_000_000_000
NUMPY_TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 8: "f8"}


def random_points(count=50, seed=0):
    return np.random.default_rng(seed).normal(size=(count, 3)).astype(np.float32)


def encode(points, *, big=False, layout=(("x", 7), ("y", 7), ("z", 7)), gap=0, height=1, row_gap=0):
    """A PointCloud2 in CDR: fields in the given order and types, with gaps between points and rows."""
    cls = TYPES.types
    order = ">" if big else "<"
    dtype = np.dtype(
        [(name, order + NUMPY_TYPES[kind]) for name, kind in layout] + [("_", f"V{gap}")] * (gap > 0)
    )
    records = np.zeros(len(points), dtype)
    for axis, name in enumerate("xyz"):
        records[name] = points[:, axis]
    width = len(points) // height
    rows = records.reshape(height, width)
    data = b"".join(row.tobytes() + b"\xff" * row_gap for row in rows)
    fields = [
        cls["sensor_msgs/msg/PointField"](name, dtype.fields[name][1], kind, 1) for name, kind in layout
    ]
    stamp = cls["builtin_interfaces/msg/Time"](12, 34)
    message = cls[CLOUD](
        header=cls["std_msgs/msg/Header"](stamp, "lidar"),
        height=height,
        width=width,
        fields=fields,
        is_bigendian=big,
        point_step=dtype.itemsize,
        row_step=width * dtype.itemsize + row_gap,
        data=np.frombuffer(data, np.uint8),
        is_dense=True,
    )
    return bytes(TYPES.serialize_cdr(message, CLOUD))


def write_bag(path, messages, storage=StoragePlugin.SQLITE3, mode=CompressionMode.NONE, version=9):
    writer = BagWriter(path, version=version, storage_plugin=storage)
    writer.set_compression(mode, CompressionFormat.ZSTD)
    with writer:
        connection = writer.add_connection("/points", CLOUD, typestore=TYPES)
        writer.add_connection("/chatter", "std_msgs/msg/String", typestore=TYPES)
        for i, message in enumerate(messages):
            writer.write(connection, START + i, message)


@pytest.mark.parametrize("version", [8, 9])
@pytest.mark.parametrize(
    ("storage", "mode"),
    [
        (StoragePlugin.SQLITE3, CompressionMode.NONE),
        (StoragePlugin.SQLITE3, CompressionMode.MESSAGE),
        (StoragePlugin.SQLITE3, CompressionMode.FILE),
        (StoragePlugin.MCAP, CompressionMode.NONE),
        (StoragePlugin.MCAP, CompressionMode.STORAGE),
        (StoragePlugin.MCAP, CompressionMode.MESSAGE),
        (StoragePlugin.MCAP, CompressionMode.FILE),
    ],
)
@pytest.mark.parametrize("keep_metadata", [True, False])
def test_rosbags(tool, tmp_path, storage, mode, version, keep_metadata):
    clouds = [random_points(seed=i) for i in range(5)]
    write_bag(tmp_path / "bag", map(encode, clouds), storage, mode, version)
    if not keep_metadata:
        (tmp_path / "bag" / "metadata.yaml").unlink()
    read = tool("bag-dump", tmp_path / "bag")
    assert read["notes"] == []
    assert read["messages"] == 5
    assert (read["start"], read["end"]) == (START, START + 4)
    assert {t["name"]: t["messages"] for t in read["topics"]}["/points"] == 5
    for i, (cloud, expected) in enumerate(zip(read["clouds"], clouds, strict=True)):
        assert cloud["time"] == START + i
        assert cloud["stamp"] == 12 * 10**9 + 34
        assert cloud["frame"] == "lidar"
        np.testing.assert_array_equal(np.float32(cloud["points"]), expected)


@pytest.mark.parametrize(
    "options",
    [
        {"big": True},
        {"layout": (("z", 7), ("ring", 4), ("x", 7), ("y", 7))},
        {"layout": (("x", 8), ("y", 8), ("z", 8)), "big": True},
        {"layout": (("t", 6), ("y", 7), ("x", 8), ("z", 7)), "gap": 5},
        {"height": 5, "row_gap": 7},
        {"height": 10, "gap": 20, "big": True, "row_gap": 1},
    ],
)
def test_odd_layouts(tool, tmp_path, options):
    points = random_points()
    write_bag(tmp_path / "bag", [encode(points, **options)])
    (cloud,) = tool("bag-dump", tmp_path / "bag")["clouds"]
    np.testing.assert_array_equal(np.float32(cloud["points"]), points)


def test_integer_coordinates(tool, tmp_path):
    points = np.arange(-15, 15).reshape(10, 3)
    write_bag(tmp_path / "bag", [encode(points, layout=(("x", 3), ("y", 5), ("z", 1)))])
    (cloud,) = tool("bag-dump", tmp_path / "bag")["clouds"]
    np.testing.assert_array_equal(cloud["points"], points)


def test_nans_are_counted(tool, tmp_path):
    points = random_points()
    points[7] = np.nan
    write_bag(tmp_path / "bag", [encode(points)])
    (cloud,) = tool("bag-dump", tmp_path / "bag")["clouds"]
    assert cloud["dropped"] == 1
    np.testing.assert_array_equal(np.float32(cloud["points"]), np.delete(points, 7, axis=0))


def write_mcap(path, messages, *, encoding="cdr", schema=CLOUD, finish=True, **options):
    with path.open("wb") as stream:
        writer = McapWriter(stream, chunk_size=2000, **options)
        writer.start(profile="ros2", library="test")
        schema_id = writer.register_schema(schema, "ros2msg", b"")
        channel = writer.register_channel("/points", encoding, schema_id)
        for time, message in messages:
            writer.add_message(channel, log_time=time, publish_time=time, data=message)
        if finish:
            writer.finish()


@pytest.mark.parametrize("compression", list(CompressionType))
@pytest.mark.parametrize("chunked", [True, False])
@pytest.mark.parametrize("index", [IndexType.ALL, IndexType.NONE, IndexType.CHUNK])
@pytest.mark.parametrize("checksums", [True, False])
def test_mcap(tool, tmp_path, compression, chunked, index, checksums):
    clouds = [random_points(seed=i) for i in range(9)]
    times = [5, 3, 8, 1, 0, 7, 2, 6, 4]
    write_mcap(
        tmp_path / "a.mcap",
        [(time, encode(clouds[time])) for time in times],
        compression=compression,
        use_chunking=chunked,
        index_types=index,
        enable_crcs=checksums,
        enable_data_crcs=checksums,
    )
    read = tool("bag-dump", tmp_path / "a.mcap")
    assert [cloud["time"] for cloud in read["clouds"]] == list(range(9))
    for cloud, expected in zip(read["clouds"], clouds, strict=True):
        np.testing.assert_array_equal(np.float32(cloud["points"]), expected)


@pytest.mark.parametrize("options", [{"use_summary_offsets": False}, {"use_statistics": False}])
def test_mcap_with_parts_of_the_summary_missing(tool, tmp_path, options):
    write_mcap(tmp_path / "a.mcap", [(i, encode(random_points())) for i in range(4)], **options)
    assert len(tool("bag-dump", tmp_path / "a.mcap")["clouds"]) == 4


@pytest.mark.parametrize("compression", list(CompressionType))
@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_truncated_mcap_is_read_up_to_the_damage(tool, tmp_path, compression, share):
    path = tmp_path / "a.mcap"
    write_mcap(path, [(i, encode(random_points(seed=i))) for i in range(50)], compression=compression)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    read = tool("bag-dump", path)
    found = len(read["clouds"])
    assert share * 50 - 12 < found < 50
    assert any(f"{found} messages" in note and "byte" in note for note in read["notes"])
    for i, cloud in enumerate(read["clouds"]):
        np.testing.assert_array_equal(np.float32(cloud["points"]), random_points(seed=i))


def test_ros1_messages_in_mcap_are_refused(tool, tmp_path):
    write_mcap(
        tmp_path / "a.mcap", [(0, b"")], encoding="ros1", schema="sensor_msgs/PointCloud2"
    )
    assert "ROS 1" in tool.refusal("bag-dump", tmp_path / "a.mcap")


def test_a_ros1_bag_is_refused(tool, tmp_path):
    from rosbags.rosbag1 import Writer

    with Writer(tmp_path / "a.bag"):
        pass
    assert "ROS 1" in tool.refusal("bag-dump", tmp_path / "a.bag")


def test_a_bag_without_clouds_is_refused(tool, tmp_path):
    write_mcap(tmp_path / "a.mcap", [(0, b"")], schema="std_msgs/msg/String")
    assert "has no PointCloud2 topic" in tool.refusal("bag-dump", tmp_path / "a.mcap")
