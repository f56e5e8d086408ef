"""The scripts in Python that gates run: which of the mistakes that no suite notices do they notice? Side by side, each with a switch of its
own: they mostly wait for timers."""
import concurrent.futures
import subprocess
import time

import tree

# A script with its words, and the rooms that it watches.
SCRIPTS = {
    'Delivery/publish.py': 'Host/Broker Host/Outbox CMosquitto CSQLite',
    'Delivery/faults.py': 'Host/Broker Host/Outbox Host/Files',
    'Delivery/restart.py': 'Host/Outbox forecourt/Gateway Core/Gateway',
    'Robustness/incoming.py': 'Host/Broker CJSON',
    'Robustness/security.py': 'Host/Broker CCrypto',
    'Robustness/bad_hardware.py': 'Host/Files Host/Radio Host/System forecourt/Gateway',
    'Operation/service.py': 'Host/System forecourt/Gateway forecourt/Terminal CLinux',
    'Operation/setup.py': 'Host/Examination forecourt/Commands forecourt/Terminal CLinux',
    'Operation/scan.py': 'forecourt/Commands forecourt/Terminal CLinux',
    'Operation/report.py': 'forecourt/Report',
    'Operation/tune.py': 'Host/Examination forecourt/Commands forecourt/Report forecourt/Terminal',
    'Listening/radio.py': 'Host/Radio Core/Controller CBluetooth CLinux',
    'Listening/peer.py': 'Core/Peer forecourt/Commands forecourt/Gateway',
    'Neighbours/neighbours.py': 'Core/Neighbours Host/Broker forecourt/Gateway',
}
AT_ONCE = 4
# So many for a mistake: the quickest of those that come by it.
MOST = 3


class Scripts:
    def __init__(self, copy, products):
        self.copy, self.products = copy, products
        self.folder = copy.place.parent / 'scripts'
        self.folder.mkdir(exist_ok=True)
        done = subprocess.run([copy.root / 'Tests/Rigs/venv.sh'], stdout=subprocess.PIPE, text=True, check=True)
        self.python = done.stdout.strip()
        self.seconds, self.reached = {}, {}

    def noticed(self, paths):
        """What notices these mistakes, by their numbers: the script's name, or '' when none does. `paths` by number."""
        watching = {number: [name for name, rooms in SCRIPTS.items() if watches(rooms, path)] for number, path in paths.items()}
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(self._measure, sorted({name for names in watching.values() for name in names} - set(self.seconds))))
            chosen = {number: self._quickest(number, names) for number, names in watching.items()}
            return dict(zip(chosen, pool.map(self._first, chosen.items())))

    def _measure(self, name):
        """Once without any mistake: it passes, and says which it comes by and how long it takes."""
        self.reached[name] = set()
        for attempt in (1, 2):
            start = time.monotonic()
            page = self._page(name, 0)
            if self._passes(name, page, 600):
                self.reached[name] = tree.reached(page)
                break
            print(f'without any mistake, at attempt {attempt}, this fails: Tests/{name}', flush=True)
        self.seconds[name] = time.monotonic() - start

    def _quickest(self, number, names):
        return sorted((name for name in names if number in self.reached[name]), key=self.seconds.get)[:MOST]

    def _first(self, item):
        number, names = item
        for name in names:
            # Twice, so that a busy machine notices nothing.
            if all(not self._passes(name, self._page(name, number), 60 + 3 * self.seconds[name]) for _ in range(2)):
                return f'Tests/{name}'
        return ''

    def _page(self, name, number):
        page = self.folder / f'{name.replace("/", ".")}-{number}'
        tree.choose(page, number)
        return page

    def _passes(self, name, page, seconds):
        environment = {'FORECOURT': str(self.products / 'forecourt'), 'COURIER_RIG': str(self.products / 'courier-rig'),
                       tree.PAGE_VARIABLE: str(page)}
        command = [self.python, f'Tests/{name}']
        return tree.run(command, self.copy.place, seconds, page.with_name(f'{page.name}.log'), environment=environment)[0] == 0


def watches(rooms, path):
    """Whether one of the rooms holds this file."""
    return any(path.startswith(f'Sources/{room}/') for room in rooms.split())
