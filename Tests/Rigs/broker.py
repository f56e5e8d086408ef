#!/usr/bin/env python3
"""A broker by hand: prints its ports as one JSON line and stays until --seconds are over or it is interrupted.

  broker.py mosquitto [--tls server|wrong-name|expired|future|other] [--client-certificates] [--user NAME:PASSWORD]…
                      [--acl FILE] [--persistence] [--port N]
  broker.py rabbit [--nodes 3]
"""
import argparse
import contextlib
import json
import pathlib
import signal
import threading

from mosquitto import SERVERS, Mosquitto
from rabbit import Rabbit


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest='kind', required=True)
    mosquitto, rabbit = kinds.add_parser('mosquitto'), kinds.add_parser('rabbit')
    mosquitto.add_argument('--tls', choices=SERVERS)
    mosquitto.add_argument('--client-certificates', action='store_true')
    mosquitto.add_argument('--user', action='append', default=[])
    mosquitto.add_argument('--acl', type=pathlib.Path)
    mosquitto.add_argument('--persistence', action='store_true')
    mosquitto.add_argument('--port', type=int)
    rabbit.add_argument('--nodes', type=int, default=1)
    for kind in mosquitto, rabbit:
        kind.add_argument('--seconds', type=float, default=600)
    words = parser.parse_args()
    over = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: over.set())
    with contextlib.ExitStack() as stack:
        if words.kind == 'rabbit':
            cluster = stack.enter_context(Rabbit(words.nodes))
            told = {'ports': [node.port for node in cluster.nodes], 'pids': [node.pid for node in cluster.nodes]}
        else:
            broker = stack.enter_context(Mosquitto(
                words.port, words.persistence, dict(user.split(':', 1) for user in words.user), words.acl and words.acl.read_text(),
                words.tls, words.client_certificates))
            told = {'port': broker.port, 'watch': broker.watch, 'pid': broker.pid, 'folder': str(broker.folder)}
        print(json.dumps(told), flush=True)
        over.wait(words.seconds)


if __name__ == '__main__':
    main()
