"""feed.c and loop.c, compiled; and a feeder at work, to which gateways and loops connect."""
import pathlib
import subprocess
import time

from process import die_with_parent

HERE = pathlib.Path(__file__).resolve().parent


def compiled(folder):
    for name, more in (('feed', []), ('loop', []), ('adapter-shim', ['-shared', '-fPIC'])):
        subprocess.run(['gcc', '-O2', '-Wall', '-Wextra', '-Werror', *more, HERE / f'{name}.c', '-o', f'{folder}/{name}'], check=True)


class Feed:
    def __init__(self, folder, kind='stream'):
        self.path = pathlib.Path(f'{folder}/{kind}')
        self.path.unlink(missing_ok=True)
        self.process = subprocess.Popen([f'{folder}/feed', self.path, kind], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        preexec_fn=die_with_parent)
        while not self.path.exists(): time.sleep(0.01)

    def feed(self, rate, seconds, devices=50):
        """How many it sent to each, and how many the first caller's line had no room for."""
        self.process.stdin.write(f'{rate} {seconds} {devices}\n')
        self.process.stdin.flush()
        return [int(word) for word in self.process.stdout.readline().split()]

    def close(self):
        self.process.stdin.close()
        self.process.wait(5)
