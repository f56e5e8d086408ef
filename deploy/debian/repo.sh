#!/usr/bin/env bash
# Makes a signed apt repository of the packages in a folder: boards then update with apt.
#   deploy/debian/repo.sh FOLDER [PACKAGE…]     FOLDER/pool, FOLDER/dists/stable, FOLDER/forecourt.gpg; packages are added, older ones stay
# $FORECOURT_REPO_KEY names the key in gpg's ring; without it gpg's default signs. To make one:
#   gpg --quick-generate-key 'forecourt packages' ed25519 sign never
# Serve FOLDER by any web server. On a board, once:
#   curl -o /etc/apt/keyrings/forecourt.gpg URL/forecourt.gpg
#   echo 'deb [signed-by=/etc/apt/keyrings/forecourt.gpg] URL stable main' >/etc/apt/sources.list.d/forecourt.list
source "$(dirname "$0")/../common.sh"
[ $# -ge 1 ] || fail "name the repository's folder" 64
folder=$1
shift
for tool in gpg apt-ftparchive; do
  command -v "$tool" >/dev/null || fail "there is no $tool: deploy/packages.sh ship installs it" 69
done
key=(${FORECOURT_REPO_KEY:+--local-user "$FORECOURT_REPO_KEY"})
gpg --list-secret-keys ${FORECOURT_REPO_KEY:+"$FORECOURT_REPO_KEY"} 2>/dev/null | grep -q . ||
  fail "gpg has no key to sign with: gpg --quick-generate-key 'forecourt packages' ed25519 sign never"

mkdir -p "$folder/pool"
# apt-ftparchive goes by the names of files.
named() { dpkg-deb --show --showformat '${Package}_${Version}_${Architecture}.deb' "$1"; }
for package in "$@"; do cp "$package" "$folder/pool/$(named "$package")"; done
cd "$folder"
new=dists/stable.new
rm -rf "$new"
for arch in amd64 arm64 armhf; do
  index=$new/main/binary-$arch
  mkdir -p "$index"
  apt-ftparchive --arch "$arch" packages pool >"$index/Packages"
  gzip -9nk "$index/Packages"
done
apt-ftparchive -o APT::FTPArchive::Release::Origin=forecourt -o APT::FTPArchive::Release::Suite=stable \
  -o APT::FTPArchive::Release::Codename=stable -o APT::FTPArchive::Release::Components=main \
  -o "APT::FTPArchive::Release::Architectures=amd64 arm64 armhf" release "$new" >dists/Release.new
mv dists/Release.new "$new/Release"
gpg --batch --yes "${key[@]}" --clearsign --output "$new/InRelease" "$new/Release"
gpg --batch --yes "${key[@]}" --armor --detach-sign --output "$new/Release.gpg" "$new/Release"
gpg --batch --yes --output forecourt.gpg --export ${FORECOURT_REPO_KEY:+"$FORECOURT_REPO_KEY"}
# One step from the old indexes to the new ones, as far as folders allow.
rm -rf dists/stable.old
[ ! -d dists/stable ] || mv dists/stable dists/stable.old
mv "$new" dists/stable
rm -rf dists/stable.old
say "$folder: $(find pool -name '*.deb' | wc -l) packages"
