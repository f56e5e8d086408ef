#!/usr/bin/env bash
# Makes an OCI image of the Debian package: the program, the libraries that it links, and the scenarios; no shell. It runs as a user of its own
# and needs no writable root.
#   deploy/oci.sh [ARCH]      build/forecourt_VERSION_ARCH.oci.tar; deploy/build.sh --deb ARCH has made the package
#   podman run --rm --read-only oci-archive:build/forecourt_VERSION_ARCH.oci.tar          plays the rehearsal
#   podman run --read-only --network host --cap-add NET_ADMIN,NET_RAW -v ./config.toml:/etc/forecourt/config.toml:ro \
#     -v events:/var/lib/forecourt oci-archive:… run                                      the gateway, with this machine's adapter
source "$(dirname "$0")/common.sh"
arch=${1:-$(dpkg --print-architecture)}
triples "$arch"
for tool in buildah mmdebstrap; do
  command -v "$tool" >/dev/null || fail "there is no $tool: deploy/packages.sh ship installs it" 69
done
version=$(deploy/debian/pack.sh --version)
package=build/forecourt_${version}_$arch.deb
[ -f "$package" ] || fail "there is no $package; run deploy/build.sh --deb $arch"
deploy/sysroot.sh "$arch"

work=$(mktemp -d)
storage=(--storage-driver vfs --root "$work/storage" --runroot "$work/run")
trap 'buildah "${storage[@]}" rm --all >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
# The libraries as Debian 12 ships them, unpacked only: no script of theirs runs, so any machine makes any architecture's image.
needs=$(deploy/debian/depends.sh "$arch" "build/$arch/forecourt" | sed -e 's/ ([^)]*)//g' -e 's/[^ ,]* | //g' -e 's/, /,/g')
mmdebstrap --quiet --variant=extract --mode=root --architectures="$arch" --aptopt='Acquire::Languages "none"' --aptopt='Acquire::Retries "3"' \
  --include="base-files,$needs" bookworm "$work/tree" "build/apt-$arch/sources.list" || fail "mmdebstrap could not unpack Debian's libraries"
dpkg-deb -x "$package" "$work/tree"
rm -rf "$work/tree"/{var,tmp,run,dev,boot,home,media,mnt,opt,srv} "$work/tree"/usr/share/{man,lintian,bug,bash-completion}
mkdir -p "$work/tree"/{var/lib/forecourt,tmp,run,dev,proc,sys}
echo 'forecourt:x:990:990::/var/lib/forecourt:/usr/sbin/nologin' >>"$work/tree/etc/passwd"
echo 'forecourt:x:990:' >>"$work/tree/etc/group"
chown 990:990 "$work/tree/var/lib/forecourt"

examples=/usr/share/doc/forecourt/examples
container=$(buildah "${storage[@]}" from --arch "${arch/armhf/arm}" scratch)
buildah "${storage[@]}" add --quiet "$container" "$work/tree" / >/dev/null
buildah "${storage[@]}" config --user 990:990 --workingdir /var/lib/forecourt --volume /var/lib/forecourt --entrypoint '["/usr/bin/forecourt"]' \
  --cmd "simulate $examples/scenarios/first-visit.toml --config $examples/demo.toml" \
  --label org.opencontainers.image.title=forecourt --label "org.opencontainers.image.version=$version" "$container"
out=build/forecourt_${version}_$arch.oci.tar
rm -f "$out"
buildah "${storage[@]}" commit --quiet --timestamp "$(git log -1 --format=%ct 2>/dev/null || stat -c %Y config.toml)" "$container" \
  "oci-archive:$out:forecourt:$version" >/dev/null
say "$out: $(stat -c %s "$out") bytes"
