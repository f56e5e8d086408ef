#!/usr/bin/env bash
# Builds the live page: one file that needs nothing else, build/page/index.html. The same commit and Debian packages give the same bytes.
#   deploy/page/build.sh [FOLDER]     FOLDER/index.html; FOLDER is build/page unless named
source "$(dirname "$0")/../common.sh"
[ $# -le 1 ] || fail "it takes one folder at most" 64
folder=${1:-build/page}
deploy/packages.sh page
modules=/usr/share/nodejs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Without background threads: Node may wait for them for ever at its end (nodejs/node#54918).
node --single-threaded "$(command -v tsc)" --project deploy/page >&2 || fail "the page's types do not agree"
NODE_PATH=$modules esbuild deploy/page/main.js --bundle --minify --charset=utf8 --format=iife --target=es2022 --legal-comments=none \
  --define:global=globalThis --inject:deploy/page/node.js --metafile="$work/made-of.json" --outfile="$work/script.js" --log-level=warning
esbuild deploy/page/page.css --minify --charset=utf8 --outfile="$work/style.css" --log-level=warning
python3 deploy/page/assemble.py "$work" "$modules" >"$work/index.html"
size=$(stat -c %s "$work/index.html")
[ "$size" -le 358400 ] || fail "the page has $size bytes; a phone on a ladder should not wait for more than 350 kB"
mkdir -p "$folder"
install -m 644 "$work/index.html" "$folder/index.html"
say "$folder/index.html: $size bytes"
