#!/usr/bin/env bash
# Makes the manual page and bash's completion from the program's own help.
#   deploy/debian/papers.sh OUT DATE PROGRAM…     OUT/forecourt.1 and OUT/completion; PROGRAM may begin with an emulator
source "$(dirname "$0")/../common.sh"
[ $# -ge 3 ] || fail "name a folder, a date and a program" 64
out=$1 date=$2
shift 2

pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
"$@" --help >"$pages/0"
mapfile -t commands < <(awk '/^COMMANDS/ { on = 1; next } /^$/ { on = 0 } on && /^       [a-z]/ { print $1 }' "$pages/0")
[ ${#commands[@]} -gt 0 ] || fail "the program's help names no command"
files=("$pages/0")
for command in "${commands[@]}"; do
  "$@" "$command" --help >"$pages/$command"
  files+=("$pages/$command")
done
mkdir -p "$out"
{
  echo ".TH FORECOURT 1 \"$date\" \"forecourt ${FORECOURT_VERSION%%+*}\" \"User Commands\""
  awk -f deploy/debian/manual.awk "${files[@]}"
} >"$out/forecourt.1"
awk -f deploy/debian/completion.awk "${files[@]}" >"$out/completion"
