#!/usr/bin/env bash
# Benchmarks of the ROS 2 nodes, after `make build`: bench/ros.sh latency|memory|transport [OPTIONS]; see --help.
set -euo pipefail
name=${1:?"bench/ros.sh latency|memory|transport [OPTIONS]"}
source "$(dirname "$0")/../tests/ros/environment.sh"
say_home
exec "$python" "$root/bench/ros/$name.py" "${@:2}"
