#!/usr/bin/env bash
# systemd accepts the units: nothing in them is unknown to Debian 12's systemd, and the exposure stays as low as it was.
#   Tests/Installation/unit.sh [--write]     --write keeps the new ratings in Tests/Installation/exposure.txt
source "$(dirname "$0")/../../deploy/common.sh"
out=build/unit
rm -rf "$out"
mkdir -p "$out"/{kernel,serial/forecourt.service.d}
# The program need not be installed here.
sed 's|/usr/bin/forecourt|/bin/true|' deploy/systemd/forecourt.service >"$out/kernel/forecourt.service"
cp "$out/kernel/forecourt.service" "$out/serial/"
cat deploy/systemd/serial.conf >>"$out/serial/forecourt.service"

for kind in kernel serial; do
  complaints=$(systemd-analyze verify --man=no "$out/$kind/forecourt.service" 2>&1 | grep -F forecourt || true)
  [ -z "$complaints" ] || fail "systemd does not accept the unit ($kind): $complaints"
  {
    echo "$kind:"
    systemd-analyze security --offline=true --no-pager "$out/$kind/forecourt.service" | sed -e 's/ *$//' -e '/^$/d' -e 's/ *🙂$//' -e 's/—/-/g'
  } >>"$out/exposure.txt"
  level=$(systemd-analyze security --offline=true --no-pager "$out/$kind/forecourt.service" | sed -n 's/.*Overall exposure.*: \([0-9.]*\).*/\1/p')
  [ "${level/./}" -le 20 ] || fail "the unit's exposure ($kind) is $level; 2.0 is allowed"
  say "exposure, $kind adapters: $level"
done
[ "${1:-}" != --write ] || cp "$out/exposure.txt" Tests/Installation/exposure.txt
diff Tests/Installation/exposure.txt "$out/exposure.txt" >&2 || fail "systemd rates the unit differently; Tests/Installation/unit.sh --write keeps the new ratings"
