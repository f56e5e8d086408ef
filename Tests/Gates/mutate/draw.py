"""Which mistakes are tried: all of a change, or a sample by seed in which every line of code weighs the same; and the equivalent ones."""
import pathlib
import random
import re
import subprocess

from kinds import mutants
from tokens import Source

HERE = pathlib.Path(__file__).parent
ENDINGS = ('.swift', '.c', '.cpp')


def sources(root, parts):
    """The product's files below these parts of Sources, all by default."""
    found = []
    for part in parts or ['']:
        place = root / 'Sources' / part
        found += [place] if place.is_file() else [path for path in place.rglob('*') if path.suffix in ENDINGS]
    if not found:
        raise SystemExit(f'mutate: there are no sources in {" ".join(parts)}')
    return sorted({str(path.relative_to(root)) for path in found})


def sample(root, paths, seed, marked):
    """Mistakes without end, or until there are no more. First a line, then a kind of mistake there, then one of that kind."""
    chance = random.Random(seed)
    lines = {}
    for path in paths:
        text = (root / path).read_text()
        for line in Source(text, not path.endswith('.swift')).code_lines():
            lines[path, line] = []
        for one in mutants(path, text):
            lines[path, one.line].append(one)
    order = sorted(lines)
    chance.shuffle(order)
    for place in order:
        if found := lines[place]:
            kind = chance.choice(sorted({one.kind for one in found}))
            one = chance.choice([one for one in found if one.kind == kind])
            # Marks are left out here, so that a new one changes nothing else about the sample.
            if one not in marked:
                yield one


def changed(root, base):
    """The lines of the product that differ from a commit, by file."""
    command = ['git', '-C', str(root), 'diff', '--unified=0', '--no-color', base, '--', 'Sources']
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f'mutate: {done.stderr.strip()}')
    lines, path = {}, None
    for line in done.stdout.splitlines():
        if line.startswith('+++ '):
            path = line[6:] if line.startswith('+++ b/') else None
        elif path and (match := re.match(r'@@ -\S+ \+(\d+)(?:,(\d+))?', line)):
            first = int(match[1])
            lines.setdefault(path, set()).update(range(first, first + int(match[2] or 1)))
    command = ['git', '-C', str(root), 'ls-files', '--others', '--exclude-standard', 'Sources']
    listed = subprocess.run(command, capture_output=True, text=True)
    for path in listed.stdout.splitlines():
        lines[path] = set(range(1, len((root / path).read_text().split('\n')) + 1))
    return {path: lines[path] for path in sorted(lines) if path.endswith(ENDINGS)}


def of_change(root, lines, marked):
    """Every kind of mistake once on each changed line, so that what is new is tried thoroughly."""
    for path in lines:
        seen = set()
        for one in mutants(path, (root / path).read_text()):
            if one.line in lines[path] and (one.line, one.kind) not in seen and one not in marked:
                seen.add((one.line, one.kind))
                yield one


class Stale(Exception):
    """Marks that fit no mistake any more."""


def equivalents(root, text=None):
    """The mistakes that change nothing a test could see, each with its reason. A mark is three lines: the file and the kind of mistake;
    the line as it stands; why. What stands in the line and what replaces it follow the kind: `edge moved: < → <=`."""
    text = (HERE / 'equivalent.txt').read_text() if text is None else text
    blocks = [block.splitlines() for block in re.split(r'\n\s*\n', text) if block.strip() and not block.lstrip().startswith('#')]
    found, stale, known = set(), [], {}
    for block in blocks:
        if len(block) < 3:
            stale.append(f'not three lines: {" / ".join(block)}')
            continue
        path, _, words = block[0].partition(' ')
        if path not in known:
            file = root / path
            content = file.read_text() if file.is_file() else ''
            known[path] = (content.split('\n'), mutants(path, content))
        lines, all_of_it = known[path]
        fitting = [one for one in all_of_it if one.words == words and lines[one.line - 1].strip() == block[1].strip()]
        found.update(fitting)
        if not fitting:
            stale.append(f'{block[0]}: {block[1].strip()}')
    if stale:
        raise Stale('these marks in equivalent.txt fit nothing any more: look again and remove or renew them\n  ' + '\n  '.join(stale))
    return found
