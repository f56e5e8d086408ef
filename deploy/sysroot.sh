#!/usr/bin/env bash
# Unpacks Debian 12's headers and libraries for one architecture into build/sysroot-ARCH, without touching this machine's own apt.
#   deploy/sysroot.sh amd64|arm64|armhf
# Done once; an interrupted run goes on where it stopped. To get newer packages, remove the folder.
source "$(dirname "$0")/common.sh"
[ $# = 1 ] || fail "name one architecture: amd64, arm64 or armhf" 64
arch=$1
triples "$arch"

release=bookworm
sysroot=build/sysroot-$arch
state=$root/build/apt-$arch
wanted="$release with symbols: $(deploy/packages.sh --list libraries)"
up_to_date() { [ "$(cat "$sysroot/WANTED" 2>/dev/null)" = "$wanted" ]; }

up_to_date && exit
mkdir -p "$state"
exec 9>"$state/lock"
flock 9
up_to_date && exit

# The mirrors are those that this machine's apt uses for Debian.
mirrors() {
  apt-get indextargets --format '$(ORIGIN) $(CREATED_BY) $(REPO_URI) $(RELEASE) $(COMPONENT)' |
    awk -v release="$release" '$1 == "Debian" && $2 == "Packages" && index($4, release) == 1 && $5 == "main" { print $3, $4 }' | sort -u
}
if [ -z "$(mirrors)" ]; then
  # A fresh machine has not fetched its mirrors' indexes yet.
  [ "$(id -u)" = 0 ] && apt-get -qq update || true
  [ -n "$(mirrors)" ] || fail "this machine's apt knows no Debian 12 ($release) mirror; run \`apt-get update\` as root on a Debian 12 machine and try again"
fi

mkdir -p "$state"/{lists/partial,archives/partial,preferences.d}
: >"$state/status"
mirrors | while read -r uri suite; do
  echo "deb [arch=$arch signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $suite main"
done >"$state/sources.list"
apt() {
  apt-get -qq -o APT::Architecture="$arch" -o APT::Architectures="$arch" -o APT::Sandbox::User="$(id -un)" -o Acquire::Retries=3 \
    -o Acquire::Languages=none -o Dir::State="$state" -o Dir::State::status="$state/status" -o Dir::State::Lists="$state/lists" \
    -o Dir::Cache="$state" -o Dir::Cache::archives="$state/archives" -o Dir::Etc::sourcelist="$state/sources.list" \
    -o Dir::Etc::sourceparts=/dev/null -o Dir::Etc::preferencesparts="$state/preferences.d" "$@"
}

say "Fetching Debian's $arch headers and libraries into $sysroot"
# A mirror may be in the middle of a sync: the download decides, not the update.
apt update >&2 || say "apt-get update reported errors; trying to download all the same"
packages=$(deploy/packages.sh --list libraries)
# The plan names the exact versions, so that leftovers of an older run are not unpacked beside the new ones.
plan=$(apt install --no-install-recommends --print-uris -y $packages | awk '{ print $2 }')
[ -n "$plan" ] || fail "apt found no way to install for $arch: $packages"
apt install --no-install-recommends --download-only -y $packages >&2 || fail "could not download Debian's $arch packages; run it again to go on where it stopped"

rm -rf "$sysroot.new"
mkdir -p "$sysroot.new/SYMBOLS"
for file in $plan; do
  dpkg -x "$state/archives/$file" "$sysroot.new" || fail "could not unpack $file"
  # Which version of the package each of its functions needs: deploy/debian/depends.sh computes Depends from it.
  symbols=$(dpkg-deb --ctrl-tarfile "$state/archives/$file" | tar -xO ./symbols 2>/dev/null || true)
  [ -z "$symbols" ] || printf '%s\n' "$symbols" >"$sysroot.new/SYMBOLS/${file%%_*}"
done
printf '%s\n' $plan | sort >"$sysroot.new/PACKAGES"
printf '%s\n' "$wanted" >"$sysroot.new/WANTED"
rm -rf "$sysroot"
mv "$sysroot.new" "$sysroot"
rm -rf "$state/archives"
