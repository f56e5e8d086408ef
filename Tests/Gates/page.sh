#!/usr/bin/env bash
# The live page: builds it twice to the same bytes, and opens it and the report in Debian's chromium. Takes FORECOURT as the program, or the debug build.
source "$(dirname "$0")/../../deploy/common.sh"
deploy/packages.sh page browser test rigs
deploy/page/build.sh
again=$(mktemp -d)
trap 'rm -rf "$again"' EXIT
deploy/page/build.sh "$again"
cmp build/page/index.html "$again/index.html" || fail "two builds of the page differ"
if [ -z "${FORECOURT:-}" ]; then
  need_swift
  swift build --product forecourt
  export FORECOURT=$root/.build/debug/forecourt
fi
python=$(Tests/Rigs/venv.sh)
"$python" Tests/Operation/page.py
"$python" Tests/Operation/page_regions.py
"$python" Tests/Operation/page_doubts.py
"$python" Tests/Operation/page_broker.py
"$python" Tests/Operation/demo.py
"$python" Tests/Operation/report.py
