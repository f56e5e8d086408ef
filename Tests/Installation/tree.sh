#!/usr/bin/env bash
# Makes a small tree of a Debian release of this machine's architecture, with apt and what forecourt depends on; prints its tarball.
#   Tests/Installation/tree.sh bookworm|trixie      as root; made once
source "$(dirname "$0")/../../deploy/common.sh"
[ "$(id -u)" = 0 ] || fail "only root can make the tree of another system" 77
release=$1
arch=$(dpkg --print-architecture)
# Of alternatives, the first is Debian 13's.
[ "$release" = trixie ] && other='s/ | [^,]*//g' || other='s/[^ ,]* | //g'
needs=$(deploy/debian/depends.sh "$arch" "build/$arch/forecourt" | sed -e 's/ ([^)]*)//g' -e "$other" -e 's/, /,/g')
kept=$root/build/tree-$(echo "$release apt $needs" | sha256sum | cut -c 1-12).tar
if [ ! -f "$kept" ]; then
  say "Making a tree of Debian $release"
  # The mirrors that deploy/sysroot.sh found in this machine's apt.
  sed "s/bookworm/$release/" "build/apt-$arch/sources.list" >"$kept.list"
  mmdebstrap --quiet --variant=apt --mode=root --aptopt='Acquire::Languages "none"' --aptopt='Acquire::Retries "3"' \
    --include="systemd-standalone-sysusers,systemd-standalone-tmpfiles,init-system-helpers,$needs" \
    "$release" "${kept%.tar}.new.tar" "$kept.list" || fail "mmdebstrap could not make a tree of Debian $release"
  mv "${kept%.tar}.new.tar" "$kept"
fi
echo "$kept"
