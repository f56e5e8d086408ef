"""The rigs as context managers, for integration tests: what was started is stopped, by its pid, however the test ends.

    from rig import Air, Mosquitto, Rabbit, Subscriber, Btvirt, Guest, free_port, wait_until

    with Air('unix') as air, Mosquitto() as broker, Subscriber(broker.watch, 'forecourt/#') as seen:
        air.say('advertise', id='tag', kind='ibeacon', rssi=-55)
        ... start the gateway on air.lines['p0'] ...
        message = seen.wait(lambda m: m.topic.endswith('/status'), 5)

Start rigs from the test's main thread: their processes end with the thread that started them. README.md has the words.
"""
import collections
import json
import os
import pathlib
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
for folder in (HERE, HERE / 'guest'):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

import paho.mqtt.client as paho  # noqa: E402

from boot import Guest, make_disk  # noqa: E402,F401
from mosquitto import Mosquitto  # noqa: E402,F401
from process import Program, accepts, die_with_parent, free_port, wait_until  # noqa: E402,F401
from rabbit import Rabbit  # noqa: E402,F401

Message = collections.namedtuple('Message', 'at topic payload qos retain properties')


class Refused(Exception):
    """The air did not do as asked; the text is its own."""


class Air:
    """air.py as a child. lines: 'tcp', 'unix', 'pty' (a place is found) or a whole LINE; a name may stand before: 'old:legacy=unix'.

    .lines maps names to what a gateway's config wants: tcp:…, unix:…, h4:TTY@115200 (config) and .h4 the same for h4.py."""

    def __init__(self, *lines, legacy=False, options=(), seconds=600, say=()):
        # In memory: a busy disk must not hold up a controller's answers.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='air-', dir='/dev/shm'))
        self.log_path = self.folder / 'log'
        places = {'tcp': lambda i: 'tcp:127.0.0.1:0', 'unix': lambda i: f'unix:{self.folder}/{i}',
                  'pty': lambda i: f'pty:{self.folder}/tty{i}'}
        whole = []
        for index, line in enumerate(lines or ['unix']):
            name, equals, spec = line.rpartition('=')
            whole.append(name + equals + (places[spec](index) if spec in places else spec))
        args = [sys.executable, HERE / 'air.py', '--control', '-', '--log', self.log_path, '--seconds', seconds, *options]
        args += ['--legacy'] if legacy else []
        for request in say:
            args += ['--say', json.dumps(request)]
        self.errors = open(self.folder / 'errors', 'w+')
        self.process = subprocess.Popen([str(a) for a in args + whole], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.errors, text=True, bufsize=1, preexec_fn=die_with_parent)
        self.answers, self.lock = queue.Queue(), threading.Lock()
        threading.Thread(target=self._listen, daemon=True).start()
        try:
            ready = json.loads(self._answer(60))['ready']
        except BaseException:
            self.__exit__()
            raise
        self.h4 = {name: spec.replace('pty:', 'tty:') for name, spec in ready.items()}
        self.lines = {name: 'h4:' + spec[4:] + '@115200' if spec.startswith('pty:') else spec for name, spec in ready.items()}

    def _listen(self):
        for line in self.process.stdout:
            self.answers.put(line)
        self.answers.put('')

    def _answer(self, seconds):
        try:
            line = self.answers.get(timeout=seconds)
        except queue.Empty:
            raise TimeoutError(f'the air gave no answer within {seconds} s') from None
        if not line:
            self.errors.seek(0)
            raise Refused(f'the air ended: {self.errors.read()[-3000:]}')
        return line

    def say(self, verb, **words):
        """One request of control.py; its answer, or Refused."""
        with self.lock:
            self.process.stdin.write(json.dumps({'do': verb, **words}) + '\n')
            answer = json.loads(self._answer(words.get('timeout_s', 10) + words.get('stall_s', 0) + 20))
        if not answer.pop('ok'):
            raise Refused(answer['error'])
        return answer

    def report(self, name='p0'):
        return self.say('report', port=name)['ports'][name]

    def wait(self, what, port='p0', timeout=5.0, **words):
        return self.say('wait', **{'for': what}, port=port, timeout_s=timeout, **words)

    def log(self, **match):
        """Everything logged so far whose fields are these: log(what='command', opcode='200c')."""
        with open(self.log_path) as file:
            events = [json.loads(line) for line in file if line.endswith('\n')]
        return [e for e in events if all(e.get(k) == v for k, v in match.items())]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(3)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.errors.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Subscriber:
    """A paho client that keeps every message; MQTT 5 unless version=4. `tls` is a folder of certificates.py."""

    def __init__(self, port, *topics, version=5, qos=1, name='', username=None, password=None, tls=None, certificate=None,
                 authority='ca', host='localhost', session=False):
        self.messages, self.fresh, self.topics, self.qos = [], threading.Condition(), topics or ('#',), qos
        self.port, self.host, self.version, self.connected, self.refusal = port, host, version, threading.Event(), None
        self.client = paho.Client(paho.CallbackAPIVersion.VERSION2, client_id=name,
                                  protocol=paho.MQTTv5 if version == 5 else paho.MQTTv311,
                                  **({} if version == 5 else {'clean_session': not session}))
        if username:
            self.client.username_pw_set(username, password)
        if tls:
            pair = [str(tls / f'{certificate}.{kind}') for kind in ('pem', 'key')] if certificate else [None, None]
            self.client.tls_set(str(tls / f'{authority}.pem'), *pair)
        self.client.on_connect, self.client.on_message = self._on_connect, self._on_message
        self.client.on_disconnect = self._on_disconnect
        self.client.on_subscribe = lambda *_: self.connected.set()

    def _on_connect(self, client, _, __, reason, ___):
        if reason.is_failure:
            self.refusal = str(reason)
            self.connected.set()
        else:
            client.subscribe([(topic, self.qos) for topic in self.topics])

    def _on_disconnect(self, _, __, ___, reason, ____):
        if not self.connected.is_set():
            self.refusal = str(reason)
            self.connected.set()

    def _on_message(self, _, __, message):
        with self.fresh:
            self.messages.append(Message(time.monotonic(), message.topic, message.payload, message.qos, message.retain,
                                         getattr(message, 'properties', None)))
            self.fresh.notify_all()

    def wait(self, test, seconds=5.0, after=0):
        """The first message from index `after` on that passes; those already here count."""
        until = time.monotonic() + seconds
        with self.fresh:
            while True:
                for message in self.messages[after:]:
                    if test(message):
                        return message
                after = len(self.messages)
                left = until - time.monotonic()
                if left <= 0 or not self.fresh.wait(left):
                    if time.monotonic() >= until:
                        heard = [(m.topic, m.payload[:80]) for m in self.messages[-10:]]
                        raise TimeoutError(f'no such message in {seconds} s; the last were {heard}')

    def json(self, suffix=''):
        """The payloads, parsed, of the topics that end so."""
        return [json.loads(m.payload) for m in self.messages if m.topic.endswith(suffix)]

    def publish(self, topic, payload, qos=1, retain=False):
        self.client.publish(topic, payload, qos, retain).wait_for_publish(5)

    def __enter__(self):
        self.client.connect(self.host, self.port, keepalive=30)
        self.client.loop_start()
        if not self.connected.wait(5) or self.refusal:
            self.__exit__()
            raise ConnectionError(self.refusal or 'no answer from the broker')
        return self

    def __exit__(self, *_):
        self.client.disconnect()
        self.client.loop_stop()


class Btvirt:
    """BlueZ's emulator; .le is the socket, each connection to it another controller on the same air."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='btvirt-'))
        self.le = f'unix:{self.folder}/le'
        self.program = Program([HERE / 'btvirt.sh', self.folder], self.folder / 'log')

    def __enter__(self):
        try:
            self.program.start()
            wait_until(lambda: (self.folder / 'le').exists() or not self.program.running, 10, 'btvirt is up')
            if not self.program.running:
                raise RuntimeError(f'btvirt ended: {self.program.said()}')
            return self
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        self.program.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def run(*args, seconds=30, **options):
    """A command that must end in time; its output as text whatever its exit status."""
    return subprocess.run([str(a) for a in args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=seconds,
                          env={**os.environ, **options.pop('env', {})}, **options)
