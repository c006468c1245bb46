#!/usr/bin/env bash
# Tests of the ROS 2 packages, after `make build`: parts in C++, nodes and launch files as robots use them, and rclpy
# clients. Arguments are files to run instead of all. Prints which ROS 2 it used.
set -uo pipefail
source "$(dirname "$0")/environment.sh"
say_home
status=0

files=("$@")
if ((${#files[@]} == 0)); then
  files=("$root"/tests/ros/*_launch.py "$root"/tests/ros/test_*.py)
  cmake --build "$build/pointpng_ros" --target pointpng_ros_tests --parallel "${JOBS:-$(nproc)}" >"$build/tests.log" 2>&1 ||
    { cat "$build/tests.log"; exit 1; }
  "$build/pointpng_ros/pointpng_ros_tests" --gtest_brief=1 || status=1
fi
for file in "${files[@]}"; do
  echo "-- $(basename "$file")"
  if [[ $file == *_launch.py ]]; then
    "$python" -m launch_testing.launch_test "$file" || status=1
  else
    "$python" -m pytest "$file" --quiet --color=no --durations=5 -p no:cacheprovider || status=1
  fi
done
exit $status
