#!/usr/bin/env python3
"""Writes the guest's initial file systems: newc archives, uncompressed (unpacking costs more than loading under emulation).

  pack.py base CACHE              CACHE/base.cpio from what fetch.sh unpacked: busybox, hcitest, kernel modules, mosquitto;
                                  CACHE/systemd.cpio: what a guest has besides that boots systemd
  pack.py overlay OUT --script FILE [--include DIR] [--program FILE[=NAME]] [--sysroot DIR]
                                  what one run adds; the kernel unpacks it over the base
"""
import argparse
import os
import pathlib
import stat
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
MODULES = """virtio_mmio virtio_console virtio_blk virtio_net hci_uart ecb cmac ccm crc32c_generic ext4""".split()
APPLETS = """sh awk cat chgrp chmod chown cmp cp cut date dd df dmesg du echo env expr false find grep head hexdump hostname id ifconfig
insmod install kill killall ln ls lsmod mkdir mknod mktemp modprobe mount mv nice pgrep pidof pkill poweroff printf ps pwd
readlink rm rmdir rmmod sed seq setsid sleep sort stat stty su sync tail tar tee test time timeout touch top tr true tty umount
uname uniq usleep wc which xargs sha256sum nc strings free""".split()
PROGRAMS = {'usr/sbin/mosquitto': 'bin/mosquitto', 'usr/bin/mosquitto_sub': 'bin/mosquitto_sub',
            'usr/bin/mosquitto_pub': 'bin/mosquitto_pub', 'usr/bin/btvirt': 'bin/btvirt',
            'bin/busybox': 'bin/busybox'}
SYSTEMD = """lib/systemd/systemd lib/systemd/systemd-journald bin/systemctl bin/journalctl bin/systemd-sysusers
bin/systemd-tmpfiles sbin/adjtimex""".split()
# Nothing else is started: the rest of Debian's units would be emulated at every boot, and prove nothing here.
UNITS = """basic.target sysinit.target multi-user.target network.target sockets.target timers.target paths.target slices.target
local-fs.target shutdown.target umount.target final.target systemd-journald.service systemd-journald.socket
systemd-journald-dev-log.socket""".split()
TRIPLES = {(2, 183): 'aarch64-linux-gnu', (1, 40): 'arm-linux-gnueabihf'}


class Archive:
    """A newc archive. Entries are written in order, parents first, each name once."""

    def __init__(self, path, known=()):
        self.out = open(path, 'wb')
        self.names = set(known)

    def entry(self, name, mode, data=b'', device=(0, 0)):
        name = name.strip('/')
        if name in self.names:
            return
        parent = os.path.dirname(name)
        if parent and parent not in self.names:
            self.entry(parent, stat.S_IFDIR | 0o755)
        self.names.add(name)
        raw = name.encode() + b'\0'
        fields = (len(self.names), mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(raw), 0)
        head = b'070701' + b''.join(b'%08x' % f for f in fields) + raw
        self.out.write(head + bytes(-len(head) % 4) + data + bytes(-len(data) % 4))

    def file(self, name, source, mode=None):
        source = pathlib.Path(source)
        if mode is None:
            mode = 0o755 if os.access(source, os.X_OK) else 0o644
        self.entry(name, stat.S_IFREG | mode, source.read_bytes())

    def link(self, name, target):
        self.entry(name, stat.S_IFLNK | 0o777, target.encode())

    def tree(self, top):
        for folder, folders, files in os.walk(top):
            for name in sorted(folders):
                path = os.path.join(folder, name)
                if os.path.islink(path):
                    self.link(os.path.relpath(path, top), os.readlink(path))
            for name in sorted(files):
                path = os.path.join(folder, name)
                if os.path.islink(path):
                    self.link(os.path.relpath(path, top), os.readlink(path))
                else:
                    self.file(os.path.relpath(path, top), path)

    def close(self):
        self.names.discard('TRAILER!!!')
        self.entry('TRAILER!!!', 0)
        self.out.close()


def elf_needs(data):
    """(triple, interpreter, [library]) of an ELF program or library; None for anything else."""
    if data[:4] != b'\x7fELF':
        return None
    wide = data[4] == 2
    triple = TRIPLES.get((data[4], struct.unpack_from('<H', data, 18)[0]))
    if triple is None:
        return None
    table, size, count = ((struct.unpack_from('<Q', data, 32)[0], *struct.unpack_from('<HH', data, 54)) if wide else
                          (struct.unpack_from('<I', data, 28)[0], *struct.unpack_from('<HH', data, 42)))
    loads, dynamic, interpreter = [], b'', None
    for at in range(table, table + size * count, size):
        if wide:
            kind, _, offset, address, _, length = struct.unpack_from('<IIQQQQ', data, at)
        else:
            kind, offset, address, _, length = struct.unpack_from('<IIIII', data, at)
        if kind == 1:
            loads.append((address, offset, length))
        elif kind == 2:
            dynamic = data[offset:offset + length]
        elif kind == 3:
            interpreter = data[offset:offset + length].rstrip(b'\0').decode()
    tags = list(struct.iter_unpack('<QQ' if wide else '<II', dynamic))
    strings = next((value for tag, value in tags if tag == 5), 0)
    strings = next((offset + strings - address for address, offset, length in loads
                    if address <= strings < address + length), 0)
    names = []
    for tag, value in tags:
        if tag == 1:
            end = data.index(b'\0', strings + value)
            names.append(data[strings + value:end].decode())
    return triple, interpreter, names


def program(archive, name, source, roots):
    """The program and, as far as they are dynamic, its interpreter and every library it needs, from the first root that has it."""
    source = pathlib.Path(source)
    archive.file(name, source, 0o755)
    waiting = [(source, elf_needs(source.read_bytes()))]
    while waiting:
        wanted_by, needs = waiting.pop()
        if needs is None:
            continue
        triple, interpreter, names = needs
        for library in names + ([interpreter.lstrip('/')] if interpreter else []):
            places = [library] if '/' in library else [f'lib/{triple}/{library}', f'usr/lib/{triple}/{library}',
                                                             f'usr/lib/{triple}/systemd/{library}']
            where = places[0]
            if where in archive.names or f'lib/{triple}/{os.path.basename(library)}' in archive.names and '/' not in library:
                continue
            found = next((root / place for root in roots for place in places if (root / place).exists()), None)
            if found is None and os.path.basename(library).startswith('ld-linux'):
                found = next((root / f'lib/{triple}' / os.path.basename(library) for root in roots
                              if (root / f'lib/{triple}' / os.path.basename(library)).exists()), None)
            if found is None:
                sys.exit(f'pack.py: {wanted_by} needs {library} ({triple}), which is in none of {", ".join(map(str, roots))}')
            archive.file(where, found, 0o755)
            waiting.append((found, elf_needs(found.read_bytes())))


def modules(archive, kernel):
    """The named modules and what they depend on, with the modules.dep that busybox's modprobe reads."""
    top = next((kernel / 'lib/modules').iterdir())
    by_name = {p.stem.replace('-', '_'): p for p in top.rglob('*.ko')}
    depends = {}

    def visit(name):
        if name in depends or name not in by_name:
            return
        info = by_name[name].read_bytes()
        at = info.index(b'\0depends=') if b'\0depends=' in info else info.index(b'depends=') - 1
        words = info[at + 9:info.index(b'\0', at + 9)].decode()
        depends[name] = [w.replace('-', '_') for w in words.split(',') if w]
        for other in depends[name]:
            visit(other)

    def closure(name):
        """In modules.dep's order: what stands last is loaded first, so each stands after everyone who needs it."""
        out = []
        for other in depends[name]:
            for found in [other, *closure(other)]:
                if found in by_name:
                    out = [x for x in out if x != found] + [found]
        return out

    for name in MODULES:
        visit(name)
    lines = []
    for name in sorted(depends):
        rel = {n: str(by_name[n].relative_to(top)) for n in [name, *closure(name)]}
        lines.append(f'{rel[name]}: {" ".join(rel[n] for n in closure(name))}\n')
        archive.file(f'lib/modules/{top.name}/{rel[name]}', by_name[name], 0o644)
    archive.entry(f'lib/modules/{top.name}/modules.dep', stat.S_IFREG | 0o644, ''.join(lines).encode())


def base(cache):
    cache = pathlib.Path(cache)
    archive = Archive(cache / 'base.cpio.new')
    for folder in 'proc sys dev tmp run data root var/log etc bin sbin usr/bin lib'.split():
        archive.entry(folder, stat.S_IFDIR | 0o755)
    # The kernel opens it for PID 1 before anything is mounted.
    archive.entry('dev/console', stat.S_IFCHR | 0o600, device=(5, 1))
    archive.file('init', HERE / 'init.sh', 0o755)
    for source, name in PROGRAMS.items():
        program(archive, name, cache / 'arm64' / source, [cache / 'arm64'])
    for applet in APPLETS:
        archive.link(f'bin/{applet}', 'busybox')
    archive.link('sbin/modprobe', '../bin/busybox')
    program(archive, 'bin/hcitest', cache / 'hcitest-arm64', [cache / 'arm64'])
    program(archive, 'bin/hcitest-armhf', cache / 'hcitest-armhf', [cache / 'armhf'])
    archive.entry('etc/passwd', stat.S_IFREG | 0o644, b'root:x:0:0:root:/root:/bin/sh\nguest:x:1000:1000::/tmp:/bin/sh\n')
    archive.entry('etc/group', stat.S_IFREG | 0o644, b'root:x:0:\nguest:x:1000:\n')
    archive.entry('etc/hosts', stat.S_IFREG | 0o644, b'127.0.0.1 localhost\n')
    modules(archive, cache / 'kernel')
    archive.close()
    os.replace(cache / 'base.cpio.new', cache / 'base.cpio')
    systemd(cache, archive.names)


def systemd(cache, known):
    """Debian's systemd as PID 1, a journal in memory, and the rig's script as one service beside the one that is tested."""
    archive = Archive(cache / 'systemd.cpio.new', known)
    for folder in 'home var/tmp var/lib etc/systemd/system/multi-user.target.wants etc/systemd/system/sysinit.target.wants'.split():
        archive.entry(folder, stat.S_IFDIR | 0o755)
    for name in SYSTEMD:
        program(archive, name, cache / 'arm64' / name, [cache / 'arm64'])
    for name in UNITS:
        archive.file(f'lib/systemd/system/{name}', cache / 'arm64/lib/systemd/system' / name)
    archive.file('etc/systemd/system/script.service', HERE / 'script.service')
    archive.link('etc/systemd/system/multi-user.target.wants/script.service', '../script.service')
    archive.link('etc/systemd/system/sysinit.target.wants/systemd-journald.service', '/lib/systemd/system/systemd-journald.service')
    archive.entry('etc/systemd/journald.conf', stat.S_IFREG | 0o644, b'[Journal]\nStorage=volatile\nRuntimeMaxUse=8M\n')
    # With one of its own the machine would take this for its first boot, and switch on what nobody asked for.
    archive.entry('etc/machine-id', stat.S_IFREG | 0o444, b'0123456789abcdef0123456789abcdef\n')
    archive.close()
    os.replace(cache / 'systemd.cpio.new', cache / 'systemd.cpio')


def overlay(out, script, includes, programs, sysroots):
    archive = Archive(out)
    archive.file('script', script, 0o755)
    for include in includes:
        archive.tree(include)
    for word in programs:
        path, _, name = word.partition('=')
        program(archive, f'bin/{name or os.path.basename(path)}', path, [pathlib.Path(s) for s in sysroots])
    archive.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest='verb', required=True)
    verbs.add_parser('base').add_argument('cache')
    add = verbs.add_parser('overlay')
    add.add_argument('out')
    add.add_argument('--script', required=True)
    for word in 'include', 'program', 'sysroot':
        add.add_argument(f'--{word}', action='append', default=[])
    words = parser.parse_args()
    if words.verb == 'base':
        base(words.cache)
    else:
        overlay(words.out, words.script, words.include, words.program, words.sysroot)


if __name__ == '__main__':
    main()
