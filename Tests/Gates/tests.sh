#!/usr/bin/env bash
# All tests in Swift, in four runs side by side: each run has two tests under way on two cores, and many only wait, for a program or a
# timer. What failed is said again at the end: a log of ten thousand lines is often read from its last hundred.
#   Tests/Gates/tests.sh            all
#   Tests/Gates/tests.sh but-core   without CoreTests, the half of them, which Tests/Gates/sanitize.sh builds and runs anyway
#   Tests/Gates/tests.sh --build …  builds them, no more
source "$(dirname "$0")/../../deploy/common.sh"
need_swift

build_only=
if [ "${1:-}" = --build ]; then
  build_only=yes
  shift
fi
case $* in
  but-core) export WITHOUT_TARGET=CoreTests ;;
  '') ;;
  *) fail "the head of $script names the options" 64 ;;
esac
mkdir -p build
log=build/tests.log
swift build --build-tests 2>&1 | tee "$log" || fail "the tests do not build"
[ -z "$build_only" ] || exit 0
tests=$(swift build --show-bin-path)/forecourtPackageTests.xctest
# The storm mostly waits: it goes with those that compute.
core='^(CoreTests|SimulationTests|TidyTests|HostTests\.BrokerStorm)'
broker='^HostTests\.(Broker(?!Storm)|Courier)'
host='^HostTests\.(?!Broker|Courier)'
running=()
run() {
  "$tests" --testing-library swift-testing "${@:2}" >"build/tests-$1.log" 2>&1 &
  running+=($!)
}
run core --filter "$core"
run broker --filter "$broker"
run host --filter "$host"
# Whatever else there is.
run others --skip "$core" --skip "$broker" --skip "$host"

failed=
for pid in "${running[@]}"; do wait "$pid" || failed=yes; done
cat build/tests-{core,broker,host,others}.log | tee -a "$log"
for part in core broker host others; do
  grep -qE 'Test run with [1-9][0-9]* tests?' "build/tests-$part.log" || { say "no test has run: $part"; failed=yes; }
done
[ -z "$failed" ] || {
  say ''
  # A failure, what a test says of it ("↳"), and where the program crashed.
  grep -E '^(✘|↳)|error:|crashed:' "$log" | tail -n 60 >&2 || true
  fail "the tests do not pass; their whole output is in $log"
}
