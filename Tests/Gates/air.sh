#!/usr/bin/env bash
# Gate: the product's radios, asking and answering, against independent controllers and phones (Bumble over tcp,
# unix and pty; btvirt), healthy and with every fault. Tests/Gates/board.sh proves the kernel's own Bluetooth.
#   Tests/Gates/air.sh
#   FORECOURT=build/amd64/forecourt Tests/Gates/air.sh   with this program; builds none
source "$(dirname "$0")/../../deploy/common.sh"
need_swift
deploy/packages.sh test rigs
logs=build/air
rm -rf "$logs"
mkdir -p "$logs"
python=$(Tests/Rigs/venv.sh)
if [ -z "${FORECOURT:-}" ]; then
  swift build --product forecourt >"$logs/build" 2>&1 || {
    cat "$logs/build" >&2
    fail "forecourt does not build"
  }
fi

# They mostly wait for radios; peer.py's crowd takes a minute.
declare -A running
start() {
  "$python" "Tests/Listening/$1.py" --beside "$2" >"$logs/$1" 2>&1 &
  running[$1]=$!
}
start peer 4
start radio 2

failed=()
for name in "${!running[@]}"; do
  wait "${running[$name]}" || failed+=("$name")
  sed "s/^/$name: /" "$logs/$name"
done
[ ${#failed[@]} = 0 ] || fail "failed: ${failed[*]}; to run a check again by hand: \$(Tests/Rigs/venv.sh) Tests/Listening/NAME.py CHECK"
