"""A small file system that can be filled up, which needs root; and disks that fail, take their time or hang when they are told to."""
import contextlib
import os
import pathlib
import shutil
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


class Stall:
    """A disk that hangs, for a program that runs with .env: on('part of a path') until off(). written() is what it wrote out and renamed."""

    def __init__(self, folder):
        self.words, self.log = pathlib.Path(folder) / 'stalled', pathlib.Path(folder) / 'written'
        source = pathlib.Path(__file__).with_name('stall.c')
        library = source.parents[2] / 'build' / 'stall' / 'stall.so'
        if not library.exists() or library.stat().st_mtime < source.stat().st_mtime:
            library.parent.mkdir(parents=True, exist_ok=True)
            new = library.with_suffix(f'.{os.getpid()}')
            compiler = shutil.which('cc') or shutil.which('clang') or pathlib.Path(shutil.which('swift')).resolve().with_name('clang')
            subprocess.run([compiler, '-shared', '-fPIC', '-O1', '-Wall', '-Wextra', '-o', new, source, '-ldl'], check=True)
            new.rename(library)
        self.env = {'LD_PRELOAD': str(library), 'STALL': str(self.words), 'STALL_LOG': str(self.log)}

    def on(self, part):
        new = self.words.with_suffix('.new')
        new.write_text(part)
        new.rename(self.words)

    def off(self):
        self.words.unlink(missing_ok=True)

    def written(self):
        return self.log.read_text().splitlines() if self.log.exists() else []
