#!/usr/bin/env bash
# venv.sh [DIR]: makes the rigs' Python (build/venv) with the versions of requirements.txt and prints its interpreter.
# Made again only when those versions or the system's Python have changed; two callers wait for each other.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=${1:-$here/../../build/venv}
mkdir -p "$(dirname "$dir")" && dir=$(cd "$(dirname "$dir")" && pwd)/$(basename "$dir")
exec 9>"$dir.lock" && flock 9

python=${PYTHON:-python3}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "venv.sh: Python 3.11 or later is needed" >&2; exit 69; }
want=$({ "$python" -VV; cat "$here/requirements.txt"; echo "$here"; } | sha256sum | cut -c1-16)
if [ "$(cat "$dir/made" 2>/dev/null)" != "$want" ]; then
  rm -rf "$dir"
  "$python" -m venv "$dir" >&2 || { echo "venv.sh: apt-get install python3-venv" >&2; exit 69; }
  "$dir/bin/pip" install -q --disable-pip-version-check --no-deps -r "$here/requirements.txt" >&2
  "$dir/bin/python" -m pip check >&2
  # Every script that runs in it may import the rigs.
  echo "$here" >"$(echo "$dir"/lib/python3*/site-packages)/rigs.pth"
  echo "$want" >"$dir/made"
fi
echo "$dir/bin/python"
