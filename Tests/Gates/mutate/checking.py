"""The checks of this tool's own test, from all files that hold some."""
import sys

_CHECKS = []


def check(function):
    _CHECKS.append(function)
    return function


def run():
    failed = 0
    for function in _CHECKS:
        try:
            function()
        except AssertionError as error:
            failed += 1
            print(f'mutate --check: {function.__name__}: {error}', file=sys.stderr)
    print(f'mutate: {len(_CHECKS) - failed} of {len(_CHECKS)} checks passed')
    return 1 if failed else 0


def equal(found, wanted):
    assert found == wanted, f'\n  found  {found}\n  wanted {wanted}'
