#!/usr/bin/env bash
# The tests and gates, in the order that fails soonest; installs what it needs. No step may take longer than a quarter of an hour.
#   deploy/test.sh          all steps
#   deploy/test.sh STEP…    only these
#   deploy/test.sh --list   the steps, and the command of each to run by hand
source "$(dirname "$0")/common.sh"

steps=(
  "packages     deploy/packages.sh build test"
  "lint         swift format lint --strict --parallel --recursive Sources Tests Package.swift"
  "pure         deploy/pure.sh"
  "tests        swift test --disable-xctest"
  "sanitize     deploy/sanitize.sh thread address"
  "prove        deploy/prove.sh --ours"
  "publish      deploy/publish.sh"
  "fuzz         deploy/fuzz.sh"
  "build        deploy/build.sh"
  "compare      deploy/compare.sh"
  "board        deploy/packages.sh test rigs && python=\$(Tests/Rigs/venv.sh) && \$python Tests/Integration/board.py && \$python Tests/Integration/check.py"
  "ship         deploy/packages.sh ship && Tests/Deploy/package.sh && Tests/Deploy/unit.sh && Tests/Deploy/install.sh"
)
name_of() { echo "${1%% *}"; }
command_of() { echo "${1#* }" | sed 's/^ *//'; }
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

times=()
for step in "${chosen[@]}"; do
  name=$(name_of "$step") command=$(command_of "$step")
  printf '\n== %s: %s\n' "$name" "$command"
  start=$SECONDS
  timeout --kill-after=10 900 bash -c "$command" </dev/null || fail "the step \"$name\" failed; to run it again by hand: $command"
  elapsed=$((SECONDS - start))
  printf '== %s: %d s\n' "$name" "$elapsed"
  times+=("$(printf '%-12s %5d s' "$name" "$elapsed")")
done
echo
printf '%s\n' "${times[@]}" "$(printf '%-12s %5d s' all "$SECONDS")"
