#!/usr/bin/env bash
# All tests in Swift. What failed is said again at the end: a log of ten thousand lines is often read from its last hundred.
source "$(dirname "$0")/../../deploy/common.sh"
need_swift

mkdir -p build
log=build/tests.log
swift test --disable-xctest 2>&1 | tee "$log" || {
  say ''
  # A failure, what a test says of it ("↳"), and where the program crashed.
  grep -E '^(✘|↳)|error:|crashed:' "$log" | tail -n 60 >&2 || true
  fail "the tests do not pass; their whole output is in $log"
}
