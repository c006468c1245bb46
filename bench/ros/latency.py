"""Latency from a cloud to its transform on /tf: clouds of a simulated depth camera at a fixed rate, as a driver sends them.

The views are recorded before the measurement, so that nothing but the node works meanwhile; they are played forwards and
backwards, as an object that rotates to and fro. "end to end" is from before the publish call to the arrival of the
transform in this process, so it includes the transfer of cloud and transform through the middleware; "in the node" is what
the node itself measured from the arrival of the cloud. Exits with status 1 if a limit is exceeded.
"""

import argparse
import itertools
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import rclpy
from pointpng_testing import LATCHED, Listener, Process, cloud_message, node_command, points_of, stamp_of
from sensor_msgs.msg import PointCloud2
from tf2_msgs.msg import TFMessage

FOUND = ("camera", "object")
STAGES = ("prepare", "embed", "search", "parts", "refine")
SETTLE_S = 2.5  # longer than the period of diagnostics
MEDIAN_MS, LATE_MS = 60.0, 150.0  # limits: median, 99th percentile


def record(listener, folder, points, count):
    """`count` views of the simulated object with `points` points each, and a file with the whole object."""
    views, model = listener.subscribe(PointCloud2, "/cloud"), listener.subscribe(PointCloud2, "/replay/model", LATCHED)
    # Less than half of the surface is visible, much less in some poses.
    source = Process(folder / "replay.log", node_command("replay_node", {"points": 4 * points, "rate": 10.0}))
    listener.spin_until(lambda: model and len(views) >= count)
    source.end()
    np.savetxt(folder / "object.xyz", points_of(model[0]))
    random = np.random.default_rng(0)
    clouds = [points_of(view) for view in views[:count]]
    return [cloud[random.choice(len(cloud), points, replace=len(cloud) < points)] for cloud in clouds], folder / "object.xyz"


class Driver:
    """Publishes the clouds forwards and backwards at a fixed rate while another thread listens."""

    def __init__(self, listener, clouds, rate):
        messages = [cloud_message(cloud) for cloud in clouds]
        self._sequence = itertools.cycle(messages + messages[-2:0:-1])
        self._rate = rate
        self._publisher = listener.publisher("/cloud")
        self.sent, self.late = {}, 0.0  # {stamp: when}; the largest delay of a cloud, seconds

    def play(self, goes_on):
        start = time.monotonic()
        for index in itertools.count():
            due = start + index / self._rate
            if not goes_on(due - start):
                return
            time.sleep(max(0.0, due - time.monotonic()))
            self.late = max(self.late, time.monotonic() - due)
            message, now = next(self._sequence), time.time_ns()
            message.header.stamp.sec, message.header.stamp.nanosec = divmod(now, 10**9)
            self.sent[now] = time.monotonic()
            self._publisher.publish(message)


@contextmanager
def listening(listener):
    stop = threading.Event()

    def spin():
        while not stop.is_set():
            rclpy.spin_once(listener.node, timeout_sec=0.1)

    thread = threading.Thread(target=spin)
    thread.start()
    yield
    stop.set()
    thread.join()


def quantiles(values):
    return (f"median {np.median(values):.1f} ms, 99 % within {np.quantile(values, 0.99):.1f} ms, "
            f"max {np.max(values):.1f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=20_000, help="per cloud (20000)")
    parser.add_argument("--rate", type=float, default=10.0, help="clouds per second (10)")
    parser.add_argument("--seconds", type=float, default=60.0, help="duration of the measurement (60)")
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
        driver = Driver(listener, clouds, options.rate)
        with listening(listener):
            driver.play(lambda _: not arrivals)  # until the object is found: that is global registration, not tracking
            driver.play(lambda seconds: seconds < SETTLE_S)
            before, cpu = listener.told("dropped"), node.cpu_seconds()
            for memory in (listener.alignments, arrivals, driver.sent):
                memory.clear()
            driver.play(lambda seconds: seconds < options.seconds)
            cpu = node.cpu_seconds() - cpu
            time.sleep(SETTLE_S)  # for the last answers and diagnostics
            dropped = listener.told("dropped") - before
        node.end()
    listener.close()
    outside = [1000 * (arrivals[stamp] - driver.sent[stamp]) for stamp in arrivals if stamp in driver.sent]
    answers = [answer for answer in listener.alignments if stamp_of(answer.header.stamp) in driver.sent]
    inside = [answer.total_ms for answer in answers]
    rejected = sum(not answer.accepted for answer in answers)
    print(f"{len(driver.sent)} clouds of {options.points} points at {options.rate:g} Hz, sent at most {1000 * driver.late:.1f} ms late")
    print(f"{len(answers)} answers, {rejected} of them rejections; {dropped} clouds dropped by the node, "
          f"{len(driver.sent) - len(answers) - dropped} lost in transit")
    print(f"end to end: {quantiles(outside)}")
    print(f"in the node: {quantiles(inside)}; {1000 * cpu / max(1, len(inside)):.1f} ms of CPU time per cloud")
    stages = {name: np.median([getattr(answer, f"{name}_ms") for answer in answers]) for name in STAGES}
    print("median per stage: " + ", ".join(f"{name} {value:.1f} ms" for name, value in stages.items()))
    ok = np.median(outside) <= MEDIAN_MS and np.quantile(outside, 0.99) <= LATE_MS and dropped == 0
    print(f"limits (median {MEDIAN_MS:g} ms, 99 % {LATE_MS:g} ms, nothing dropped): {'met' if ok else 'EXCEEDED'}")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
