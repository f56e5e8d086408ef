#!/usr/bin/env bash
# The one list of the Debian packages this project needs, and their installation.
#   deploy/packages.sh build test    install what is missing of these groups
#   deploy/packages.sh --list GROUP  print a group
source "$(dirname "$0")/common.sh"

# What the binary is built from; deploy/sysroot.sh unpacks the same list.
libraries="libc6-dev libstdc++-12-dev libbluetooth-dev libmosquitto-dev libsqlite3-dev libcjson-dev libssl-dev libtomlplusplus-dev"
# What the Swift toolchain needs to run and to link.
toolchain="libcurl4 libncurses6 libxml2 binutils"

group() {
  case $1 in
    libraries) echo "$libraries" ;;
    build) echo "$toolchain $libraries git" ;;
    emulate) echo "qemu-user-static" ;;
    test) echo "qemu-user-static tmux mosquitto mosquitto-clients python3 python3-venv" ;;
    demo) echo "mosquitto mosquitto-clients" ;;
    ship) echo "dpkg-dev apt-utils gnupg man-db lintian mmdebstrap bash-completion systemd buildah" ;;
    rigs) echo "bluez-test-tools qemu-system-arm e2fsprogs socat rabbitmq-server strace stunnel4" ;;
    browser) echo "chromium" ;;
    page) echo "node-mqtt esbuild node-typescript node-buffer python3" ;;
    bench) echo "valgrind tshark bluez dbus-daemon python3-venv" ;;
    *) fail "unknown group \"$1\": it must be libraries, build, bench, browser, demo, emulate, page, test, ship or rigs" 64 ;;
  esac
}

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

if [ "${1:-}" = --list ]; then
  group "${2:-}"
  exit
fi
[ $# -gt 0 ] || fail "name the groups to install: build, bench, browser, demo, emulate, page, test, ship, rigs" 64
for name in "$@"; do group "$name" >/dev/null; done
command -v apt-get >/dev/null || fail "this machine has no apt-get; the packages are Debian's (12, bookworm)"

missing=()
for name in "$@"; do
  for package in $(group "$name"); do
    installed "$package" || missing+=("$package")
  done
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || fail "these Debian packages are missing, and there is no sudo to install them with; as root run: apt-get install ${missing[*]}"
  as_root=(sudo)
fi
say "Installing Debian packages: ${missing[*]}"
# The tests start the brokers that they need: keep Debian's services from starting.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
  "${as_root[@]}" chmod 755 "$policy"
  trap '"${as_root[@]}" rm -f "$policy"' EXIT
fi
quiet=(-qq -o Dpkg::Use-Pty=0 -o Acquire::Retries=3)
# A mirror may be in the middle of a sync: the installation decides, not the update.
"${as_root[@]}" apt-get "${quiet[@]}" update || say "apt-get update reported errors; trying to install all the same"
apt_get() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get "${quiet[@]}" -y --no-install-recommends "$@" >&2; }
# An installation that was killed halfway blocks every later one until it is completed.
complete_interrupted() {
  say "trying again, in case an earlier installation was interrupted"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive dpkg --configure -a >&2
  apt_get --fix-broken install
}
apt_get install "${missing[@]}" || { complete_interrupted && apt_get install "${missing[@]}"; } ||
  fail "apt-get could not install: ${missing[*]}"
