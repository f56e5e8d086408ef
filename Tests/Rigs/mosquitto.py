"""A mosquitto of our own: a free loopback port, its own folder and config, killed, paused and restarted at will."""
import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile

import certificates
from process import Server, accepts, free_port

SERVERS = ('server', 'wrong-name', 'expired', 'future', 'other')


def program(name):
    found = shutil.which(name, path=os.environ.get('PATH', '') + ':/usr/sbin:/sbin')
    if not found:
        raise FileNotFoundError(f'{name} is missing: run deploy/packages.sh test rigs')
    return found


class Mosquitto(Server):
    """tls: one of SERVERS (which certificate the broker shows). client_certificates: it demands one and takes its CN for the
    user's name. users: {name: password}. acl: the text of an acl_file. watch: a second port, open to all, without TLS, for the
    test's own eyes (the same as port where nothing is protected)."""

    name = 'mosquitto'

    def __init__(self, port=None, persistence=False, users=None, acl=None, tls=None, client_certificates=False, config=''):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='mosquitto-'))
        self.port = port or free_port()
        guarded = bool(tls or users or acl or client_certificates)
        self.watch = free_port() if guarded else self.port
        self.certificates = certificates.make(self.folder / 'tls') if tls else None
        lines = ['per_listener_settings true', f'listener {self.port} 127.0.0.1', f'allow_anonymous {str(not users).lower()}']
        if users:
            lines.append(f'password_file {self._passwords(users)}')
        if acl:
            (self.folder / 'acl').write_text(acl)
            (self.folder / 'acl').chmod(0o600)
            lines.append(f'acl_file {self.folder}/acl')
        if tls:
            assert tls in SERVERS, tls
            lines += [f'cafile {self.certificates}/ca.pem', f'certfile {self.certificates}/{tls}.pem',
                      f'keyfile {self.certificates}/{tls}.key']
        if client_certificates:
            lines += ['require_certificate true', 'use_identity_as_username true']
        if guarded:
            lines += [f'listener {self.watch} 127.0.0.1', 'allow_anonymous true']
        lines += [f'user {pwd.getpwuid(os.getuid()).pw_name}', 'log_dest stderr', 'log_type all', 'log_timestamp_format %s',
                  f'persistence {str(persistence).lower()}', f'persistence_location {self.folder}/', config]
        (self.folder / 'mosquitto.conf').write_text('\n'.join(lines) + '\n')
        super().__init__([program('mosquitto'), '-c', self.folder / 'mosquitto.conf'], self.folder / 'log')

    def _passwords(self, users):
        path = self.folder / 'passwords'
        path.touch(mode=0o600)
        for name, password in users.items():
            subprocess.run([program('mosquitto_passwd'), '-b', path, name, password], check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
        return path

    def serves(self):
        return accepts(self.port) and accepts(self.watch)

    def restart(self):
        """In order: it says goodbye and, with persistence, saves."""
        self.stop()
        self.start()

    def __exit__(self, *_):
        super().__exit__()
        shutil.rmtree(self.folder, ignore_errors=True)
