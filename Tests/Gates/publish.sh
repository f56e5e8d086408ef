#!/usr/bin/env bash
# Gate: the way to the broker, against mosquitto, RabbitMQ, paho and Python's json: delivery, TLS, commands, outages, kills; and the
# gateway as a service: commands, Home Assistant, reload, its end.
#   Tests/Gates/publish.sh                       what CI runs: under two minutes once the rig is built
#   KILLS=1000 SEED=7 STRIDE=1 COUNT=1000000 Tests/Gates/publish.sh   a longer hunt, elsewhere
source "$(dirname "$0")/../../deploy/common.sh"
need_swift
deploy/packages.sh test rigs
logs=build/publish
rm -rf "$logs"
mkdir -p "$logs"
python=$(Tests/Rigs/venv.sh)
for product in courier-rig forecourt; do
  swift build --product "$product" >"$logs/build" 2>&1 || {
    cat "$logs/build" >&2
    fail "$product does not build"
  }
done

# Most of their time they wait for clocks: side by side they take as long as the longest.
seed=${SEED:-1}
declare -A running
begin() { begin_as "${1#*/}" "$@"; }
begin_as() {
  "$python" "Tests/$2.py" "${@:3}" >"$logs/$1" 2>&1 &
  running[$1]=$!
}
begin Delivery/json_text --seed "$seed" --count "${COUNT:-50000}"
begin Delivery/publish
begin Delivery/rabbitmq
begin Operation/service
begin Delivery/home_assistant
begin Robustness/bad_hardware
begin Firing/learn
CUT_STRIDE=${CUT_STRIDE:-3} begin Delivery/cuts
begin Robustness/security
begin_as neighbours-1 Neighbours/neighbours shipped_access_list learnt
begin_as neighbours-2 Neighbours/neighbours forged eight roster
begin_as neighbours-3 Neighbours/neighbours one_way
begin Robustness/incoming
begin Delivery/faults
begin Delivery/restart
begin Delivery/kills --kills "${KILLS:-60}" --seed "$seed" --stride "${STRIDE:-6}"

failed=()
for name in "${!running[@]}"; do
  wait "${running[$name]}" || failed+=("$name")
  sed "s/^/$name: /" "$logs/$name"
done
[ ${#failed[@]} = 0 ] || fail "failed: ${failed[*]}; to run one again by hand: \$(Tests/Rigs/venv.sh) Tests/FOLDER/NAME.py"
