#!/usr/bin/env bash
# Tests of the stand-ins, after `make build`: in C++, with rclpy as the other side, and of launch files. Arguments go
# to pytest.
set -euo pipefail
source "$(dirname "$0")/../../tests/ros/environment.sh"
say_home
if [[ -n $home ]]; then
  echo "a real ROS 2 is used here: its packages need no tests of ours"
  exit 0
fi
build="$build/underlay_tests"
prefix="$build/install" # not into the product's install/
export AMENT_PREFIX_PATH="$prefix:$AMENT_PREFIX_PATH"
export CMAKE_PREFIX_PATH="$AMENT_PREFIX_PATH"
export LD_LIBRARY_PATH="$prefix/lib:$LD_LIBRARY_PATH"

mkdir -p "$build"
if ! { cmake -G Ninja -S "$root/underlay/tests" -B "$build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$prefix" \
  -DPython3_EXECUTABLE="$python" && cmake --build "$build" --parallel "${JOBS:-$(nproc)}" &&
  cmake --install "$build"; } >"$build/build.log" 2>&1; then
  cat "$build/build.log"
  exit 1
fi
status=0
ctest --test-dir "$build" --verbose --no-tests=error || status=1
"$python" -m pytest "$root/underlay/tests/python" --quiet --color=no -p no:cacheprovider "$@" || status=1
exit $status
