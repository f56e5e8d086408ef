#!/usr/bin/env bash
# build.sh [DIR]: the guest's cache (build/guest): Debian's arm64 kernel, hcitest for arm64 and armhf, base.cpio, systemd.cpio.
# Does again only what its own sources changed; two callers wait for each other. Prints the directory.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=${1:-$here/../../../build/guest}
mkdir -p "$dir" && dir=$(cd "$dir" && pwd)
exec 9>"$dir/lock" && flock 9

want=$(cat "$here"/{fetch.sh,pack.py,init.sh,script.service,hcitest.c} "${BASH_SOURCE[0]}" | sha256sum | cut -c1-16)
if [ "$(cat "$dir/built" 2>/dev/null)" != "$want" ]; then
  rm -f "$dir/built"
  "$here/fetch.sh" "$dir" >&2 9>&-
  clang=${CLANG:-$(command -v clang || echo "$(dirname "$(readlink -f "$(command -v swift)")")/clang")}
  for pair in aarch64-linux-gnu=arm64 arm-linux-gnueabihf=armhf; do
    "$clang" --target="${pair%=*}" --sysroot="$dir/${pair#*=}" -O2 -Wall -Wextra -Werror -fuse-ld=lld \
      -o "$dir/hcitest-${pair#*=}" "$here/hcitest.c"
  done
  python3 "$here/pack.py" base "$dir"
  echo "$want" >"$dir/built"
fi
echo "$dir"
