"""Memory of the nodes while clouds are replayed at full rate: each cloud is sent when the previous one was answered.

Everything is published and subscribed: /tf, ~/alignment, ~/aligned, ~/markers, ~/embedding. Allocated memory must not grow
after the first fifth of the time. (The middleware's shared memory does not count: it is a ring buffer of fixed size.) Exits
with status 1 if memory grows.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

import rclpy
from pointpng_msgs.msg import Embedding
from pointpng_testing import Listener, Process, node_command
from sensor_msgs.msg import PointCloud2
from visualization_msgs.msg import MarkerArray

LARGEST_GROWTH = 8.0  # MiB; what an allocator keeps varies a little


def allocated(process):
    """Private memory of a process, MiB."""
    for line in Path(f"/proc/{process.id}/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("/proc has no RssAnon for processes on this system")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600.0, help="duration of the replay after the first pose (600)")
    parser.add_argument("--points", type=int, default=20_000, help="on the simulated surface; about half are visible (20000)")
    options = parser.parse_args()
    listener = Listener()
    heard = [listener.subscribe(PointCloud2, "/pose/aligned"), listener.subscribe(MarkerArray, "/pose/markers"),
             listener.subscribe(Embedding, "/pose/embedding")]
    with tempfile.TemporaryDirectory() as folder:
        nodes = {
            "pose_node": Process(Path(folder) / "pose.log", node_command(
                "pose_node", {"publish_embedding": True}, {"reference": "/replay/model"})),
            "replay_node": Process(Path(folder) / "replay.log", node_command(
                "replay_node", {"pace": "served", "points": options.points}, {"alignment": "/pose/alignment"})),
        }
        try:
            listener.spin_until(lambda: listener.accepted() and all(heard), timeout=600)
            start, answers, samples = time.monotonic(), 0, {name: [] for name in nodes}
            while time.monotonic() < start + options.seconds:
                due = time.monotonic() + options.seconds / 100
                while time.monotonic() < due:
                    rclpy.spin_once(listener.node, timeout_sec=0.05)
                answers += len(listener.alignments)
                for kept in (listener.alignments, listener.diagnostics, *heard):
                    kept.clear()
                listener.transforms.clear()
                for name, process in nodes.items():
                    samples[name].append(allocated(process))
        finally:
            for process in nodes.values():
                process.end()
            listener.close()
    print(f"{answers} clouds in {options.seconds:g} s, {answers / options.seconds:.1f} per second")
    grown = {}
    for name, values in samples.items():
        settled = max(values[:len(values) // 5])
        end = sorted(values[-len(values) // 5:])[len(values) // 10]
        grown[name] = end - settled
        print(f"{name}: {settled:.1f} MiB after a fifth of the time, {end:.1f} MiB in the last fifth, {max(values):.1f} MiB peak")
    ok = answers > 0 and max(grown.values()) <= LARGEST_GROWTH
    print(f"limit (growth of {LARGEST_GROWTH:g} MiB): {'met' if ok else 'EXCEEDED'}")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
