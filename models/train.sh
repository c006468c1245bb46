#!/usr/bin/env bash
# Retrains the shipped models: models/train.sh DATA OUT [object|paper]
# DATA holds the HDF5 files named below; runs and splits go to OUT. `object` took 47 minutes on two cores shared
# with other work, `paper` 20 on one. models/publish.py copies the result to models/; its card is written by hand.
set -euo pipefail
data=${1:?"models/train.sh DATA OUT [object|paper]"}
out=${2:?"models/train.sh DATA OUT [object|paper]"}
what=${3:-object}
root="$(cd "$(dirname "$0")/.." && pwd)"
pointpng="$root/install/bin/pointpng"
files=(modelnet40_airplane_train shapenet_chair_train princeton_infomr sweethome3d google_scanned_objects)

if [[ ! -d $out/train ]]; then
  paths=("${files[@]/#/"$data/"}")
  "$root/.venv/bin/python" "$root/models/split.py" "$out" "${paths[@]/%/.h5}"
fi
sources=(--data "$data/modelnet10_train.h5")
for file in "${files[@]}"; do sources+=(--data "$out/train/$file.h5"); done

case $what in
object) # the equivariant backbone with the Wigner predictor, on views with noise, crops and outliers
  "$pointpng" pretrain --out "$out/object" --preset small --epochs 16 --seed 1 --held-out 0.02 "${sources[@]}" \
    --set train.views.jitter=0.02 --set train.views.crop_probability=0.25 --set train.views.crop_largest=0.3 \
    --set train.views.view_probability=0.25 --set train.views.outlier_probability=0.2 --set train.average=0.999
  ;;
paper) # the paper's backbone, predictor, masks and losses at a size that two cores can train
  "$pointpng" mae --out "$out/paper_mae" --preset tiny --backbone transformer --epochs 4 --seed 1 "${sources[@]}"
  "$pointpng" pretrain --out "$out/paper" --preset tiny --backbone transformer --predictor cope --epochs 80 --seed 1 \
    --held-out 0.02 --init "$out/paper_mae/encoder.safetensors" --mask-ratio 0.6 "${sources[@]}" \
    --set train.loss.pseudo_negatives=8 --set train.loss.near_negatives=0 --set train.views.same_points=true
  ;;
*)
  echo "models/train.sh: the model must be object or paper, got '$what'" >&2
  exit 2
  ;;
esac
