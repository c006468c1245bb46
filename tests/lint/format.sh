#!/usr/bin/env bash
# Checks the format of the C++ sources (.clang-format) and of the reports' JavaScript and CSS (.oxfmtrc.json), and the
# JavaScript for mistakes (.oxlintrc.json). --fix: formats them, and applies the linter's fixes.
set -euo pipefail
cd "$(dirname "$0")/../.."
assets=src/pointpng_cli/src/report/assets
clang_format=(--dry-run -Werror) oxfmt=(--check) oxlint=()
[[ "${1:-}" == --fix ]] && clang_format=(-i) oxfmt=(--write) oxlint=(--fix)
find src tests bench -type f -regex '.*\.\(h\|hpp\|cpp\|cc\|cu\|cuh\)' -print0 |
  xargs -0 --no-run-if-empty clang-format "${clang_format[@]}"
.venv/bin/oxlint --quiet "${oxlint[@]}" "$assets"
.venv/bin/oxfmt "${oxfmt[@]}" "$assets"
