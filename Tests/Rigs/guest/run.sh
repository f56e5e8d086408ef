#!/usr/bin/env bash
# run.sh --script FILE [--include DIR] [--program FILE] [--controller unix:PATH] [--disk IMG] [--timeout S] …: boot.py says all.
exec python3 "$(dirname "${BASH_SOURCE[0]}")/boot.py" "$@"
