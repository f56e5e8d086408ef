"""A small file system that can be filled up, which needs root; and a disk that fails, crawls or hangs, for one program."""
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
    """For a program that runs with .env: fails(part of a path), crawls(part, milliseconds) or hangs(part), until heals()."""

    def __init__(self, folder):
        self.fault, self.log = pathlib.Path(folder) / 'fault', pathlib.Path(folder) / 'written'
        source = pathlib.Path(__file__).with_name('faulty-disk.c')
        library = source.parents[2] / 'build' / 'rigs' / 'faulty-disk.so'
        if not library.exists() or library.stat().st_mtime < source.stat().st_mtime:
            library.parent.mkdir(parents=True, exist_ok=True)
            new = library.with_suffix(f'.{os.getpid()}')
            compiler = shutil.which('cc') or shutil.which('clang') or pathlib.Path(shutil.which('swift')).resolve().with_name('clang')
            subprocess.run([compiler, '-shared', '-fPIC', '-O1', '-Wall', '-Wextra', '-Werror', '-o', new, source, '-ldl'], check=True)
            new.rename(library)
        self.env = {'LD_PRELOAD': str(library), 'DISK_FAULT': str(self.fault), 'DISK_LOG': str(self.log)}

    def fails(self, part):
        self._becomes('fail', part)

    def crawls(self, part, milliseconds):
        self._becomes('slow', part, milliseconds)

    def hangs(self, part):
        self._becomes('hang', part)

    def heals(self):
        self.fault.unlink(missing_ok=True)

    def written(self):
        """What it synced and renamed, in that order."""
        return self.log.read_text().splitlines() if self.log.exists() else []

    def _becomes(self, kind, part, milliseconds=0):
        new = self.fault.with_suffix('.new')
        new.write_text(f'{kind} {milliseconds} {part}')
        new.rename(self.fault)
