#!/usr/bin/env bash
# Gate: delivery to mosquitto, RabbitMQ, paho and Python's json, with TLS, commands, outages and kills; neighbours; and the running
# gateway: commands, Home Assistant, reload, failing hardware, its end.
#   Tests/Gates/publish.sh                       what deploy/test.sh runs: under two minutes once the rig is built
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

# They mostly wait for timers: side by side they take as long as the longest.
seed=${SEED:-1}
declare -A running
start() { start_as "${1#*/}" "$@"; }
start_as() {
  "$python" "Tests/$2.py" "${@:3}" >"$logs/$1" 2>&1 &
  running[$1]=$!
}
start Delivery/json_text --seed "$seed" --count "${COUNT:-50000}"
# It only computes.
renice -n 10 "${running[json_text]}" >"$logs/renice"
start Delivery/publish
start Delivery/rabbitmq
start_as service-1 Operation/service --but the_end capture
start Operation/setup
start_as home_assistant-1 Delivery/home_assistant home_assistant gone_meanwhile
start_as home_assistant-2 Delivery/home_assistant --but home_assistant gone_meanwhile
start Robustness/bad_hardware
start Firing/learn
CUT_STRIDE=${CUT_STRIDE:-3} start Delivery/cuts
start Robustness/security
start_as neighbours-1 Neighbours/neighbours learnt
start_as neighbours-2 Neighbours/neighbours forged eight roster
start_as neighbours-3 Neighbours/neighbours --but learnt forged eight roster
start_as neighbours-4 Neighbours/plan
start_as lost-1 Neighbours/lost --but other_key
start_as lost-2 Neighbours/lost other_key
start_as group_rest-1 Neighbours/group_rest walks_on
start_as group_rest-2 Neighbours/group_rest restarts
start_as group_rest-3 Neighbours/group_rest first_restarts
start_as group_rest-4 Neighbours/group_rest --but walks_on restarts first_restarts
start Neighbours/twin
start_as deaf-1 Neighbours/deaf elsewhere
start_as deaf-2 Neighbours/deaf twice stopped
start_as deaf-3 Neighbours/deaf --but elsewhere twice stopped
start Robustness/incoming
start Delivery/faults
start_as restart-1 Delivery/restart rests killed
start_as restart-2 Delivery/restart --but rests killed frozen
start_as restart-3 Delivery/restart frozen
start Delivery/kills --kills "${KILLS:-60}" --seed "$seed" --stride "${STRIDE:-6}"

failed=()
collect() {
  local name
  for name in "${!running[@]}"; do
    wait "${running[$name]}" || failed+=("$name")
    sed "s/^/$name: /" "$logs/$name"
  done
  running=()
}
collect
# These time an end, which thirty rigs on two cores delay.
start_as service-2 Operation/service the_end capture
collect
[ ${#failed[@]} = 0 ] || fail "failed: ${failed[*]}; to run one again by hand: \$(Tests/Rigs/venv.sh) Tests/FOLDER/NAME.py"
