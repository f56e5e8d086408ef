"""The kinds of mistakes: each function yields (token index of the line, first character, character behind the last, new text)."""
import dataclasses

import conditions
from tokens import NUMBER, OPERATOR, Source

_EDGES = {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '..<': '...', '...': '..<'}
_SIGNS = {
    '+': '-', '-': '+', '*': '/', '/': '*', '&+': '&-', '&-': '&+', '+=': '-=', '-=': '+=', '<<': '>>', '>>': '<<', '&': '|', '|': '&',
    '|=': '&=', '&=': '|=',
}
_UNITS = {'seconds': 'milliseconds', 'milliseconds': 'seconds', 'hours': 'seconds'}
# A statement that begins with one of these is no assignment and no call.
_NO_ACT = set('''
    let var guard if return case func for while switch repeat do throw break continue default defer import struct enum class
    extension protocol init deinit subscript static package private fileprivate mutating typealias precondition preconditionFailure assert
    fallthrough else get set unsafe final internal public override lazy weak consuming borrowing nonmutating inout in yield goto catch
    indirect associatedtype operator infix prefix
    char int const size_t void unsigned long uint8_t uint16_t uint32_t uint64_t int64_t ssize_t typedef extern sizeof using
    template auto bool
'''.split())
_TRAPS = ('precondition', 'preconditionFailure', 'assert', 'static_assert', '_Static_assert')


@dataclasses.dataclass(frozen=True)
class Mutant:
    path: str
    line: int
    kind: str
    start: int
    end: int
    old: str
    new: str

    @property
    def words(self):
        def brief(text):
            text = ' '.join(text.split())
            return text if len(text) <= 70 else text[:69] + '…'
        return f'{self.kind}: {brief(self.old)} → {brief(self.new) or "nothing"}'

    def applied(self, text):
        return text[:self.start] + self.new + text[self.end:]


def mutants(path, text):
    """All mistakes of all kinds that this file could have, in order."""
    source = Source(text, is_c=not path.endswith('.swift'))
    left_out = _left_out(source)
    found = []
    for kind, find in KINDS.items():
        for index, start, end, new in find(source):
            if not left_out[index] and text[start:end] != new:
                found.append(Mutant(path, source.tokens[index].line, kind, start, end, text[start:end], new))
    return sorted(found, key=lambda one: (one.start, one.kind, one.new))


def _left_out(source):
    """Traps for our own mistakes, attributes, imports and `#if`: nothing in them is a decision."""
    left_out = [False] * len(source.tokens)
    for index, token in enumerate(source.tokens):
        end = index
        if (token.text in _TRAPS or token.text.startswith('@')) and source.is_text(index + 1, '('):
            end = source.pair.get(index + 1, index) + 1
        elif token.text == 'import' or token.text.startswith('#'):
            end = index
            while end < len(source.tokens) and source.tokens[end].line == token.line:
                end += 1
        for place in range(index, end):
            left_out[place] = True
    return left_out


def _each(source, table, *, binary=True):
    for index, token in enumerate(source.tokens):
        if token.kind == OPERATOR and token.text in table and (not binary or source.is_binary(index)):
            yield index, token.start, token.end, table[token.text]


def _flipped(source):
    yield from _each(source, conditions.COMPARISONS)


def _edge(source):
    yield from _each(source, {key: value for key, value in _EDGES.items() if '.' not in key})
    yield from _each(source, {key: value for key, value in _EDGES.items() if '.' in key}, binary=False)


def _and_or(source):
    yield from _each(source, {'&&': '||', '||': '&&'})


def _sign(source):
    yield from _each(source, _SIGNS)
    for index, token in enumerate(source.tokens):
        if token.text in ('min', 'max') and token.kind == 'word' and source.is_text(index + 1, '('):
            yield index, token.start, token.end, 'max' if token.text == 'min' else 'min'


def _constant(source):
    for index, token in enumerate(source.tokens):
        if token.kind == NUMBER and not source.is_text(index - 1, '.'):
            for new in _other_numbers(token.text):
                yield index, token.start, token.end, new
        elif token.text in ('true', 'false'):
            yield index, token.start, token.end, 'false' if token.text == 'true' else 'true'


def _other_numbers(text):
    plain = text.replace('_', '')
    if plain[:2] in ('0x', '0X', '0b', '0o'):
        try:
            return [hex(int(plain, 0) ^ 1)]
        except ValueError:
            return []
    if '.' in plain or 'e' in plain or 'E' in plain:
        value = float(plain)
        return [repr(value * 2), repr(value / 2)] if value else ['1.0']
    value = int(plain)
    return [str(value + 1)] + ([str(value - 1)] if value > 0 else []) + ([str(value * 2)] if value > 9 else [])


def _unit(source):
    for index, token in enumerate(source.tokens):
        if token.text in _UNITS and source.is_text(index - 1, '.') and source.is_text(index + 1, '('):
            yield index, token.start, token.end, _UNITS[token.text]


_ALIKE = ('init', 'subscript', 'case', 'min', 'max', 'same', 'editDistance')


def _arguments(source):
    """Two neighbouring arguments of a call swapped; their labels stay. What is alike in either order, such as the larger of two, is no
    mistake."""
    for index, token in enumerate(source.tokens):
        is_call = token.kind == 'word' and source.is_text(index + 1, '(') and not source.tokens[index + 1].before
        if not is_call or index + 1 not in source.pair or source.is_text(index - 1, 'func') or token.text in _ALIKE:
            continue
        values = []
        for first, end in source.split(index + 2, source.pair[index + 1]):
            if source.is_word(first) and source.is_text(first + 1, ':'):
                first += 2
            if first < end:
                values.append((first, end))
        for one, two in zip(values, values[1:]):
            a, b = source.slice(*one), source.slice(*two)
            if a == b or '{' in a + b or any(source.is_text(place, 'let', '_') for place in (one[0], two[0])):
                continue
            start, end = source.tokens[one[0]].start, source.tokens[two[1] - 1].end
            between = source.text[source.tokens[one[1] - 1].end:source.tokens[two[0]].start]
            yield one[0], start, end, b + between + a


def _statements(source):
    for index, token in enumerate(source.tokens):
        starts = token.kind == 'word' and token.text not in _NO_ACT or token.text == '(' and token.kind == 'mark'
        if starts and source.starts_statement(index) and not token.text.startswith(('@', '#')):
            yield index, source.end_of_statement(index)


def _assignment(source):
    for index, end in _statements(source):
        if any(source.tokens[place].text in ('=', '+=', '-=', '|=', '&=', '*=', '&+=', '^=') for place in _own(source, index, end)):
            yield index, source.tokens[index].start, source.tokens[end - 1].end, '(void)0' if source.is_c else '()'


def _call(source):
    for index, end in _statements(source):
        is_value = any(source.is_binary(place) or source.is_text(place, '{') for place in _own(source, index, end))
        if source.is_text(end - 1, ')') and not is_value:
            yield index, source.tokens[index].start, source.tokens[end - 1].end, '(void)0' if source.is_c else '()'


def _own(source, index, end):
    """The tokens of a statement that stand in no further bracket."""
    return [place for place in range(index, end) if source.around[place] == source.around[index]]


def _return(source):
    """A function that returns at once, a plain `return` or `continue` dropped, `break` for `continue`."""
    for index, token in enumerate(source.tokens):
        if token.kind != 'word' or source.is_c:
            continue
        if token.text == 'func':
            body = _body(source, index)
            if body is None:
                continue
            brace, result = body
            new = {'': ' return;', 'Bool': ' return true;'}.get(result, ' return nil;' if result.endswith('?') else None)
            for text in [new] + ([' return false;'] if result == 'Bool' else []):
                if text:
                    yield brace, source.tokens[brace].end, source.tokens[brace].end, text
        elif token.text in ('return', 'continue') and source.starts_statement(index) and source.end_of_statement(index) == index + 1:
            yield index, token.start, token.end, '()'
            if token.text == 'continue':
                yield index, token.start, token.end, 'break'


def _body(source, index):
    """The brace that opens a function's body, and its result."""
    parameters = source.find(index + 1, min(index + 40, len(source.tokens)), '(')
    if parameters < 0 or parameters not in source.pair:
        return None
    close = source.pair[parameters]
    brace = source.find(close + 1, len(source.tokens), '{')
    if brace < 0 or any(source.is_text(place, 'func', 'var', '}') for place in range(close + 1, brace)):
        return None
    arrow = source.find(close + 1, brace, '->')
    return brace, source.slice(arrow + 1, brace) if arrow >= 0 else ''


def _loop(source):
    for index, token in enumerate(source.tokens):
        if token.text == 'while' and token.kind == 'word' and source.starts_statement(index) and not source.is_text(index - 1, '}'):
            yield index, token.start, token.end, 'if'
        elif token.text == 'while' and token.kind == 'word' and source.is_text(index - 1, '}') and token.first and not source.is_c:
            yield index, token.start, token.end, 'if'


def _case(source):
    """Two neighbouring cases of a switch swapped, or the two branches of a `?`."""
    labels = []
    for index, token in enumerate(source.tokens):
        if token.text == 'case' and token.kind == 'word' and source.tokens[source.around[index]].text == '{':
            colon = source.find(index + 1, min(index + 60, len(source.tokens)), ':', 'case', '}', '=')
            if source.is_text(colon, ':'):
                labels.append((index, colon))
        elif token.text == '?' and token.before and token.after:
            yield from _branches(source, index)
    for (one, end), (two, stop) in zip(labels, labels[1:]):
        if source.around[one] != source.around[two]:
            continue
        a, b = source.slice(one + 1, end), source.slice(two + 1, stop)
        if a != b and 'let' not in (a + b).split() and ' let ' not in a + b and '(let' not in a + b:
            start, behind = source.tokens[one + 1].start, source.tokens[stop - 1].end
            between = source.text[source.tokens[end - 1].end:source.tokens[two + 1].start]
            yield one, start, behind, b + between + a


def _branches(source, question):
    colon = source.find(question + 1, min(question + 60, len(source.tokens)), ':', '?')
    if not source.is_text(colon, ':'):
        return
    end = colon + 1
    while end < len(source.tokens) and source.around[end] == source.around[question]:
        if source.is_text(end, ',', ';', ')', ']', '}', '{', '?'):
            break
        if end > colon + 1 and source.tokens[end].first and source.starts_statement(end):
            break
        end = source.pair[end] + 1 if source.is_text(end, '(', '[') and end in source.pair else end + 1
    if end > colon + 1 and not source.is_text(end, '?', '{'):
        yes, no = source.slice(question + 1, colon), source.slice(colon + 1, end)
        yield question, source.tokens[question + 1].start, source.tokens[end - 1].end, f'{no} : {yes}'


KINDS = {
    'comparison flipped': _flipped,
    'edge moved': _edge,
    'and/or': _and_or,
    'not': conditions.negated,
    'condition dropped': conditions.dropped,
    'constant': _constant,
    'unit': _unit,
    'arguments swapped': _arguments,
    'assignment dropped': _assignment,
    'call dropped': _call,
    'return': _return,
    'loop once': _loop,
    'sign': _sign,
    'case swapped': _case,
}
