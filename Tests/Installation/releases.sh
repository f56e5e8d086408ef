#!/usr/bin/env bash
# Every package finds what it depends on in Debian 12 and in Debian 13. deploy/debian/pack.sh has made the packages.
#   Tests/Installation/releases.sh [ARCH…]      changes nothing: apt only plans, from indexes of its own
source "$(dirname "$0")/../../deploy/common.sh"
[ $# -gt 0 ] || set -- amd64 arm64 armhf
out=build/releases
mkdir -p "$out"
for arch in "$@"; do
  deploy/sysroot.sh "$arch"
  [ -f "$out/$arch/made" ] && [ "$out/$arch/made" -nt "build/$arch/forecourt" ] || {
    rm -rf "${out:?}/$arch"
    deploy/debian/pack.sh deb "$arch" "$out/$arch"
    touch "$out/$arch/made"
  }
  for release in bookworm trixie; do
    state=$root/$out/$release-$arch
    mkdir -p "$state"/{lists/partial,archives/partial}
    : >"$state/status"
    # The mirrors that deploy/sysroot.sh found in this machine's apt.
    sed "s/bookworm/$release/" "build/apt-$arch/sources.list" >"$state/sources.list"
    apt() {
      apt-get -qq -o APT::Architecture="$arch" -o APT::Architectures="$arch" -o Acquire::Languages=none -o Acquire::Retries=3 \
        -o APT::Sandbox::User="$(id -un)" -o Dir::State="$state" -o Dir::State::status="$state/status" -o Dir::State::Lists="$state/lists" \
        -o Dir::Cache="$state" -o Dir::Etc::sourcelist="$state/sources.list" -o Dir::Etc::sourceparts=/dev/null "$@"
    }
    apt update >&2 || say "apt-get update reported errors; planning all the same"
    plan=$(apt --simulate install "$root/$out/$arch"/forecourt_*_"$arch".deb 2>&1) || fail "the $arch package does not install on $release:
$plan"
    grep -q '^Inst forecourt ' <<<"$plan" || fail "apt's plan for $arch on $release has no forecourt: $plan"
  done
done
say "releases: $* find what they depend on in Debian 12 and 13"
