#!/usr/bin/env bash
# Configures if needed, builds, and installs to install/. Further arguments are passed to CMake.
# Torch_DIR or CMAKE_PREFIX_PATH in the environment select the LibTorch; the choice is kept until
# `make clean`. BUILD_DIR, INSTALL_DIR and JOBS override folders and parallel jobs. TARGETS names
# additional targets; ONLY names targets that are built instead of all, without installing.
set -euo pipefail
source "$(dirname "$0")/common.sh"
build="${BUILD_DIR:-$root/build/core}"
install="${INSTALL_DIR:-$root/install}"

# LibTorch's headers take up to 2 GB per compiler: as many jobs as cores and memory allow.
jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/MemAvailable/ {print int($2 / 2000000)}' /proc/meminfo)
  echo $((memory < 1 ? 1 : memory < cores ? memory : cores))
}

# True if the environment names a LibTorch other than the configured one.
other_torch() {
  [[ $torch_choice != "|" && $torch_choice != "$(cat "$build/torch_choice" 2>/dev/null)" ]]
}

configured() {
  [[ -f $build/build.ninja ]] && ! other_torch &&
    { [[ $# -eq 0 ]] || [[ $* == "$(cat "$build/arguments" 2>/dev/null)" ]]; }
}

configure() {
  local torch_choice="${Torch_DIR:-}|${CMAKE_PREFIX_PATH:-}" log="$build/configure.log"
  configured "$@" && return 0
  say "configuring"
  mkdir -p "$build"
  ! other_torch || rm -f "$build/CMakeCache.txt"
  if ! cmake -G Ninja -S "$root/setup/workspace" -B "$build" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_INSTALL_PREFIX="$install" "$@" >"$log" 2>&1; then
    cat "$log" >&2
    fail "CMake could not configure the build; its output is above"
  fi
  [[ $torch_choice == "|" ]] || echo "$torch_choice" >"$build/torch_choice"
  echo "$*" >"$build/arguments"
}

# Builds; hides ninja's two lines about having nothing to do.
compile() {
  # shellcheck disable=SC2086 # several targets are several words
  cmake --build "$build" --parallel "${JOBS:-$(jobs)}" --target ${ONLY:-all ${TARGETS:-}} |
    { grep --line-buffered -vE 'Re-checking globbed directories|ninja: no work to do' || true; }
}

configure "$@"
compile
[[ -z ${ONLY:-} ]] || exit 0
mkdir -p "$install"
touch "$build/COLCON_IGNORE" "$install/COLCON_IGNORE" # colcon must not look for packages here
cmake --install "$build" >"$build/install.log" || { cat "$build/install.log" >&2; exit 1; }
