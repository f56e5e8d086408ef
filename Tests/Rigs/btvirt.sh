#!/usr/bin/env bash
# btvirt.sh DIR: BlueZ's controller emulator (LE 4.2, legacy commands) with its sockets in DIR: DIR/le, DIR/bredrle, DIR/bredr.
# Each connection is a controller of its own, all on one air. Stays in the foreground; ends on SIGTERM.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=${1:?btvirt.sh DIR}
mkdir -p "$dir" "$here/../../build/btvirt"
build=$(cd "$here/../../build/btvirt" && pwd)
command -v btvirt >/dev/null || { echo "btvirt.sh: btvirt is missing: run deploy/packages.sh test rigs" >&2; exit 69; }
if [ ! "$build/shim.so" -nt "$here/btvirt-shim.c" ]; then
  cc=${CC:-$(command -v cc || command -v clang || echo "$(dirname "$(readlink -f "$(command -v swift)")")/clang")}
  "$cc" -shared -fPIC -O2 -Wall -Wextra -o "$build/shim.so.$$" "$here/btvirt-shim.c" -ldl && mv "$build/shim.so.$$" "$build/shim.so"
fi
BTVIRT_DIR=$(cd "$dir" && pwd) LD_PRELOAD=$build/shim.so exec btvirt -s
