#!/usr/bin/env bash
# The packages are reproducible, pass Debian's own tools, and hold the right files. deploy/build.sh has made the binaries.
#   Tests/Installation/package.sh [ARCH…]
source "$(dirname "$0")/../../deploy/common.sh"
[ $# -gt 0 ] || set -- amd64 arm64 armhf
out=build/packages
rm -rf "$out"
mkdir -p "$out"/{once,again,tree}

# Another umask, time zone and moment must not change a byte.
for form in deb tar; do
  for arch in "$@"; do
    deploy/debian/pack.sh "$form" "$arch" "$out/once"
    (umask 077 && TZ=Asia/Tokyo deploy/debian/pack.sh "$form" "$arch" "$out/again" 2>/dev/null)
  done
done
diff -rq "$out/once" "$out/again" || fail "packed twice, the bytes differ"

for arch in "$@"; do
  deb=$(echo "$out"/once/*_"$arch".deb)
  tags=$(lintian --allow-root --tag-display-limit 0 --fail-on error,warning "$deb") || fail "lintian refuses $deb:
$tags"
  tree=$out/tree/$arch
  dpkg-deb -R "$deb" "$tree"
  files=$(cd "$tree" && find . -type f ! -path './DEBIAN/*' ! -path './usr/share/doc/*' | sort)
  wanted=$(printf './%s\n' etc/forecourt/config.toml lib/systemd/system/forecourt.service usr/bin/forecourt usr/lib/sysusers.d/forecourt.conf \
    usr/lib/tmpfiles.d/forecourt.conf usr/share/bash-completion/completions/forecourt usr/share/forecourt/page/index.html \
    usr/share/man/man1/forecourt.1.gz)
  [ "$files" = "$wanted" ] || fail "$deb installs other files than it should: $(xargs <<<"$files")"
  doc=$tree/usr/share/doc/forecourt
  for file in README.md boards.md security.md subscribers/pump.py brokers/site.conf examples/two-pumps.toml examples/config.toml \
    examples/scenarios/first-visit.toml examples/serial.conf; do
    [ -s "$doc/$file" ] || fail "$deb lacks $file among its documents"
  done
  grep -q '^<title>forecourt' "$tree/usr/share/forecourt/page/index.html" || fail "$deb: it has no live page"
  # What apt-listchanges shows of an upgrade from an older release: what has changed for whoever keeps the configuration.
  zcat "$doc/NEWS.Debian.gz" | grep -q 'refractory_s is 600, and was 30' || fail "$deb: its news do not name the changed default"
  news=$(zcat "$doc/NEWS.Debian.gz" | sed -n '1s/.*(\(.*\)).*/\1/p')
  dpkg --compare-versions "$news" le "$(dpkg-deb -f "$deb" Version)" || fail "$deb: its news are of a later version, $news"
  (cd "$tree" && md5sum --quiet -c DEBIAN/md5sums) || fail "$deb: md5sums are not those of its files"
  triples "$arch"
  run=("$tree/usr/bin/forecourt")
  [ "$arch" = "$(dpkg --print-architecture)" ] || run=($(emulator "$arch") "${run[@]}")
  "${run[@]}" version | grep -qF "($arch)" || fail "$deb holds the binary of another architecture"
  "${run[@]}" simulate "$doc/examples/scenarios/first-visit.toml" --config "$doc/examples/demo.toml" | grep -q '"event":"fire"' ||
    fail "$deb: its scenario does not fire with its example"
  # The shipped example is valid and keeps the radios off.
  "${run[@]}" check --lint --config "$tree/etc/forecourt/config.toml" >/dev/null || fail "$deb: its config.toml is wrong"
  grep -q '^authorization = "denied"$' "$tree/etc/forecourt/config.toml" || fail "$deb: its config.toml switches the radios on"
done

# dpkg-shlibdeps computes the same Depends; it can do so for this machine's architecture only.
native=$(dpkg --print-architecture)
if [ -d "$out/tree/$native" ]; then
  mkdir -p "$out/reckoning/debian"
  printf 'Source: forecourt\nPackage: forecourt\nArchitecture: any\n' >"$out/reckoning/debian/control"
  program=$root/$out/tree/$native/usr/bin/forecourt
  theirs=$(cd "$out/reckoning" && dpkg-shlibdeps -O "$program" 2>/dev/null | sed 's/^shlibs:Depends=//')
  ours=$(deploy/debian/depends.sh "$native" "$program")
  [ "$(sed 's/[^ ]* ([^)]*) | //g' <<<"$ours")" = "$theirs" ] || fail "Depends is \"$ours\"; dpkg-shlibdeps says \"$theirs\""
fi

# Every word of the help is in the manual page, and groff finds no mistake in it.
page=$out/page program=build/$native/forecourt tree=$out/tree/$native
[ -d "$tree" ] || exit 0
zcat "$tree/usr/share/man/man1/forecourt.1.gz" >"$page.1"
complaints=$(MANROFFSEQ='' MANWIDTH=80 man --warnings=all -E UTF-8 -l "$page.1" 2>&1 >/dev/null)
[ -z "$complaints" ] || fail "groff finds mistakes in the manual page: $complaints"
words() { tr -cs 'A-Za-z0-9$/_' '\n' | LC_ALL=C sort -u; }
mapfile -t commands < <("$program" --help | awk '/^COMMANDS/ { on = 1; next } /^$/ { on = 0 } on && /^       [a-z]/ { print $1 }')
missing=$(LC_ALL=C comm -23 <(for command in "${commands[@]}"; do "$program" "$command" --help | sed -n '/^DESCRIPTION/,$p'; done | words) \
  <(MANWIDTH=200 man -E ascii --nh --nj -l "$page.1" | words))
[ -z "$missing" ] || fail "the manual page lacks these words of the help: $(xargs <<<"$missing")"
for command in "${commands[@]}"; do
  grep -qx "\.SH ${command^^}" "$page.1" || fail "the manual page has no section for \"$command\""
done

# The completion completes.
completed() {
  bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _forecourt; printf "%s\n" "${COMPREPLY[@]}"' \
    - "$tree/usr/share/bash-completion/completions/forecourt" "$@" | xargs
}
[ "$(completed forecourt chec)" = check ] || fail "\"forecourt chec\" is not completed"
[ "$(completed forecourt check --c)" = --config ] || fail "\"forecourt check --c\" is not completed"
[ "$(completed forecourt check --config deploy/systemd/s)" = "$(echo deploy/systemd/s*)" ] || fail "--config does not complete files"
[ "$(completed forecourt calibrate '')" = "fixed walk site" ] || fail "calibrate does not complete its three ways"
[ "$(ls() { printf '%s\n' hci1 hci1:64 hci12; }; export -f ls; completed forecourt scan --radio hci)" = "hci1 hci12" ] \
  || fail "--radio does not complete this machine's adapters"
[ "$(completed forecourt '' | wc -w)" = $((${#commands[@]} + 1)) ] || fail "the completion does not know every command"
say "packages: $(find "$out/once" -type f | wc -l) files, the same bytes twice, lintian silent"
