#!/usr/bin/env bash
# Prints a program's Depends: the packages of the libraries that it links, in the versions that have the functions it uses.
#   deploy/debian/depends.sh ARCH PROGRAM
# It does what dpkg-shlibdeps does, also for another architecture, from the packages' own `symbols` files; and names what Debian 13 calls
# the same library, where it has another name there.
source "$(dirname "$0")/../common.sh"
[ $# = 2 ] || fail "name an architecture and a program" 64
symbols=build/sysroot-$1/SYMBOLS
[ -d "$symbols" ] || fail "there is no $symbols; run deploy/sysroot.sh $1" 69

# Debian 13 renamed libraries in which some functions take a time, which has 64 bits there on armhf, too. We call none of those functions.
renamed() { [ "$1" != libssl3 ] || echo libssl3t64; }

# NAME@VERSION of every function that the program imports.
taken() { readelf -W --dyn-syms "$1" | awk '$7 == "UND" && $8 != "" { print $5, $8 }'; }

mapfile -t libraries < <(readelf -dW "$2" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
taken "$2" | awk -v libraries="${libraries[*]}" '
  BEGIN { for (count = split(libraries, list, " "); count > 0; count--) needed[list[count]] = 1 }
  FILENAME == "-" { weak[$2] = $1 == "WEAK"; wanted[$2] = 1; next }
  /^[^ |*]/ { library = $1; package = $2; if (library in needed) packages[library] = package; next }
  /^ / && library in needed {
    name = $1
    sub(/@Base$/, "", name)
    if (name in wanted) { found[name] = 1; versions[package] = versions[package] " " $2 }
  }
  END {
    for (library in needed) {
      if (!(library in packages)) { print "no package provides " library > "/dev/stderr"; exit 1 }
      print packages[library] versions[packages[library]]
    }
    for (name in wanted) if (!(name in found) && !weak[name]) { print "no package provides " name > "/dev/stderr"; exit 1 }
  }
' - "$symbols"/* | sort -u | {
  list=
  while read -r package versions; do
    newest=
    for version in $versions; do
      if [ -z "$newest" ] || dpkg --compare-versions "$version" gt "$newest"; then newest=$version; fi
    done
    later=$(renamed "$package")
    list+="${list:+, }${later:+$later${newest:+ (>= $newest)} | }$package${newest:+ (>= $newest)}"
  done
  echo "$list"
}
