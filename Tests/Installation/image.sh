#!/usr/bin/env bash
# The OCI image runs the rehearsal: as its own user, from a root that nobody can write, with nothing but what it brings.
#   Tests/Installation/image.sh      as root; deploy/build.sh has made this machine's binary
source "$(dirname "$0")/../../deploy/common.sh"
[ "$(id -u)" = 0 ] || fail "only root can enter the tree of another system" 77
arch=$(dpkg --print-architecture)
deploy/debian/pack.sh deb "$arch"
deploy/oci.sh "$arch"
image=build/forecourt_$(deploy/debian/pack.sh --version)_$arch.oci.tar
out=$root/build/image
rm -rf "$out"
mkdir -p "$out/tree"
tar -C "$out" -xf "$image"
python3 - "$out" <<'END'
import json, pathlib, subprocess, sys
out = pathlib.Path(sys.argv[1])
blob = lambda digest: out / 'blobs' / digest.replace(':', '/')
manifest = json.loads(blob(json.loads((out / 'index.json').read_text())['manifests'][0]['digest']).read_text())
for layer in manifest['layers']:
    subprocess.run(['tar', '-C', out / 'tree', '-xf', blob(layer['digest'])], check=True)
config = json.loads(blob(manifest['config']['digest']).read_text())['config']
(out / 'user').write_text(config['User'])
(out / 'words').write_text('\n'.join(config['Entrypoint'] + config['Cmd']))
END
[ "$(cat "$out/user")" = 990:990 ] || fail "the image runs as $(cat "$out/user")"
[ ! -e "$out/tree/bin/sh" ] && [ ! -e "$out/tree/usr/bin/sh" ] || fail "the image has a shell"
mapfile -t words <"$out/words"
# As a container engine with --read-only does it.
inside() {
  unshare --mount --pid --fork sh -c 'tree=$1; shift
    mount --bind "$tree" "$tree" && mount -o remount,bind,ro "$tree" && exec chroot --userspec=990:990 "$tree" "$@"' - "$out/tree" "$@"
}
inside "${words[@]}" >"$out/messages" || fail "the rehearsal fails: $(tail -3 "$out/messages")"
grep -q '"event":"fire"' "$out/messages" || fail "nobody fires in the rehearsal"
! grep '"event":"fire"' "$out/messages" | grep -vq '"simulated":true' || fail "the rehearsal does not say that it is one"
rm -rf "$out"
say "image: $(stat -c %s "$image") bytes; it runs the rehearsal without a shell, as a user of its own, from a read-only root"
