#!/usr/bin/env bash
# Builds the product, one Embedded Swift binary, for one or more architectures (all three unless named).
#   deploy/build.sh [--deb] [--tar] [--repo] [amd64|arm64|armhf]…
# build/ARCH/forecourt is stripped; forecourt.debug beside it has the symbols. --deb and --tar pack it, too: build/forecourt_VERSION_ARCH.deb
# and .tar.xz (deploy/debian/pack.sh). --repo adds the packages to a signed apt repository, build/repo (deploy/debian/repo.sh).
# Nothing but the Swift toolchain and Debian's packages is used: Swift is compiled for the bare triple against Debian's C headers (both
# follow one procedure-call standard), C and C++ for Linux, and clang and lld of the toolchain link it all as an ordinary Linux program.
# Embedded Swift compiles a function of another module again in each module that calls it, with all that it calls. A function that calls much
# is marked @export(interface), so that only its own module compiles it: a quarter of the time, and a smaller binary.
source "$(dirname "$0")/common.sh"
need_swift

# Small enough for a board's flash and for an update over a phone's connection.
max_bytes=1750000
# Libraries whose security fixes must come from Debian. All others (libbluetooth, toml++, libstdc++) are linked in.
may_need='libmosquitto\.so\.1|libcrypto\.so\.3|libsqlite3\.so\.0|libcjson\.so\.1|libm\.so\.6|libc\.so\.6|ld-linux[-a-z0-9_]*\.so\.[0-9]'

json() { printf '"%s", ' "$@" | sed 's/, $//'; }
clang_importer() { printf -- '-Xcc\n%s\n' "$@"; }

# Flags that the manifest cannot know: the sysroot, hardening, and prefix maps that keep this machine's folders out of the binary.
toolset() {
  local arch=$1 sysroot=$2 same=("-ffile-prefix-map=$root=." "-ffile-prefix-map=$toolchain=/usr")
  local c=(--target="$gnu" --sysroot="$sysroot" -D__linux__ -D_FORTIFY_SOURCE=2 -fstack-protector-strong -ffunction-sections
    -fdata-sections -fno-asynchronous-unwind-tables -fno-unwind-tables "${same[@]}")
  local import=("${same[@]}" -D__linux__ -D__unix__ -isystem "$sysroot/usr/include" -isystem "$sysroot/usr/include/$gnu")
  [ "$arch" != armhf ] || import+=(-mfloat-abi=hard)
  # Debian's own baseline. SwiftPM hands these to Swift as well, which otherwise compiles for ARMv6: half as large again.
  [ "$arch" != armhf ] || c+=(-march=armv7-a -mfpu=vfpv3-d16 -mthumb)
  local swift=(-file-prefix-map "$root=." -file-prefix-map "$toolchain=/usr")
  for flag in function-sections no-clang-module-breadcrumbs disable-incremental-llvm-codegen; do swift+=(-Xfrontend "-$flag"); done
  mapfile -t -O "${#swift[@]}" swift < <(clang_importer "${import[@]}")
  cat <<JSON
{
  "schemaVersion": "1.0",
  "cCompiler": { "extraCLIOptions": [$(json "${c[@]}")] },
  "cxxCompiler": { "extraCLIOptions": [$(json "${c[@]}" -Oz -fno-exceptions -fno-rtti)] },
  "swiftCompiler": { "extraCLIOptions": [$(json "${swift[@]}")] }
}
JSON
}

# The tables behind String's comparison and hashing. On armhf they are marked soft-float, which lld refuses: the mark is removed.
unicode_tables() {
  local arch=$1 library=$toolchain/lib/swift/embedded/$2/libswiftUnicodeDataTables.a
  if [ "$arch" = armhf ]; then
    "$toolchain/bin/llvm-objcopy" -R .ARM.attributes "$library" "build/$arch/libswiftUnicodeDataTables.a"
    library=build/$arch/libswiftUnicodeDataTables.a
  fi
  echo "$library"
}

# Nothing catches an exception, so no function needs tables for unwinding, nor the program an index of them: 30 kB less.
# Packed relative relocations save 35 kB and need glibc 2.36, Debian 12's.
link() {
  local arch=$1 sysroot=$2 built=$3
  mapfile -t inputs < <(objects "$built")
  "$toolchain/bin/clang" --target="$gnu" --sysroot="$sysroot" -fuse-ld=lld -o "build/$arch/forecourt.linked" \
    -pie -Wl,-z,relro,-z,now,-z,noexecstack,-z,pack-relative-relocs -Wl,--gc-sections,--icf=all,--as-needed,--no-eh-frame-hdr -Wl,--build-id=sha1 -Wl,-O2 -Wl,--no-undefined \
    -Wl,--defsym,main=forecourt_main "${inputs[@]}" "$(unicode_tables "$arch" "$swift_triple")" \
    -static-libgcc -l:libbluetooth.a -l:libstdc++.a -lmosquitto -lsqlite3 -lcjson -lcrypto -lm
}

examine() {
  local binary=$1 bytes needed strange
  bytes=$(stat -c %s "$binary")
  needed=$(readelf -dW "$binary" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
  strange=$(grep -vxE "$may_need" <<<"$needed" || true)
  [ -z "$strange" ] || fail "$binary links $(xargs <<<"$strange"), which is not among the libraries a board must have"
  [ "$bytes" -le $max_bytes ] || fail "$binary has $bytes bytes, $max_bytes are allowed"
  say "$binary: $bytes bytes, needs $(xargs <<<"$needed")"
}

build() {
  local arch=$1 out=$root/build/$1 sysroot=$root/build/sysroot-$1
  triples "$arch"
  deploy/sysroot.sh "$arch"
  mkdir -p "$out"
  toolset "$arch" "$sysroot" >"$out/toolset.json"

  # Compiled only: SwiftPM would link a bare-metal program.
  EMBEDDED=$arch swift build -c release --triple "$swift_triple" --toolset "$out/toolset.json" --scratch-path "$out/swift" \
    --target forecourt >"$out/log" 2>&1 || {
    cat "$out/log" >&2
    fail "the $arch build failed"
  }
  link "$arch" "$sysroot" "$out/swift/$swift_triple/release"
  (
    cd "$out"
    "$toolchain/bin/llvm-objcopy" --only-keep-debug forecourt.linked forecourt.debug
    "$toolchain/bin/llvm-objcopy" --strip-all --remove-section .comment --add-gnu-debuglink=forecourt.debug forecourt.linked forecourt.new
    rm forecourt.linked
    mv forecourt.new forecourt
  )
  examine "build/$arch/forecourt"
}

forms=() repo=
while [[ ${1:-} = --* ]]; do
  case $1 in
    --deb | --tar) forms+=("${1#--}") ;;
    --repo)
      forms+=(deb)
      repo=build/repo
      ;;
    *) fail "unknown option \"$1\": it must be --deb, --tar or --repo" 64 ;;
  esac
  shift
done
[ $# -gt 0 ] || set -- amd64 arm64 armhf
for arch in "$@"; do triples "$arch"; done
deploy/packages.sh build
FORECOURT_VERSION=$(deploy/version.sh)
export FORECOURT_VERSION
# Side by side: the compiler works on one module at a time, with one core.
building=()
for arch in "$@"; do
  build "$arch" &
  building+=($!)
done
for pid in "${building[@]}"; do wait "$pid"; done
[ ${#forms[@]} = 0 ] || deploy/page/build.sh
for form in "${forms[@]}"; do
  for arch in "$@"; do deploy/debian/pack.sh "$form" "$arch"; done
done
[ -z "$repo" ] || {
  version=$(deploy/debian/pack.sh --version)
  packages=()
  for arch in "$@"; do packages+=("$root/build/forecourt_${version}_$arch.deb"); done
  deploy/debian/repo.sh "$repo" "${packages[@]}"
}
