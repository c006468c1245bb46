#!/usr/bin/env bash
# Tests a clean clone on a bare Debian: a minimal system in its own folder, with only make and git, in
# which `make <target>` must do the rest. Needs root, debootstrap and a network; not part of
# `make test`, because it downloads some gigabytes.
#
#   tests/fresh_machine/run.sh [target …]     # default: test
#
#   FRESH_DIR    folder of the system; removed and created again (default: a folder under /var/tmp)
#   FRESH_SUITE  which Debian (default: bookworm)
#   FRESH_KEEP   1 continues in the existing system, as after an interruption
#
# Uses this machine's package sources: its apt and pip settings are copied.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
suite="${FRESH_SUITE:-bookworm}"
fresh="${FRESH_DIR:-/var/tmp/pointpng-fresh-$suite}"
targets=("${@:-test}")

[[ $EUID -eq 0 ]] || { echo "A system in a folder needs root: sudo $0" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "Install debootstrap first." >&2; exit 2; }

unmount() {
  local folder
  for folder in dev/pts dev sys proc; do
    mountpoint -q "$fresh/$folder" && umount -l "$fresh/$folder"
  done
  return 0
}
trap unmount EXIT

# This machine's mirror of the suite; debootstrap takes one address.
mirror() {
  apt-get indextargets --format '$(SITE) $(RELEASE)' "Created-By: Packages" |
    awk -v suite="$suite" '$2 == suite {print $1; exit}'
}

copy_settings() {
  local path
  for path in etc/apt etc/pip.conf etc/resolv.conf etc/hosts usr/share/keyrings \
    etc/ssl/certs/ca-certificates.crt usr/local/share/ca-certificates; do
    [[ -e /$path ]] || continue
    mkdir -p "$fresh/$(dirname "$path")"
    cp -aL --no-preserve=ownership "/$path" "$fresh/$(dirname "$path")/"
  done
}

make_system() {
  unmount
  rm -rf --one-file-system "$fresh"
  debootstrap --variant=minbase --include=ca-certificates,git,make "$suite" "$fresh" "$(mirror)"
  rm -f "$fresh/etc/apt/sources.list"
  copy_settings
  git clone --quiet --no-local "$root" "$fresh/root/pointpng"
}

run_inside() {
  local settings
  mapfile -t settings < <(env | grep -iE '^(https?_proxy|no_proxy|PIP_(INDEX_URL|EXTRA_INDEX_URL|CERT)|JOBS)=' || true)
  chroot "$fresh" /usr/bin/env -i HOME=/root TERM="${TERM:-dumb}" LANG=C.UTF-8 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${settings[@]}" "$@"
}

[[ "${FRESH_KEEP:-0}" == 1 && -d $fresh/root/pointpng ]] || make_system
mount -t proc proc "$fresh/proc"
mount -t sysfs sys "$fresh/sys"
mount --bind /dev "$fresh/dev"
mount --bind /dev/pts "$fresh/dev/pts"
start=$SECONDS
run_inside make -C /root/pointpng "${targets[@]}"
echo "fresh machine: 'make ${targets[*]}' from a clean clone succeeded in $((SECONDS - start)) s"
