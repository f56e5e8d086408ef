"""A script of checks: each is a function whose sentence says what it proves; all are run or those named, the last line says how many passed."""
import sys
import time
import traceback


def run_checks(checks):
    """For main(): NAME or beginning of names…, or --list."""
    if sys.argv[1:] == ['--list']:
        for name, check in checks.items():
            print(f'{name:18} {(check.__doc__ or "").strip()}')
        return
    chosen = {n: c for n, c in checks.items() if not sys.argv[1:] or any(n.startswith(w) for w in sys.argv[1:])}
    if not chosen:
        sys.exit(f'no such check: {" ".join(sys.argv[1:])}')
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
