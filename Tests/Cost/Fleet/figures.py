"""What a broker has to do: processor, memory, and the bytes of its gateways' connections as the kernel counts them."""
import collections
import os
import re
import subprocess
import threading
import time

TICK = os.sysconf('SC_CLK_TCK')


def processor(pid):
    """Seconds of a processor that it has used, its children's included."""
    with open(f'/proc/{pid}/stat') as file:
        fields = file.read().rsplit(')', 1)[1].split()
    return sum(int(field) for field in fields[11:15]) / TICK


def memory(pid):
    with open(f'/proc/{pid}/status') as file:
        return int(re.search(r'VmRSS:\s+(\d+)', file.read())[1]) / 1024


def machine():
    """Seconds that all processors were busy, and were there."""
    with open('/proc/stat') as file:
        fields = [int(field) for field in file.readline().split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / TICK, sum(fields) / TICK


def traffic(ports, others):
    """Bytes that the broker took and gave, all its connections together but those of `others` (local ports of our own eyes)."""
    took = gave = 0
    for port in ports:
        said = subprocess.run(['ss', '-tinH', 'state', 'established', f'sport = :{port}'], stdout=subprocess.PIPE, text=True, check=True).stdout
        for ends, words in re.findall(r'^(\S.*)\n\s+(.*)$', said, re.M):
            if int(ends.split()[3].rsplit(':', 1)[1]) in others: continue
            took += int((re.search(r'bytes_received:(\d+)', words) or [0, 0])[1])
            gave += int((re.search(r'bytes_sent:(\d+)', words) or [0, 0])[1])
    return took, gave


Reading = collections.namedtuple('Reading', 'at took gave broker memory busy there')


class Meter:
    """Reads every second, on a thread of its own."""

    def __init__(self, pids, ports, others):
        self.pids, self.ports, self.others, self.readings, self.over = pids, ports, others, [], threading.Event()
        self.thread = threading.Thread(target=self._read, daemon=True)

    def _read(self):
        while not self.over.is_set():
            self.readings.append(Reading(time.monotonic(), *traffic(self.ports, self.others), sum(map(processor, self.pids)),
                                         sum(map(memory, self.pids)), *machine()))
            self.over.wait(1)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()

    def whole(self):
        """All bytes received and sent. A closed connection takes its count with it, so the largest reading counts."""
        return max(r.took for r in self.readings), max(r.gave for r in self.readings)

    def busiest(self, seconds=10):
        """Per second while most bytes went: bytes took and gave, the broker's share of one processor, the machine's of all."""
        seen = []
        for first in self.readings:
            last = next((r for r in self.readings if r.at >= first.at + seconds), None)
            if not last: break
            span = last.at - first.at
            seen.append({'took': (last.took - first.took) / span, 'gave': (last.gave - first.gave) / span,
                         'broker': (last.broker - first.broker) / span, 'machine': (last.busy - first.busy) / (last.there - first.there)})
        return {**max(seen, key=lambda each: each['took'] + each['gave']), 'memory': max(r.memory for r in self.readings)}


def kind(topic):
    """What a message of the product is, by its topic."""
    levels = topic.split('/')
    if levels[2] == 'claim': return 'claim'
    if levels[3] == 'region' and len(levels) > 5: return 'region event'
    return levels[3]


def tally(messages, start, end):
    """{kind: (messages, bytes of topic and payload)} a second of what one site published in that time."""
    seen = collections.defaultdict(lambda: [0, 0])
    for message in messages:
        if not start <= message.at <= end: continue
        seen[kind(message.topic)][0] += 1
        seen[kind(message.topic)][1] += len(message.topic) + len(message.payload)
    return {name: (count / (end - start), size / (end - start)) for name, (count, size) in seen.items()}
