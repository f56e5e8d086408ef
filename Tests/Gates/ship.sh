#!/usr/bin/env bash
# Gate: what is shipped: the packages, the systemd unit, and their installation. deploy/build.sh has made the binaries.
#   Tests/Gates/ship.sh        what deploy/test.sh runs
#   Tests/Gates/ship.sh --all  also the plans of apt for both Debians, the signed repository, the image, and a stranger on Debian 13
source "$(dirname "$0")/../../deploy/common.sh"
deploy/packages.sh ship test
for name in package unit install upgrade; do Tests/Installation/$name.sh; done
"$(Tests/Rigs/venv.sh)" Tests/Installation/stranger.py bookworm
[ "${1:-}" = --all ] || exit 0
for name in releases repository image; do Tests/Installation/$name.sh; done
"$(Tests/Rigs/venv.sh)" Tests/Installation/stranger.py trixie
