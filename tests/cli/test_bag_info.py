import json

import pytest
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

SECOND = 10**9


@pytest.fixture(params=[StoragePlugin.MCAP, StoragePlugin.SQLITE3], ids=["mcap", "sqlite3"])
def bag(request, tmp_path):
    """A bag that others wrote: three strings on /talk, one per second."""
    types = get_typestore(Stores.ROS2_JAZZY)
    text = types.types["std_msgs/msg/String"]
    path = tmp_path / "bag"
    with Writer(path, version=9, storage_plugin=request.param) as writer:
        talk = writer.add_connection("/talk", text.__msgtype__, typestore=types)
        for i in range(3):
            writer.write(talk, (100 + i) * SECOND, types.serialize_cdr(text(data=f"{i}"), text.__msgtype__))
    return path, request.param.name.lower()


def test_counts_topics_and_messages(pointpng, bag):
    path, storage = bag
    process = pointpng("bag", "info", path, "--json")
    assert process.returncode == 0, process.stderr
    info = json.loads(process.stdout)
    assert info["storage"] == storage and info["messages"] == 3 and info["duration_s"] == 2
    assert info["start_ns"] == 100 * SECOND and info["end_ns"] == 102 * SECOND
    (topic,) = info["topics"]
    assert topic["name"] == "/talk" and topic["type"] == "std_msgs/msg/String" and topic["messages"] == 3


def test_reads_well(pointpng, bag):
    path, storage = bag
    shown = pointpng("bag", "info", path).stdout
    assert storage in shown and "/talk" in shown and "1970-01-01 00:01:40 UTC, 2 s" in shown
