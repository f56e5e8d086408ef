#!/usr/bin/env bash
# The tests and gates, in the order that fails soonest; installs what it needs. A step with "&" runs beside those that follow, up to the
# next with "&": it takes what they leave of two cores. Beside `tests` and `publish` only what computes runs, at the lowest priority: while
# the disk or the cores are busy their gateways say, rightly, that events come late. (`nice` is not enough: run as root, SwiftPM gives its
# compilers the ordinary priority again.) No step may take longer than a quarter of an hour, or half an hour beside others.
#   deploy/test.sh          all steps
#   deploy/test.sh --all    all steps, and what takes minutes and rarely changes
#   deploy/test.sh STEP…    only these
#   deploy/test.sh --list   the steps, and the command of each to run by hand
source "$(dirname "$0")/common.sh"

steps=(
  "packages     deploy/packages.sh build test bench page browser rigs ship"
  "lint         swift format lint --strict --parallel --recursive Sources Tests Package.swift"
  "marks        python3 Tests/Gates/mutate --check"
  "sanitize     & nice -n 15 Tests/Gates/sanitize.sh thread address"
  "programs     Tests/Gates/tests.sh --build but-core"
  "prove        Tests/Gates/prove.sh --ours"
  "world        Tests/Gates/second-world.sh"
  "fuzzers      & chrt --idle 0 Tests/Gates/fuzz.sh --build"
  "tests        Tests/Gates/tests.sh but-core"
  "publish      Tests/Gates/publish.sh"
  "build        & chrt --idle 0 deploy/build.sh"
  "air          FORECOURT=.build/debug/forecourt Tests/Gates/air.sh"
  "page         FORECOURT=.build/debug/forecourt Tests/Gates/page.sh"
  "fuzz         & nice -n 15 Tests/Gates/fuzz.sh"
  "compare      Tests/Gates/compare.sh"
  "arm          Tests/Gates/arm.sh"
  "pure         Tests/Gates/pure.sh"
  "board        & Tests/Gates/board.sh"
  "counts       nice Tests/Gates/bench.sh --count"
  "ship         Tests/Gates/ship.sh"
)
name_of() { echo "${1%% *}"; }
command_of() { echo "${1#* }" | sed 's/^ *\(& \)\?//'; }
is_beside() { [[ ${1#* } =~ ^\ *\& ]]; }
find_step() {
  local step
  for step in "${steps[@]}"; do
    [ "$(name_of "$step")" != "$1" ] || { echo "$step"; return; }
  done
  fail "there is no step \"$1\"; deploy/test.sh --list names them" 64
}

if [ "${1:-}" = --list ]; then
  printf '%s\n' "${steps[@]}"
  exit
fi
chosen=("${steps[@]}")
[ "$*" != --all ] || {
  chosen=("${steps[@]/ship.sh/ship.sh --all}")
  shift
}
if [ $# -gt 0 ]; then
  chosen=()
  for name in "$@"; do
    step=$(find_step "$name")
    chosen+=("$step")
  done
fi
need_swift
FORECOURT_VERSION=$(deploy/version.sh)
export FORECOURT_VERSION

bounded=(timeout --kill-after=10)
times=() beside=
trap '[ -z "$beside" ] || kill "$beside"' EXIT

# A step, its exit status, and its start.
ended() {
  local name elapsed=$((SECONDS - $3))
  name=$(name_of "$1")
  [ "$2" = 0 ] || fail "the step \"$name\" failed; to run it again by hand: $(command_of "$1")"
  printf '== %s: %d s\n' "$name" "$elapsed"
  times+=("$(printf '%-12s %5d s' "$name" "$elapsed")")
}
join() {
  local status=0
  [ -n "$beside" ] || return 0
  wait "$beside" || status=$?
  beside=
  cat build/beside.log
  ended "$beside_step" $status "$beside_start"
}

mkdir -p build
for step in "${chosen[@]}"; do
  printf '\n== %s: %s\n' "$(name_of "$step")" "$(command_of "$step")"
  start=$SECONDS status=0
  if is_beside "$step"; then
    join
    "${bounded[@]}" 1800 bash -c "$(command_of "$step")" </dev/null >build/beside.log 2>&1 &
    beside=$! beside_step=$step beside_start=$SECONDS
    continue
  fi
  "${bounded[@]}" 900 bash -c "$(command_of "$step")" </dev/null || status=$?
  ended "$step" $status "$start"
done
join
echo
printf '%s\n' "${times[@]}" "$(printf '%-12s %5d s' all "$SECONDS")"
