"""Certificates for TLS tests, made in a moment and thrown away with their folder: a right one and each kind of wrong one."""
import datetime
import ipaddress

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

DAY = datetime.timedelta(days=1)


class Authority:
    def __init__(self, folder, name):
        self.folder, self.key = folder, ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f'forecourt test {name}')])
        self.path = folder / f'{name}.pem'
        built = self._builder(self.name, self.key.public_key(), -DAY, 30 * DAY).add_extension(
            x509.BasicConstraints(ca=True, path_length=0), critical=True).add_extension(
            x509.KeyUsage(False, False, False, False, False, True, True, False, False), critical=True)
        self._write(self.path, built.sign(self.key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))

    def _builder(self, subject, public, begins, ends):
        now = datetime.datetime.now(datetime.timezone.utc)
        return (x509.CertificateBuilder().subject_name(subject).issuer_name(self.name).public_key(public)
                .serial_number(x509.random_serial_number()).not_valid_before(now + begins).not_valid_after(now + ends))

    @staticmethod
    def _write(path, data, mode=0o644):
        path.write_bytes(data)
        path.chmod(mode)

    def issue(self, file, common, hosts=(), begins=-DAY, ends=30 * DAY, client=False):
        """file.pem and file.key in the folder."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])
        usage = ExtendedKeyUsageOID.CLIENT_AUTH if client else ExtendedKeyUsageOID.SERVER_AUTH
        built = self._builder(subject, key.public_key(), begins, ends).add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
        if hosts:
            names = [x509.IPAddress(ipaddress.ip_address(h)) if h[0].isdigit() else x509.DNSName(h) for h in hosts]
            built = built.add_extension(x509.SubjectAlternativeName(names), critical=False)
        self._write(self.folder / f'{file}.pem', built.sign(self.key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
        self._write(self.folder / f'{file}.key', key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()), 0o600)


def make(folder):
    """ca.pem and other-ca.pem; servers: server, wrong-name, expired, future, other (by the other authority);
    clients: client (CN gateway-1), client-2 (CN gateway-2), client-expired, client-other."""
    folder.mkdir(parents=True, exist_ok=True)
    authority, other = Authority(folder, 'ca'), Authority(folder, 'other-ca')
    here = ('localhost', '127.0.0.1')
    authority.issue('server', 'localhost', here)
    authority.issue('wrong-name', 'elsewhere.test', ('elsewhere.test',))
    authority.issue('expired', 'localhost', here, -30 * DAY, -DAY)
    authority.issue('future', 'localhost', here, DAY, 30 * DAY)
    other.issue('other', 'localhost', here)
    authority.issue('client', 'gateway-1', client=True)
    authority.issue('client-2', 'gateway-2', client=True)
    authority.issue('client-expired', 'gateway-1', begins=-30 * DAY, ends=-DAY, client=True)
    other.issue('client-other', 'gateway-1', client=True)
    return folder
