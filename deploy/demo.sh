#!/usr/bin/env bash
# The main job without a radio or a broker: a simulated driver walks up from 50 m at 1 m/s, stands at the pump, and leaves.
#   deploy/demo.sh          what happens, a line each, at once; and a page about it: build/demo/report.html
#   deploy/demo.sh --json   the gateway's messages, as fast as they come
#   deploy/demo.sh --mqtt   the same in real time, through a private mosquitto on a free loopback port, as mosquitto_sub prints them
#   deploy/demo.sh --page   a site with eight pumps and a rush of eight drivers on the live page, until Ctrl-C; prints its URL
# Installs what it needs, builds the product for this machine ($FORECOURT names another program), and leaves nothing running.
source "$(dirname "$0")/common.sh"

scenario=Tests/Firing/Scenarios/first-visit.toml
case ${1:-} in
  '') way=as_a_story ;;
  --json) way=at_once ;;
  --mqtt) way=over_mqtt ;;
  --page) way=on_the_page ;;
  --help) sed -n '2,/^source/{/^#/s/^# //p}' "$0" && exit ;;
  *) fail "unknown option \"$1\": there are --json, --mqtt and --page" 64 ;;
esac

# Replays what the gateway hears, so that story and report have the same times.
as_a_story() {
  local out=build/demo
  mkdir -p "$out"
  "$forecourt" simulate "$scenario" --out "$out/visit.btsnoop" --force
  "$forecourt" replay "$out/visit.btsnoop" --config deploy/demo.toml --report "$out/report.html" --force >"$out/messages.jsonl"
  tell <"$out/messages.jsonl"
  printf '\n%s\n' "The same as a page, with every sample: $root/$out/report.html"
  say "As messages: deploy/demo.sh --json. Eight pumps, live: deploy/demo.sh --page."
}

# A line for each message that matters; the fire stands out.
tell() {
  local bold='' plain=''
  if [ -t 1 ] && tput bold >/dev/null 2>&1; then bold=$(tput bold) plain=$(tput sgr0); fi
  awk -v bold="$bold" -v plain="$plain" '
    function text(name) { return match($0, "\"" name "\":\"[^\"]*") ? substr($0, RSTART + length(name) + 4, RLENGTH - length(name) - 4) : "" }
    function number(name) { return match($0, "\"" name "\":[-0-9.]+") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3) : "" }
    function metres() { return sprintf(number("distance_m") + 0 < 10 ? "%.1f m" : "%.0f m", number("distance_m")) }
    function line(words) { printf "%6.1f s  %s\n", number("t_us") / 1e6, words; fflush() }
    text("event") == "enter" { line("heard for the first time: " text("id")) }
    text("event") == "arm" { line("approaching, " metres()) }
    text("event") == "fire" { line(bold "fire: " metres() " away, after " number("dwell_s") " s at the pump" plain); fires++ }
    text("event") == "leave" { line("left, after " number("dwell_s") " s"); if (fires == 1) told = 1 }
    END { exit !told }' || fail "nobody was served and left"
}

# One message a line: seconds, topic, payload, no wider than a terminal; the triggers stand out.
show() {
  local seconds topic payload line width=0 bold='' plain=''
  if [ -t 1 ]; then width=$(tput cols 2>/dev/null || echo 0); fi
  if [ -t 1 ] && tput bold >/dev/null 2>&1; then bold=$(tput bold) plain=$(tput sgr0); fi
  while read -r seconds topic payload; do
    printf -v line '%6s s  %-22.22s  %s' "$seconds" "${topic#forecourt/demo/pump-1/}" "$payload"
    [ "$width" = 0 ] || line=${line:0:width}
    case $topic in */trigger/*) line=$bold$line$plain ;; esac
    printf '%s\n' "$line"
    case $payload in *'"event":"leave"'*) return ;; esac
  done
  fail "the scenario ended, but nobody has left the pump"
}

at_once() {
  show < <("$forecourt" simulate "$scenario" --config deploy/demo.toml | sed -uE \
    's/^\{"t_us":([0-9]+),"topic":"([^"]*)".*,"payload":(.*)\}$/0000000\1 \2 \3/; s/^0*([0-9]+)([0-9])[0-9]{5} /\1.\2 /')
}

free_port() {
  local port
  while port=$((20000 + RANDOM)); (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
  echo "$port"
}

# Tenths of a second since now, before each line.
stamp() {
  local line began=${EPOCHREALTIME/./} tenths
  while IFS= read -r line; do
    tenths=$(((${EPOCHREALTIME/./} - began) / 100000))
    printf '%d.%d %s\n' $((tenths / 10)) $((tenths % 10)) "$line"
  done
}

# A private mosquitto, and any more lines of its configuration.
start_broker() {
  deploy/packages.sh demo
  folder=$(mktemp -d) port=$(free_port) pids=()
  trap 'kill "${pids[@]}" 2>/dev/null; wait; rm -rf "$folder"' EXIT
  printf '%s\n' "listener $port 127.0.0.1" 'allow_anonymous true' "$@" >"$folder/mosquitto.conf"
  PATH=$PATH:/usr/sbin mosquitto -c "$folder/mosquitto.conf" >"$folder/mosquitto.log" 2>&1 &
  pids+=($!)
  until (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do sleep 0.1; done
}

# Of a gateway that has ended no message will come: says so, and ends its subscriber.
tell_of_end() {
  while kill -0 "$2" 2>/dev/null; do sleep 1; done
  say "the gateway has ended: $(tail -n 1 "$folder/log")"
  kill "$1"
}

over_mqtt() {
  start_broker
  { cat deploy/demo.toml && printf '[mqtt]\nport = %s\n[outbox]\npath = "%s/outbox.db"\n' "$port" "$folder"; } >"$folder/config.toml"
  mkfifo "$folder/messages"
  say "A broker listens at 127.0.0.1:$port. In real time, about a minute and a half; Ctrl-C ends it."
  mosquitto_sub -p "$port" -t 'forecourt/#' -F '%t %p' >"$folder/messages" 2>"$folder/mosquitto_sub.log" &
  pids+=($!)
  "$forecourt" run --config "$folder/config.toml" --radio "simulate:$scenario" 2>"$folder/log" &
  pids+=($!)
  tell_of_end "${pids[@]: -2}" &
  pids+=($!)
  show < <(stamp <"$folder/messages")
}

# Gateway and trigger of a pump have the same name; all pumps are one group.
configure_pump() {
  mkdir "$folder/$1"
  local match='match = "ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:*"'
  printf '%s\n' '[gateway]' 'purpose = "Shows the live page."' 'site = "demo"' "name = \"$1\"" '[[region]]' 'name = "forecourt"' "$match" \
    '[[trigger]]' "name = \"$1\"" "$match" 'group = "pumps"' '[publish]' 'telemetry_s = 5' '[mqtt]' "port = $port" \
    '[outbox]' "path = \"$folder/$1/outbox.db\""
}

page_is_current() { [ -f build/page/index.html ] && [ -z "$(find deploy/page -newer build/page/index.html -print -quit)" ]; }

on_the_page() {
  local web number pump plan='' gateways=() sleeper
  page_is_current || {
    say "Building the page…"
    deploy/page/build.sh
  }
  web=$(free_port)
  start_broker "listener $web 127.0.0.1" 'protocol websockets' "http_dir $root/build/page" 'allow_anonymous true'
  for number in {1..8}; do
    pump=pump-$number
    configure_pump "$pump" >"$folder/$pump.toml"
    plan+=",\"$pump\":[$((8 * ((number - 1) % 4))),$((9 * ((number - 1) / 4)))]"
  done
  mosquitto_pub -p "$port" -r -t forecourt/demo/plan -m "{\"title\":\"Harbour Road\",\"at_m\":{${plan#,}}}"
  say "Eight gateways, eight drivers, two minutes in real time, again and again until Ctrl-C. Open:"
  echo "http://127.0.0.1:$web/"
  while :; do
    gateways=()
    for number in {1..8}; do
      "$forecourt" run --config "$folder/pump-$number.toml" --radio simulate:Tests/Firing/Scenarios/eight-pumps.toml 2>>"$folder/log" &
      gateways+=($!)
    done
    pids=("${pids[0]}" "${gateways[@]}")
    sleep 125 &
    sleeper=$!
    pids+=("$sleeper")
    wait -n || true
    if kill -0 "$sleeper" 2>/dev/null; then fail "a gateway or the broker has ended: $(tail -n 1 "$folder/log")"; fi
    kill "${gateways[@]}"
    wait "${gateways[@]}" || true
  done
}

[ "$way" = on_the_page ] ||
  say "A simulated driver walks up to pump-1 from 50 m at 1 m/s, stands there for 30 s, and leaves. Every message has \"simulated\":true."
if [ -n "${FORECOURT:-}" ]; then
  forecourt=$FORECOURT
  command -v "$forecourt" >/dev/null || fail "there is no program \"$forecourt\""
else
  need_swift
  arch=$(dpkg --print-architecture)
  forecourt=build/$arch/forecourt
  say "Building the product for $arch (the first time this takes some minutes)…"
  deploy/build.sh "$arch"
fi
"$way"
