#!/usr/bin/env bash
# Creates .venv with the packages of python.txt. Prints nothing if there is nothing to do.
set -euo pipefail
source "$(dirname "$0")/common.sh"
venv="$root/.venv"

# Tries the system's Python first: another one in PATH may lack venv.
find_python() {
  local python
  for python in /usr/bin/python3 python3; do
    if "$python" -c 'import ensurepip, venv' 2>/dev/null; then
      echo "$python"
      return 0
    fi
  done
  fail "no python3 on this machine can create virtual environments: install python3-venv"
}

python=$(find_python)
done_stamp=$(stamp python "$(entries "$root/setup/python.txt")" "$("$python" --version)" "$venv")
[[ -e $done_stamp && -x $venv/bin/python ]] && exit 0

say "creating the Python environment .venv"
# An interrupted run may leave a broken environment, which is replaced; a working one is completed.
"$venv/bin/python" -c 'import pip' 2>/dev/null || "$python" -m venv --clear "$venv"
mapfile -t packages < <(entries "$root/setup/python.txt")
retry "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "${packages[@]}" >&2
mark_done "$done_stamp"
