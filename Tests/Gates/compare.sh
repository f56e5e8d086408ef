#!/usr/bin/env bash
# Gate 6: every golden case must give the same bytes on stdout and the same exit code from ordinary Swift on this machine and from the
# Embedded binaries for amd64, arm64 and armhf (ARM under qemu-user), and they must be those that are committed.
#   Tests/Gates/compare.sh             Tests/Decoding/golden/cases.txt, and every capture of Tests/Decoding
#   Tests/Gates/compare.sh --accept    replaces the golden files; read what has changed before you commit it
#   Tests/Gates/compare.sh CAPTURE…    replays only these
# A capture's configuration is CAPTURE.toml beside it, or else deploy/two-pumps.toml. deploy/build.sh has made the binaries.
source "$(dirname "$0")/../../deploy/common.sh"
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

# Runs one of the four programs; its output is in $out/PROGRAM, its exit code in the last line.
run() {
  local program=$1 command code=0
  shift
  case $program in
    ordinary) command=(.build/debug/forecourt) ;;
    *)
      triples "$program"
      # shellcheck disable=SC2207
      command=($(emulator "$program") "build/$program/forecourt")
      [ "$program" != amd64 ] || command=(build/amd64/forecourt)
      [ -x "build/$program/forecourt" ] || fail "there is no build/$program/forecourt yet; run deploy/build.sh $program"
      ;;
  esac
  timeout 300 "${command[@]}" "$@" >"$out/$program" 2>"$out/$program.err" </dev/null || code=$?
  echo "exit $code" >>"$out/$program"
}

programs=(ordinary amd64 arm64 armhf)

same() {
  local program first=${programs[0]}
  for program in "${programs[@]}"; do
    run "$program" "$@"
    cmp -s "$out/$first" "$out/$program" || {
      diff -a <(head -c 1000000 "$out/$first") <(head -c 1000000 "$out/$program") | head -n 6 | cut -c 1-400 >&2 || true
      tail -n 3 "$out/$program.err" >&2
      fail "\`forecourt $*\` differs: < $first, > $program (both whole in $out)"
    }
  done
  say "same on ${#programs[@]}: forecourt $*: $(wc -l <"$out/$first") lines, $(tail -n 1 "$out/$first")"
}

golden=Tests/Decoding/golden
# Longer or binary output is kept as its checksum.
readable_bytes=65536

# A word of cases.txt; makes the file that it stands for.
word() {
  local name=${1#*:}
  case $1 in
    unpacked:*) zcat "Tests/Decoding/$name.gz" >"$out/$name" && echo "$out/$name" ;;
    scenario:*)
      # Several cases may use it.
      [ -e "$out/$name.btsnoop" ] ||
        build/amd64/forecourt simulate "Tests/Firing/Scenarios/$name.toml" --seed 7 --out "$out/$name.btsnoop" || return
      echo "$out/$name.btsnoop"
      ;;
    *) echo "$1" ;;
  esac
}

golden_case() {
  local name=$1 words=() given
  shift
  for given; do words+=("$(word "$given")"); done
  programs=(ordinary amd64 arm64 armhf)
  # Without the optimiser every field copies the whole line, which takes minutes.
  [[ $* != *--decoded*:* ]] || programs=(amd64 arm64 armhf)
  same "${words[@]}"
  [ "$(tail -c 7 "$out/amd64")" = "exit 0" ] || fail "the golden case $name ends with $(tail -n 1 "$out/amd64")"
  head -c -7 "$out/amd64" >"$out/printed"
  if [ -n "$accept" ]; then
    rm -f "$golden/$name.jsonl" "$golden/$name.sha256"
    if [ "$(stat -c %s "$out/printed")" -le $readable_bytes ] && grep -Iq . "$out/printed"; then
      cp "$out/printed" "$golden/$name.jsonl"
    else
      sha256sum <"$out/printed" | cut -d ' ' -f 1 >"$golden/$name.sha256"
    fi
  elif [ -f "$golden/$name.jsonl" ]; then
    diff -a "$golden/$name.jsonl" "$out/printed" | head -n 6 | cut -c 1-400 >&2 || true
    cmp -s "$golden/$name.jsonl" "$out/printed" || fail "$name is not as in $golden; if that is meant: Tests/Gates/compare.sh --accept"
  else
    [ "$(sha256sum <"$out/printed" | cut -d ' ' -f 1)" = "$(cat "$golden/$name.sha256")" ] ||
      fail "$name is not what $golden/$name.sha256 is of; if that is meant: Tests/Gates/compare.sh --accept"
  fi
}

accept=
if [ "${1:-}" = --accept ]; then
  accept=yes
  shift
fi
# A gateway comes up, reports that neither controller nor broker answers, and ends on SIGTERM. For amd64 valgrind checks that it reads
# nothing uninitialised: the optimiser's code once released what lay on the stack by chance.
serves() {
  local program=$1 command gateway code=0
  triples "$program"
  # shellcheck disable=SC2207
  command=($(emulator "$program") "build/$program/forecourt")
  if [ "$program" = amd64 ]; then
    # Valgrind fails when the symbols lie beside the program.
    cp build/amd64/forecourt "$out/alone"
    command=(valgrind -q --error-exitcode=9 "$out/alone")
  fi
  cat >"$out/run.toml" <<END
[gateway]
purpose = "Tests that each product comes up."
[[radio]]
name = "none"
adapter = "tcp:127.0.0.1:1"
[[trigger]]
name = "pump"
match = "ibeacon:*"
group = "pumps"
[mqtt]
port = 1
[outbox]
path = "$PWD/$out/$program.db"
END
  "${command[@]}" run --config "$out/run.toml" >"$out/$program" 2>&1 </dev/null &
  gateway=$!
  for _ in {1..300}; do
    if grep -q "no connection to the broker" "$out/$program"; then break; fi
    sleep 0.1
  done
  kill "$gateway" || true
  wait "$gateway" || code=$?
  { grep -q "no connection to the broker" "$out/$program" && [ $code = 0 ]; } ||
    fail "build/$program/forecourt run ends with $code: $(cat "$out/$program")"
  say "$program comes up as a gateway and ends"
}

captures=("$@")
if [ $# = 0 ]; then
  deploy/packages.sh bench
  for program in amd64 arm64 armhf; do
    serves "$program"
    run "$program" version
    [ "$(cat "$out/$program")" = "forecourt $FORECOURT_VERSION ($program)"$'\n'"exit 0" ] ||
      fail "build/$program/forecourt answers \`version\` with: $(cat "$out/$program"); if it is of an older commit, run deploy/build.sh"
  done
  same --help
  while read -r name arguments; do
    [[ -z $name || $name = '#'* ]] || golden_case "$name" $arguments
  done <"$golden/cases.txt"
  # What a plan makes of levels is kept nowhere, for its constants change.
  build/amd64/forecourt simulate Tests/Firing/Scenarios/queue.toml --seed 7 --out "$out/queue.btsnoop"
  same explain ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:7:2 --json --config deploy/two-pumps.toml \
    --capture "$out/queue.pump-1.btsnoop" --capture "$out/queue.pump-2.btsnoop"
  # How tshark and btmon read the same bytes; for longer captures by hand: Tests/Decoding/compare.py build/amd64/forecourt CAPTURE…
  Tests/Decoding/compare.py build/amd64/forecourt Tests/Decoding/air.h4.btsnoop Tests/Decoding/air.monitor.btsnoop \
    Tests/Decoding/air.h4.pcapng --config Tests/Decoding/air.toml >&2
  mapfile -t captures < <(find Tests/Decoding -name '*.btsnoop' -o -name '*.pcap' -o -name '*.pcapng' 2>/dev/null | sort)
  [ ${#captures[@]} -gt 0 ] || fail "there is no capture in Tests/Decoding to replay"
fi
for capture in "${captures[@]}"; do
  config=${capture%.*}.toml
  [ -f "$config" ] || config=deploy/two-pumps.toml
  same replay "$capture" --config "$config"
done
