"""Many mistakes in one copy of a file, each behind a switch: so one build serves them all, and a run says which mistake it makes.

A function's body stands once for each of its mistakes and once as it was: `{ if mutant_is(7) { … } else { … } }`. A first value becomes
`mutant_is(7) ? … : …`. What cannot be written so (a raw value, a type) is left to a build of its own.
"""
import dataclasses

from tokens import NUMBER, OPERATOR, Source

_TYPES = ('struct', 'enum', 'class', 'extension', 'protocol', 'actor')
_FUNCTIONS = ('func', 'init', 'deinit', 'subscript')
_ACCESSORS = ('get', 'set', '_read', '_modify', 'unsafeAddress', 'unsafeMutableAddress', 'willSet', 'didSet')
# What begins a body's only statement without being its value.
_NO_VALUE = 'return throw let var guard for while repeat do defer yield preconditionFailure fatalError'.split()
# What may stand before an accessor.
_MANNERS = 'mutating nonmutating consuming borrowing package private'.split()
C_HEAD = 'extern _Bool mutant_is(int); '
CPP_HEAD = 'extern "C" bool mutant_is(int); '
SWIFT_HEAD = 'import CMutant; '


@dataclasses.dataclass
class Region:
    """Lines of the new text: `number` made them, or, where that is None, what stands around all of `group`."""
    first: int
    last: int
    number: int | None
    group: tuple


class Switched:
    """A file's text with its mistakes behind switches. `left` are those that cannot be."""

    def __init__(self, path, text, mistakes):
        """`mistakes` by their numbers."""
        self.regions, self.left = [], set()
        source = Source(text, is_c=not path.endswith('.swift'))
        groups = {}
        for number, one in mistakes.items():
            place = _place(source, one)
            if place:
                groups.setdefault(place, []).append(number)
            else:
                self.left.add(number)
        end, pieces = len(text), []
        for (start, stop, kind), numbers in sorted(groups.items(), reverse=True):
            if stop > end:
                self.left.update(numbers)
                continue
            pieces.append(text[stop:end])
            pieces.append((numbers, _body if kind == 'body' else _value, start, stop, kind))
            end = start
        pieces.append(text[:end])
        head = SWIFT_HEAD if path.endswith('.swift') else C_HEAD if path.endswith('.c') else CPP_HEAD
        self.text = head if groups else ''
        for piece in reversed(pieces):
            if isinstance(piece, str):
                self.text += piece
            else:
                numbers, write, start, stop, _ = piece
                self._add(write(source, {number: mistakes[number] for number in numbers}, start, stop), tuple(numbers))

    def _add(self, parts, group):
        first = self.text.count('\n') + 1
        for number, part in parts:
            start = self.text.count('\n') + 1
            self.text += part
            if number is not None:
                self.regions.append(Region(start, self.text.count('\n'), number, group))
        self.regions.append(Region(first, self.text.count('\n') + 1, None, group))

    def guilty(self, line):
        """The mistake whose own text stands in this line of the new text; and those around which it stands."""
        for region in self.regions:
            if region.first <= line <= region.last:
                return region.number, region.group
        return None, ()


def _place(source, one):
    """Where two versions of what contains a mistake can stand: the first and the last character, and 'body' or 'value'."""
    if (brace := body(source, one.start, one.end)) is not None:
        return source.tokens[brace].end, source.tokens[source.pair[brace]].start, 'body'
    if source.is_c:
        return None
    index = next(place for place, token in enumerate(source.tokens) if token.end > one.start)
    token = source.tokens[index]
    if (token.kind == NUMBER or token.text in ('true', 'false')) and one.end == token.end:
        before = source.tokens[index - 1]
        is_type = before.text in ('<', '[', 'case') or source.is_text(index + 1, 'of') or source.is_text(index + 1, '>')
        return None if is_type or _is_raw(source, index) else (one.start, one.end, 'value')
    return _first_value(source, index)


def _is_raw(source, index):
    """A raw value: `case a = 1`."""
    return source.is_text(index - 1, '=') and source.is_text(index - 3, 'case', ',') and not source.is_text(source.around[index], '(')


def _first_value(source, index):
    """The whole of what a `let` or `var` outside of functions begins with."""
    while source.around[index] >= 0 and not source.is_text(source.around[index], '{'):
        index = source.around[index]
    place = index
    while place >= 0 and source.around[place] == source.around[index] and not source.is_text(place, '{', '}'):
        if source.is_text(place, '=') and source.tokens[place].kind == OPERATOR:
            end = source.end_of_statement(place + 1)
            if any(source.is_text(inside, '{') for inside in range(place + 1, end)):
                return None
            return source.tokens[place + 1].start, source.tokens[end - 1].end, 'value'
        place = source.pair[place] - 1 if source.is_text(place, ')', ']') else place - 1
    return None


def body(source, start, end):
    """The brace of the outermost function's body around these characters; None outside of functions."""
    for brace, token in enumerate(source.tokens):
        if token.text != '{' or brace not in source.pair or token.end > start or source.tokens[source.pair[brace]].start < end:
            continue
        if source.is_c:
            if source.is_text(brace - 1, ')'):
                return brace
        elif (owner := _owner(source, brace)) in _ACCESSORS or owner in ('func', 'init', 'deinit'):
            return brace
        elif owner in ('var', 'subscript') and not _has_accessors(source, brace):
            return brace
        elif owner not in _TYPES and not _has_accessors(source, brace):
            return None
    return None


def _has_accessors(source, brace):
    index = brace + 1
    while source.is_text(index, *_MANNERS) or source.tokens[index].text[0] == '@':
        index = source.pair[index + 1] + 1 if source.tokens[index].text[0] == '@' and source.is_text(index + 1, '(') else index + 1
    return source.is_text(index, *_ACCESSORS)


def _owner(source, brace):
    """The word that says what a brace outside of functions belongs to; 'value' for a closure that is a first value."""
    around, place, is_value = source.around[brace], brace - 1, False
    while place > around:
        if source.is_text(place, ')', ']', '}') and place in source.pair:
            place = source.pair[place] - 1
            continue
        is_value = is_value or source.is_text(place, '=') and source.tokens[place].kind == OPERATOR
        is_parameter = source.is_text(place - 1, '<', ',') or source.is_text(place - 1, '.')
        if source.is_text(place, *_TYPES, *_FUNCTIONS, *_ACCESSORS, 'var', 'let') and not is_parameter:
            return 'value' if is_value and source.is_text(place, 'var', 'let') else source.tokens[place].text
        place -= 1
    return ''


def _body(source, mistakes, start, stop):
    """The parts of a body that stands once for each mistake and once as it was, each with the number that made it."""
    parts, opening = [], ' if'
    for number, one in mistakes.items():
        mutated = one.applied(source.text)
        close = stop + len(mutated) - len(source.text)
        condition = f'(mutant_is({number}))' if source.is_c else f'mutant_is({number})'
        parts += [(None, f'{opening} {condition} {{\n'), (number, _with_return(mutated, start, close, source.is_c) + '\n')]
        opening = '} else if'
    return parts + [(None, '} else {\n' + _with_return(source.text, start, stop, source.is_c) + '\n} ')]


def _with_return(text, start, stop, is_c):
    """A body; with the word `return` where it stood for itself."""
    source = Source(text, is_c)
    brace = next(index for index, token in enumerate(source.tokens) if token.end == start)
    inside = [index for index in range(brace + 1, len(source.tokens)) if source.tokens[index].start < stop]
    starts = [index for index in inside if source.around[index] == brace and source.starts_statement(index)]
    words = {source.tokens[index].text for index in inside}
    is_whole = not is_c and inside and len(starts) == 1 and _gives(source, brace) and not source.is_text(starts[0], *_NO_VALUE)
    if not is_whole or source.is_text(starts[0], 'if', 'switch') and 'return' in words:
        return text[start:stop]
    first = source.tokens[starts[0]].start
    return f'{text[start:first]}return {text[first:stop]}'


def _gives(source, brace):
    """Whether a body has a value."""
    owner = _owner(source, brace)
    if owner in ('var', 'get'):
        return True
    if owner not in ('func', 'subscript'):
        return False
    place = brace - 1
    while not source.is_text(place, 'func', 'subscript'):
        if source.is_text(place, '->') and source.around[place] == source.around[brace]:
            return not source.is_text(place + 1, 'Void', '(') or not source.is_text(place + 2, ')') and source.is_text(place + 1, '(')
        place -= 1
    return False


def _value(source, mistakes, start, stop):
    text = source.text[start:stop]
    for number, one in mistakes.items():
        changed = source.text[start:one.start] + one.new + source.text[one.end:stop]
        text = f'mutant_is({number}) ? {changed} : {text}'
    return [(None, f'({text})')]
