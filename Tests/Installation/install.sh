#!/usr/bin/env bash
# Install, upgrade, remove and purge as dpkg does them, in a fresh Debian 12 and a fresh Debian 13 (made by mmdebstrap, kept as tarballs).
#   Tests/Installation/install.sh [bookworm|trixie]   as root; the trees are this machine's architecture, the maintainer scripts run in them
source "$(dirname "$0")/../../deploy/common.sh"
[ "$(id -u)" = 0 ] || fail "only root can enter the tree of another system" 77
[ $# -gt 0 ] || {
  "$0" bookworm
  exec "$0" trixie
}
release=$1
arch=$(dpkg --print-architecture)
out=build/install-$release
tree=$root/$out/tree
mkdir -p "$out"

kept=$(Tests/Installation/tree.sh "$release")
rm -rf "$tree"
mkdir "$tree"
tar -C "$tree" --exclude='./dev/*' -xf "$kept"
mknod -m 666 "$tree/dev/null" c 1 3

rm -f "$out"/*.deb
deploy/debian/pack.sh deb "$arch" "$out"
old=$(echo "$out"/forecourt_*_"$arch".deb)
# The next version, with another example.
next=$out/next
rm -rf "$next"
dpkg-deb -R "$old" "$next"
sed -i 's/^Version: .*/&.1/' "$next/DEBIAN/control"
echo '# A line that the next version brings.' >>"$next/etc/forecourt/config.toml"
(cd "$next" && find . -path ./DEBIAN -prune -o -type f -printf '%P\n' | sort | xargs md5sum >DEBIAN/md5sums)
dpkg-deb --root-owner-group -Znone --build "$next" "$tree/next.deb" >/dev/null
cp "$old" "$tree/first.deb"

# With a /proc of its own, unmounted when the command ends.
inside() {
  unshare --mount --pid --fork sh -c 'tree=$1; shift; mount -t proc proc "$tree/proc" && exec chroot "$tree" "$@"' - "$tree" \
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"
}
has() { [ -e "$tree/$1" ] || [ -L "$tree/$1" ] || fail "after $2 there is no /$1"; }
hasnot() { [ ! -e "$tree/$1" ] && [ ! -L "$tree/$1" ] || fail "after $2 there is still /$1"; }
quietly() { inside "$@" >"$out/log" 2>&1 || { cat "$out/log" >&2; fail "failed: $*"; }; }
mode() { inside stat -c '%a %U:%G' "$1"; }
config=etc/forecourt/config.toml

quietly dpkg --install /first.deb
[ "$(inside dpkg-query -W -f '${Status}' forecourt)" = "install ok installed" ] || fail "dpkg did not install the package"
inside dpkg --verify forecourt || fail "the installed files are not the package's"
inside getent passwd forecourt | grep -q ':/var/lib/forecourt:/usr/sbin/nologin$' || fail "there is no user forecourt"
[ "$(mode /etc/forecourt)" = "2755 root:forecourt" ] || fail "/etc/forecourt is $(mode /etc/forecourt)"
[ "$(mode /$config)" = "644 root:forecourt" ] || fail "/$config is $(mode /$config)"
[ "$(mode /var/lib/forecourt)" = "750 forecourt:forecourt" ] || fail "/var/lib/forecourt is $(mode /var/lib/forecourt)"
hasnot etc/systemd/system/multi-user.target.wants/forecourt.service "installation"
inside forecourt check --lint >"$out/log" 2>&1 || fail "the installed example is wrong: $(cat "$out/log")"
# As `setup` leaves them.
inside touch /etc/forecourt/mqtt.password /etc/forecourt/config.toml.old
# The gateway can read a key that root puts there with mode 640.
inside sh -c 'umask 022 && echo 0123 >/etc/forecourt/secret && chmod 640 /etc/forecourt/secret'
[ "$(mode /etc/forecourt/secret)" = "640 root:forecourt" ] || fail "a secret in /etc/forecourt is $(mode /etc/forecourt/secret)"

# An upgrade keeps the owner's configuration and the enabled service, and puts the new example beside it.
echo '# A line of the owner.' >>"$tree/$config"
chmod 640 "$tree/$config"
ln -s /lib/systemd/system/forecourt.service "$tree/etc/systemd/system/multi-user.target.wants/" 2>/dev/null || {
  mkdir -p "$tree/etc/systemd/system/multi-user.target.wants"
  ln -s /lib/systemd/system/forecourt.service "$tree/etc/systemd/system/multi-user.target.wants/"
}
echo '{}' >"$tree/var/lib/forecourt/outbox.db"
quietly dpkg --force-confold --install /next.deb
grep -q 'A line of the owner' "$tree/$config" || fail "the upgrade lost the owner's config.toml"
grep -q 'A line that the next version brings' "$tree/$config.dpkg-dist" || fail "the upgrade did not leave its example as config.toml.dpkg-dist"
[ "$(mode /$config)" = "640 root:forecourt" ] || fail "after the upgrade /$config is $(mode /$config)"
has etc/systemd/system/multi-user.target.wants/forecourt.service "an upgrade"
has var/lib/forecourt/outbox.db "an upgrade"

# Downgrade; then remove, keeping everything of the owner's.
quietly dpkg --force-confold --install /first.deb
quietly dpkg --remove forecourt
hasnot usr/bin/forecourt "removal"
has $config "removal"
has var/lib/forecourt/outbox.db "removal"
quietly dpkg --install /first.deb
grep -q 'A line of the owner' "$tree/$config" || fail "the second installation lost the owner's config.toml"
quietly dpkg --purge forecourt
for path in $config $config.dpkg-dist var/lib/forecourt usr/share/doc/forecourt etc/systemd/system/multi-user.target.wants/forecourt.service \
  etc/systemd/system/forecourt.service etc/forecourt/mqtt.password etc/forecourt/config.toml.old; do
  hasnot $path "purging"
done
# dpkg does not remove the owner's files.
has etc/forecourt/secret "purging"
rm -rf "$tree"
say "install: on $release installed, upgraded, downgraded, removed and purged"
