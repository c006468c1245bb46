#!/usr/bin/env bash
# Checks that every C++ source has the format of .clang-format; with --fix, gives it to them.
set -euo pipefail
cd "$(dirname "$0")/../.."
mode=(--dry-run -Werror)
[[ "${1:-}" == --fix ]] && mode=(-i)
find src tests bench -type f -regex '.*\.\(h\|hpp\|cpp\|cc\|cu\|cuh\)' -print0 |
  xargs -0 --no-run-if-empty clang-format "${mode[@]}"
