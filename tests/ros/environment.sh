# Sets up a shell for tests and benchmarks of the ROS 2 packages, after `make build`; to be sourced by bash. Sets
# `root`, `install`, `build`, `home` (of a real ROS 2; else empty) and `python`.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/setup/common.sh"
source "$root/setup/ros_home.sh"
install="${INSTALL_DIR:-$root/install}"
build="$(dirname "${BUILD_DIR:-$root/build/core}")/ros"
home=$(real_ros)
python=python3
[[ -n $home ]] || python="$root/.venv/bin/python"
set +u # ROS's setup scripts read unset variables
source "$install/setup.bash"
set -u

# A ROS domain for this shell alone; no spinning threads.
export ROS_DOMAIN_ID=$((1 + $$ % 200)) ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST
export ROS_LOG_DIR="$build/test-logs" OMP_WAIT_POLICY=passive PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH="$root/tests/ros${PYTHONPATH:+:$PYTHONPATH}"
mkdir -p "$ROS_LOG_DIR"

say_home() { echo "ROS 2 home: ${home:-the Jazzy wheels and the stand-ins of underlay/}"; }
