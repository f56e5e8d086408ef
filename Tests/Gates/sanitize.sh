#!/usr/bin/env bash
# Gate 4's second half: tests again under sanitizers, each with a build folder of its own; several side by side.
#   Tests/Gates/sanitize.sh thread     what two threads touch: the rings, the threads, the courier
#   Tests/Gates/sanitize.sh address    all of Core's tests
source "$(dirname "$0")/../../deploy/common.sh"
need_swift

# Optimised across modules: an unspecialised generic moves its elements inside the runtime, which no sanitizer watches.
specialised=(-c release -Xswiftc -enable-testing -Xswiftc -cross-module-optimization)
doors='CLinux CBluetooth CMosquitto CSQLite CCrypto CJSON CTOML'
# Of each allocation AddressSanitizer keeps the last four callers: all of them take a tenth of its time.
export TSAN_OPTIONS=halt_on_error=1 ASAN_OPTIONS=malloc_context_size=4 SWIFT_BACKTRACE=enable=no

threads() { ls "Tests/Parts/$1" | grep -E '(Ring|Thread|Courier).*Tests|^(Support|RadioRig|Scratch)\.swift$' | xargs; }

sanitize() {
  local filter targets files=() summary log=build/sanitize-$1.log
  # A suite that runs real threads has Ring, Thread or Courier in its name, and so has its file. Only those are built.
  case $1 in
    thread)
      filter='Ring|Thread|Courier' targets="$doors Core Simulation Host Seeds CoreTests HostTests"
      files=(ONLY_CORE_TESTS="$(threads Core)" ONLY_HOST_TESTS="$(threads Host)")
      ;;
    address) filter='^CoreTests\.' targets='Core Seeds CoreTests' ;;
    *) fail "there is no sanitizer \"$1\": thread or address" 64 ;;
  esac
  env ONLY_TARGETS="$targets" "${files[@]}" timeout 1740 swift test --disable-xctest "${specialised[@]}" -Xswiftc -use-ld=lld \
    --sanitize="$1" --scratch-path "build/sanitize-$1" --filter "$filter" >"$log" 2>&1 || {
    [ $? != 124 ] || say "29 minutes were not enough"
    grep -vE '^(\[[0-9]+/[0-9]+\]|[◇✔↳])' "$log" | tail -n 80 >&2
    fail "the tests do not pass under the $1 sanitizer; its whole output is in $log"
  }
  summary=$(grep -E 'Test run with [1-9][0-9]* tests?' "$log") || fail "no test matches \"$filter\", so the $1 sanitizer has watched nothing"
  say "$1: $summary"
}

[ $# -gt 0 ] || fail "name the sanitizers: thread, address" 64
mkdir -p build
running=()
for name in "$@"; do
  sanitize "$name" &
  running+=($!)
done
for pid in "${running[@]}"; do wait "$pid"; done
