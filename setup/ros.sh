#!/usr/bin/env bash
# Where no ROS 2 is installed: lays the wheels of ros.txt into .venv and repairs them for C++. Says which
# ROS 2 was found when that changes, else nothing. Safe to interrupt and to repeat.
set -euo pipefail
source "$(dirname "$0")/common.sh"
source "$(dirname "$0")/ros_home.sh"
venv="$root/.venv"

# $1: a sentence, said once
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

# Kept inside .venv: whoever makes that anew loses the mark as well.
mark="$venv/.ros_wheels"
wanted=$(cat "$root/setup/ros.txt" "$root/setup/ros_repair.py" <("$venv/bin/python" --version) | sha256sum)
[[ $(cat "$mark" 2>/dev/null) == "$wanted" ]] && exit 0

announce "no ROS 2 here: using the Jazzy wheels and the stand-ins of underlay/"
say "installing ROS 2 wheels into .venv (some 260 MB)"
mapfile -t packages < <(entries "$root/setup/ros.txt")
retry "$venv/bin/python" -m pip install --quiet --use-pep517 --disable-pip-version-check "${packages[@]}" >&2
"$venv/bin/python" "$root/setup/ros_repair.py"
echo "$wanted" >"$mark"
