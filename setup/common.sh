# Small helpers of the scripts in this folder; to be sourced.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
stamps="$root/.setup"

say() { echo "pointpng setup: $*" >&2; }

fail() {
  say "$*"
  exit 1
}

# The entries of a package list, without comments and empty lines.
entries() { sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$1"; }

# Networks have bad moments: tries a command up to three times.
retry() {
  local attempt
  for attempt in 1 2; do
    "$@" && return 0
    say "'$1 ${2:-}' failed; trying again in $((attempt * 5)) s"
    sleep $((attempt * 5))
  done
  "$@"
}

# One name for the state that a step depends on: `stamp python "$list" "$interpreter"`.
stamp() {
  local name=$1
  shift
  echo "$stamps/$name-$(printf '%s\0' "$@" | sha256sum | cut -c1-16)"
}

# Marks a step as done and forgets its earlier states.
mark_done() {
  mkdir -p "$stamps"
  rm -f "${1%-*}"-*
  touch "$1"
}
