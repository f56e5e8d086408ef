"""What this tool promises, without a compiler: tokens, kinds, draws, marks, and a copy that is whole again whatever happens."""
import collections
import pathlib
import subprocess
import tempfile

import draw
import kinds
import switches
import tokens
import tree
import trial
from checking import check, equal


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
        ('arguments swapped', 'x = min(a, b)', []),
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
            drawn = [set(draw.sample(root, ['Sources/Core/A.swift'], seed, some)) for some in (set(), marked)]
            equal(drawn[1], drawn[0] - marked)
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
        assert (copy.place / 'Sources/CMutant/mutant.c').is_file()
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
def a_function_stands_once_for_each_mistake_and_once_as_it_was():
    def switched(text, kind, path='Sources/x.swift'):
        found = [one for one in kinds.mutants(path, text) if one.kind == kind]
        made = switches.Switched(path, text, dict(enumerate(found, 1)))
        return ' '.join(made.text.split()) if not made.left else made.left

    for kind, before, after in [
        ('sign', 'func f() { a(b - c) } // d', 'import CMutant; func f() { if mutant_is(1) { a(b + c) } else { a(b - c) } } // d'),
        ('sign', 'func f() -> A {\n  b - c // d\n}',
         'import CMutant; func f() -> A { if mutant_is(1) { return b + c // d } else { return b - c // d } }'),
        ('sign', 'var a: B { get { b - c } }',
         'import CMutant; var a: B { get { if mutant_is(1) { return b + c } else { return b - c } } }'),
        ('constant', 'extension A where B == C {\n  static let a = B(7)\n}',
         'import CMutant; extension A where B == C { static let a = B((mutant_is(2) ? 8 : mutant_is(1) ? 6 : 7)) }'),
        ('unit', 'let a: B = .seconds(c)', 'import CMutant; let a: B = (mutant_is(1) ? .milliseconds(c) : .seconds(c))'),
        ('constant', 'enum A: Int { case b = true }', {1}),
        ('constant', 'let a: InlineArray<8, Int> = b', {1, 2}),
        ('arguments swapped', 'let a = b { c(d, e) }', {1}),
    ]:
        equal(switched(before, kind), after)
    equal(switched('int f(int a) {\n  return a - 1;\n}', 'sign', 'Sources/x.c'),
          'extern _Bool mutant_is(int); int f(int a) { if (mutant_is(1)) { return a + 1; } else { return a - 1; } }')


@check
def a_complaint_finds_its_mistake():
    text = 'func f() {\n  a = b - c\n}\nlet d = 7\n'
    found = [one for one in kinds.mutants('Sources/x.swift', text) if one.kind in ('sign', 'constant')]
    made = switches.Switched('Sources/x.swift', text, dict(enumerate(found, 1)))
    guilty = {line.strip(): made.guilty(number) for number, line in enumerate(made.text.split('\n'), 1)}
    equal(guilty['a = b + c'], (1, (1,)))
    equal(guilty['a = b - c'], (None, (1,)))
    equal(guilty['let d = (mutant_is(3) ? 8 : mutant_is(2) ? 6 : 7)'], (None, (2, 3)))


@check
def the_nearest_suites_come_first_and_slow_ones_last():
    def suite(name, seconds):
        return trial.Suite(name, seconds, set())

    found = trial.stages('Sources/Core/Devices/Average.swift', [
        suite('HostTests.CourierTests', 9), suite('CoreTests.RegionTests', 1), suite('CoreTests.DeviceTests', 8),
        suite('CoreTests.AverageTests', 2), suite('HostTests.FileTests', 0.5)])
    equal([[one.name.split('.')[1] for one in stage] for stage in found],
          [['AverageTests', 'DeviceTests'], ['RegionTests', 'FileTests'], ['CourierTests']])


class _Batch(trial.Batch):
    """One that compiles nothing and runs nothing."""

    def __init__(self, copy, mistakes, compiles=True, failing=()):
        super().__init__(copy, mistakes)
        self.is_compiled, self.failing, self.asked = compiles, failing, []
        self.products = None
        self.suites = [trial.Suite('CoreTests.A', 1, {1}), trial.Suite('CoreTests.B', 9, {1, 2})]
        copy.compile = lambda: compiles

    def fails(self, chosen, seconds, products):
        self.asked.append(chosen)
        return 'a test' if chosen in self.failing else ''


@check
def only_what_comes_by_a_mistake_is_run_until_something_fails():
    with tempfile.TemporaryDirectory() as folder:
        text = 'a = b\nc = d\ne = f\n'
        copy = tree.Copy(project(pathlib.Path(folder) / 'tree', X=text), pathlib.Path(folder) / 'copy')
        copy.write('Sources/Core/X.swift', b'whole')
        one, two, three = kinds.mutants('Sources/Core/X.swift', text)
        for mistake, compiles, failing, outcome, asked in [
            (one, True, ['^CoreTests.A/'], 'a test (CoreTests.A)', ['^CoreTests.A/']),
            (one, True, [], '', ['^CoreTests.A/', '^CoreTests.B/']),
            (two, True, [], '', ['^CoreTests.B/']),
            (three, True, [], '', []),
        ]:
            batch = _Batch(copy, [one, two, three], compiles, failing)
            equal((batch.verdict(mistake), batch.asked), (outcome, asked))
        for compiles, outcome, count in [(True, '', 2), (False, trial.NOT_COMPILED, 0)]:
            batch = _Batch(copy, [one, two, three], compiles)
            batch.alone = {3}
            equal((batch.verdict(three), len(batch.asked)), (outcome, count))
        equal((copy.place / 'Sources/Core/X.swift').read_bytes(), b'whole')


@check
def a_failing_test_a_crash_and_a_hang_are_noticed():
    with tempfile.TemporaryDirectory() as folder:
        copy = tree.Copy(pathlib.Path(folder), pathlib.Path(folder) / 'copy')

        def notices(script, seconds=20):
            program = copy.place / 'program'
            program.write_text(f'#!/bin/bash\n{script}\n')
            program.chmod(0o755)
            batch = trial.Batch(copy, [])
            batch._program = lambda products: str(program)
            return batch.fails('.', seconds, copy.place)

        equal(notices('echo "✔ Test run with 3 tests in 1 suite passed after 1 s."'), '')
        equal(notices('echo "✘ Test \\"a < b\\" recorded an issue at x"; sleep 60'), '"a < b"')
        equal(notices('echo "◇ Test run started."; kill -SEGV $$'), 'a crash (-11)')
        equal(notices('sleep 60', 1), 'no end within 1 s')
