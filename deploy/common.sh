# Sourced first by the scripts here and in Tests: strict shell, the repository's top as working directory, messages on stderr.
set -euo pipefail
script=$(realpath "$0")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export LC_ALL=C.UTF-8

root=$PWD
script=${script#"$(realpath .)"/}

say() { printf '%s\n' "$*" >&2; }

# Prints one sentence and exits, with 1 unless a code is given.
fail() {
  say "$script: $1"
  exit "${2:-1}"
}

need_swift() {
  command -v swift >/dev/null || fail "there is no \`swift\` on PATH; unpack a Swift 6.2 (or newer) toolchain for Debian 12 from www.swift.org/install/linux and add its usr/bin to PATH"
  toolchain=$(cd "$(dirname "$(readlink -f "$(command -v swiftc)")")/.." && pwd)
}

# The supported architectures: Debian's name, and what the compilers call them.
triples() {
  case $1 in
    amd64) gnu=x86_64-linux-gnu swift_triple=x86_64-unknown-linux-gnu qemu=qemu-x86_64-static ;;
    arm64) gnu=aarch64-linux-gnu swift_triple=aarch64-none-none-elf qemu=qemu-aarch64-static ;;
    armhf) gnu=arm-linux-gnueabihf swift_triple=armv7-none-none-eabi qemu=qemu-arm-static ;;
    *) fail "unknown architecture \"$1\": it must be amd64, arm64 or armhf" 64 ;;
  esac
}

# Runs a program of the architecture of the last `triples`. Once armhf's loader has found nothing in a folder, it looks for that folder on
# this machine instead of in the sysroot: so the folder that has all libraries but libc comes first.
emulator() { echo "$qemu -E LD_LIBRARY_PATH=/usr/lib/$gnu -L build/sysroot-$1"; }

# SwiftPM leaves the objects of deleted sources behind: lists only those whose source exists, always in the same order.
objects() {
  local built=$1 object target name
  find "$built" -path '*.build/*.o' | sort | while read -r object; do
    target=${object#"$built"/}
    target=${target%%.build/*}
    name=$(basename "$object" .o)
    [ -z "$(find "Sources/$target" -name "$name" -print -quit)" ] || echo "$object"
  done
}
