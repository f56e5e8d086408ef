"""Debian's chromium without a window, driven through its DevTools protocol: a page is opened, read, clicked and photographed."""
import base64
import itertools
import json
import os
import pathlib
import shutil
import tempfile
import time

from websockets.sync.client import connect

from process import Program, wait_until


class Browser(Program):
    """with Browser() as browser, browser.open(address) as page: … Its profile is its own and goes with it."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='browser-'))
        program = shutil.which('chromium')
        if not program:
            raise FileNotFoundError('chromium is missing: run deploy/packages.sh browser')
        # Chromium's own sandbox refuses to work for root.
        sandbox = ['--no-sandbox'] if os.getuid() == 0 else []
        super().__init__([program, '--headless=new', *sandbox, '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars', '--no-first-run',
                          '--disable-background-networking', '--disable-component-update', '--remote-debugging-port=0',
                          f'--user-data-dir={self.folder}/profile', 'about:blank'], self.folder / 'log', {'HOME': str(self.folder)})

    def start(self):
        super().start()
        port = self.folder / 'profile' / 'DevToolsActivePort'
        wait_until(lambda: not self.running or (port.exists() and port.read_text().count('\n')), 20, 'chromium is up')
        if not self.running:
            raise RuntimeError(f'chromium ended: {self.said()[-2000:]}')
        number, path = port.read_text().split('\n')[:2]
        self.address = f'ws://127.0.0.1:{number}{path}'

    def open(self, address, width=1280, height=900, dark=False):
        return Page(self, address, width, height, dark)

    def __exit__(self, *_):
        super().__exit__()
        shutil.rmtree(self.folder, ignore_errors=True)


class Page:
    """One tab. .said has what its console said and every error and refusal."""

    def __init__(self, browser, address, width, height, dark):
        self.line = connect(browser.address, max_size=None, open_timeout=10)
        self.numbers, self.said, self.fetched, self.session = itertools.count(1), [], [], None
        target = self.tell('Target.createTarget', url='about:blank')['targetId']
        self.session = self.tell('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.tell(f'{domain}.enable')
        self.show(width, height, dark)
        self.tell('Page.navigate', url=str(address))

    def show(self, width, height=900, dark=False):
        self.tell('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.tell('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'}])

    def tell(self, method, **params):
        number = next(self.numbers)
        self.line.send(json.dumps({'id': number, 'method': method, 'params': params, **({'sessionId': self.session} if self.session else {})}))
        until = time.monotonic() + 20
        while True:
            message = json.loads(self.line.recv(timeout=until - time.monotonic()))
            if message.get('id') == number:
                if 'error' in message:
                    raise RuntimeError(f'{method}: {message["error"]}')
                return message['result']
            self._note(message)

    def _note(self, message):
        method, params = message.get('method'), message.get('params', {})
        if method == 'Runtime.exceptionThrown':
            details = params['exceptionDetails']
            self.said.append(details.get('exception', {}).get('description') or details['text'])
        elif method == 'Log.entryAdded':
            self.said.append(params['entry']['text'])
        elif method == 'Runtime.consoleAPICalled':
            self.said.append(' '.join(str(a.get('value', a.get('description'))) for a in params['args']))
        elif method == 'Network.requestWillBeSent':
            self.fetched.append(params['request']['url'])

    def run(self, code):
        """The value of an expression in the page."""
        result = self.tell('Runtime.evaluate', expression=code, returnByValue=True, awaitPromise=True, allowUnsafeEvalBlockedByCSP=False)
        if 'exceptionDetails' in result:
            raise RuntimeError(result['exceptionDetails'].get('exception', {}).get('description', code))
        return result['result'].get('value')

    def text(self, query='body'):
        """What a person reads there."""
        return self.run(f'document.querySelector({json.dumps(query)})?.innerText ?? ""')

    def wait(self, code, seconds=10):
        """The first true value of an expression."""
        until = time.monotonic() + seconds
        while not (value := self.run(code)):
            if time.monotonic() > until:
                raise TimeoutError(f'not within {seconds} s: {code}\nthe page reads: {self.text()[:3000]}\nit said: {self.said}')
            time.sleep(0.05)
        return value

    def reads(self, part, query='body', seconds=10):
        return self.wait(f'(document.querySelector({json.dumps(query)})?.innerText ?? "").includes({json.dumps(part)})', seconds)

    def click(self, query):
        self.wait(f'document.querySelector({json.dumps(query)}) !== null')
        self.run(f'document.querySelector({json.dumps(query)}).click()')

    def choose(self, query, value):
        self.run(f'{{ const it = document.querySelector({json.dumps(query)}); it.value = {json.dumps(value)}; it.dispatchEvent(new Event("input")) }}')

    def type(self, query, text):
        self.run(f'document.querySelector({json.dumps(query)}).focus()')
        self.tell('Input.insertText', text=text)

    def press(self, key, code=None):
        extra = {'text': '\r', 'windowsVirtualKeyCode': 13} if key == 'Enter' else {'windowsVirtualKeyCode': 9} if key == 'Tab' else {}
        self.tell('Input.dispatchKeyEvent', type='keyDown', key=key, code=code or key, **extra)
        self.tell('Input.dispatchKeyEvent', type='keyUp', key=key, code=code or key, **extra)

    def photograph(self, path, whole=False):
        data = self.tell('Page.captureScreenshot', format='png', captureBeyondViewport=whole)['data']
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def processor_seconds(self):
        """What the processes that show pages have used: script, layout and painting."""
        session, self.session = self.session, None
        try:
            return sum(p['cpuTime'] for p in self.tell('SystemInfo.getProcessInfo')['processInfo'] if p['type'] == 'renderer')
        finally:
            self.session = session

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.line.close()
