#!/usr/bin/env bash
# Gate 3: Core is pure. Compiled as Embedded Swift with heap allocation forbidden, it calls nothing of the system's, and its floating
# point is the same on every machine: only what IEEE 754 fixes to the last bit, nothing fused.
# Generic code is checked where Core uses it. For arm64 only: on 32-bit ARM any widening to UInt64 is a false alarm.
source "$(dirname "$0")/../../deploy/common.sh"
need_swift

triple=aarch64-none-none-elf
EMBEDDED=1 swift build -c release --triple $triple --scratch-path build/pure --target Core \
  -Xswiftc -Xfrontend -Xswiftc -no-allocations || fail "Core allocates, or does not compile as Embedded Swift"

# Moving bytes, exact arithmetic, stack protection, and the standard library's own functions that are never reached.
may_call='mem(cpy|move|set|cmp)|sqrtf?|roundf?|truncf?|floorf?|ceilf?|rintf?|__stack_chk_(fail|guard)|swift_.*|\$e.*|free|arc4random_buf'
mapfile -t compiled < <(objects "build/pure/$triple/release")
calls=$(nm -u "${compiled[@]}" | awk '$1 == "U" { print $2 }' | sort -u | grep -vxE "$may_call" || true)
[ -z "$calls" ] || fail "Core calls $(xargs <<<"$calls")"
fused=$("$toolchain/bin/llvm-objdump" -d "${compiled[@]}" | grep -cE '\sfn?m(add|sub|la|ls)\s' || true)
[ "$fused" = 0 ] || fail "Core has $fused fused multiply-adds, which other machines round twice"
say "${#compiled[@]} objects: no allocation, no call out, nothing fused"
