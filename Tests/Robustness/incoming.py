"""Messages from the broker: commands and claims, right ones, wrong ones, and floods of them.

    $(Tests/Rigs/venv.sh) Tests/Robustness/incoming.py [NAME…]
"""
import json
import os
import signal
import time

from cases import BASE, case, main
from courier import Courier
from rig import Mosquitto, Subscriber, wait_until


def subscribed(broker, times):
    """The broker has granted the courier so many subscriptions in all."""
    wait_until(lambda: broker.said().count('Sending SUBACK to forecourt/') == times, 10, f'{times} subscriptions')


@case
def commands(folder):
    """Commands are off by default, bounded, executed and answered once each, and never taken from a retained message."""
    with Mosquitto() as broker, Subscriber(broker.watch, '#') as seen:
        with Courier(port=broker.port, outbox=folder / 'o') as courier:
            courier.online()
            seen.publish(f'{BASE}/command/ping', '')
            time.sleep(0.5)
            assert courier.figures['commands'] == 0
        seen.publish(f'{BASE}/command/authorization', 'denied', retain=True)
        with Courier(port=broker.port, outbox=folder / 'o', commands=1) as courier:
            subscribed(broker, 1)

            def ask(name, payload):
                before = len(seen.messages)
                seen.publish(f'{BASE}/command/{name}', payload)
                return json.loads(seen.wait(lambda m: m.topic == f'{BASE}/reply/{name}', after=before).payload)

            assert ask('ping', '') == {'v': 1, 'ok': True, 'error': None, 'request': None}
            assert ask('ping', '{"request":"a\\"b"}')['request'] == 'a"b'
            assert ask('trigger', '{"trigger":"pump-3","id":"peer:BC00BD17","request":"r1"}')['ok']
            for name, payload, word in (
                    ('ping', '{', 'malformed'), ('ping', '[]', 'not a JSON object'), ('ping', '{"a":1}', 'unknown member'),
                    ('ping', '{"request":"a","request":"b"}', 'a member comes twice'),
                    ('ping', '{"request":' + '[' * 9 + ']' * 9 + '}', 'nested'), ('ping', b'\xff', 'UTF-8'),
                    ('ping', '{}' + ' ' * 2000, '1024'), ('trigger', '{"trigger":"pump-3"}', 'id: is missing'),
                    ('trigger', '{"trigger":"pump-3","id":"x"}', 'identity'),
                    ('ranging', '{"seconds":1e999}', 'seconds'), ('authorization', '"maybe"', 'always')):
                time.sleep(1.1)
                answer = ask(name, payload)
                assert answer['ok'] is False and word in answer['error'], (payload, answer)
            # Retained, while we are connected: a bridge would send it again whenever its line returns.
            time.sleep(1.1)
            before = len(seen.messages)
            seen.publish(f'{BASE}/command/authorization', 'denied', retain=True)
            answer = json.loads(seen.wait(lambda m: m.topic == f'{BASE}/reply/authorization', after=before).payload)
            assert not answer['ok'] and 'must not be retained' in answer['error'], answer
            commands = [line for line in courier.lines if line.startswith('command')]
            assert len(commands) == 3, commands
            # The same request again: the same answer, nothing executed.
            assert ask('trigger', '{"trigger":"pump-3","id":"peer:BC00BD17","request":"r1"}')['ok']
            assert len([line for line in courier.lines if line.startswith('command trigger')]) == 1
            assert ask('ranging', '{"seconds":180,"region":"door"}')['ok'] and ask('ranging', 'stop')['ok']
            assert not any('authorization' in line for line in courier.lines), 'a retained command is not carried out'
            before = len(seen.messages)
            for number in range(300):
                seen.client.publish(f'{BASE}/command/ping', '', 1)
            figures = courier.until(lambda f: f['commands'] >= 300)
            assert figures['requests_limited'] > 200 and len([m for m in seen.messages[before:] if 'reply' in m.topic]) < 40, figures


def claim(gateway='other', group='island', **members):
    words = {'v': 1, 'gateway': gateway, 'trigger': 'pump-1', 'group': group, 'id': 'peer:BC00BD17', 'state': 'holding',
             'seq': 1, 'boot': 'b', 'heard': '7/gateway', 'level_db': -61.5, 'samples': 12, 'dwell_ms': 800, 'age_ms': 40, **members}
    return f'forecourt/site/claim/{group}/peer:BC00BD17/{gateway}', json.dumps(words)


@case
def claims(folder):
    with Mosquitto() as broker, Subscriber(broker.watch, '#') as seen:
        for turn, version in enumerate((5, 4), 1):
            with Courier(port=broker.port, outbox=folder / str(version), version=version, claims=1, peers=1) as courier:
                subscribed(broker, 5 * turn)
                seen.publish(*claim())
                courier.wait('claim other holding -61.5')
                seen.publish(*claim('gateway'))
                seen.publish(claim('third')[0], claim('other')[1])
                for wrong in ({'level_db': 'x'}, {'state': 'king'}, {'samples': -1}, {'id': 'nobody'}, {'v': 2}, {'level_db': 1e99}):
                    seen.publish(*claim(**wrong))
                figures = courier.until(lambda f: f['requests_refused'] >= 7)
                assert figures['claims'] == 8, figures
                # They come at once, however slow this machine is.
                os.kill(courier.process.pid, signal.SIGSTOP)
                sent = len(seen.messages) + 3000
                for _ in range(3000):
                    seen.client.publish(*claim('flooder'))
                wait_until(lambda: len(seen.messages) >= sent, 60, 'the flood')
                os.kill(courier.process.pid, signal.SIGCONT)
                courier.until(lambda f: f['requests_limited'] > 700)
                seen.publish(*claim('quiet'))
                courier.wait('claim quiet')
                seen.publish('forecourt/site/peer/AA:bb:cc:dd:ee:0f/other', '{"v":1,"random":true,"id":"BC00BD17"}')
                courier.wait('peer bc00bd17 1aabbccddee0f')


if __name__ == '__main__':
    main()
