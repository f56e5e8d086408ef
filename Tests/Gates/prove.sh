#!/usr/bin/env bash
# Gate: the proving ground. Every scenario of Tests/Firing/Scenarios under many seeds, and walks that others measured; our gateways beside the
# rules of other software.
#   Tests/Gates/prove.sh               20 seeds and the walks, compared with Tests/Firing/ProvingGround/table.txt and walks.txt
#   Tests/Gates/prove.sh --ours        the same, but our own rows alone: what deploy/test.sh runs
#   Tests/Gates/prove.sh SEEDS [NAME…] so many seeds (of these scenarios), printed
#   Tests/Gates/prove.sh walks         the walks, printed
#   Tests/Gates/prove.sh sites SEEDS even|odd [RECEIVERS…]  sites drawn at random, with phones that nobody measured, printed
#   Tests/Gates/prove.sh returns SEEDS even|odd [RECEIVERS…]  the same phones three times
#   Tests/Gates/prove.sh variations SEEDS even|odd [RECEIVERS…]  sites at which something is otherwise
#   Tests/Gates/prove.sh unplaced sites|returns|variations …  the same where nobody has said where the receivers stand
#   Tests/Gates/prove.sh near METRES sites|returns|variations …  the same where the pumps stand in one row, so near to each other
#   Tests/Gates/prove.sh best          the best that anybody could do with such phones
#   Tests/Gates/prove.sh --accept      replaces the files
source "$(dirname "$0")/../../deploy/common.sh"
need_swift
ground=Tests/Firing/ProvingGround

seeds=20
mkdir -p build
# Package.swift has it optimised in the debug build, too, which the tests have made.
swift build --product prove >build/prove.log 2>&1 || {
  cat build/prove.log >&2
  fail "the proving ground cannot be built"
}
prove=$(swift build --show-bin-path)/prove
case ${1:-} in
  walks | best) exec "$prove" "$1" ;;
  sites | returns | variations | unplaced | near) exec "$prove" "$@" ;;
  [0-9]*) exec "$prove" table "$@" ;;
  --ours) rows="ours $seeds" ;;
  --accept | "") rows="table $seeds" ;;
  *) fail "unknown option \"$1\"; the head of $script names them" 64 ;;
esac

# shellcheck disable=SC2086
"$prove" $rows >build/table.txt
"$prove" walks >build/walks.txt
{
  "$prove" sites 6 odd 4
  printf '\npumps 2.5 m apart\n'
  "$prove" near 2.5 variations 12 odd 4 measured pairs
} >build/sites.txt
if [ "${1:-}" = --accept ]; then
  cp build/table.txt build/walks.txt build/sites.txt $ground
  say "$ground/table.txt, walks.txt and sites.txt are new; read what has changed before they are committed"
  exit
fi
ours() { if [ "${1:-}" = --ours ]; then grep -vE '^  [A-Z]|^all: [A-Z]'; else cat; fi; }
for file in table.txt walks.txt sites.txt; do
  part=${1:-}
  [ $file = table.txt ] || part=
  diff <(ours "$part" <$ground/$file) build/$file >&2 ||
    fail "the outcomes have changed: < $ground/$file, > this run; if that is meant: Tests/Gates/prove.sh --accept"
done
say "$seeds seeds and the walks: as in $ground/table.txt, walks.txt and sites.txt"
