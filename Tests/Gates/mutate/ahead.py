"""Asks the compiler about each module alone, without making code: what does not compile is known within a minute. A build
says it one module at a time, each time after minutes."""
import json

import tree

# In the order in which they import each other.
MODULES = ('Core', 'Simulation', 'Host', 'forecourt')
_WITH_VALUE = {'-emit-module-path', '-output-file-map', '-index-store-path', '-emit-objc-header-path', '-module-cache-path'}
_DROPPED = {'-emit-dependencies', '-emit-module', '-incremental', '-c', '-enable-batch-mode', '-serialize-diagnostics', '-parseable-output',
            '-emit-objc-header', '-O', '-Onone'}


def ask(copy, module):
    """Whether it compiles; what the compiler said stands in log.txt. True where no build has said yet how this module is compiled."""
    words = _words(copy, module)
    if not words:
        return True
    # Not /dev/null: the compiler deletes what it could not make.
    folder = copy.place.parent / 'ahead'
    folder.mkdir(exist_ok=True)
    sources = sorted(str(path) for path in (copy.place / 'Sources' / module).rglob('*.swift'))
    words += ['-emit-module', '-emit-module-path', str(folder / f'{module}.swiftmodule'), '-module-cache-path',
              str(folder / 'cache'), '-wmo', '-Onone', '-emit-sil', '-o', str(folder / f'{module}.sil'), '-suppress-warnings', *sources]
    return tree.run(words, copy.place, tree.COMPILE_SECONDS, copy.log)[0] == 0


def _words(copy, module):
    """As the last build compiled it, without what concerns its files; the modules that were asked about come before those of the build."""
    plan = copy.place.parent / 'built' / 'debug.yaml'
    lines = plan.read_text().splitlines() if plan.is_file() else []
    found = [line for line in lines if f'"-module-name","{module}"' in line and '"-c"' in line]
    if not found:
        return []
    words, kept, skips = json.loads(found[0].split('args:', 1)[1]), [], False
    for before, word in zip([''] + words, words):
        if skips or before != '-Xcc' and (word in _DROPPED or word == '-g' or word.startswith('@') or word.startswith('-j')):
            skips = False
        elif word in _WITH_VALUE:
            skips = True
        else:
            kept.append(word)
    at = kept.index('-I')
    return kept[:at] + ['-I', str(copy.place.parent / 'ahead')] + kept[at:]
