"""How many clouds published by another process reach a pose node: best effort, as most sensors publish, with the
middleware's default settings and with config/fastdds.xml, and reliable, which the node uses where it can.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from ament_index_python.packages import get_package_share_directory
from pointpng_testing import Listener, Process, cloud_message, node_command
from rclpy.qos import QoSProfile, ReliabilityPolicy

PROFILE = Path(get_package_share_directory("pointpng")) / "config" / "fastdds.xml"
CHOICES = ("FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE", "FASTDDS_BUILTIN_TRANSPORTS")
CASES = {  # name -> reliability of the publisher, middleware settings of publisher and node
    "best effort": ("best_effort", {}),
    "best effort, config/fastdds.xml": ("best_effort", {CHOICES[0]: str(PROFILE)}),
    "reliable": ("reliable", {}),
}
SETTLE_S = 2.5  # longer than the period of diagnostics


def send(reliability, points, count, rate):
    """How many of `count` clouds arrive, as counted by the node."""
    listener = Listener()
    qos = QoSProfile(depth=5, reliability=ReliabilityPolicy[reliability.upper()])
    with tempfile.TemporaryDirectory() as folder:
        node = Process(Path(folder) / "pose.log", node_command("pose_node"))
        publisher = listener.publisher("/cloud", qos=qos)
        taken = f", {reliability.replace('_', ' ')}"
        listener.spin_until(lambda: (listener.last_diagnostic() or {}).get("topics", "").endswith(taken))
        message = cloud_message(np.zeros((points, 3)))
        for _ in range(count):
            message.header.stamp.sec, message.header.stamp.nanosec = divmod(time.time_ns(), 10**9)
            publisher.publish(message)
            listener.spin_for(1.0 / rate)
        listener.spin_for(SETTLE_S)
        node.end()
    arrived = listener.told("clouds")
    listener.close()
    return arrived


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, nargs="+", default=[20_000, 100_000, 300_000], help="per cloud (20000 100000 300000)")
    parser.add_argument("--clouds", type=int, default=50, help="sent in each case (50)")
    parser.add_argument("--rate", type=float, default=10.0, help="clouds per second (10)")
    parser.add_argument("--case", choices=CASES, help="only this case, with the settings of this shell")
    options = parser.parse_args()
    if options.case:
        for points in options.points:
            print(f"{options.case}: {send(CASES[options.case][0], points, options.clouds, options.rate)} of {options.clouds} "
                  f"clouds of {points} points", flush=True)
        return
    own = {name: value for name, value in os.environ.items() if name not in CHOICES}
    sizes = [str(points) for points in options.points]
    for case, (_, settings) in CASES.items():  # one process each: the middleware reads its settings only once
        subprocess.run([sys.executable, __file__, "--case", case, "--clouds", str(options.clouds), "--rate", str(options.rate),
                        "--points", *sizes], env={**own, **settings}, check=True)


if __name__ == "__main__":
    main()
