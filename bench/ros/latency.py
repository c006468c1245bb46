"""From a cloud's arrival to its transform on /tf: clouds of a simulated depth camera at a fixed rate, as a driver sends them.

The views are simulated before the measurement and kept, so that nothing but the node works meanwhile; they are played
forwards and backwards, as an object that turns to and fro. "seen from outside" is from before the publishing call to the
arrival of the transform in this process, so it has the way of cloud and transform through the middleware in it; "in the
node" is what the node itself measured from the arrival of the cloud. Ends with status 1 where a limit is broken.
"""

import argparse
import itertools
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import rclpy
from pointpng_testing import LATCHED, Listener, Process, cloud_message, node_command, points_of, stamp_of
from sensor_msgs.msg import PointCloud2
from tf2_msgs.msg import TFMessage

FOUND = ("camera", "object")
STAGES = ("prepare", "embed", "search", "parts", "refine")
MEDIAN_MS, LATE_MS = 60.0, 150.0  # of all clouds, and of 99 % of them


def record(listener, folder, points, count):
    """So many views of the simulated object, each of `points` points, and a file of the whole object."""
    views, model = listener.subscribe(PointCloud2, "/cloud"), listener.subscribe(PointCloud2, "/replay/model", LATCHED)
    # Rather less than half of a surface is seen, of some poses much less.
    source = Process(folder / "replay.log", node_command("replay_node", {"points": 4 * points, "rate": 10.0}))
    listener.spin_until(lambda: model and len(views) >= count)
    source.end()
    np.savetxt(folder / "object.xyz", points_of(model[0]))
    random = np.random.default_rng(0)
    clouds = [points_of(view) for view in views[:count]]
    return [cloud[random.choice(len(cloud), points, replace=len(cloud) < points)] for cloud in clouds], folder / "object.xyz"


def play(listener, clouds, rate, seconds):
    """Publishes at the rate; {stamp: when}, and the largest delay of a publishing call itself."""
    messages = [cloud_message(cloud) for cloud in clouds]
    way = itertools.cycle(messages + messages[-2:0:-1])
    publisher = listener.publisher("/cloud")
    stop = threading.Event()

    def spin():
        while not stop.is_set():
            rclpy.spin_once(listener.node, timeout_sec=0.1)

    thread = threading.Thread(target=spin)
    thread.start()
    sent, late, start = {}, 0.0, time.monotonic()
    for turn in range(int(rate * seconds)):
        due = start + turn / rate
        time.sleep(max(0.0, due - time.monotonic()))
        late = max(late, time.monotonic() - due)
        message, now = next(way), time.time_ns()
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(now, 10**9)
        sent[now] = time.monotonic()
        publisher.publish(message)
    time.sleep(2.0)  # for the last answers, and for diagnostics
    stop.set()
    thread.join()
    return sent, late


def quantiles(values):
    return (f"median {np.median(values):.1f} ms, 99 % within {np.quantile(values, 0.99):.1f} ms, "
            f"largest {np.max(values):.1f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=20_000, help="of each cloud (20000)")
    parser.add_argument("--rate", type=float, default=10.0, help="clouds a second (10)")
    parser.add_argument("--seconds", type=float, default=60.0, help="to measure for (60)")
    options = parser.parse_args()
    listener = Listener()
    arrivals = {}

    def remember(message):
        for transform in message.transforms:
            if (transform.header.frame_id, transform.child_frame_id) == FOUND:
                arrivals[stamp_of(transform.header.stamp)] = time.monotonic()

    listener.node.create_subscription(TFMessage, "/tf", remember, 100)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        clouds, reference = record(listener, folder, options.points, 60)
        node = Process(folder / "pose.log", node_command("pose_node", {"reference_file": reference}))
        listener.spin_until(lambda: "ready" in node.output)
        listener.alignments.clear()
        before = node.cpu_seconds()
        sent, late = play(listener, clouds, options.rate, options.seconds)
        cpu = node.cpu_seconds() - before
        node.end()
    told = listener.last_diagnostic()
    listener.close()
    outside = [1000 * (arrivals[stamp] - sent[stamp]) for stamp in arrivals if stamp in sent]
    inside = [answer.total_ms for answer in listener.alignments]
    rejected = sum(not answer.accepted for answer in listener.alignments)
    print(f"{len(sent)} clouds of {options.points} points at {options.rate:g} Hz; publishing was late by {1000 * late:.1f} ms at most")
    print(f"{told['clouds']} arrived, {told['dropped']} of them dropped by the node; {len(inside)} answers, {rejected} rejected")
    print(f"seen from outside: {quantiles(outside)}")
    print(f"in the node: {quantiles(inside)}; {1000 * cpu / max(1, len(inside)):.1f} ms of CPU time a cloud")
    stages = {name: np.median([getattr(answer, f"{name}_ms") for answer in listener.alignments]) for name in STAGES}
    print("its stages, median: " + ", ".join(f"{name} {value:.1f} ms" for name, value in stages.items()))
    ok = np.median(outside) <= MEDIAN_MS and np.quantile(outside, 0.99) <= LATE_MS and told["dropped"] == "0"
    print(f"limits (median {MEDIAN_MS:g} ms, 99 % {LATE_MS:g} ms, nothing dropped): {'kept' if ok else 'BROKEN'}")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
