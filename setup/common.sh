# Helpers for the scripts in this folder; to be sourced.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
stamps="$root/.setup"

say() { echo "pointpng setup: $*" >&2; }

fail() {
  say "$*"
  exit 1
}

# The entries of a package list, without comments and blank lines.
entries() { sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$1"; }

# Runs a command up to three times, for unreliable networks.
retry() {
  local attempt
  for attempt in 1 2; do
    "$@" && return 0
    say "'$1 ${2:-}' failed; trying again in $((attempt * 5)) s"
    sleep $((attempt * 5))
  done
  "$@"
}

# A file name that identifies the inputs of a step: `stamp python "$list" "$interpreter"`.
stamp() {
  local name=$1
  shift
  echo "$stamps/$name-$(printf '%s\0' "$@" | sha256sum | cut -c1-16)"
}

# Marks a step as done and removes its earlier stamps.
mark_done() {
  mkdir -p "$stamps"
  rm -f "${1%-*}"-*
  touch "$1"
}
