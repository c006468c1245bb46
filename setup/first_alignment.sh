#!/usr/bin/env bash
# Builds the program `pointpng` alone, which needs no LibTorch, and aligns two clouds with it: something to look at while
# the rest is built. $1: folder for the page. BUILD_DIR and JOBS as in build.sh.
set -euo pipefail
source "$(dirname "$0")/common.sh"
build="${BUILD_DIR:-$root/build/core}"
ONLY=pointpng_program "$root/setup/build.sh"
mkdir -p "$1"
echo "A chair and what a depth camera sees of it, aligned without an initial guess:"
echo
POINTPNG_MODEL="$root/models/object.safetensors" "$build/cli/pointpng" pose "$root/docs/examples/chair.ply" \
  "$root/docs/examples/chair_seen.ply" --quiet --report "$1/alignment.html"
echo "In 3D: $1/alignment.html. Now the rest is built: training, evaluation, ROS 2."
echo
