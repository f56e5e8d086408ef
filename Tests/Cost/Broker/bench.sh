#!/usr/bin/env bash
# The way to the broker in figures, against what is promised: throughput and latency beside a bare libmosquitto loop, durable events, memory.
#   Tests/Cost/Broker/bench.sh      builds what it measures; some four minutes on a machine that does nothing else
source "$(dirname "${BASH_SOURCE[0]}")/../../../deploy/common.sh"
need_swift
deploy/packages.sh build test
python=$(Tests/Rigs/venv.sh)
swift build -c release --product courier-rig >&2
deploy/build.sh amd64 >&2
COURIER_RIG=.build/release/courier-rig "$python" Tests/Cost/Broker/bench.py --check
"$python" Tests/Cost/Broker/memory.py --check
