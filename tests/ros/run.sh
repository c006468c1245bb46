#!/usr/bin/env bash
# Tests of the ROS 2 packages, after `make build`: of their parts in C++, of nodes and launch files as robots use them,
# and with rclpy as the other side. Arguments are files to run instead of all. Prints which ROS 2 it used.
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
source "$root/setup/common.sh"
source "$root/setup/ros_home.sh"
install="${INSTALL_DIR:-$root/install}"
build="$(dirname "${BUILD_DIR:-$root/build/core}")/ros"
home=$(real_ros)
echo "ROS 2 home: ${home:-the Jazzy wheels and the stand-ins of underlay/}"
set +u # ROS's own scripts read variables that may not exist
source "$install/setup.bash"
set -u
python=python3
[[ -n $home ]] || python="$root/.venv/bin/python"

# A corner of the network for these tests alone; no threads that spin beside each other.
export ROS_DOMAIN_ID=$((101 + $$ % 100)) ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST
export ROS_LOG_DIR="$build/test-logs" OMP_WAIT_POLICY=passive PYTHONDONTWRITEBYTECODE=1
mkdir -p "$ROS_LOG_DIR"
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
    "$python" -m pytest "$file" --quiet --color=no -p no:cacheprovider || status=1
  fi
done
exit $status
