#!/usr/bin/env bash
# Builds the whole project against a CUDA LibTorch from PyPI in a scratch folder and shows that it starts: with a GPU the
# kernels are run, without one the program says that no driver is there. Downloads some 800 MB and needs an nvcc of the same
# major version of CUDA, so it is not part of `make test`.
#   tests/cuda/run.sh SCRATCH [VERSION]
set -euo pipefail
root="$(cd "$(dirname "$0")/../.." && pwd)"
scratch="${1:?usage: tests/cuda/run.sh SCRATCH [VERSION]}"
version="${2:-2.11}"
packages="$scratch/packages"

# Without its dependencies: the toolkit has most of them; those that LibTorch needs besides are named.
if [[ ! -d $packages/torch ]]; then
  "$root/.venv/bin/python" -m pip install --quiet --no-deps --target "$packages" "torch==$version.*" \
    nvidia-cusparselt-cu13 nvidia-nvshmem-cu13 nvidia-cufile
fi
libraries="$(find "$packages/nvidia" -name lib -type d -printf '%p:')/usr/local/cuda/lib64"
export LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
cmake -G Ninja -S "$root/setup/workspace" -B "$scratch/build" -DCMAKE_INSTALL_PREFIX="$scratch/install" \
  -DTorch_DIR="$packages/torch/share/cmake/Torch" -DPOINTPNG_CUDA=ON -DTESTS_ON_DEMAND=ON
cmake --build "$scratch/build" --target all pointpng_gpu_tests
cmake --install "$scratch/build" >/dev/null
"$scratch/install/bin/pointpng" doctor --json | tee "$scratch/doctor.json"
grep -q '"usable"' "$scratch/doctor.json"
"$(find "$scratch/build" -name pointpng_gpu_tests -type f)"
