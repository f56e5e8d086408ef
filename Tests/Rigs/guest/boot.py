#!/usr/bin/env python3
"""An arm64 machine with Debian's kernel that runs one shell script: QEMU (emulated, no KVM), up in about a second.

As a program (run.sh calls it): prints what the guest prints, line by line, and exits as the guest's script did.
As a module: Guest(...), a context manager with lines, wait_for, send, cut (the power goes).
"""
import argparse
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
sys.path.insert(0, str(HERE.parent))

from process import die_with_parent  # noqa: E402

TIMED_OUT, NO_EXIT = 124, 125


def controller(spec):
    """unix:PATH or tcp:HOST:PORT as QEMU spells it; it connects again whenever the other side comes back."""
    kind, _, rest = spec.partition(':')
    if kind == 'unix':
        return f'path={rest},reconnect=1'
    host, _, port = rest.rpartition(':')
    return f'host={host},port={port},reconnect=1'


def make_disk(path, megabytes=64):
    """A sparse ext4 image for Guest(disk=...)."""
    with open(path, 'wb') as image:
        image.truncate(megabytes << 20)
    mke2fs = shutil.which('mke2fs', path=os.environ.get('PATH', '') + ':/usr/sbin:/sbin')
    subprocess.run([mke2fs, '-q', '-F', '-t', 'ext4', str(path)], check=True)
    return path


class Guest:
    """One boot. Lines of its console gather in .lines; .code is the script's exit status once it has ended."""

    def __init__(self, script, include=(), program=(), sysroot=(), controllers=(), attach=True, disk=None, out=None,
                 forward=(), memory=256, cpus=1, timeout=120, kernel_words='', qemu=(), systemd=False):
        self.timeout, self.lines, self.code = timeout, [], None
        self.out, self._fresh = out, queue.Queue()
        built = subprocess.run([HERE / 'build.sh'], check=True, stdout=subprocess.PIPE, text=True)
        cache = pathlib.Path(built.stdout.strip())
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='guest-'))
        self._initrd(cache, ['base.cpio', 'systemd.cpio'] if systemd else ['base.cpio'], script, include, program, sysroot)
        kernel = next((cache / 'kernel/boot').glob('vmlinuz-*'))
        devices, words = self._devices(controllers, disk, forward)
        words += ['console=ttyAMA0', 'quiet', 'panic=-1', 'cryptomgr.notests=1', 'rdinit=/init', f'attach={int(attach)}', kernel_words]
        words += ['systemd=1', 'systemd.unit=multi-user.target', 'systemd.show_status=0'] if systemd else []
        args = ['qemu-system-aarch64', '-M', 'virt', '-cpu', 'cortex-a53', '-smp', str(cpus), '-m', str(memory), '-nodefaults',
                '-display', 'none', '-no-reboot', '-chardev', 'stdio,id=console,signal=off', '-serial', 'chardev:console',
                '-kernel', str(kernel), '-initrd', str(self.folder / 'initrd'), *devices, *qemu, '-append', ' '.join(words)]
        self.started = time.monotonic()
        self.process = subprocess.Popen(args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        preexec_fn=die_with_parent)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _devices(self, controllers, disk, forward):
        """QEMU's words for what is plugged in, and the words by which init.sh learns of it."""
        args, words = [], [f'controllers={len(controllers)}']
        if controllers or self.out:
            args += ['-device', 'virtio-serial-device,max_ports=16']
        for index, spec in enumerate(controllers):
            args += ['-chardev', f'socket,id=c{index},{controller(spec)}', '-device', f'virtconsole,chardev=c{index}']
        if self.out:
            words.append('out=1')
            args += ['-chardev', f'file,id=out,path={self.folder}/out.tar', '-device', 'virtserialport,chardev=out,name=out']
        if disk:
            words.append('disk=1')
            args += ['-drive', f'if=none,id=disk,format=raw,file={disk}', '-device', 'virtio-blk-device,drive=disk']
        if not forward:
            return [*args, '-nic', 'none'], words
        words.append('address=10.0.2.15')  # restrict: nothing leaves the guest; the host's loopback ports lead in
        ports = ''.join(f',hostfwd=tcp:127.0.0.1:{here}-:{there}' for here, _, there in (pair.partition(':') for pair in forward))
        return [*args, '-netdev', f'user,id=net,restrict=on{ports}', '-device', 'virtio-net-device,netdev=net'], words

    def _initrd(self, cache, parts, script, include, program, sysroot):
        words = [word for name, values in (('--include', include), ('--program', program),
                                           ('--sysroot', [*sysroot, cache / 'arm64', cache / 'armhf'])) for value in values
                 for word in (name, str(value))]
        added = self.folder / 'overlay.cpio'
        subprocess.run([sys.executable, HERE / 'pack.py', 'overlay', added, '--script', str(script), *words], check=True)
        with open(self.folder / 'initrd', 'wb') as initrd:
            for part in [*(cache / name for name in parts), added]:
                initrd.write(part.read_bytes())
                initrd.write(bytes(-initrd.tell() % 512))

    def _read(self):
        blank = 0  # held back: the last one may be only the end marker's
        for raw in self.process.stdout:
            line = raw.decode(errors='replace').rstrip('\r\n')
            if line.startswith('guest-exit '):
                self.code = int(line.split()[1])
            elif not line:
                blank += 1
            elif self.code is None:  # what the kernel says after that is of no interest
                for each in [''] * blank + [line]:
                    self.lines.append(each)
                    self._fresh.put(each)
                blank = 0
        self._fresh.put(None)

    def wait_for(self, text, timeout=30):
        """The next line that holds the text. Lines before it are passed over."""
        until = time.monotonic() + timeout
        while True:
            try:
                line = self._fresh.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                line = None
            if line is None:
                raise TimeoutError(f'no "{text}" from the guest in {timeout} s:\n' + '\n'.join(self.lines[-40:]))
            if text in line:
                return line

    def send(self, line):
        """A line for the script's standard input."""
        self.process.stdin.write(line.encode() + b'\n')
        self.process.stdin.flush()

    def cut(self):
        """The power goes: nothing in the guest runs on, nothing is flushed."""
        self.process.kill()
        self.process.wait()
        self._reader.join(5)

    def wait(self):
        """The script's exit status; TIMED_OUT or NO_EXIT (the kernel or QEMU ended before the script did)."""
        try:
            self.process.wait(max(0.1, self.timeout - (time.monotonic() - self.started)))
        except subprocess.TimeoutExpired:
            self.cut()
            return TIMED_OUT
        self._reader.join(5)
        if self.out and (self.folder / 'out.tar').exists():
            os.makedirs(self.out, exist_ok=True)
            subprocess.run(['tar', '-x', '-m', '-C', self.out, '-f', self.folder / 'out.tar'], check=True)
        return NO_EXIT if self.code is None else self.code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.cut()
        shutil.rmtree(self.folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(prog='run.sh', description=__doc__.split('\n')[0])
    several = {'action': 'append', 'default': []}
    parser.add_argument('--script', required=True, help='what the guest runs; its exit status is ours')
    parser.add_argument('--include', **several, help="a directory laid over the guest's root")
    parser.add_argument('--program', **several, help='FILE[=NAME]: an arm64 or armhf program for /bin, with its libraries')
    parser.add_argument('--sysroot', **several, help='where the libraries of --program are looked for first')
    parser.add_argument('--controller', **several, dest='controllers', help='unix:PATH or tcp:HOST:PORT of air.py: hci0, hci1, …')
    parser.add_argument('--no-attach', action='store_false', dest='attach', help='the script itself calls plug N')
    parser.add_argument('--disk', help='ext4 image, /data in the guest; made (64 MB) if missing')
    parser.add_argument('--out', help='directory that gets what the script left in /out')
    parser.add_argument('--forward', **several, help='HOSTPORT:GUESTPORT, on the loopback')
    parser.add_argument('--systemd', action='store_true', help='systemd is PID 1, and the script a service of it')
    parser.add_argument('--memory', type=int, default=256)
    parser.add_argument('--cpus', type=int, default=1)
    parser.add_argument('--timeout', type=float, default=120)
    words = vars(parser.parse_args())
    if words['disk'] and not os.path.exists(words['disk']):
        make_disk(words['disk'])
    with Guest(**words) as guest:
        printer = threading.Thread(target=lambda: [print(line, flush=True) for line in iter(guest._fresh.get, None)], daemon=True)
        printer.start()
        code = guest.wait()
        printer.join(5)
    if code in (TIMED_OUT, NO_EXIT):
        print(f'run.sh: {"time is up" if code == TIMED_OUT else "the guest ended before its script"}', file=sys.stderr)
    sys.exit(code)


if __name__ == '__main__':
    main()
