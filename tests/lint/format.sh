#!/usr/bin/env bash
# Checks that every C++ source has the format of .clang-format; with --fix, gives it to them.
set -euo pipefail
cd "$(dirname "$0")/../.."
mode=(--dry-run -Werror)
[[ "${1:-}" == --fix ]] && mode=(-i)
git ls-files -z --cached --others --exclude-standard -- '*.h' '*.hpp' '*.cpp' '*.cc' '*.cu' '*.cuh' |
  while IFS= read -r -d '' file; do [[ -f $file ]] && printf '%s\0' "$file"; done |
  xargs -0 --no-run-if-empty clang-format "${mode[@]}"
