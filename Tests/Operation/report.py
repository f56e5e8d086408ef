"""The page of `replay --report` in Debian's chromium, on a phone and on a desktop, light and dark: legible, and an hour can be zoomed.

    $(Tests/Rigs/venv.sh) Tests/Operation/report.py [NAME…]      $FORECOURT names the program
"""
import struct

from browser import Browser
from cases import case, main
from looks import LOOKS
from product import FORECOURT, ROOT
from rig import run

SCENARIOS = ROOT / 'Tests/Firing/Scenarios'
TWO_RADIOS = '''gateway.purpose = "Shows a report."
[[radio]]
name = "left"
[[radio]]
name = "right"
adapter = "hci1"
''' + ''.join(f'[[trigger]]\nname = "pump-{n}"\nmatch = "ibeacon:*"\nradio = "{radio}"\ngroup = "pumps"\n' for n, radio in ((1, 'left'), (2, 'right')))


def forecourt(*words):
    run(FORECOURT, *words, seconds=60).check_returncode()


def dated(path):
    """As if the capture had begun on a day in November."""
    data, at, shift = path.read_bytes(), 16, 0
    out = bytearray(data[:16])
    while at < len(data):
        *head, time = struct.unpack('>IIIIQ', data[at:at + 24])
        shift = shift or 0x00DCDDB30F2F8000 + 1795361625454000 - time
        out += struct.pack('>IIIIQ', *head, time + shift) + data[at + 24:at + 24 + head[1]]
        at += 24 + head[1]
    path.write_bytes(out)


def looked_at(report):
    """At every size and in every light."""
    with Browser() as browser:
        for width in (390, 1440):
            for dark in (False, True):
                with browser.open(f'file://{report}', width, 900, dark) as page:
                    page.wait("document.readyState === 'complete'")
                    page.run("for (const folded of document.querySelectorAll('details')) folded.open = true")
                    faults = page.run(LOOKS)
                    assert not faults, f'{width} px, {"dark" if dark else "light"}: {faults}'
                    assert page.fetched == [f'file://{report}'] and not page.said, (page.fetched, page.said)
                    yield page, width


@case
def two_radios(folder):
    """Two radios and two triggers on a dated day: a visit leads to its mark, in sight also when the time is stretched sixteenfold."""
    forecourt('simulate', SCENARIOS / 'queue.toml', '--out', folder / 'queue.btsnoop')
    captures = [folder / f'queue.pump-{n}.btsnoop' for n in (1, 2)]
    for capture in captures:
        dated(capture)
    (folder / 'two.toml').write_text(TWO_RADIOS)
    forecourt('replay', *captures, '--config', folder / 'two.toml', '--report', folder / 'report.html')
    for page, width in looked_at(folder / 'report.html'):
        shown = "[...document.querySelectorAll('.time text')].filter((text) => /^15:/.test(text.textContent) && text.checkVisibility()).length"
        before, narrow = page.run(shown), page.run("document.querySelector('.time').scrollWidth")
        page.click('#z2')
        assert page.run(shown) > before and page.run("document.querySelector('.time').scrollWidth") > 15 * narrow
        page.run("location.hash = document.querySelectorAll('td[data-h=\"Fired\"] a')[1].hash")
        page.wait("(() => { const at = document.querySelector('text:target').getBoundingClientRect(); "
                  "return at.left >= 0 && at.right <= innerWidth && at.top >= 0 && at.bottom <= innerHeight })()")
        assert page.run("document.querySelector('text:target').textContent").startswith('pump-1: fire')
        assert not page.run(LOOKS), width


@case
def plan(folder):
    """Radios that know where they stand: below the levels a band for each trigger shows how likely each place was, and names them, at every size."""
    forecourt('simulate', SCENARIOS / 'queue.toml', '--out', folder / 'queue.btsnoop')
    forecourt('replay', *(folder / f'queue.pump-{n}.btsnoop' for n in (1, 2)), '--config', ROOT / 'deploy/two-pumps.toml', '--report', folder / 'report.html')
    for page, width in looked_at(folder / 'report.html'):
        named = ("[...document.querySelectorAll('.shares text')].filter((text) => text.checkVisibility()).map((text) => "
                 "[text.textContent, text.getBoundingClientRect(), text.closest('.shares').getBoundingClientRect()])"
                 ".map(([words, at, band]) => [words, at.top >= band.top && at.bottom <= band.bottom + 1])")
        labels = page.run(named)
        assert {'here', 'left'} <= {words for words, _ in labels} and all(inside for _, inside in labels), (width, labels)
        # The bands are as wide as the levels above them, also when the time is stretched, and their titles stay.
        for zoom in ('#z0', '#z2'):
            page.click(zoom)
            widths = page.run("[...document.querySelector('.time').children].map((part) => Math.round(part.getBoundingClientRect().width))")
            assert len(widths) == 3 and len(set(widths)) == 1, widths
            titles = page.run("[...document.querySelectorAll('.levels .label')].map((text) => [text.textContent, text.getBoundingClientRect().left])")
            assert titles[0][0] == 'pump-1: how likely each place is' and all(0 <= left < width for _, left in titles), titles
        assert len(page.run(named)) > len(labels), 'zoom gives room for more names'
        assert not page.run(LOOKS), width


@case
def crowd(folder):
    """With `match = "*"` at a fair the one who was served stands alone above; the others are folded, each with a reason."""
    forecourt('simulate', SCENARIOS / 'crowd.toml', '--out', folder / 'crowd.btsnoop')
    (folder / 'all.toml').write_text('gateway.purpose = "Shows a report."\n[[trigger]]\nname = "pump-1"\nmatch = "*"\n')
    forecourt('replay', folder / 'crowd.pump-1.btsnoop', '--config', folder / 'all.toml', '--report', folder / 'report.html')
    for page, _ in looked_at(folder / 'report.html'):
        page.tell('Page.reload')
        page.wait("document.readyState === 'complete' && !document.querySelector('details').open")
        assert page.run("[...document.querySelectorAll('tbody tr')].filter((row) => row.checkVisibility()).length") == 1
        assert page.run("document.querySelector('figcaption code').textContent").startswith('ibeacon:'), 'its chart is the first'
        assert page.run("document.querySelectorAll('details td[data-h=\"Reason\"]').length") > 50
        assert page.run("[...document.querySelectorAll('details td[data-h=\"Reason\"]')].filter((cell) => !cell.textContent.trim()).length") == 0


if __name__ == '__main__':
    main()
