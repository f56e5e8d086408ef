#!/usr/bin/env bash
# Gate: our gateways in a world of radio waves and people that shares nothing with the proving ground.
#   Tests/Gates/second-world.sh                            a small set of odd seeds, within the bounds of Tests/Firing/SecondWorld/rows.py
#   Tests/Gates/second-world.sh COUNT even|odd [SCENARIO…] so many seeds of every row (of these scenarios), printed
#   Tests/Gates/second-world.sh one SCENARIO METRES measured|unknown SEED FOLDER
#                                                          one run; its captures and configuration stay in FOLDER
#   Tests/Gates/second-world.sh … --trigger 'refractory_s = 30'   with this line in every trigger
#   FORECOURT=build/amd64/forecourt Tests/Gates/second-world.sh   with this program; builds none
source "$(dirname "$0")/../../deploy/common.sh"
deploy/packages.sh test
if [ -z "${FORECOURT:-}" ]; then
  need_swift
  mkdir -p build
  swift build --product forecourt >build/second-world.log 2>&1 || {
    cat build/second-world.log >&2
    fail "forecourt does not build"
  }
  export FORECOURT=$root/.build/debug/forecourt
fi
python=$(Tests/Rigs/venv.sh)
# The arrays are small: more threads would only wait for each other.
export OPENBLAS_NUM_THREADS=1
exec "$python" Tests/Firing/SecondWorld "$@"
