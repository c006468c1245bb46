#!/usr/bin/env bash
# Runs demo.launch.py for ten seconds, after `make build`: compares the poses of a simulated object with the ground truth
# and writes a page about them. $1: folder for the page and the log.
set -euo pipefail
source "$(dirname "$0")/common.sh"
out=$(mkdir -p "$1" && cd "$1" && pwd)
log="$out/ros.log"
set +u # ROS's setup scripts read unset variables
source "${INSTALL_DIR:-$root/install}/setup.bash"
set -u
export ROS_AUTOMATIC_DISCOVERY_RANGE="${ROS_AUTOMATIC_DISCOVERY_RANGE:-LOCALHOST}" ROS_LOG_DIR="$out/ros-logs"

echo
echo "ROS 2: an object rotates in front of a simulated depth camera; its pose on /tf and the true one, once per second"
if ! ros2 launch pointpng demo.launch.py seconds:=10 report:="$out/poses.html" 2>&1 | tee "$log" |
  sed -un 's/^\[compare_poses-[0-9]*\] /  /p'; then
  cat "$log" >&2
  fail "the demo of the ROS 2 nodes failed; their output is above and in $log"
fi
