#!/usr/bin/env bash
# Gate: what a report costs on the boards' processors. The product's Core for arm64 and armhf over a generated capture, under qemu, which
# names every block of instructions that it runs. armhf has no instruction for a 64-bit division: on a report's way there is none, only in messages.
#   Tests/Gates/arm.sh [--top]    deploy/build.sh has made Core; --top also prints where the instructions go
source "$(dirname "$0")/../../deploy/common.sh"
need_swift
deploy/packages.sh build test

# Instructions for each report, to an average and with a trigger; 64-bit divisions for each hundred reports. The first thousand reports
# only fill the tables.
declare -A most=([arm64-average]=540 [arm64-trigger]=1620 [armhf-average]=780 [armhf-trigger]=2500)
declare -A most_divisions=([average]=0 [trigger]=40)
reports=2000
scratch=build/arm
clang=$toolchain/bin/clang
mkdir -p "$scratch"
"$clang" -O2 -Wall -Werror Tests/Cost/generate.c -lm -o "$scratch/generate"
"$scratch/generate" $reports "$scratch/air"

link() {
  local arch=$1 built=build/$1/swift/$swift_triple/release sysroot=build/sysroot-$1 package
  [ -d "$built/Core.build" ] || fail "$built has no Core: run deploy/build.sh $arch"
  package=$(grep -o '"-package-name","[^"]*"' "build/$arch/swift/release.yaml" | head -n 1 | cut -d '"' -f 4)
  mapfile -t compiled < <(objects "$built" | grep /Core.build/)
  local swift=(-Xcc -D__linux__ -Xcc -D__unix__ -Xcc -isystem -Xcc "$sysroot/usr/include" -Xcc -isystem -Xcc "$sysroot/usr/include/$gnu")
  [ "$arch" != armhf ] || swift+=(-Xcc -mfloat-abi=hard -Xcc -march=armv7-a -Xcc -mfpu=vfpv3-d16 -Xcc -mthumb)
  swiftc -O -wmo -parse-as-library -swift-version 6 -package-name "$package" -enable-experimental-feature Embedded \
    -enable-experimental-feature Lifetimes "${swift[@]}" -target "$swift_triple" -I "$built/Modules" -c Tests/Cost/Bench.swift \
    Tests/Cost/SiteBench.swift -o "$scratch/bench-$arch.o" || fail "the bench does not build for $arch"
  local wrapped=-Wl tables=$toolchain/lib/swift/embedded/$swift_triple/libswiftUnicodeDataTables.a
  [ "$arch" != armhf ] || tables=build/armhf/libswiftUnicodeDataTables.a
  for way in malloc calloc realloc aligned_alloc posix_memalign; do wrapped+=,--wrap=$way; done
  "$clang" --target="$gnu" --sysroot="$sysroot" -O2 -fuse-ld=lld -no-pie -Wl,--gc-sections "$wrapped" Tests/Cost/main.c Tests/Cost/reference.c \
    "$scratch/bench-$arch.o" "${compiled[@]}" "$tables" -static-libgcc -lm -o "$scratch/bench-$arch"
}

trace() {
  local arch=$1 kind=$2 pipe=$scratch/trace-$1-$2
  rm -f "$pipe"
  mkfifo "$pipe"
  # shellcheck disable=SC2046
  timeout 300 $(emulator "$arch") -d in_asm,exec,nochain -D "$pipe" "$scratch/bench-$arch" "$scratch/air" count "$kind" >/dev/null &
  python3 Tests/Cost/traced.py "$scratch/bench-$arch" "$scratch/air" "$pipe" "${@:3}"
  wait $! || fail "the bench for $arch ends with an error"
}

short=0
falls_short() {
  say "SHORT: $1"
  short=1
}

for arch in arm64 armhf; do
  triples "$arch"
  link "$arch"
  for kind in average trigger; do
    told=$(trace "$arch" "$kind" "$@")
    read -r seen divisions <<<"$told"
    say "$arch: $seen instructions for a report, kind $kind; $divisions 64-bit divisions in software for a hundred"
    [ "$seen" -le "${most[$arch-$kind]}" ] || falls_short "$arch, $kind: $seen instructions for a report, ${most[$arch-$kind]} are allowed"
    [ "$divisions" -le "${most_divisions[$kind]}" ] || falls_short "$arch, $kind: $divisions divisions, ${most_divisions[$kind]} are allowed"
  done
done
exit $short
