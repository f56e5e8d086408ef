"""The courier against RabbitMQ, which starts slowly and therefore has a script of its own.

    $(Tests/Rigs/venv.sh) Tests/Delivery/rabbitmq.py
"""
import json

from cases import BASE, case, main
from courier import Courier
from product import FORECOURT
from rig import Rabbit, Subscriber, run


@case
def the_second_broker(folder):
    """RabbitMQ in MQTT 3.1.1: events, states, commands, a kill."""
    with Rabbit() as broker, Subscriber(broker.port, 'forecourt/#', version=4) as seen:
        with Courier(port=broker.port, outbox=folder / 'o', version=4, commands=1) as courier:
            courier.online(20)
            courier.say('events 1 200')
            courier.say('state door {}')
            courier.until(lambda f: f['delivered'] == 200, 20)
            seen.wait(lambda m: m.topic.endswith('/region/door'))
            seen.publish(f'{BASE}/command/ping', '{"request":"a"}')
            assert json.loads(seen.wait(lambda m: m.topic.endswith('/reply/ping')).payload)['ok']
            broker.nodes[0].kill()
            courier.say('events 201 260')
            courier.wait('stored 260')
            broker.nodes[0].start()
            courier.until(lambda f: f['delivered'] == 260, 75, 'all delivered after the broker came back')


@case
def an_old_protocol(folder):
    """Who forgets version = 4 is told so by check: this RabbitMQ ends the connection of whoever speaks MQTT 5."""
    with Rabbit() as broker:
        (folder / 'config.toml').write_text(
            f'gateway.purpose = "testing"\noutbox.path = "outbox.db"\n[mqtt]\nhost = "127.0.0.1"\nport = {broker.port}\n')
        told = run(FORECOURT, 'check', '--json', '--config', folder / 'config.toml').stdout
        assert 'it speaks only MQTT 3.1.1: set [mqtt] version = 4' in told, told


if __name__ == '__main__':
    main()
