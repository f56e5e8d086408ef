#!/usr/bin/env bash
# Packs build/ARCH/forecourt, as Debian's package or as a tarball for other systems. The same commit gives the same bytes.
#   deploy/debian/pack.sh --version                prints the package's version
#   deploy/debian/pack.sh deb|tar ARCH [FOLDER]    FOLDER/forecourt_VERSION_ARCH.deb or .tar.xz; FOLDER is build unless named
# Without debhelper: the package is a dozen files, all of them here.
source "$(dirname "$0")/../common.sh"
FORECOURT_VERSION=$(deploy/version.sh)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y config.toml)}
export FORECOURT_VERSION SOURCE_DATE_EPOCH
# Debian sorts versions: the commit's time comes before its hash.
version=${FORECOURT_VERSION/+g/+git$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y%m%d%H%M%S).}
[ "${1:-}" != --version ] || {
  echo "$version"
  exit
}
[ $# -ge 2 ] || fail "name a form (deb or tar) and an architecture" 64
form=$1 arch=$2 folder=${3:-build}
triples "$arch"
program=build/$arch/forecourt
[ -x "$program" ] || fail "there is no $program yet; run deploy/build.sh $arch"
[ -f build/page/index.html ] || deploy/page/build.sh
umask 022
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
chmod 755 "$tree"

put() { install -D -m "$1" "$2" "$tree/$3"; }
pressed() { gzip -9n >"$tree/$1" && chmod 644 "$tree/$1"; }
papers() {
  local run=("$program")
  if [ "$arch" != "$(dpkg --print-architecture)" ]; then
    deploy/packages.sh emulate
    run=($(emulator "$arch") "$program")
  fi
  deploy/debian/papers.sh "$tree/papers" "$(date -u -d "@$SOURCE_DATE_EPOCH" +%F)" "${run[@]}"
}

# What one reads beside the program: $1 is the folder.
reading() {
  local file
  for file in README.md deploy/boards.md deploy/security.md; do put 644 "$file" "$1/${file##*/}"; done
  for file in deploy/brokers/* deploy/subscribers/*; do put 644 "$file" "$1/${file#deploy/}"; done
  for file in config.toml deploy/two-pumps.toml deploy/demo.toml; do put 644 "$file" "$1/examples/${file##*/}"; done
  for file in Tests/Firing/Scenarios/*; do put 644 "$file" "$1/examples/scenarios/${file##*/}"; done
}

# Adds to the changelog the version of each entry of the news: apt-listchanges shows those that are newer than what is installed.
newsworthy() {
  cat
  sed -n -e 's/^forecourt (.*/\n&\n\n  * See NEWS.Debian.\n/p' -e '/^ -- /p' deploy/debian/NEWS
}

deb() {
  local doc=usr/share/doc/forecourt name
  put 755 "$program" usr/bin/forecourt
  put 644 config.toml etc/forecourt/config.toml
  reading "$doc"
  put 644 deploy/systemd/forecourt.service lib/systemd/system/forecourt.service
  put 644 deploy/systemd/sysusers.conf usr/lib/sysusers.d/forecourt.conf
  put 644 deploy/systemd/tmpfiles.conf usr/lib/tmpfiles.d/forecourt.conf
  put 644 deploy/systemd/serial.conf "$doc/examples/serial.conf"
  put 644 build/page/index.html usr/share/forecourt/page/index.html
  put 644 deploy/debian/copyright "$doc/copyright"
  papers
  mkdir -p "$tree/usr/share/man/man1"
  pressed usr/share/man/man1/forecourt.1.gz <"$tree/papers/forecourt.1"
  put 644 "$tree/papers/completion" usr/share/bash-completion/completions/forecourt
  rm -r "$tree/papers"
  printf 'forecourt (%s) unstable; urgency=medium\n\n  * Built from commit %s.\n\n -- %s  %s\n' "$version" "${FORECOURT_VERSION#*+g}" \
    "$(sed -n 's/^Maintainer: //p' deploy/debian/control)" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" | newsworthy | pressed "$doc/changelog.gz"
  pressed "$doc/NEWS.Debian.gz" <deploy/debian/NEWS

  mkdir "$tree/DEBIAN"
  sed -e "s/@VERSION@/$version/" -e "s/@ARCH@/$arch/" -e "s/@SIZE@/$(du -k -s --apparent-size "$tree" | cut -f 1)/" \
    -e "s/@DEPENDS@/$(deploy/debian/depends.sh "$arch" "$program")/" deploy/debian/control >"$tree/DEBIAN/control"
  echo /etc/forecourt/config.toml >"$tree/DEBIAN/conffiles"
  for name in postinst prerm postrm; do put 755 "deploy/debian/$name" "DEBIAN/$name"; done
  (cd "$tree" && find . -path ./DEBIAN -prune -o -type f -printf '%P\n' | sort | xargs md5sum) >"$tree/DEBIAN/md5sums"
  chmod 644 "$tree"/DEBIAN/{control,conffiles,md5sums}
  find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  dpkg-deb --root-owner-group --uniform-compression -Zxz --threads-max=1 --build "$tree" "$folder/forecourt_${version}_$arch.deb" >/dev/null
}

tarball() {
  local top=forecourt-$version-$arch
  put 755 "$program" "$top/forecourt"
  put 644 config.toml "$top/config.toml"
  reading "$top/doc"
  for name in forecourt.service serial.conf sysusers.conf tmpfiles.conf; do put 644 "deploy/systemd/$name" "$top/systemd/$name"; done
  papers
  put 644 "$tree/papers/forecourt.1" "$top/forecourt.1"
  put 644 "$tree/papers/completion" "$top/completion.bash"
  put 644 LICENSE "$top/LICENSE"
  put 644 deploy/debian/NEWS "$top/NEWS"
  put 644 build/page/index.html "$top/page/index.html"
  put 644 deploy/debian/copyright "$top/copyright"
  sed -e "s/@NEEDS@/$(deploy/debian/depends.sh "$arch" "$program")/" deploy/debian/README.tarball >"$tree/readme"
  put 644 "$tree/readme" "$top/README"
  tar --create --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --format=gnu -C "$tree" "$top" |
    xz -6 --threads=1 >"$folder/forecourt_${version}_$arch.tar.xz"
}

mkdir -p "$folder"
case $form in
  deb) deb && made=$folder/forecourt_${version}_$arch.deb ;;
  tar) tarball && made=$folder/forecourt_${version}_$arch.tar.xz ;;
  *) fail "unknown form \"$form\": it must be deb or tar" 64 ;;
esac
say "$made: $(stat -c %s "$made") bytes"
