#!/usr/bin/env bash
# Installs the missing packages of apt.txt and makes LibTorch use OpenBLAS. `system.sh tests`: installs those of
# apt-tests.txt instead, as far as apt has them.
# Prints nothing if there is nothing to do. POINTPNG_SKIP_APT=1 leaves the system alone.
set -euo pipefail
source "$(dirname "$0")/common.sh"

# With a user's own LibTorch, Debian's is not needed, and the two can't be mixed up.
wanted_packages() {
  if [[ -n "${Torch_DIR:-}" ]]; then
    entries "$root/setup/apt.txt" | grep -vx libtorch-dev
  else
    entries "$root/setup/apt.txt"
  fi
}

# Filters stdin: packages that are not installed.
missing_packages() {
  local installed
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>/dev/null | sed -n 's/^installed //p')
  grep -vxF -f <(echo "$installed") || true
}

# Filters stdin: packages that apt can install.
known_packages() {
  local package
  while read -r package; do
    apt-cache show "$package" >/dev/null 2>&1 && echo "$package"
  done
}

as_root() {
  if [[ $EUID -eq 0 ]]; then
    "$@"
  else
    sudo "$@"
  fi
}

# $1: what needs root, $2: the command for an administrator
require_root() {
  [[ $EUID -eq 0 ]] || command -v sudo >/dev/null ||
    fail "$1 needs root, and sudo is not installed: run this as root, or ask your administrator to run: $2"
}

apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 \
    -o Dpkg::Use-Pty=0 "$@" >&2
}

install_packages() {
  require_root "installing packages" "apt-get install $*"
  say "installing $*"
  as_root dpkg --configure -a >&2 # completes an interrupted installation
  # A broken third-party source is no reason to stop: what counts is whether the packages are found.
  retry apt_get update || say "warning: 'apt-get update' reported errors"
  retry apt_get --no-install-recommends install "$@"
}

# $1: libblas.so.3 or liblapack.so.3. Several BLAS can be installed; update-alternatives selects one.
choose_openblas() {
  local name="$1-$(gcc -print-multiarch)" state mode value best
  state=$(update-alternatives --query "$name" 2>/dev/null) || return 0
  mode=$(sed -n 's/^Status: //p' <<<"$state")
  value=$(sed -n 's/^Value: //p' <<<"$state")
  best=$(sed -n 's/^Alternative: //p' <<<"$state" | grep openblas-openmp) || return 0
  if [[ $value == "$best" ]]; then
    return 0
  elif [[ $mode == manual ]]; then
    # Printed once; `pointpng doctor` always reports it.
    local warned
    warned=$(stamp "blas_$1" "$value")
    [[ -e $warned ]] && return 0
    say "warning: $1 was set by hand to $value; faster with LibTorch: update-alternatives --set $name $best"
    mark_done "$warned"
  else
    require_root "choosing OpenBLAS" "update-alternatives --set $name $best"
    say "choosing OpenBLAS for $1 (undo: update-alternatives --auto $name)"
    as_root update-alternatives --set "$name" "$best" >/dev/null
  fi
}

[[ "${POINTPNG_SKIP_APT:-0}" == 1 ]] && exit 0
command -v apt-get >/dev/null && command -v dpkg-query >/dev/null ||
  fail "this system has no apt: install the equivalents of the packages in setup/apt.txt, then set POINTPNG_SKIP_APT=1"

if [[ ${1:-} == tests ]]; then
  mapfile -t missing < <(entries "$root/setup/apt-tests.txt" | missing_packages | known_packages)
  [[ ${#missing[@]} -eq 0 ]] || (install_packages "${missing[@]}") ||
    say "warning: tests that need ${missing[*]} will be skipped"
  exit 0
fi
mapfile -t missing < <(wanted_packages | missing_packages)
[[ ${#missing[@]} -eq 0 ]] || install_packages "${missing[@]}"
choose_openblas libblas.so.3
choose_openblas liblapack.so.3
