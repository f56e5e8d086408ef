"""RabbitMQ with its MQTT plugin, one node or a cluster: a second broker, that nobody of mosquitto's wrote.

Debian's 3.10 speaks MQTT 3.1.1 (no MQTT 5). Names, ports, data and the name server (epmd) are our own and on the loopback;
the distribution's service is neither used nor touched.
"""
import contextlib
import os
import pathlib
import secrets
import shutil
import socket
import tempfile

from process import Server, accepts, free_port

SERVERS = pathlib.Path('/usr/lib/rabbitmq/lib')


def greets(port, users):
    """Whether an MQTT CONNECT is accepted. In a cluster that takes an elected leader, some time after the ports are open."""
    words = [f'probe-{secrets.token_hex(4)}', *(next(iter(users.items())) if users else ())]
    fields = b''.join(len(w).to_bytes(2, 'big') + w.encode() for w in words)
    body = b'\0\4MQTT\4' + (b'\xc2' if users else b'\2') + b'\0\x0a' + fields
    with contextlib.suppress(OSError), socket.create_connection(('127.0.0.1', port), 2) as line:
        line.sendall(bytes([0x10, len(body)]) + body)
        answer = line.recv(4)
        line.sendall(b'\xe0\0')
        return answer == b'\x20\2\0\0'
    return False


class Node(Server):
    """One member; .port speaks MQTT."""

    # It starts slowly, the more so while other scripts run.
    patience = 120

    def __init__(self, cluster, number, users):
        self.name, self.folder = f'rig{number}@localhost', cluster.folder / str(number)
        self.port, self.amqp, self.distribution = free_port(), free_port(), free_port()
        self.cluster, self.users = cluster, users
        self.folder.mkdir()

    def configure(self, members):
        lines = [f'listeners.tcp.1 = 127.0.0.1:{self.amqp}', f'mqtt.listeners.tcp.1 = 127.0.0.1:{self.port}',
                 f'mqtt.allow_anonymous = {str(not self.users).lower()}', 'mqtt.vhost = /', 'mqtt.exchange = amq.topic',
                 'log.console = true', 'log.console.level = info', 'log.file = false', 'disk_free_limit.absolute = 1MB',
                 'vm_memory_high_watermark.absolute = 1GB']
        if self.users:
            (name, password), = self.users.items()
            lines += [f'default_user = {name}', f'default_pass = {password}']
        if len(members) > 1:
            lines += ['cluster_formation.peer_discovery_backend = classic_config', 'cluster_partition_handling = pause_minority']
            lines += [f'cluster_formation.classic_config.nodes.{i + 1} = {m.name}' for i, m in enumerate(members)]
        (self.folder / 'rabbitmq.conf').write_text('\n'.join(lines) + '\n')
        (self.folder / 'plugins').write_text('[rabbitmq_mqtt].\n')
        super().__init__([self.cluster.scripts / 'rabbitmq-server'], self.folder / 'log', cwd=self.folder, env={
            **self.cluster.env, 'RABBITMQ_NODENAME': self.name, 'RABBITMQ_CONFIG_FILE': str(self.folder / 'rabbitmq.conf'),
            'RABBITMQ_CONF_ENV_FILE': '/dev/null', 'RABBITMQ_ENABLED_PLUGINS_FILE': str(self.folder / 'plugins'),
            'RABBITMQ_MNESIA_BASE': str(self.folder), 'RABBITMQ_LOG_BASE': str(self.folder), 'RABBITMQ_LOGS': '-',
            'RABBITMQ_PID_FILE': str(self.folder / 'pid'), 'RABBITMQ_DIST_PORT': str(self.distribution),
            'RABBITMQ_GENERATED_CONFIG_DIR': str(self.folder),
            # Then the script becomes the Erlang machine, and the pid we started is the pid we stop.
            'RUNNING_UNDER_SYSTEMD': 'true',
            'RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS': '+S 2:2 +sbwt none -start_epmd false -kernel inet_dist_use_interface {127,0,0,1}'})

    def launch(self):
        # Of each start its own words: serves() reads them.
        open(self.output, 'w').close()
        super().launch()

    def serves(self):
        return 'Server startup complete' in self.said() and greets(self.port, self.users)

    def stop(self, seconds=20):
        super().stop(seconds)


class NameServer(Server):
    """Erlang's epmd, by which the nodes find each other."""

    name = 'epmd'

    def __init__(self, folder):
        self.port = free_port()
        super().__init__([shutil.which('epmd') or '/usr/lib/erlang/bin/epmd', '-port', self.port, '-address', '127.0.0.1'],
                         folder / 'epmd.log')

    def serves(self):
        return accepts(self.port)


class Rabbit:
    """with Rabbit() as broker: broker.port; with Rabbit(nodes=3) as cluster: cluster.nodes[i].port."""

    def __init__(self, nodes=1, users=None):
        server = sorted(SERVERS.glob('rabbitmq_server-*/sbin')) if SERVERS.exists() else []
        if not server:
            raise FileNotFoundError('rabbitmq-server is missing: run deploy/packages.sh test rigs')
        self.scripts = server[-1]
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='rabbit-'))
        cookie = self.folder / '.erlang.cookie'
        cookie.write_text(secrets.token_hex(16))
        cookie.chmod(0o400)
        self.names = NameServer(self.folder)
        self.env = {'HOME': str(self.folder), 'ERL_EPMD_PORT': str(self.names.port), 'ERL_EPMD_ADDRESS': '127.0.0.1', 'LANG': 'C.UTF-8'}
        self.nodes = [Node(self, number, users) for number in range(1, nodes + 1)]
        for node in self.nodes:
            node.configure(self.nodes)

    @property
    def port(self):
        return self.nodes[0].port

    def __enter__(self):
        try:
            self.names.start()
            for node in self.nodes:
                node.launch()
            for node in self.nodes:
                node.ready(Node.patience)
            return self
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        for node in self.nodes:
            node.kill()
        self.names.kill()
        if not os.environ.get('RIG_KEEP'):
            shutil.rmtree(self.folder, ignore_errors=True)
