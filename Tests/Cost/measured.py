"""What the measurements of the whole product share: options, the program, a gateway, and what the kernel counts of its threads."""
import pathlib
import re
import sys

from rig import Program

HERE = pathlib.Path(__file__).resolve().parent
# Of the command line, without the options that have been asked for.
words = sys.argv[1:]
EVERYTHING = '[[region]]\nname = "all"\nmatch = "*"\n'
UNKNOWN = '[privacy]\nunknown = "publish"\n'
CONFIG = '''[gateway]
purpose = "Is measured."
devices = {devices}
[[radio]]
name = "r"
adapter = "{adapter}"
{tables}[mqtt]
port = {port}
{mqtt}
[outbox]
path = "{folder}/outbox.db"
'''


def option(name):
    """Whether it was given."""
    return name in words and not words.remove(name)


def product():
    return words[0] if words else HERE.parents[1] / 'build' / 'amd64' / 'forecourt'


def gateway(folder, adapter, port, tables=EVERYTHING, before=(), env=None, devices=4_096, mqtt=''):
    """The product, not yet started; `before` is what it runs under. Its configuration is config.toml in the folder."""
    config, said = pathlib.Path(folder) / 'config.toml', pathlib.Path(folder) / 'words'
    said.unlink(missing_ok=True)
    config.write_text(CONFIG.format(devices=devices, adapter=adapter, tables=tables, port=port, mqtt=mqtt, folder=folder))
    return Program([*before, product(), 'run', '--config', config], said, env=env)


def taken(pid):
    """Seconds on a core of all its threads, and how often each has slept, by name."""
    seconds, sleeps = 0, {}
    for task in pathlib.Path(f'/proc/{pid}/task').iterdir():
        seconds += int((task / 'schedstat').read_text().split()[0]) / 1e9
        sleeps[f'{(task / "comm").read_text().strip()}/{task.name}'] = int(
            re.search(r'^voluntary_ctxt_switches:\s+(\d+)', (task / 'status').read_text(), re.M)[1])
    return seconds, sleeps
