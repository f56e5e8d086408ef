"""`deploy/demo.sh` tells what happens and leaves a report; with --json it prints messages; with --page it prints one URL, the page there shows the
rush of eight pumps, and after Ctrl-C nothing is left running.

    $(Tests/Rigs/venv.sh) Tests/Operation/demo.py [--picture FILE]      $FORECOURT names the program; FILE is README's picture of the page
"""
import json
import re
import signal
import sys
import time
from pathlib import Path

from browser import Browser
from cases import case, main
from product import FORECOURT, ROOT
from rig import Program, accepts, run, wait_until

picture = Path(sys.argv.pop()) if sys.argv[1:2] == ['--picture'] and sys.argv.pop(1) else None


def children(pid):
    """Its processes, and theirs."""
    own = [int(child) for task in Path(f'/proc/{pid}/task').iterdir() for child in (task / 'children').read_text().split()]
    return own + [below for child in own for below in children(child)]


@case
def as_a_story(folder):
    told = run(ROOT / 'deploy/demo.sh', env={'FORECOURT': FORECOURT}, seconds=60)
    assert told.returncode == 0, told.stderr
    lines = told.stdout.splitlines()
    for line, words in zip(lines, (r'heard for the first time: ibeacon:\S+:7:1', r'approaching, \d\.\d m', r'fire: \d\.\d m away, after \d(\.\d)? s at the pump',
                                   r'left, after \d\d(\.\d)? s')):
        assert re.fullmatch(r' *\d+\.\d s  ' + words, line), line
    report = Path(lines[-1].split(': ')[-1])
    assert len(lines) == 6 and report.is_file() and f'>{lines[2].split()[0]} s' in report.read_text(), 'the report has the same fire at the same time'


@case
def as_messages(folder):
    told = run(ROOT / 'deploy/demo.sh', '--json', env={'FORECOURT': FORECOURT}, seconds=60)
    events = [json.loads(line[line.index('{'):])['event'] for line in told.stdout.splitlines() if ' trigger/pump-1  ' in line]
    assert events == ['arm', 'fire', 'leave'], told.stdout
    assert run(ROOT / 'deploy/demo.sh', '--none').returncode == 64
    ended = run(ROOT / 'deploy/demo.sh', '--mqtt', env={'FORECOURT': '/bin/false'}, seconds=30)
    assert ended.returncode == 1 and 'the gateway has ended' in ended.stderr, ended
    assert run(ROOT / 'deploy/packages.sh', 'build', 'bulid').returncode == 64


@case
def on_the_page(folder):
    with Program([ROOT / 'deploy/demo.sh', '--page'], folder / 'said', {'FORECOURT': FORECOURT}) as demo, Browser() as browser:
        demo.told('http://', 120)
        address, web = re.search(r'http://127\.0\.0\.1:(\d+)/', demo.said()).group(0, 1)
        wait_until(lambda: len(children(demo.pid)) >= 10, 10, 'a broker, eight gateways, a sleep')
        with browser.open(address, height=1000) as page:
            page.reads('8 gateways online', '#summary', 20)
            page.reads('Harbour Road', '#title')
            page.wait("document.querySelectorAll('.pump').length === 8 && document.querySelector('.pumps').dataset.mode === 'map'")
            page.wait("document.querySelectorAll('.pump[data-state=\"served\"]').length >= 5", 60)
            page.reads('Nothing here is real', '#notices')
            assert not page.run("document.getElementById('watermark').hidden")
            if picture:
                time.sleep(1.2)
                page.photograph(picture)
            assert page.fetched == [address] and not page.said, (page.fetched, page.said)
        started = children(demo.pid)
        demo.signal(signal.SIGINT)
        demo.process.wait(20)
        wait_until(lambda: not any(Path(f'/proc/{pid}').exists() for pid in started), 5, f'nothing is left running: {started}')
        assert not accepts(int(web))


if __name__ == '__main__':
    main()
