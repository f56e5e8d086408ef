"""A terminal for tests: a shell in tmux that is typed into and read from."""
import subprocess

from process import wait_until


class Then:
    """A text that is made when it is needed."""

    def __init__(self, words):
        self.words = words

    def __str__(self):
        return str(self.words())


class Terminal:
    """A shell in a tmux of its own, without the user's configuration."""

    def __init__(self, folder, columns=150, rows=24):
        self.socket = folder / 'tmux'
        self.tmux('-f', '/dev/null', 'new-session', '-d', '-x', columns, '-y', rows, 'env', 'PS1=ready> ', 'LC_ALL=C.UTF-8', 'sh', '-i')
        self.tmux('set-option', '-g', 'window-size', 'manual')
        self.shows('ready>')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tmux('kill-server')

    def tmux(self, *words):
        told = subprocess.run(['tmux', '-S', str(self.socket), *map(str, words)], capture_output=True, text=True, timeout=10)
        assert told.returncode == 0, (words, told.stderr)
        return told.stdout

    def type(self, text):
        self.tmux('send-keys', '-l', text)

    def key(self, name):
        self.tmux('send-keys', name)

    def enter(self, line):
        self.type(line)
        self.key('Enter')

    def screen(self):
        return self.tmux('capture-pane', '-p').split('\n')[:-1]

    def shows(self, part, seconds=10):
        wait_until(lambda: any(part in line for line in self.screen()), seconds, Then(lambda: f'"{part}" on {self.screen()}'))

    def state(self):
        """What a program must restore: the line discipline, the screen, the cursor, the wrapping of lines."""
        pane = self.tmux('display-message', '-p', '#{alternate_on} #{cursor_flag} #{wrap_flag} #{pane_tty}').split()
        return pane[:3] + [subprocess.run(['stty', '-g', '-F', pane[3]], capture_output=True, text=True, check=True).stdout]

    def child(self):
        """The program that runs in the shell."""
        shell = int(self.tmux('display-message', '-p', '#{pane_pid}'))
        children = open(f'/proc/{shell}/task/{shell}/children').read().split()
        return int(children[0]) if children else None
