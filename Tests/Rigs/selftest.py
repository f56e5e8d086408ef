#!/usr/bin/env python3
"""Proves the rigs themselves, without the product: selftest.py [NAME or beginning of names…]; --list. Runs in the venv (venv.sh)."""
import importlib
import pathlib
import sys
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))


def main():
    checks = {}
    for part in 'air', 'peers', 'brokers', 'guests':
        checks.update(importlib.import_module(f'checks.{part}').CHECKS)
    wanted = sys.argv[1:]
    if wanted == ['--list']:
        for name, check in checks.items():
            print(f'{name:18} {(check.__doc__ or "").strip()}')
        return
    chosen = {name: check for name, check in checks.items() if not wanted or any(name.startswith(w) for w in wanted)}
    if not chosen:
        sys.exit(f'no such check: {" ".join(wanted)}')
    failed = 0
    for name, check in chosen.items():
        began = time.monotonic()
        try:
            told, word = check() or '', 'ok'
        except Exception:
            told, word = '\n' + traceback.format_exc(), 'FAILED'
            failed += 1
        print(f'{name:18} {word:6} {time.monotonic() - began:6.1f} s  {told}', flush=True)
    print(f'{len(chosen) - failed} passed, {failed} failed')
    sys.exit(failed != 0)


if __name__ == '__main__':
    main()
