#!/usr/bin/env bash
# Instructions per packet in the average, counted by callgrind: standing still in noise of 5 dB, and with a step every 5 s.
set -eu
cd "$(dirname "$0")/../../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mapfile -t sources < <(find "$PWD/Sources/Core" -name '*.swift')
(cd "$scratch" && swiftc -O -wmo -parse-as-library -package-name forecourt -module-name Cost \
  -enable-experimental-feature Lifetimes -suppress-warnings "${sources[@]}" "$OLDPWD/Tests/Cost/Average/cost.swift" -o cost)
for signal in steady jumps; do
  valgrind --tool=callgrind --callgrind-out-file="$scratch/out" --toggle-collect='*feed*' "$scratch/cost" "$signal" \
    >/dev/null 2>"$scratch/log"
  total=$(sed -n 's/^summary: //p' "$scratch/out")
  echo "$signal: $((total / 100000)) instructions per packet"
done
