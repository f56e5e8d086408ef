#!/usr/bin/env bash
# Gate: what is shipped: the packages, the systemd unit, and their installation. deploy/build.sh has made the binaries.
source "$(dirname "$0")/../../deploy/common.sh"
deploy/packages.sh ship test
for name in package releases unit install repository image; do Tests/Installation/$name.sh; done
"$(Tests/Rigs/venv.sh)" Tests/Installation/stranger.py
