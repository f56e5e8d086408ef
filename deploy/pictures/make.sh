#!/usr/bin/env bash
# Makes report.png anew: plays visit.toml, and takes a picture of its report with headless Chromium (Debian's package).
source "$(dirname "$0")/../common.sh"
[ $# -eq 0 ] || fail "it takes no arguments" 64
need_swift
deploy/packages.sh build browser
swift build --product forecourt >&2
forecourt=$root/.build/debug/forecourt
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cp "$root/deploy/demo.toml" config.toml
"$forecourt" simulate "$root/deploy/pictures/visit.toml" --out visit.btsnoop
"$forecourt" replay visit.btsnoop --config config.toml --report report.html >/dev/null
# Chromium's own sandbox refuses to work for root.
sandbox=()
[ "$(id -u)" != 0 ] || sandbox=(--no-sandbox)
HOME=$folder timeout 60 chromium --headless "${sandbox[@]}" --disable-gpu --hide-scrollbars --window-size=860,1118 \
  --screenshot="$folder/report.png" "file://$folder/report.html" 2>"$folder/chromium.log" >/dev/null ||
  fail "chromium failed: $(tail -n 1 "$folder/chromium.log")"
mv report.png "$root/deploy/pictures/report.png"
say "deploy/pictures/report.png: $(stat -c %s "$root/deploy/pictures/report.png") bytes"
