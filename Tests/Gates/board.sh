#!/usr/bin/env bash
# Gate: the arm64 product on an emulated board with Debian's kernel: the package under systemd from power-on, two gateways that find each
# other, and `check`. deploy/build.sh arm64 has made the binary.
source "$(dirname "$0")/../../deploy/common.sh"
deploy/packages.sh test rigs
python=$(Tests/Rigs/venv.sh)
for name in board board_pair check; do "$python" Tests/Installation/$name.py; done
