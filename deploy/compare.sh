#!/usr/bin/env bash
# Gate 6: every golden capture must give the same bytes on stdout and the same exit code from ordinary Swift on this machine and from the
# Embedded binaries for amd64, arm64 and armhf (ARM under qemu-user).
#   deploy/compare.sh [CAPTURE…]   all of Tests/Captures unless named
# CAPTURE.toml beside a capture, where there is one, is its config; config.toml otherwise. deploy/build.sh makes the binaries.
source "$(dirname "$0")/common.sh"
need_swift

FORECOURT_VERSION=$(deploy/version.sh)
export FORECOURT_VERSION
swift build --product forecourt >build/ordinary.log 2>&1 || {
  cat build/ordinary.log >&2
  fail "the ordinary build failed"
}
out=build/compare
rm -rf "$out"
mkdir -p "$out"

# Runs one of the four programs; what it printed is in $out/PROGRAM, its exit code as the last line.
run() {
  local program=$1 command code=0
  shift
  case $program in
    ordinary) command=(.build/debug/forecourt) ;;
    *)
      triples "$program"
      command=("$qemu" -L "build/sysroot-$program" "build/$program/forecourt")
      [ "$program" != amd64 ] || command=(build/amd64/forecourt)
      [ -x "build/$program/forecourt" ] || fail "there is no build/$program/forecourt yet; run deploy/build.sh $program"
      ;;
  esac
  timeout 300 "${command[@]}" "$@" >"$out/$program" 2>"$out/$program.err" </dev/null || code=$?
  echo "exit $code" >>"$out/$program"
}

same() {
  local program
  run ordinary "$@"
  for program in amd64 arm64 armhf; do
    run "$program" "$@"
    cmp -s "$out/ordinary" "$out/$program" || {
      diff <(head -c 1000000 "$out/ordinary") <(head -c 1000000 "$out/$program") | head -n 6 | cut -c 1-400 >&2 || true
      tail -n 3 "$out/$program.err" >&2
      fail "\`forecourt $*\` differs: < ordinary Swift here, > the $program binary (both whole in $out)"
    }
  done
  say "same on four: forecourt $*: $(wc -l <"$out/ordinary") lines, $(tail -n 1 "$out/ordinary")"
}

captures=("$@")
if [ $# = 0 ]; then
  for program in amd64 arm64 armhf; do
    run "$program" version
    [ "$(cat "$out/$program")" = "forecourt $FORECOURT_VERSION ($program)"$'\n'"exit 0" ] ||
      fail "build/$program/forecourt answers \`version\` with: $(cat "$out/$program"); if it is of an older commit, run deploy/build.sh"
  done
  same --help
  mapfile -t captures < <(find Tests/Captures -name '*.btsnoop' -o -name '*.pcap' -o -name '*.pcapng' 2>/dev/null | sort)
  # A program that can replay must be seen to.
  [ ${#captures[@]} -gt 0 ] || ! grep -qw replay "$out/ordinary" || fail "there is no capture in Tests/Captures to replay"
fi
for capture in "${captures[@]}"; do
  config=${capture%.*}.toml
  [ -f "$config" ] || config=config.toml
  same replay "$capture" --config "$config"
done
