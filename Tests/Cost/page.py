"""What the live page costs a desktop: ten gateways with 100 devices in a rush, 17 messages a second each (deploy/brokers/README.md) without the
claims. Beside it an empty page that receives the same messages and does nothing with them: the browser's own share. Shares of a core depend on
the machine, so what is asserted is counted: changes of the page, and layouts.

    $(Tests/Rigs/venv.sh) Tests/Cost/page.py         after deploy/page/build.sh
"""
import json
import random
import time

from yard import TAG, Forecourt, stamp

MESSAGES_A_SECOND, SECONDS = 170, 15
EMPTY = """(() => {
  const socket = new WebSocket('ws://' + location.host, ['mqtt']);
  const text = (words) => [0, words.length, ...new TextEncoder().encode(words)];
  const packet = (kind, bytes) => socket.send(new Uint8Array([kind, bytes.length, ...bytes]));
  socket.binaryType = 'arraybuffer';
  window.count = 0;
  socket.onmessage = () => { window.count += 1; };
  socket.onopen = () => {
    packet(0x10, [...text('MQTT'), 4, 2, 0, 60, ...text('empty')]);
    packet(0x82, [0, 1, ...text('forecourt/#'), 0]);
  };
})()"""


def rush(yard):
    chance, started, sent = random.Random(20), time.monotonic(), 0
    while time.monotonic() - started < SECONDS:
        device, gateway = chance.randrange(100), f'island-{chance.randrange(10)}'
        distance = round(1 + device % 20 + chance.random(), 2)
        body = {'v': 1, 'id': TAG + str(device), 'rssi': -70, 'average': -60 - distance, 'distance_m': distance, 'low_m': distance / 3,
                'high_m': distance * 3, 'zone': 'near', 'samples': 9, 'rate_hz': 8, 'at': stamp()}
        yard.seen.client.publish(f'forecourt/yard/{gateway}/proximity/{TAG}{device}', json.dumps(body), 0)
        sent += 1
        time.sleep(max(0, started + sent / MESSAGES_A_SECOND - time.monotonic()))


COUNT = """(() => {
  window.changes = 0;
  new MutationObserver((all) => { window.changes += all.length; }).observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
})()"""


def quiet(page):
    """DevTools would otherwise copy every frame that comes: as much work as the page's own."""
    for domain in ('Network', 'Log', 'Page'):
        page.tell(f'{domain}.disable')


def layouts(page):
    return next(metric['value'] for metric in page.tell('Performance.getMetrics')['metrics'] if metric['name'] == 'LayoutCount')


def share(page, yard):
    used, started = page.processor_seconds(), time.monotonic()
    rush(yard)
    return (page.processor_seconds() - used) / (time.monotonic() - started)


def main():
    with Forecourt() as yard:
        for number in range(10):
            yard.online(f'island-{number}')
            yard.stands(served=(TAG + str(number),), pump=f'pump-{number}', gateway=f'island-{number}')
        with yard.browser.open(yard.address + 'nothing') as empty:
            empty.wait("document.readyState === 'complete'")
            empty.run(EMPTY)
            empty.wait('count > 0')
            quiet(empty)
            least = share(empty, yard)
            assert empty.run('count') > MESSAGES_A_SECOND * SECONDS * 0.9, 'it receives them all'
            empty.tell('Page.navigate', url='about:blank')
        page = yard.open()
        page.reads('10 gateways online', '#summary')
        quiet(page)
        page.tell('Performance.enable')
        whole = share(page, yard)
        page.run(COUNT)
        before = layouts(page)
        rush(yard)
        changes, laid_out = page.run('changes') / SECONDS, (layouts(page) - before) / SECONDS
        page.click('#more')
        page.wait("document.querySelectorAll('#devices tr').length === 100")
    print(f'{whole:.1%} of a core; an empty page that only receives the same: {least:.1%}; {changes:.0f} changes and {laid_out:.1f} layouts a second')
    assert changes < 150, 'the page changes more than what differs'
    assert laid_out < 3, 'it is laid out more often than it is drawn'


if __name__ == '__main__':
    main()
