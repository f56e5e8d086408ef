"""A small file system that can be filled up, which needs root; and a disk that fails, or takes its time, when it is told to."""
import contextlib
import os
import pathlib
import subprocess


class Disk:
    """`with Disk(folder, '4m') as disk:` is None where mounting is not allowed."""

    def __init__(self, folder, size):
        self.path, self.size = pathlib.Path(folder), size

    def __enter__(self):
        self.path.mkdir()
        mounted = subprocess.run(['mount', '-t', 'tmpfs', '-o', f'size={self.size}', 'tmpfs', self.path], stderr=subprocess.DEVNULL)
        self.mounted = mounted.returncode == 0
        return self if self.mounted else None

    def __exit__(self, *_):
        if self.mounted: subprocess.run(['umount', self.path], check=True)

    def fill(self):
        ballast = os.open(self.path / 'ballast', os.O_WRONLY | os.O_CREAT)
        with contextlib.suppress(OSError):
            while os.write(ballast, bytes(4096)): pass
        os.close(ballast)

    def relieve(self):
        (self.path / 'ballast').unlink(missing_ok=True)


class FaultyDisk:
    """Whoever runs with `env` writes to files whose path contains `part` as `says` wants it: disk-shim.c has its words."""

    def __init__(self, folder, part):
        shim, self.word = folder / 'disk.so', folder / 'fault'
        source = pathlib.Path(__file__).with_name('disk-shim.c')
        subprocess.run(['cc', '-shared', '-fPIC', '-Wall', '-Wextra', '-Werror', '-O1', '-o', shim, source, '-ldl'], check=True)
        self.env = {'LD_PRELOAD': str(shim), 'DISK_FAULT': str(self.word), 'DISK_PATH': part}

    def says(self, word=''):
        new = self.word.with_suffix('.new')
        new.write_text(word)
        new.replace(self.word)
