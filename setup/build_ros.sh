#!/usr/bin/env bash
# Builds the ROS 2 packages of src/ into install/; without a real ROS 2, the stand-ins of underlay/ first.
# `. install/setup.bash` then sets up a shell. BUILD_DIR, INSTALL_DIR and JOBS as in build.sh.
set -euo pipefail
source "$(dirname "$0")/common.sh"
source "$(dirname "$0")/ros_home.sh"
build="$(dirname "${BUILD_DIR:-$root/build/core}")/ros"
install="${INSTALL_DIR:-$root/install}"
venv="$root/.venv"
underlay=(rclcpp rclcpp_components tf2_msgs tf2 tf2_ros tf2_eigen launch_testing_ament_cmake python)
sources=(pointpng_msgs pointpng_ros pointpng)

# A build against one ROS 2 can't be used with another: removes it and what it installed.
forget_other_home() {
  local manifest
  [[ -d $build && $(cat "$build/home" 2>/dev/null) != "$home" ]] || return 0
  for manifest in "$build"/*/install_manifest.txt; do
    [[ ! -f $manifest ]] || tr '\n' '\0' <"$manifest" | xargs -0 rm -f
  done
  rm -rf "$build"
  find "$install" -name __pycache__ -prune -exec rm -rf {} +
  find "$install" -type d -empty -delete
}

# A hash of folders: names, times and sizes of their files.
state_of() { find "$@" -type f -not -name '*.pyc' -printf '%p %T@ %s\n' | sort | sha256sum; }

# $1: folder of a package; the rest: options for CMake
configure_package() {
  local out="$build/$(basename "$1")" options=("${@:2}")
  [[ ! -f $out/build.ninja ]] || return 0
  [[ -n $home ]] || options+=(-DPython3_EXECUTABLE="$venv/bin/python")
  cmake -G Ninja -S "$1" -B "$out" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$install" \
    "${options[@]}" >"$out.log" 2>&1
}

up_to_date() { [[ $(ninja -C "$1" -n 2>/dev/null | tail -n 1) == *"no work to do"* ]]; }

# $1: folder of a package; the rest: options for CMake
build_package() {
  local name out
  name=$(basename "$1")
  out="$build/$name"
  up_to_date "$out" || say "building $name"
  if ! { configure_package "$@" && cmake --build "$out" --parallel "${JOBS:-$(nproc)}" >"$out.log" 2>&1 &&
    cmake --install "$out" >>"$out.log" 2>&1; }; then
    cat "$out.log" >&2
    fail "could not build $name; the output of its build is above"
  fi
}

# Builds a package again only if its folder, or a package built before it, has changed.
build_once() {
  local state
  state=$(state_of "$1"; cat "$build/before")
  if [[ $state != "$(cat "$build/$(basename "$1").state" 2>/dev/null)" ]]; then
    build_package "$1" -DBUILD_TESTING=OFF
    echo "$state" >"$build/$(basename "$1").state"
  fi
  echo "$state" | sha256sum >"$build/before" # later packages may depend on it
}

# Writes install/setup.bash, for users and for this script.
write_setup() {
  local text
  text=$(sed -e "s|@HOME_PREFIX@|$home|" -e "s|@VENV@|$venv|" "$root/setup/setup.bash.in")
  mkdir -p "$install"
  [[ $text == "$(cat "$install/setup.bash" 2>/dev/null)" ]] || echo "$text" >"$install/setup.bash"
}

home=$(real_ros)
forget_other_home
mkdir -p "$build"
echo "$home" >"$build/home"
touch "$build/COLCON_IGNORE"
write_setup
set +u # ROS's setup scripts read unset variables
source "$install/setup.bash"
set -u
export CMAKE_PREFIX_PATH="$install${home:+:$home}${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}"
[[ -n $home ]] || CMAKE_PREFIX_PATH+=":$venv"

: >"$build/before"
if [[ -z $home ]]; then
  for package in "${underlay[@]}"; do build_once "$root/underlay/$package"; done
fi
for package in "${sources[@]}"; do
  [[ -f $root/src/$package/CMakeLists.txt ]] || continue
  if [[ $package == pointpng_msgs ]]; then
    build_once "$root/src/$package"
  else
    build_package "$root/src/$package" -DBUILD_TESTING=ON -DTESTS_ON_DEMAND=ON
  fi
done
