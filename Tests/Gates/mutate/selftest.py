"""What this tool promises, without a compiler: tokens, kinds, draws, marks, and a copy that is whole again whatever happens."""
import collections
import pathlib
import subprocess
import sys
import tempfile

import draw
import kinds
import tokens
import tree

_CHECKS = []


def check(function):
    _CHECKS.append(function)
    return function


def run():
    failed = 0
    for function in _CHECKS:
        try:
            function()
        except AssertionError as error:
            failed += 1
            print(f'mutate --check: {function.__name__}: {error}', file=sys.stderr)
    print(f'mutate: {len(_CHECKS) - failed} of {len(_CHECKS)} checks passed')
    return 1 if failed else 0


def equal(found, wanted):
    assert found == wanted, f'\n  found  {found}\n  wanted {wanted}'


def texts(swift, is_c=False):
    return [token.text for token in tokens.Source(swift, is_c).tokens]


def made(swift, kind, path='Sources/x.swift'):
    """The whole text after each mistake of one kind."""
    return [one.applied(swift) for one in kinds.mutants(path, swift) if one.kind == kind]


@check
def strings_and_comments_are_no_code():
    equal(texts('a /* b /* c */ d */ e // f < g'), ['a', 'e'])
    equal(texts(r'x = "a \(b("c") < d) \" e" + y'), ['x', '=', r'"a \(b("c") < d) \" e"', '+', 'y'])
    equal(texts('x = #"a " \\(b) "# < y'), ['x', '=', '#"a " \\(b) "#', '<', 'y'])
    equal(texts('"""\n a " < b\n """ < c'), ['"""\n a " < b\n """', '<', 'c'])
    equal(texts('#define A(x) \\\n  (x < 1)\nif (a < \'<\') b;', is_c=True), ['if', '(', 'a', '<', "'<'", ')', 'b', ';'])


@check
def operators_are_cut_as_the_compiler_cuts_them():
    equal(texts('!a.b && !(c) || d!.e ?? f?.g != -h'), [
        '!', 'a', '.', 'b', '&&', '!', '(', 'c', ')', '||', 'd', '!', '.', 'e', '??', 'f', '?', '.', 'g', '!=', '-', 'h'])
    equal(texts('0..<n 1...m 1_000 0xFF_FF 1.5e-3 $0.x a&+b'), [
        '0', '..<', 'n', '1', '...', 'm', '1_000', '0xFF_FF', '1.5e-3', '$0', '.', 'x', 'a', '&+', 'b'])


@check
def every_kind_makes_its_mistakes():
    for kind, before, after in [
        ('comparison flipped', 'if a < b {}', ['if a >= b {}']),
        ('comparison flipped', 'var a: Array<Int> = x', []),
        ('edge moved', 'if a <= b {}', ['if a < b {}']),
        ('edge moved', 'for i in 0..<n {}', ['for i in 0...n {}']),
        ('and/or', 'x = a && b', ['x = a || b']),
        ('not', 'if !a {}', ['if a {}']),
        ('not', 'if a.isFull {}', ['if !(a.isFull) {}']),
        ('not', 'if let a {}', []),
        ('condition dropped', 'guard a < b else { return }', ['()']),
        ('condition dropped', 'guard let a, b, c else { return }', ['guard let a, c else { return }', 'guard let a, b else { return }']),
        ('condition dropped', 'if a, b(c, d) {}', ['if b(c, d) {}', 'if a {}']),
        ('condition dropped', 'for a in b where c {}', ['for a in b  {}']),
        ('constant', 'x = 0', ['x = 1']),
        ('constant', 'x = 7', ['x = 8', 'x = 6']),
        ('constant', 'x = 2.5', ['x = 5.0', 'x = 1.25']),
        ('constant', 'x = a.0', []),
        ('constant', 'x = true', ['x = false']),
        ('unit', 'x = .seconds(a)', ['x = .milliseconds(a)']),
        ('arguments swapped', 'f(a, to: b)', ['f(b, to: a)']),
        ('arguments swapped', 'func f(a: A, b: B) {}', []),
        ('assignment dropped', 'a.b = c', ['()']),
        ('assignment dropped', 'let a = c', []),
        ('assignment dropped', 'case .a: b = c\ncase .d: e += f', ['case .a: ()\ncase .d: e += f', 'case .a: b = c\ncase .d: ()']),
        ('call dropped', '{\n  a.b(c)\n}', ['{\n  ()\n}']),
        ('call dropped', '{\n  a(b) + c(d)\n}', []),
        ('return', 'func f() { a }', ['func f() { return; a }']),
        ('return', 'func f() -> Bool { a }', ['func f() -> Bool { return false; a }', 'func f() -> Bool { return true; a }']),
        ('return', 'for a in b {\n  continue\n}', ['for a in b {\n  ()\n}', 'for a in b {\n  break\n}']),
        ('loop once', 'while a {}', ['if a {}']),
        ('sign', 'x = a - b', ['x = a + b']),
        ('sign', 'x = -b', []),
        ('sign', 'x = min(a, b)', ['x = max(a, b)']),
        ('case swapped', 'switch a {\ncase .b: c\ncase .d: e\n}', ['switch a {\ncase .d: c\ncase .b: e\n}']),
        ('case swapped', 'x = a ? b : c(d)', ['x = a ? c(d) : b']),
        ('case swapped', 'enum A { case b, c }', []),
    ]:
        found = made(before, kind)
        assert sorted(found) == sorted(after), f'{kind} of {before!r}\n  found  {found}\n  wanted {after}'


@check
def c_has_its_mistakes_too():
    equal(made('if (a < 1) b = c;', 'comparison flipped', 'Sources/x.c'), ['if (a >= 1) b = c;'])
    equal(made('{\n  b = c;\n}', 'assignment dropped', 'Sources/x.c'), ['{\n  (void)0;\n}'])


@check
def traps_and_attributes_are_left_alone():
    for text in ['precondition(a < 1, "b")', '@available(a, 5)', '#if a(1)', 'import A']:
        equal(kinds.mutants('Sources/x.swift', text), [])


def project(folder, **files):
    root = pathlib.Path(folder)
    for name, text in files.items():
        path = root / 'Sources' / 'Core' / f'{name}.swift'
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@check
def a_seed_gives_the_same_sample_and_every_line_weighs_the_same():
    with tempfile.TemporaryDirectory() as folder:
        busy = 'a = b < c && d < e && f < g ? h(i, j) : k(l, m)\n'
        root = project(folder, A=busy * 5, B='a = b\n' * 15)
        paths = draw.sources(root, [])
        equal(list(draw.sample(root, paths, 3, set())), list(draw.sample(root, paths, 3, set())))
        files = collections.Counter(next(iter(draw.sample(root, paths, seed, set()))).path for seed in range(400))
        assert 60 < files['Sources/Core/A.swift'] < 140, files
        assert len(list(draw.sample(root, paths, 1, set()))) == 20, 'each line once'


@check
def a_mark_leaves_its_mistake_out_and_a_stale_one_is_an_error():
    with tempfile.TemporaryDirectory() as folder:
        root = project(folder, A='if a < b {}\n')
        mark = 'Sources/Core/A.swift edge moved: < → <=\n  if a < b {}\nThey are never equal.\n'
        marked = draw.equivalents(root, '# Words.\n\n' + mark)
        equal([one.words for one in marked], ['edge moved: < → <='])
        for seed in range(50):
            assert next(iter(draw.sample(root, ['Sources/Core/A.swift'], seed, marked))) not in marked
        for old, new in [('a < b', 'a < c'), ('edge moved', 'sign'), ('A.swift', 'B.swift'), ('They', '\nThey')]:
            stale = mark.replace(old, new)
            try:
                draw.equivalents(root, stale)
            except draw.Stale:
                continue
            raise AssertionError(f'accepted: {stale}')


@check
def a_change_is_tried_on_its_lines_alone():
    with tempfile.TemporaryDirectory() as folder:
        root = project(folder, A='a = b\nc = d\n', B='e = f\n')
        git = ['git', '-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@t']
        for command in (['init', '-q'], ['add', '.'], ['commit', '-q', '-m', 'x']):
            subprocess.run(git + command, check=True)
        project(folder, A='a = b\nc = d - 1\n', C='g = h\n')
        lines = draw.changed(root, 'HEAD')
        equal({path: sorted(lines[path])[:1] for path in lines}, {'Sources/Core/A.swift': [2], 'Sources/Core/C.swift': [1]})
        equal(sorted({one.kind for one in draw.of_change(root, lines, set())}), ['assignment dropped', 'constant', 'sign'])


@check
def the_copy_is_whole_again_and_the_tree_untouched_whatever_happens():
    with tempfile.TemporaryDirectory() as folder:
        root = project(pathlib.Path(folder) / 'tree', A='a = b\n')
        (root / 'Package.swift').write_text('x: [.a(), .treatAllWarnings(as: .error), .b()]\n')
        subprocess.run(['git', '-C', str(root), 'init', '-q'], check=True)
        copy = tree.Copy(root, pathlib.Path(folder) / 'copy')
        copy.renew()
        equal((copy.place / 'Package.swift').read_text(), 'x: [.a(), .b()]\n')
        one = kinds.mutants('Sources/Core/A.swift', 'a = b\n')[0]
        for error in (RuntimeError, KeyboardInterrupt):
            try:
                with copy.with_mistake(one):
                    equal((copy.place / one.path).read_text(), '()\n')
                    raise error
            except error:
                pass
            equal((copy.place / one.path).read_text(), 'a = b\n')
        equal((root / one.path).read_text(), 'a = b\n')
        project(root, B='c = d\n')
        (root / one.path).unlink()
        copy.renew()
        equal(sorted(path.name for path in (copy.place / 'Sources' / 'Core').iterdir()), ['B.swift'])


@check
def the_first_failure_ends_the_tests_of_a_mistake():
    one = kinds.mutants('Sources/Core/A.swift', 'a = b\n')[0]

    class Fake(tree.Tests):
        def __init__(self, compiled, noticing):
            self.compiled, self.noticing, self.asked = compiled, noticing, []

        def compiles(self, stage):
            self.asked.append(stage[0])
            return stage[0] in self.compiled

        def notices(self, stage):
            return 'a test' if stage[0] == self.noticing else ''

    for compiled, noticing, outcome, asked in [
        (('Core', 'all'), 'Core', 'a test', ['Core']),
        (('Core', 'all'), 'all', 'a test', ['Core', 'all']),
        (('Core', 'all'), '', '', ['Core', 'all']),
        ((), 'Core', 'not compiled', ['Core']),
    ]:
        fake = Fake(compiled, noticing)
        equal((tree.verdict(fake, one), fake.asked), (outcome, asked))


@check
def a_failing_test_a_crash_and_a_hang_are_noticed():
    with tempfile.TemporaryDirectory() as folder:
        copy = tree.Copy(pathlib.Path(folder), pathlib.Path(folder) / 'copy')
        tests = tree.Tests(copy)

        def notices(script, seconds=20):
            def run(command, targets, limit, is_enough):
                return tree.Tests._run(tests, ['bash', '-c', script], targets, seconds, is_enough)
            fake = tree.Tests(copy)
            fake._run = run
            return fake.notices(('Core', '', ''))

        equal(notices('echo "✔ Test run with 3 tests in 1 suite passed after 1 s."'), '')
        equal(notices('echo "✘ Test \\"a < b\\" recorded an issue at x"; sleep 60'), '"a < b"')
        equal(notices('echo "◇ Test run started."; kill -SEGV $$'), 'a crash')
        equal(notices('sleep 60', 1), f'no end within {tree.TEST_SECONDS} s')
