#!/usr/bin/env bash
# The proving ground: every scenario of Tests/Scenarios under many seeds, our gateways beside the rules of other software.
#   deploy/prove.sh               20 seeds, compared with Tests/Prove/table.txt
#   deploy/prove.sh SEEDS [NAME…] so many seeds (of these scenarios), printed
#   deploy/prove.sh --accept      makes the comparison's table anew
source "$(dirname "$0")/common.sh"
need_swift

seeds=20
table=Tests/Prove/table.txt
mkdir -p build
swift build -c release --product prove >build/prove.log 2>&1 || {
  cat build/prove.log >&2
  fail "the proving ground cannot be built"
}
prove=$(swift build -c release --show-bin-path)/prove
if [ $# -gt 0 ] && [ "$1" != --accept ]; then exec "$prove" table "$@"; fi

"$prove" table $seeds >build/table.txt
if [ "${1:-}" = --accept ]; then
  cp build/table.txt $table
  say "$table is new; read what has changed before it is committed"
  exit
fi
diff $table build/table.txt >&2 || fail "the outcomes have changed: < $table, > this run; if that is meant: deploy/prove.sh --accept"
say "$seeds seeds: as in $table"
