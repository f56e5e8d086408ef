#!/usr/bin/env bash
# Gate: the way to the broker, against mosquitto, RabbitMQ, paho and Python's json: delivery, TLS, commands, outages, kills.
#   deploy/publish.sh                       what CI runs, some three minutes
#   KILLS=1000 SEED=7 STRIDE=1 deploy/publish.sh   a longer hunt, elsewhere
source "$(dirname "$0")/common.sh"
need_swift
deploy/packages.sh test rigs
mkdir -p build
python=$(Tests/Rigs/venv.sh)
swift build --product courier-rig >build/publish.log 2>&1 || {
  cat build/publish.log >&2
  fail "the courier's rig does not build"
}

# Each prints what passed; the first that fails ends it.
"$python" Tests/Integration/publish_json.py --seed "${SEED:-1}" --count 100000
"$python" Tests/Integration/publish.py
"$python" Tests/Integration/publish_secure.py
"$python" Tests/Integration/publish_requests.py
"$python" Tests/Integration/publish_kills.py --kills "${KILLS:-60}" --seed "${SEED:-1}" --stride "${STRIDE:-6}"
