"""Swift and C as tokens: enough to know where a statement begins, where a bracket closes, and what is code."""
import dataclasses
import re

WORD, NUMBER, STRING, OPERATOR, MARK = 'word', 'number', 'string', 'operator', 'mark'
_OPENING, _CLOSING = '([{', ')]}'
_PIECES = re.compile(r'''
    (?P<space>\s+)
  | (?P<comment>//[^\n]*|/\*)
  | (?P<string>\#*"""|\#*")
  | (?P<char>'(?:\\.|[^'\\])')
  | (?P<number>0[xX][0-9A-Fa-f_]+(?:\.[0-9A-Fa-f_]+)?(?:[pP][+-]?[0-9]+)?|0b[01_]+|0o[0-7_]+
      |[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][+-]?[0-9]+)?)
  | (?P<word>[\#@$]?[A-Za-z_][A-Za-z0-9_]*|`[^`]+`|\$[0-9]+)
  | (?P<operator>[-+*/%<>=!&|^~?.]+)
  | (?P<mark>.)
''', re.VERBOSE | re.DOTALL)


@dataclasses.dataclass
class Token:
    kind: str
    text: str
    start: int
    line: int
    first: bool  # of its line
    before: bool  # a space, a bracket or a line's start stands before it
    after: bool = False  # a space or a line's end stands behind it

    @property
    def end(self):
        return self.start + len(self.text)


class Source:
    """A file's tokens. `pair[i]` is the index of the bracket that belongs to the one at `i`; `around[i]` that of the bracket around it."""

    def __init__(self, text, is_c=False):
        self.text, self.is_c = text, is_c
        self.tokens = list(_tokens(text, is_c))
        self.pair, self.around = {}, []
        open_brackets = []
        for index, token in enumerate(self.tokens):
            if token.kind == MARK and token.text in _CLOSING and open_brackets:
                opening = open_brackets.pop()
                self.pair[opening], self.pair[index] = index, opening
            self.around.append(open_brackets[-1] if open_brackets else -1)
            if token.kind == MARK and token.text in _OPENING:
                open_brackets.append(index)
        self.lines = text.split('\n')

    def is_text(self, index, *texts):
        return 0 <= index < len(self.tokens) and self.tokens[index].kind != STRING and self.tokens[index].text in texts

    def is_word(self, index):
        return 0 <= index < len(self.tokens) and self.tokens[index].kind == WORD

    def slice(self, first, end):
        """The text from one token to before another."""
        return self.text[self.tokens[first].start:self.tokens[end - 1].end] if end > first else ''

    def is_binary(self, index):
        """An operator with the same on both sides."""
        token = self.tokens[index]
        return token.kind == OPERATOR and token.before and token.after and not self.starts_statement(index)

    def starts_statement(self, index):
        """Whether a statement begins here."""
        token = self.tokens[index]
        around = self.around[index]
        if around >= 0 and self.tokens[around].text != '{' or token.kind == MARK and token.text in ')]},;:' or index == 0:
            return index == 0
        if self.is_text(index - 1, '{', ';', '}') or self.is_text(index - 1, ':') and self._is_label(index - 1):
            return not self.is_text(index, 'else', 'while') or not self.is_text(index - 1, '}')
        if self.is_c:
            return self.is_text(index - 1, ')') and token.first
        if self.is_text(index - 1, 'in') and token.first:
            return True
        if not token.first or token.kind == OPERATOR and (token.after or token.text[0] in '.?'):
            return False
        if self.is_text(index, 'else', 'where', 'catch'):
            return False
        previous = self.tokens[index - 1]
        return not (previous.kind == OPERATOR and previous.before) and not self.is_text(index - 1, ',', ':', '->', 'in', 'return', 'throw')

    def _is_label(self, colon):
        """The colon behind `case …` or `default`."""
        index = colon - 1
        while index >= 0 and not (self.around[index] == self.around[colon] and self.is_text(index, 'case', 'default', ';', '}')):
            if self.tokens[index].text == '{' and self.around[colon] == index or colon - index > 80:
                return False
            index -= 1
        return self.is_text(index, 'case', 'default')

    def end_of_statement(self, index):
        """The index behind the last token of the statement that begins at `index`."""
        around, place = self.around[index], index
        while place < len(self.tokens):
            if self.is_text(place, '(', '[', '{') and place in self.pair:
                place = self.pair[place] + 1
            else:
                place += 1
            if place >= len(self.tokens) or place == self.pair.get(around) or self.is_text(place, ';'):
                break
            if self.starts_statement(place) and not (self.is_text(place - 1, '}') and not self.tokens[place].first):
                break
        return min(place, len(self.tokens))

    def find(self, index, end, *texts):
        """The first of these texts from `index` on that stands in no further bracket; -1 when there is none before `end`."""
        while index < end:
            if self.is_text(index, *texts):
                return index
            index = self.pair[index] + 1 if self.is_text(index, '(', '[', '{') and index in self.pair else index + 1
        return -1

    def split(self, first, end, separator=','):
        """The parts between separators that stand in no further bracket, as (first, end)."""
        parts = []
        while True:
            comma = self.find(first, end, separator)
            parts.append((first, comma if comma >= 0 else end))
            if comma < 0:
                return [part for part in parts if part[1] > part[0]]
            first = comma + 1

    def code_lines(self):
        """The numbers of the lines that hold code."""
        return sorted({token.line for token in self.tokens})


def _tokens(text, is_c):
    place, line, first, before, last = 0, 1, True, True, None
    while place < len(text):
        match = _PIECES.match(text, place)
        kind, end = match.lastgroup, match.end()
        if kind == 'comment' and match.group() == '/*':
            end = _end_of_comment(text, place)
        elif kind == 'string':
            end = _end_of_string(text, place, is_c)
        elif kind == 'operator':
            end = _end_of_operator(text, place, end)
        elif is_c and first and text[place] == '#':
            # A line of the preprocessor, with those that it continues on.
            kind, end = 'comment', re.compile(r'(?:[^\n\\]|\\.)*', re.DOTALL).match(text, place).end()
        piece = text[place:end]
        if kind in ('space', 'comment'):
            before = True
            if last:
                last.after = True
            if '\n' in piece:
                first = True
        else:
            kind = {'char': STRING}.get(kind, kind)
            last = Token(kind, piece, place, line, first, before or bool(last) and last.text in '([{,;:')
            yield last
            first, before = False, False
        line += piece.count('\n')
        place = end


def _end_of_comment(text, place):
    depth, place = 1, place + 2
    while depth and place < len(text):
        step = text[place:place + 2]
        depth += (step == '/*') - (step == '*/')
        place += 2 if step in ('/*', '*/') else 1
    return place


def _end_of_operator(text, place, end):
    """An operator ends where a comment begins, and `!`, `?` and `.` do not swallow what follows: `!-x`, `a!.b`, `x?.y`."""
    run = text[place:end]
    for comment in ('//', '/*'):
        if comment in run:
            run = run[:run.index(comment)]
    if run.startswith('.') and not run.startswith('..'):
        return place + 1
    match = re.match(r'[!?]+(?=[-.!?&~]|$)(?!=)|\?\?|[^!?]+(?=!)(?<![!=<>])|.+', run, re.DOTALL)
    return place + (match.end() if match and run not in ('!=', '!==', '??', '?') else len(run))


def _end_of_string(text, place, is_c):
    hashes = len(text[place:]) - len(text[place:].lstrip('#')) if text[place] == '#' else 0
    quote = '"""' if text.startswith('"""', place + hashes) and not is_c else '"'
    closing, escape = quote + '#' * hashes, '\\' + '#' * hashes
    place += hashes + len(quote)
    while place < len(text) and not text.startswith(closing, place):
        if text.startswith(escape + '(', place) and not is_c:
            place = _end_of_interpolation(text, place + len(escape) + 1)
        elif text.startswith(escape, place):
            place += len(escape) + 1
        else:
            place += 1
    return place + len(closing)


def _end_of_interpolation(text, place):
    depth = 1
    while depth and place < len(text):
        if text[place] == '"':
            place = _end_of_string(text, place, False)
            continue
        depth += (text[place] == '(') - (text[place] == ')')
        place += 1
    return place
