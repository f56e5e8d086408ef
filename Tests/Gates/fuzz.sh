#!/usr/bin/env bash
# Gate 5: the fuzzers under AddressSanitizer, a fixed number of runs from a fixed seed, starting at the committed corpus.
#   Tests/Gates/fuzz.sh [NAME…]              all of them unless named
#   Tests/Gates/fuzz.sh --build [NAME…]      builds them, no more
#   RUNS=5000000 SEED=7 Tests/Gates/fuzz.sh  a longer hunt, elsewhere
#   Tests/Gates/fuzz.sh --grow NAME          hunts, then adds to the corpus what reaches new code
# Tests/Robustness/Fuzz/NAME.swift holds LLVMFuzzerTestOneInput, NAME/ beside it its corpus. 100,000 runs unless the file says otherwise: half
# of them from the seed, half from the next, side by side. An input that fails is left in build/fuzz: commit it to the corpus before the fix.
source "$(dirname "$0")/../../deploy/common.sh"
need_swift
fuzzers=Tests/Robustness/Fuzz

grow= build_only=
case ${1:-} in
  --grow) grow=yes && shift ;;
  --build) build_only=yes && shift ;;
esac
names=("$@")
if [ $# = 0 ]; then
  for entry in $fuzzers/*.swift; do names+=("$(basename "$entry" .swift)"); done
fi
scratch=build/fuzz
# Of each allocation AddressSanitizer keeps the last four callers: all of them take a quarter of the time.
export SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=malloc_context_size=4 ASAN_SYMBOLIZER_PATH=$toolchain/bin/llvm-symbolizer
mkdir -p "$scratch"

instrument=(-Xswiftc -sanitize=fuzzer,address)
for language in -Xcc -Xcxx; do instrument+=("$language" -fsanitize=fuzzer-no-link,address); done
swift build -c release --scratch-path "$scratch" --target Host "${instrument[@]}" >"$scratch/log" 2>&1 || {
  cat "$scratch/log" >&2
  fail "the sources do not build for fuzzing"
}
# `package` access needs the package name that SwiftPM makes of this folder's name.
package=$(grep -o '"-package-name","[^"]*"' "$scratch/release.yaml" | head -n 1 | cut -d '"' -f 4)
import=()
for map in "$scratch"/release/*.build/module.modulemap; do import+=(-Xcc "-fmodule-map-file=$map"); done
mapfile -t compiled < <(objects "$(readlink -f "$scratch/release")")

compile() {
  local name=$1 corpus=$fuzzers/$1
  [ -f "$fuzzers/$name.swift" ] || fail "there is no $fuzzers/$name.swift" 64
  [ -n "$grow" ] || [ -n "$(ls "$corpus" 2>/dev/null)" ] || fail "$corpus/ is empty; start the corpus with Tests/Gates/fuzz.sh --grow $name"
  # Nothing is newer than the fuzzer: it is built.
  [ ! -e "$scratch/$name" ] || [ -n "$(find "$fuzzers/$name.swift" "${compiled[@]}" -newer "$scratch/$name")" ] || return 0
  swiftc -O -g -parse-as-library -swift-version 6 -package-name "$package" -enable-experimental-feature Lifetimes \
    -sanitize=fuzzer,address -use-ld=lld -I "$scratch/release/Modules" "${import[@]}" "$fuzzers/$name.swift" "${compiled[@]}" \
    -lbluetooth -lmosquitto -lsqlite3 -lcjson -lcrypto -lstdc++ -o "$scratch/$name" || fail "$fuzzers/$name.swift does not build"
}

hunt() {
  local name=$1 half=$2 corpus=$fuzzers/$1 found=$scratch/found-$1-$2 log=$scratch/$1-$2.log runs edges
  rm -rf "$found"
  mkdir -p "$found" "$corpus"
  runs=$(sed -n 's|^// In CI \([0-9]*\) runs.*|\1|p' "$fuzzers/$name.swift")
  "$scratch/$name" -runs=$((${RUNS:-${runs:-100000}} / 2)) -seed=$((${SEED:-1} + half)) -timeout=10 -rss_limit_mb=1024 \
    -artifact_prefix="$scratch/$name-" "$found" "$corpus" >"$log" 2>&1 || {
    tail -n 60 "$log" >&2
    fail "the fuzzer $name found an input that fails; its file is named just above"
  }
  edges=$(grep -o 'cov: [0-9]*' "$log" | tail -n 1)
  say "$name: $(grep '^Done' "$log"), ${edges#cov: } edges reached, $(ls "$corpus" | wc -l) inputs in the corpus"
}

# Side by side, as many as there are cores.
running=0
beside() {
  if [ $running -ge "$(nproc)" ]; then wait -n; else running=$((running + 1)); fi
  "$@" &
}
join() {
  while [ $running -gt 0 ]; do
    wait -n
    running=$((running - 1))
  done
}
for name in "${names[@]}"; do beside compile "$name"; done
join
[ -z "$build_only" ] || exit 0
for name in "${names[@]}"; do
  for half in 0 1; do beside hunt "$name" $half; done
done
join
[ -n "$grow" ] || exit 0
for name in "${names[@]}"; do
  "$scratch/$name" -merge=1 -use_counters=0 "$fuzzers/$name" "$scratch/found-$name"-[01] >"$scratch/$name-merge.log" 2>&1
done
