#!/usr/bin/env bash
# What an upgrade does to the service, and what it says: it restarts it, or leaves it alone where the new version would refuse the configuration.
#   Tests/Installation/upgrade.sh [bookworm|trixie]     as root; a tree has no systemd: a systemctl of our own says how the unit stands
source "$(dirname "$0")/../../deploy/common.sh"
[ "$(id -u)" = 0 ] || fail "only root can enter the tree of another system" 77
[ $# -gt 0 ] || {
  "$0" bookworm
  exec "$0" trixie
}
release=$1 arch=$(dpkg --print-architecture)
out=build/upgrade-$release
tree=$root/$out/tree
kept=$(Tests/Installation/tree.sh "$release")
rm -rf "$out"
mkdir -p "$tree"
tar -C "$tree" --exclude='./dev/*' -xf "$kept"
mknod -m 666 "$tree/dev/null" c 1 3
deploy/debian/pack.sh deb "$arch" "$out"
cp "$out"/*.deb "$tree/forecourt.deb"

# With a /proc of its own, unmounted when the command ends.
inside() {
  unshare --mount --pid --fork sh -c 'tree=$1; shift; mount -t proc proc "$tree/proc" && exec chroot "$tree" "$@"' - "$tree" \
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"
}
install() { inside dpkg --force-confold --install /forecourt.deb >"$out/log" 2>&1 || fail "dpkg fails: $(cat "$out/log")"; }
says() { grep -qF "$1" "$out/log" || fail "with the unit $unit it does not say \"$1\": $(cat "$out/log")"; }
quiet() { ! grep -qE '^(forecourt|So|sudo|Mend)' "$out/log" || fail "with the unit $unit it says: $(cat "$out/log")"; }
did() {
  local log=$tree/run/unit/log
  [ "$(grep -oE '^(start|try-restart|restart|stop)' "$log" | xargs)" = "$1" ] ||
    fail "with the unit $unit it does \"$(cat "$log" "$out/log")\""
}

cat >"$tree/usr/bin/systemctl" <<'UNIT'
#!/bin/sh
cd /run/unit
case "$*" in
  "show --property="*) property=${2#--property=}; cat "$property" ;;
  *is-enabled*) cat UnitFileState ;;
  *is-active*) grep -qx active ActiveState ;;
  *)
    echo "$*" | sed 's/--[a-z]* //g' >>log
    case "$*" in *" start "*) echo active >ActiveState ;; esac
    ;;
esac
UNIT
chmod 755 "$tree/usr/bin/systemctl"
# How the unit stands: its state, whether it is enabled, the process, and what a drop-in puts behind the command.
stands() {
  unit="$1, $2"
  mkdir -p "$tree"/run/{unit,systemd/system}
  echo "$1" >"$tree/run/unit/ActiveState"
  echo "$2" >"$tree/run/unit/UnitFileState"
  echo "$3" >"$tree/run/unit/MainPID"
  echo "FORECOURT_BOOT=0123 ${5:-}" >"$tree/run/unit/Environment"
  echo "{ path=/usr/bin/forecourt ; argv[]=/usr/bin/forecourt run${4:+ $4} ; ignore_errors=no ; pid=0 }" >"$tree/run/unit/ExecStart"
  : >"$tree/run/unit/log"
}
config=$tree/etc/forecourt/config.toml

stands inactive disabled 0
install
did ""
says "forecourt is installed, and off. Next: sudo forecourt setup"
cp "$config" "$out/right.toml"
printf 'gateway.purpose = "x"\n[[key.eid]]\nalias = "van"\nkey = "000102030405060708090a0b0c0d0e0f"\n' >"$out/refused.toml"
chmod 640 "$out/refused.toml"

for state in active activating; do
  stands $state enabled 1
  install
  did try-restart
  quiet
done

# What runs goes on, as try-restart would end it for good.
cp -p "$out/refused.toml" "$config"
stands active enabled 1
install
did ""
says "this version refuses the configuration:"
says '/etc/forecourt/config.toml:2:1: key.eid "van": exponent is missing'
says "So the old version goes on"
stands failed enabled 0
install
did ""
says "So the gateway is off."

# Once the file is right for the version that comes, what failed starts; but not what its owner has disabled.
cp "$out/right.toml" "$config"
stands failed enabled 0
install
did start
quiet
stands failed disabled 0
install
did ""
says "and off."

# Off, after it was removed or otherwise, and enabled or not.
inside dpkg --remove forecourt >/dev/null
stands inactive enabled 0
install
did ""
says "as it is configured: sudo systemctl enable --now forecourt"
stands inactive masked 0
install
says ": sudo systemctl unmask forecourt; sudo systemctl enable"

# What goes on is another version where systemd restarts nothing: the process that installs it, with a copy of its shell that is gone.
cp "$tree/bin/sh" "$tree/gone"
stands active masked 0
inside /gone -c 'echo $$ >/run/unit/MainPID; rm /gone; dpkg --force-confold --install /forecourt.deb' >"$out/log" 2>&1
says "another version runs than is installed, until: sudo systemctl unmask forecourt; sudo systemctl restart forecourt"

# The file that the unit reads, wherever it is.
cp -p "$out/refused.toml" "$tree/etc/forecourt/other.toml"
for drop in "--config /etc/forecourt/other.toml|" "--config=/etc/forecourt/other.toml|" "|FORECOURT_CONFIG=/etc/forecourt/other.toml"; do
  stands active enabled 1 "${drop%|*}" "${drop#*|}"
  install
  did ""
  says "/etc/forecourt/other.toml:2:1"
done
# A credential is lent while the service runs: without it a wrong one would go unseen, and a right one is no fault.
printf 'gateway.purpose = "x"\nsecurity.site_key_file = "credential:site"\n' >"$config"
stands active enabled 1
install
did try-restart
mkdir -p "$tree/run/credentials/forecourt.service"
echo nonsense >"$tree/run/credentials/forecourt.service/site"
stands active enabled 1
install
did ""
says "site_key_file"
rm -rf "$tree"
say "upgrade: on $release the service restarts, goes on or starts as its configuration allows"
