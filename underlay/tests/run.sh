#!/usr/bin/env bash
# Tests of the stand-ins, after `make build`: in C++, with rclpy as the other side, and of launch files. Arguments go
# to pytest.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
source "$root/setup/common.sh"
source "$root/setup/ros_home.sh"
home=$(real_ros)
if [[ -n $home ]]; then
  echo "a real ROS 2 is used here ($home): its packages need no tests of ours"
  exit 0
fi
install="${INSTALL_DIR:-$root/install}"
build="$(dirname "${BUILD_DIR:-$root/build/core}")/ros/underlay_tests"
prefix="$build/install" # not into the product's install/

source "$install/setup.bash"
export AMENT_PREFIX_PATH="$prefix:$AMENT_PREFIX_PATH"
export CMAKE_PREFIX_PATH="$AMENT_PREFIX_PATH"
export LD_LIBRARY_PATH="$prefix/lib:$LD_LIBRARY_PATH"
# A corner of the network for these tests alone.
export ROS_DOMAIN_ID=$((1 + $$ % 100)) ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST ROS_LOG_DIR="$build/logs"

mkdir -p "$build"
if ! { cmake -G Ninja -S "$root/underlay/tests" -B "$build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$prefix" \
  -DPython3_EXECUTABLE="$root/.venv/bin/python" && cmake --build "$build" --parallel "${JOBS:-$(nproc)}" &&
  cmake --install "$build"; } >"$build/build.log" 2>&1; then
  cat "$build/build.log"
  exit 1
fi
status=0
ctest --test-dir "$build" --output-on-failure --no-tests=error || status=1
"$root/.venv/bin/python" -m pytest "$root/underlay/tests/python" --quiet --color=no -p no:cacheprovider "$@" || status=1
exit $status
