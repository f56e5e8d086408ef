"""A script of checks: each is a function whose sentence says what it proves; all are run or those named, the last line says how many passed."""
import subprocess
import sys
import time
import traceback
from concurrent.futures import ThreadPoolExecutor


def run_checks(checks):
    """For main(): NAME or beginning of names…; --list; --beside N NAME…: so many at once, each in a process of its own."""
    words = sys.argv[1:]
    if words == ['--list']:
        for name, check in checks.items():
            print(f'{name:18} {(check.__doc__ or "").strip()}')
        return
    most = 0
    if words[:1] == ['--beside']:
        most, words = int(words[1]), words[2:]
    chosen = [n for n in checks if not words or any(n == w or w not in checks and n.startswith(w) for w in words)]
    if not chosen:
        sys.exit(f'no such check: {" ".join(words)}')
    if most:
        with ThreadPoolExecutor(most) as pool:
            passed = list(pool.map(run_apart, chosen))
    else:
        passed = [run_one(name, checks[name]) for name in chosen]
    print(f'{passed.count(True)} passed, {passed.count(False)} failed')
    sys.exit(not all(passed))


def run_one(name, check):
    began = time.monotonic()
    try:
        told, word = check() or '', 'ok'
    except Exception:
        told, word = '\n' + traceback.format_exc(), 'FAILED'
    print(f'{name:18} {word:6} {time.monotonic() - began:6.1f} s  {told}', flush=True)
    return word == 'ok'


def run_apart(name):
    """The same by a process of its own, whose main thread may start rigs."""
    child = subprocess.run([sys.executable, sys.argv[0], name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print('\n'.join(child.stdout.splitlines()[:-1]), flush=True)
    return child.returncode == 0
