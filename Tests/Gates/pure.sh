#!/usr/bin/env bash
# Gate 3: Core is pure. The compiler has refused what takes memory from the heap (Package.swift); Core calls nothing of the system's, and its
# floating point is the same on every machine: only what IEEE 754 fixes to the last bit, nothing fused.
#   Tests/Gates/pure.sh    deploy/build.sh has made Core for arm64
source "$(dirname "$0")/../../deploy/common.sh"
need_swift

triples arm64
built=build/arm64/swift/$swift_triple/release
[ -d "$built/Core.build" ] || fail "$built has no Core: run deploy/build.sh arm64"
grep -q '"-no-allocations"' build/arm64/swift/release.yaml || fail "Core may take memory from the heap: -no-allocations is gone from Package.swift"

# Moving bytes, exact arithmetic, atomics, stack protection, and the standard library's own functions that are never reached.
may_call='mem(cpy|move|set|cmp)|sqrtf?|roundf?|truncf?|floorf?|ceilf?|rintf?|__stack_chk_(fail|guard)|swift_.*|\$e.*|free|arc4random_buf|__aarch64_[a-z0-9_]+'
mapfile -t compiled < <(objects "$built" | grep /Core.build/)
calls=$(nm -u "${compiled[@]}" | awk '$1 == "U" { print $2 }' | sort -u | grep -vxE "$may_call" || true)
[ -z "$calls" ] || fail "Core calls $(xargs <<<"$calls")"
fused=$("$toolchain/bin/llvm-objdump" -d "${compiled[@]}" | grep -cE '\sfn?m(add|sub|la|ls)\s' || true)
[ "$fused" = 0 ] || fail "Core has $fused fused multiply-adds, which other machines round twice"
say "${#compiled[@]} objects: no call out, nothing fused"
