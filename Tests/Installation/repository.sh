#!/usr/bin/env bash
# Debian 12 and 13 install from our signed apt repository, upgrade, and go back; what is not signed by its key is refused.
#   Tests/Installation/repository.sh [bookworm|trixie]     as root; deploy/build.sh has made this machine's binary
source "$(dirname "$0")/../../deploy/common.sh"
[ "$(id -u)" = 0 ] || fail "only root can enter the tree of another system" 77
[ $# -gt 0 ] || {
  "$0" bookworm
  exec "$0" trixie
}
release=$1 arch=$(dpkg --print-architecture)
out=build/repository-$release
tree=$root/$out/tree
kept=$(Tests/Installation/tree.sh "$release")
rm -rf "$out"
mkdir -p "$tree" "$out"/{ring,packages}
tar -C "$tree" --exclude='./dev/*' -xf "$kept"
mknod -m 666 "$tree/dev/null" c 1 3

export GNUPGHOME=$root/$out/ring
chmod 700 "$GNUPGHOME"
trap 'gpgconf --kill gpg-agent' EXIT
gpg --batch --quiet --passphrase '' --quick-generate-key 'forecourt test' ed25519 sign never 2>/dev/null
deploy/debian/pack.sh deb "$arch" "$out/packages"
first=$(echo "$root/$out"/packages/*.deb)
dpkg-deb -R "$first" "$out/next"
sed -i 's/^Version: .*/&.1/' "$out/next/DEBIAN/control"
dpkg-deb --root-owner-group -Znone --build "$out/next" "$out/next.deb" >/dev/null
version() { dpkg-deb -f "$1" Version; }

# With a /proc of its own, unmounted when the command ends.
inside() {
  unshare --mount --pid --fork sh -c 'tree=$1; shift; mount -t proc proc "$tree/proc" && exec chroot "$tree" "$@"' - "$tree" \
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"
}
quietly() { inside "$@" >"$out/log" 2>&1 || { cat "$out/log" >&2; fail "failed: $*"; }; }
installed() { [ "$(inside dpkg-query -W -f '${Version}' forecourt)" = "$1" ] || fail "after $2 another version than $1 is installed"; }
# Only ours: the test needs no mirror.
rm -rf "$tree"/etc/apt/sources.list*
mkdir -p "$tree/etc/apt/sources.list.d" "$tree/etc/apt/keyrings"
echo 'deb [signed-by=/etc/apt/keyrings/forecourt.gpg] file:/repo stable main' >"$tree/etc/apt/sources.list.d/forecourt.list"

deploy/debian/repo.sh "$tree/repo" "$first"
cp "$tree/repo/forecourt.gpg" "$tree/etc/apt/keyrings/"
quietly apt-get update
quietly apt-get install -y forecourt
installed "$(version "$first")" "the installation"
grep -q 'Next: sudo forecourt setup' "$out/log" || fail "apt does not print what to do next"
# Events that wait for a broker must survive what follows.
cat >"$tree/etc/forecourt/owes.toml" <<'END'
gateway.purpose = "Owes events"
mqtt.port = 9
[[radio]]
name = "pump-1"
adapter = "simulate:/usr/share/doc/forecourt/examples/scenarios/first-visit.toml"
[[region]]
name = "forecourt"
match = "*"
END
owed() { inside forecourt events --config /etc/forecourt/owes.toml --json | grep -o '"event_id":"[^"]*"' | sort; }
inside timeout 8 forecourt run --config /etc/forecourt/owes.toml >"$out/run" 2>&1 || true
owed >"$out/owed"
[ -s "$out/owed" ] || fail "the gateway owes no event: $(cat "$out/run")"
keeps() { owed | cmp -s - "$out/owed" || fail "after $1 other events are owed than before"; }
deploy/debian/repo.sh "$tree/repo" "$out/next.deb"
quietly apt-get update
quietly apt-get upgrade -y
installed "$(version "$out/next.deb")" "the upgrade"
keeps "the upgrade"
quietly apt-get install -y --allow-downgrades "forecourt=$(version "$first")"
installed "$(version "$first")" "the way back"
keeps "the way back"

# Somebody else's index, and somebody else's package.
sed -i 's/^Origin: .*/Origin: other/' "$tree/repo/dists/stable/InRelease"
inside apt-get update >"$out/log" 2>&1 && ! grep -q '^[WE]:' "$out/log" && fail "apt takes an index that was changed after it was signed"
deploy/debian/repo.sh "$tree/repo"
quietly apt-get update
echo >>"$tree/repo/pool/$(basename "$first" "_$arch.deb").1_$arch.deb"
inside apt-get upgrade -y >"$out/log" 2>&1 && fail "apt installs a package that is not the signed one"
installed "$(version "$first")" "a refused upgrade"
rm -rf "$tree"
say "repository: on $release installed, upgraded and taken back by apt, every owed event kept; changes after signing are refused"
