#!/usr/bin/env bash
# Makes .venv with the packages of python.txt. Says nothing where nothing is to be done.
set -euo pipefail
source "$(dirname "$0")/common.sh"
venv="$root/.venv"

# A Python from elsewhere may come first in PATH and lack venv; the system's is tried first.
find_python() {
  local python
  for python in /usr/bin/python3 python3; do
    if "$python" -c 'import ensurepip, venv' 2>/dev/null; then
      echo "$python"
      return 0
    fi
  done
  fail "no python3 here can make virtual environments: install python3-venv"
}

python=$(find_python)
done_stamp=$(stamp python "$(entries "$root/setup/python.txt")" "$("$python" --version)" "$venv")
[[ -e $done_stamp && -x $venv/bin/python ]] && exit 0

say "making the Python environment .venv"
# What an interrupted call has left may be anything; a healthy environment is kept and completed.
"$venv/bin/python" -c 'import pip' 2>/dev/null || "$python" -m venv --clear "$venv"
mapfile -t packages < <(entries "$root/setup/python.txt")
retry "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "${packages[@]}" >&2
mark_done "$done_stamp"
