#!/usr/bin/env bash
# Gate: the radios of the product, and its asking and answering, against controllers and phones that nobody here wrote (Bumble over tcp,
# unix and pty; btvirt), well and with every fault. The kernel's own Bluetooth is deploy/test.sh board.
#   Tests/Gates/air.sh
#   FORECOURT=build/amd64/forecourt Tests/Gates/air.sh   this program, and none is built
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

# They wait for radios more than they compute; peer.py's crowd takes a minute.
declare -A running
begin() {
  "$python" "Tests/Listening/$1.py" --beside "$2" >"$logs/$1" 2>&1 &
  running[$1]=$!
}
begin peer 4
begin radio 2

failed=()
for name in "${!running[@]}"; do
  wait "${running[$name]}" || failed+=("$name")
  sed "s/^/$name: /" "$logs/$name"
done
[ ${#failed[@]} = 0 ] || fail "failed: ${failed[*]}; to run a check again by hand: \$(Tests/Rigs/venv.sh) Tests/Listening/NAME.py CHECK"
