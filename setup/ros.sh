#!/usr/bin/env bash
# If no ROS 2 is installed: installs the wheels of ros.txt into .venv and repairs them for C++. Prints which
# ROS 2 is used when that changes. Safe to interrupt and to repeat.
set -euo pipefail
source "$(dirname "$0")/common.sh"
source "$(dirname "$0")/ros_home.sh"
venv="$root/.venv"

# $1: a message, printed once
announce() {
  local said
  said=$(stamp ros_home "$1")
  [[ -e $said ]] && return 0
  say "$1"
  mark_done "$said"
}

home=$(real_ros)
if [[ -n $home ]]; then
  announce "using the ROS 2 in $home"
  exit 0
fi

# Inside .venv, so that it disappears with it.
mark="$venv/.ros_wheels"
wanted=$(cat "$root/setup/ros.txt" "$root/setup/ros_repair.py" <("$venv/bin/python" --version) | sha256sum)
[[ $(cat "$mark" 2>/dev/null) == "$wanted" ]] && exit 0

announce "no ROS 2 found: using the Jazzy wheels and the stand-ins of underlay/"
say "installing ROS 2 wheels into .venv (about 260 MB)"
mapfile -t packages < <(entries "$root/setup/ros.txt")
retry "$venv/bin/python" -m pip install --quiet --use-pep517 --disable-pip-version-check "${packages[@]}" >&2
"$venv/bin/python" "$root/setup/ros_repair.py"
echo "$wanted" >"$mark"
