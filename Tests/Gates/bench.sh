#!/usr/bin/env bash
# Gate: what a packet costs. The product's Core over a generated capture in memory, beside the least that a program in C can do.
#   Tests/Gates/bench.sh          speed, instructions, allocations, the ring, the same file through other software, and whole programs
#   Tests/Gates/bench.sh --check  instructions, allocations and the ratio to the C reference only; fails on a bound
#   Tests/Gates/bench.sh --count  instructions and allocations, and the whole gateway's sleeps, system calls and memory, which other load
#                                 does not change: what deploy/test.sh runs
# deploy/build.sh amd64 has made the binary, and Core.
source "$(dirname "$0")/../../deploy/common.sh"
need_swift

reports=1000000
# Instructions for each report, or each idle tick. The ratio is to the C reference of Tests/Cost, in the same run.
most_averaging=500 most_with_region=700 most_with_trigger=1500 most_on_plan=3500 most_of_two=210 most_of_eight=275 most_idle=100
least_ratio=0.6
scratch=build/bench
triples amd64
mkdir -p "$scratch"
[ "$(uname -m)" = x86_64 ] || fail "the bounds are those of amd64; this machine is $(uname -m)"
[ $# = 0 ] || [ "$*" = --check ] || [ "$*" = --count ] || fail "the options are --check and --count" 64

deploy/packages.sh build bench
built=build/amd64/swift/$swift_triple/release
[ -d "$built/Core.build" ] || fail "$built has no Core: run deploy/build.sh amd64"
package=$(grep -o '"-package-name","[^"]*"' build/amd64/swift/release.yaml | head -n 1 | cut -d '"' -f 4)
mapfile -t compiled < <(objects "$built" | grep /Core.build/)
swiftc -O -wmo -g -parse-as-library -swift-version 6 -package-name "$package" -enable-experimental-feature Embedded \
  -enable-experimental-feature Lifetimes -target "$swift_triple" -I "$built/Modules" -c Tests/Cost/Bench.swift Tests/Cost/SiteBench.swift \
  -o "$scratch/bench.o" ||
  fail "Tests/Cost/Bench.swift and SiteBench.swift do not build"
wrapped=-Wl
for way in malloc calloc realloc aligned_alloc posix_memalign; do wrapped+=,--wrap=$way; done
clang=$toolchain/bin/clang
"$clang" -O2 -Wall -Werror -c Tests/Cost/reference.c -o "$scratch/reference.o"
"$clang" -O2 -Wall -Werror Tests/Cost/main.c "$scratch/reference.o" "$scratch/bench.o" "${compiled[@]}" -fuse-ld=lld "$wrapped" \
  -Wl,--gc-sections -L "$toolchain/lib/swift/embedded/$swift_triple" -lswiftUnicodeDataTables -lm -o "$scratch/bench"
"$clang" -O2 -Wall -Werror Tests/Cost/generate.c -lm -o "$scratch/generate"

air=$scratch/air.h4
figure() { grep -o "\"$1\":[0-9.]*" | cut -d : -f 2; }

# Instructions for each report, or each tick, of one kind of run, in the given function and its callees.
instructions() {
  local kind=$1 function=$2 log=$scratch/callgrind-$1.log
  valgrind --tool=callgrind --callgrind-out-file="$scratch/callgrind-$kind" "--toggle-collect=$function" "$scratch/bench" "$air" count "$kind" \
    >"$log" 2>&1 || fail "valgrind ends with an error: $(tail -n 1 "$log")"
  local collected counted
  collected=$(sed -n 's/.*Collected : //p' "$log")
  counted=$(figure reports <"$log")
  [ -n "$collected" ] && [ "$collected" -gt 0 ] || fail "callgrind saw nothing of $function"
  echo $((collected / counted))
}

# Reports a missed bound where it is measured; the script fails in the end.
short=0
falls_short() {
  say "SHORT: $1"
  short=1
}
at_most() { [ "$1" -le "$2" ] || falls_short "$3: $1, and at most $2 are allowed"; }

check_instructions() {
  local average region trigger plan two eight reference idle
  "$scratch/generate" 100000 "$air"
  average=$(instructions average '*Gateway*receive*')
  region=$(instructions region '*Gateway*receive*')
  trigger=$(instructions trigger '*Gateway*receive*')
  plan=$(instructions plan4 '*Gateway*receive*')
  two=$(instructions site2 '*judgePattern*')
  eight=$(instructions site8 '*judgePattern*')
  reference=$(instructions reference reference)
  idle=$(instructions idle idle)
  say "instructions for a report: $average to an average, $region with a region and a zone, $trigger with a trigger; $reference in the C reference"
  say "instructions for a report with a trigger in a group, four receivers on a plan, each device heard seldom: $plan"
  say "of a report at a trigger whose site compares all receivers, that comparison, at 10 reports a second: $two with two, $eight with eight"
  say "instructions for a tick with 65,536 devices and nothing due: $idle"
  at_most "$average" $most_averaging "instructions for a report to an average"
  at_most "$region" $most_with_region "instructions for a report with a region"
  at_most "$trigger" $most_with_trigger "instructions for a report with a trigger"
  at_most "$plan" $most_on_plan "instructions for a report with a trigger on a plan"
  at_most "$two" $most_of_two "instructions for the comparison of two receivers"
  at_most "$eight" $most_of_eight "instructions for the comparison of eight receivers"
  at_most "$idle" $most_idle "instructions for an idle tick"
}

times=$scratch/speed.jsonl
run() {
  "$scratch/bench" "$air" "$1" >"$times"
  [ "$(figure allocations <"$times" | sort -u)" = 0 ] || fail "something was allocated after the start: $(cat "$times")"
  [ "$(figure reports <"$times" | head -n 4 | sort -u | wc -l)" = 1 ] || fail "the reference and the machine did not hear the same: $(cat "$times")"
  say "nothing allocated, and the reference hears the same"
}

check_speed() {
  local reference average ratio ring
  run "$1"
  reference=$(sed -n 's/.*"reference".*"per_second"://p' "$times" | tr -d '}')
  average=$(sed -n 's/.*"average".*"per_second"://p' "$times" | tr -d '}')
  ring=$(sed -n 's/.*"ring".*"per_second"://p' "$times" | tr -d '}')
  ratio=$(awk "BEGIN { printf \"%.2f\", $average / $reference }")
  say "$ratio of the C reference's speed; a push and a pop of the ring: $(awk "BEGIN { printf \"%.1f\", 1e9 / $ring }") ns"
  awk "BEGIN { exit !($ratio >= $least_ratio) }" || falls_short "$ratio of the C reference's speed, and $least_ratio is the least allowed"
}

# A flood of a million random addresses never evicts a wanted device.
check_flood() {
  local flood
  flood=$("$scratch/bench" "$air" count flood)
  [ "$(figure lost <<<"$flood")" = 0 ] || fail "the flood evicted a wanted device: $flood"
  say "after a million strangers the wanted device's average still has all its samples"
}

# Both mostly wait.
check_gateway() {
  local python short=0
  python=$(Tests/Rigs/venv.sh)
  "$python" Tests/Cost/wake.py --count || falls_short "the gateway wakes too often"
  "$python" Tests/Cost/memory.py --check || falls_short "it takes too much memory"
  return $short
}

if [ "${1:-}" = --count ]; then
  deploy/packages.sh rigs
  check_gateway >"$scratch/gateway" 2>&1 &
  beside=$!
fi
check_instructions
check_flood
case ${1:-} in
  --count)
    run 1
    wait $beside || short=1
    cat "$scratch/gateway"
    ;;
  --check) check_speed 100 ;;
esac
[ $# = 0 ] || exit $short
"$scratch/generate" $reports "$air" "$scratch/air.btsnoop"
check_speed 30
cat "$scratch/speed.jsonl"
if ! cmp -s Tests/Cost/requirements.txt "$scratch/venv/made"; then
  rm -rf "$scratch/venv"
  python3 -m venv "$scratch/venv"
  "$scratch/venv/bin/pip" install -q --disable-pip-version-check -r Tests/Cost/requirements.txt >&2
  cp Tests/Cost/requirements.txt "$scratch/venv/made"
fi
"$scratch/venv/bin/python" Tests/Cost/peers.py "$scratch/speed.jsonl" "$air" "$scratch/air.btsnoop"
deploy/packages.sh rigs
"$(Tests/Rigs/venv.sh)" Tests/Cost/scanners.py "$scratch/venv"
exit $short
