#!/usr/bin/env bash
# Measures the relative poses of BENCHMARK.md: bench/pose.sh DATA SPLIT OUT [PAIRS]
# DATA holds modelnet10_test.h5 and scenes_7scenes, SPLIT is the output of models/split.py (its `test` was
# held out). Writes one JSON file per set and protocol to OUT and prints a table.
set -euo pipefail
data=${1:?"bench/pose.sh DATA SPLIT OUT [PAIRS]"} split=${2:?} out=${3:?} pairs=${4:-100}
pointpng="${POINTPNG:-$(dirname "$0")/../install/bin/pointpng}"
mkdir -p "$out"

measure() { # set, file, protocol
  "$pointpng" eval pose --data "$2" --protocol "$3" --pairs "$pairs" --seed 5 --threads "${THREADS:-2}" --quiet --json \
    >"$out/$1_$3.json" 2>/dev/null
  python3 - "$1" "$3" "$out/$1_$3.json" <<'PYTHON'
import json, sys
r = json.load(open(sys.argv[3]))
all_, ms = r["if_all_accepted"], r["ms_per_pair"]
print(f"| {sys.argv[1]} | {sys.argv[2]} | {100 * r['success']['5deg']:.0f} % | {100 * r['surface_ok']:.0f} % | "
      f"{all_['rotation_deg']['median']:.2f}° | {r['rotation_deg']['max']:.1f}° | {100 * (1 - r['rejected'] / r['pairs']):.0f} % | "
      f"{100 * r['accepted_right']:.1f} % | {100 * r['search_only']['success']['5deg']:.0f} % | {ms['total']:.0f} | {ms['cpu']:.0f} |")
PYTHON
}

echo "| shapes | protocol | < 5° | on the surface | median of all | max | accepted | right of these | < 5°, search alone | ms | CPU ms |"
echo "|---|---|---|---|---|---|---|---|---|---|---|"
for protocol in same resampled noisy partial view plane; do
  measure airplane "$split/test/modelnet40_airplane_train.h5" "$protocol"
  measure chair "$split/test/shapenet_chair_train.h5" "$protocol"
  measure modelnet10 "$data/modelnet10_test.h5" "$protocol"
  measure princeton "$split/test/princeton_infomr.h5" "$protocol"
  measure scanned "$split/test/google_scanned_objects.h5" "$protocol"
done
measure 7-scenes "$data/scenes_7scenes" scene
