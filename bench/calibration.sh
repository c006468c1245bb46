#!/usr/bin/env bash
# Makes the rows that bench/calibrate.py fits the confidence to: bench/calibration.sh OUT PAIRS SET=DATA …
# SET names a data set and DATA is what --data takes; depth frames get the protocol 'scene'. Writes OUT/SET/PROTOCOL.jsonl,
# and OUT/SET/guess/PROTOCOL.jsonl for tracking, PAIRS pairs each. What exists already is kept. SEED: other pairs [77].
set -euo pipefail
out=${1:?"bench/calibration.sh OUT PAIRS SET=DATA …"} pairs=${2:?} pointpng="${POINTPNG:-$(dirname "$0")/../install/bin/pointpng}"
shift 2

rows() { # file, arguments of eval pose
  [[ -f $1 ]] && return
  echo "$1"
  "$pointpng" eval pose --confidence 0 --pairs "$pairs" --seed "${SEED:-77}" --quiet --json --rows "$1" "${@:2}" >/dev/null
}

for set in "$@"; do
  name=${set%%=*} data=${set#*=}
  mkdir -p "$out/$name/guess"
  if [[ -f $data/camera-intrinsics.txt ]]; then
    rows "$out/$name/scene.jsonl" --data "$data" --protocol scene
    continue
  fi
  for protocol in resampled noisy partial view plane clutter absent room street corridor; do
    rows "$out/$name/$protocol.jsonl" --data "$data" --protocol "$protocol"
  done
  for protocol in resampled noisy partial view plane clutter room street; do
    rows "$out/$name/guess/$protocol.jsonl" --data "$data" --protocol "$protocol" --guess 30
  done
done
