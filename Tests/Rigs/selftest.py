#!/usr/bin/env python3
"""Proves the rigs themselves, without the product: selftest.py [NAME or beginning of names…]; --list. Runs in the venv (venv.sh)."""
import importlib

from checklist import run_checks


def main():
    checks = {}
    for part in 'air', 'peers', 'brokers', 'guests':
        checks.update(importlib.import_module(f'checks.{part}').CHECKS)
    run_checks(checks)


if __name__ == '__main__':
    main()
