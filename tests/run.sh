#!/usr/bin/env bash
# Runs all tests, after `make build`; prints one line per part and sets the exit status. Called by
# `make test`. The log of each part is kept in build/test-logs.
set -uo pipefail
cd "$(dirname "$0")/.."
build="${BUILD_DIR:-$PWD/build/core}"
install="${INSTALL_DIR:-$PWD/install}"
logs="build/test-logs"
mkdir -p "$logs"
summary=()
failures=0

# $1: name; the rest: a command. Its output is shown if it fails.
part() {
  local name=$1 log="$logs/$1.log" start=$SECONDS result=passed
  shift
  echo "== $name"
  if ! "$@" >"$log" 2>&1; then
    result=FAILED
    failures=$((failures + 1))
    cat "$log"
  fi
  summary+=("$(printf '%-12s %-7s %4d s   %s' "$name" "$result" $((SECONDS - start)) "$(digest "$log")")")
}

# Summarises a log: how many GoogleTest, unittest and pytest tests ran, and with which ROS 2.
digest() {
  awk '/tests? from .* ran\./ {for (i = 1; i < NF; i++) if ($i ~ /^[0-9]+$/) {count["passed"] += $i; break}}
       /^Ran [0-9]+ tests? in / {count["passed"] += $2}
       /^=* *[0-9]+ (passed|failed|skipped|error|xfailed|deselected).* in [0-9.]+s/ {
         for (i = 1; i < NF; i++) if ($i ~ /^[0-9]+$/) {word = $(i + 1); sub(/,$/, "", word); count[word] += $i}}
       /^ROS 2 home: / {home = "; " $0}
       END {for (word in count) if (word != "passed") others = others ", " count[word] " " word
            print count["passed"] ? count["passed"] " tests ran" others home : ""}' "$1"
}

cpp_tests() {
  ctest --test-dir "$build" --parallel "$(nproc)" --verbose --no-tests=error
}

python_tests() {
  POINTPNG="$install/bin/pointpng" POINTPNG_IO_TOOL="$(find "$build" -name pointpng_io_tool -type f | head -n 1)" \
    .venv/bin/python -m pytest tests --ignore tests/ros --quiet --color=no -p no:cacheprovider
}

part format tests/lint/format.sh
part c++ cpp_tests
part python python_tests
part ros tests/ros/run.sh
part underlay underlay/tests/run.sh

echo
printf '  %s\n' "${summary[@]}"
if ((failures)); then
  echo "make test: $failures of ${#summary[@]} parts failed; their logs are in $logs"
  exit 1
fi
echo "make test: all ${#summary[@]} parts passed"
