#!/usr/bin/env bash
# fetch.sh DIR: Debian's arm64 kernel and what the guest runs, unpacked under DIR/{kernel,arm64,armhf}.
# A private apt state leaves the machine's own apt and dpkg alone; mirrors, keys and proxies are the machine's.
set -euo pipefail
dir=$(mkdir -p "${1:?fetch.sh DIR}" && cd "$1" && pwd)

arm64="busybox-static libc6 libgcc-s1 libstdc++6 libbluetooth3 libsqlite3-0 libssl3 zlib1g
  mosquitto mosquitto-clients libmosquitto1 libcjson1 libwebsockets17 libdlt2 libsystemd0 libwrap0 libnsl2 libtirpc3
  libuv1 libev4 libcap2 libgcrypt20 libgpg-error0 liblzma5 libzstd1 liblz4-1 libgssapi-krb5-2 libkrb5-3
  libk5crypto3 libkrb5support0 libcom-err2 libkeyutils1 libc6-dev linux-libc-dev libgcc-12-dev bluez-test-tools
  systemd libsystemd-shared libacl1 libapparmor1 libargon2-1 libaudit1 libblkid1 libcap-ng0 libcrypt1 libcryptsetup12 libdevmapper1.02.1
  libfdisk1 libip4tc2 libjson-c5 libkmod2 libmount1 libp11-kit0 libffi8 libpam0g libpcre2-8-0 libseccomp2 libselinux1 libudev1
  libuuid1 adjtimex"
armhf="libc6 libgcc-s1 libstdc++6 libbluetooth3 libsqlite3-0 libssl3 libmosquitto1 libcjson1 libc6-dev linux-libc-dev libgcc-12-dev"

want=$(sha256sum "${BASH_SOURCE[0]}" | cut -c1-16)
[ "$(cat "$dir/fetched" 2>/dev/null)" = "$want" ] && exit 0
rm -rf "${dir:?}"/{kernel,arm64,armhf,fetched}
mkdir -p "$dir"/apt/{state/lists/partial,cache/archives/partial} "$dir"/{kernel,arm64,armhf}
: >"$dir/apt/status"
apt=(-qq -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Architectures::=armhf -o APT::Sandbox::User=root
  -o Dir::State="$dir/apt/state" -o Dir::State::status="$dir/apt/status" -o Dir::Cache="$dir/apt/cache"
  -o Acquire::Languages=none -o Acquire::Retries=3)

# A mirror may be mid-sync in one index: the download below decides, not this.
apt-get "${apt[@]}" update || apt-get "${apt[@]}" update || echo "fetch.sh: apt-get update complained; going on" >&2
image=$(apt-cache "${apt[@]}" depends linux-image-arm64 | sed -n 's/.*Depends: \(linux-image-[0-9][^ :]*arm64\).*/\1/p' | head -1)
[ -n "$image" ] || { echo "fetch.sh: the mirror names no linux-image-arm64" >&2; exit 69; }

unpack() { # unpack INTO PACKAGE…: downloads into the cache (kept: a second run is local) and unpacks
  local into=$1 deb; shift
  (cd "$dir/apt/cache/archives" && apt-get "${apt[@]}" download "$@")
  for name; do
    deb=$(ls -t "$dir/apt/cache/archives/${name%:*}"_*_"${name#*:}".deb | head -1)
    dpkg-deb -x "$deb" "$into"
  done
}
# shellcheck disable=SC2046,SC2086
unpack "$dir/arm64" $(printf '%s:arm64 ' $arm64)
# shellcheck disable=SC2046,SC2086
unpack "$dir/armhf" $(printf '%s:armhf ' $armhf)
unpack "$dir/kernel" "$image:arm64"
echo "$want" >"$dir/fetched"
