"""A script of cases, each in a folder of its own: all, or those named, or after "--but" all others. The last line says how many passed."""
import json
import pathlib
import shutil
import sys
import tempfile
import time
import traceback

from process import wait_until

BASE = 'forecourt/site/gateway'
cases = []


def case(function):
    # A script that is imported lends its words, not its cases.
    if function.__module__ == '__main__': cases.append(function)
    return function


def events(seen):
    """The numbers of the durable events, as they came."""
    return [json.loads(m.payload)['number'] for m in seen.messages if '/trigger/' in m.topic]


def all_come(seen, numbers):
    """Waits for these events: what the broker has acknowledged may still be on its way to a subscriber."""
    wait_until(lambda: set(numbers) <= set(events(seen)), 5, f'the events {numbers}')


def chosen_cases(names):
    is_but = names[:1] == ['--but']
    names = set(names[is_but:])
    unknown = names - {c.__name__ for c in cases}
    if unknown: sys.exit(f'there is no case {", ".join(sorted(unknown))}')
    return [c for c in cases if (c.__name__ in names) != is_but] if names else cases


def main():
    failed = 0
    chosen = chosen_cases(sys.argv[1:])
    for function in chosen:
        folder = pathlib.Path(tempfile.mkdtemp(prefix='publish-'))
        begun = time.monotonic()
        try:
            function(folder)
            print(f'ok   {function.__name__} ({time.monotonic() - begun:.1f} s)', flush=True)
        except Exception:
            failed += 1
            print(f'FAIL {function.__name__} ({time.monotonic() - begun:.1f} s)\n{traceback.format_exc()}', flush=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    print(f'{len(chosen) - failed} passed, {failed} failed')
    sys.exit(failed > 0)
