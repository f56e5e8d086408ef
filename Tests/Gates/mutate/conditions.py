"""Mistakes in the conditions of `if`, `guard`, `while` and `where`."""
from tokens import OPERATOR

COMPARISONS = {'<': '>=', '>': '<=', '<=': '>', '>=': '<', '==': '!=', '!=': '=='}


def negated(source):
    """`!` dropped; or a plain condition turned round."""
    for index, token in enumerate(source.tokens):
        if token.kind == OPERATOR and token.text == '!' and token.before and not token.after:
            yield index, token.start, token.end, ''
    for index, first, end in _conditions(source):
        operators = [source.tokens[place].text for place in range(first, end) if source.tokens[place].kind == OPERATOR]
        if not _is_binding(source, first) and not any(text in COMPARISONS or text in ('!', '&&', '||') for text in operators):
            yield first, source.tokens[first].start, source.tokens[end - 1].end, f'!({source.slice(first, end)})'


def _is_binding(source, first):
    return source.is_text(first, 'let', 'var', 'case') or source.tokens[first].text.startswith('#')


def _clauses(source, index):
    """The clauses of `if`, `guard` and `while`, and the index behind the last."""
    if source.is_c:
        if not source.is_text(index + 1, '(') or index + 1 not in source.pair:
            return [], index
        return [(index + 2, source.pair[index + 1])], source.pair[index + 1]
    end = source.find(index + 1, len(source.tokens), 'else' if source.is_text(index, 'guard') else '{')
    return (source.split(index + 1, end), end) if end > index else ([], index)


def _conditions(source):
    for index, token in enumerate(source.tokens):
        if token.kind == 'word' and token.text in ('if', 'guard', 'while') and not source.is_text(index - 1, '.'):
            for first, end in _clauses(source, index)[0]:
                yield index, first, end


def dropped(source):
    """A guard, one of several conditions, or a `where` dropped."""
    for index, token in enumerate(source.tokens):
        if token.kind != 'word' or source.is_text(index - 1, '.') or source.is_c:
            continue
        if token.text in ('if', 'guard', 'while'):
            clauses, end = _clauses(source, index)
            is_plain = not any(_is_binding(source, one[0]) for one in clauses)
            if token.text == 'guard' and clauses and is_plain and source.is_text(end, 'else') and end + 1 in source.pair:
                yield index, token.start, source.tokens[source.pair[end + 1]].end, '()'
            for place, (first, stop) in enumerate(clauses):
                if len(clauses) < 2 or _is_binding(source, first):
                    continue
                start = source.tokens[first].start if place == 0 else source.tokens[clauses[place - 1][1]].start
                behind = source.tokens[clauses[1][0]].start if place == 0 else source.tokens[stop - 1].end
                yield first, start, behind, ''
        elif token.text == 'where':
            end = source.find(index + 1, len(source.tokens), '{', ':')
            if end > 0 and source.tokens[end].line - token.line < 3:
                yield index, token.start, source.tokens[end - 1].end, ''
