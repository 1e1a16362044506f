"""The parser of conditions: a recursive descent over a grammar without functions or queries.

    condition   := conjunction { OR conjunction }
    conjunction := negation { AND negation }
    negation    := NOT negation | ( condition ) | test
    test        := name operator value
                 | name [NOT] IN ( value { , value } )
                 | name [NOT] BETWEEN value AND value
                 | name IS [NOT] NULL | name IS [NOT] MISSING
    operator    := = | != | <> | < | <= | > | >=
    value       := number | 'text' | TRUE | FALSE
    name        := letters, digits and _ | "any name" | `any name`

Keywords can be written in any case.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from singleout.core.text import printable
from singleout.errors import BadChoice
from singleout.where import tree

__all__ = ["MAX_DEPTH", "MAX_LENGTH", "read_condition"]

MAX_LENGTH = 100_000  # characters; room for a list of thousands of values
MAX_DEPTH = 100  # brackets within brackets
MAX_DIGITS = 38  # what the exact numbers of databases hold

_SHOWN = 30  # characters of the text around a mistake
_TOKEN = re.compile(
    r"""(?P<space>\s+)
    |(?P<number>[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?)(?![\w.])
    |(?P<name>[^\W\d]\w*)
    |(?P<text>'[^']*(?:''[^']*)*')
    |(?P<quoted>"[^"]*(?:""[^"]*)*"|`[^`]*(?:``[^`]*)*`)
    |(?P<operator><=|>=|<>|!=|=(?!=)|<|>)
    |(?P<mark>[(),])""",
    re.VERBOSE,
)
_SIMPLE_TEST = "such as age >= 18 or sex = 'F'"
_VALUES = "a value is a number, a text in single quotes, true or false"
_HINTS = {
    "'": "the text that starts here has no closing quote; a quote within a text is written twice",
    '"': "the column name that starts here has no closing quote",
    "`": "the column name that starts here has no closing quote",
    "==": "write = for equal",
    "&": "write and",
    "|": "write or",
    "!": "write not, or != for different",
    "‘": "write a text in straight single quotes, such as 'F'",
    "’": "write a text in straight single quotes, such as 'F'",
    "“": "write a column name in straight double quotes, and a text in straight single quotes",
    "”": "write a column name in straight double quotes, and a text in straight single quotes",
    ";": "a condition is one expression, without a semicolon",
    "--": "a condition has no comments",
    "/*": "a condition has no comments",
}


@dataclass(frozen=True)
class _Token:
    """A token: its kind, its text and the index at which it starts."""

    kind: str
    text: str
    start: int

    @property
    def word(self) -> str:
        """The keyword or mark, in lower case; empty for quoted text and numbers."""
        return self.text.lower() if self.kind in ("name", "operator", "mark") else ""


def read_condition(text: str) -> tree.Part:
    """Return the syntax tree of a condition, or say where the mistake is and what would work."""
    if not text.strip():
        raise BadChoice(f"The condition is empty; write a test of a column, {_SIMPLE_TEST}.")
    if len(text) > MAX_LENGTH:
        raise BadChoice(
            f"The condition has {len(text):,} characters; at most {MAX_LENGTH:,} can be read."
        )
    for index, char in enumerate(text):
        if char == "\0" or "\ud800" <= char <= "\udfff":
            raise _mistake(text, index, "this character is no text that a database can hold")
    reader = _TokenReader(text)
    part = reader.condition(0)
    reader.expect_end()
    return part


def _mistake(text: str, index: int, advice: str) -> BadChoice:
    rest = text[index:]
    shown = rest if len(rest) <= _SHOWN else rest[: _SHOWN - 1] + "…"
    where = f"at character {index + 1} ({printable(shown)})" if rest else "at its end"
    return BadChoice(f"The condition cannot be read {where}: {advice}.")


def _tokens(text: str) -> Iterator[_Token]:
    index = 0
    while index < len(text):
        match = _TOKEN.match(text, index)
        if match is None:
            hints = (hint for start, hint in _HINTS.items() if text.startswith(start, index))
            other = "a name with other characters than letters, digits and _ goes in double quotes"
            number = "this is no number; a text goes in single quotes, a name in double quotes"
            is_number = text[index].isdigit() or text[index] in "+-."
            raise _mistake(text, index, next(hints, number if is_number else other))
        if match.lastgroup != "space":
            yield _Token(str(match.lastgroup), match[0], index)
        index = match.end()
    yield _Token("end", "", len(text))


class _TokenReader:
    """Reads one token after another; each rule of the grammar is a method."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(_tokens(text))
        self._index = 0

    @property
    def _next(self) -> _Token:
        return self._tokens[self._index]

    def _advance(self) -> _Token:
        token = self._next
        self._index += token.kind != "end"
        return token

    def _accept(self, *words: str) -> bool:
        """Consume these words if all of them come next."""
        following = self._tokens[self._index : self._index + len(words)]
        if tuple(token.word for token in following) != words:
            return False
        self._index += len(words)
        return True

    def _mistake(self, token: _Token, advice: str) -> BadChoice:
        return _mistake(self._text, token.start, advice)

    def _require(self, word: str, advice: str) -> None:
        if not self._accept(word):
            raise self._mistake(self._next, advice)

    def expect_end(self) -> None:
        """Refuse tokens that are left."""
        token = self._next
        if token.kind == "end":
            return
        if token.kind == "operator":
            advice = "one test compares once; write between 18 and 65, or join two tests with and"
        elif token.word == ")":
            advice = "this bracket was never opened"
        else:
            advice = "join tests with and or or"
        raise self._mistake(token, advice)

    def condition(self, depth: int) -> tree.Part:
        parts = self._joined("or", self._conjunction, tree.AnyOf, depth)
        return parts[0] if len(parts) == 1 else tree.AnyOf(tuple(parts))

    def _conjunction(self, depth: int) -> tree.Part:
        parts = self._joined("and", self._negation, tree.AllOf, depth)
        return parts[0] if len(parts) == 1 else tree.AllOf(tuple(parts))

    def _joined(
        self,
        word: str,
        rule: Callable[[int], tree.Part],
        same: type[tree.AllOf] | type[tree.AnyOf],
        depth: int,
    ) -> list[tree.Part]:
        """Read any number of operands of one rule; nested ones of the same kind are merged."""
        parts: list[tree.Part] = []
        while True:
            part = rule(depth)
            parts.extend(part.parts if isinstance(part, same) else (part,))
            if not self._accept(word):
                return parts

    def _negation(self, depth: int) -> tree.Part:
        token = self._next
        if depth > MAX_DEPTH:
            raise self._mistake(token, f"brackets and not can be {MAX_DEPTH} deep, no deeper")
        if self._accept("not"):
            return tree.Not(self._negation(depth + 1))
        if self._accept("("):
            part = self.condition(depth + 1)
            self._require(")", f"the bracket of character {token.start + 1} is not closed here")
            return part
        return self._test()

    def _test(self) -> tree.Part:
        column = self._name()
        negated = self._accept("not")
        part: tree.Part
        if self._accept("in"):
            part = tree.Membership(column, self._list())
        elif self._accept("between"):
            low = self._ordered_value()
            self._require("and", "between takes two values: between 18 and 65")
            part = tree.Between(column, low, self._ordered_value())
        elif negated:
            raise self._mistake(self._next, "after a column name, not is followed by in or between")
        elif self._accept("is"):
            negated = self._accept("not")
            if not (self._accept("null") or self._accept("missing")):
                raise self._mistake(self._next, "write is null or is not null, or = for a value")
            part = tree.Missing(column)
        else:
            return self._comparison(column)
        return tree.Not(part) if negated else part

    def _comparison(self, column: str) -> tree.Compare:
        token = self._advance()
        if token.kind != "operator":
            raise self._mistake(
                token,
                "after a column name comes =, !=, <, <=, >, >=, in, between or is; "
                "a name with blanks goes in double quotes",
            )
        operator = "!=" if token.text == "<>" else token.text
        value = self._value() if operator in ("=", "!=") else self._ordered_value()
        return tree.Compare(column, operator, value)

    def _list(self) -> tuple[tree.Value, ...]:
        advice = "in takes a list in brackets, such as in ('a', 'b')"
        self._require("(", advice)
        values = [self._value()]
        while self._accept(","):
            values.append(self._value())
        self._require(")", advice)
        return tuple(values)

    def _name(self) -> str:
        token = self._advance()
        if token.kind == "quoted":
            mark = token.text[0]
            return token.text[1:-1].replace(mark * 2, mark)
        if token.kind == "name" and token.word not in tree.KEYWORDS:
            return token.text
        if token.word in tree.KEYWORDS:
            advice = f'a test starts with a column name; a column of this name is "{token.text}"'
        elif token.kind in ("text", "number"):
            advice = (
                f"a test starts with a column name, {_SIMPLE_TEST}; "
                "a name that is no plain word goes in double quotes"
            )
        else:
            advice = f"here a test should start, {_SIMPLE_TEST}"
        raise self._mistake(token, advice)

    def _ordered_value(self) -> tree.NumberLiteral | tree.TextLiteral:
        token = self._next
        value = self._value()
        if isinstance(value, tree.TruthLiteral):
            raise self._mistake(token, "true and false have no order; compare them with = or !=")
        return value

    def _value(self) -> tree.Value:
        token = self._advance()
        if token.kind == "text":
            return tree.TextLiteral(token.text[1:-1].replace("''", "'"))
        if token.kind == "number":
            return tree.NumberLiteral(self._number(token))
        if token.word in ("true", "false"):
            return tree.TruthLiteral(token.word == "true")
        if token.word == "null":
            advice = "nothing equals a missing value; write is null or is not null"
        elif token.kind in ("name", "quoted"):
            text = token.text.strip('"`').replace("'", "''")
            advice = f"{_VALUES}; if this is a text, write '{printable(text)}'"
        else:
            advice = _VALUES
        raise self._mistake(token, advice)

    def _number(self, token: _Token) -> int | Decimal:
        number = Decimal(token.text)
        # without leading and trailing zeros; Decimal.normalize would round to its context
        digits = f"{number:f}".lstrip("+-").lstrip("0")
        whole, _, fraction = digits.partition(".")
        fraction = fraction.rstrip("0")
        if len(whole) + len(fraction) > MAX_DIGITS:
            raise self._mistake(token, f"a number may have at most {MAX_DIGITS} digits")
        if not fraction:
            return int(number)
        return Decimal(f"{'-' if number < 0 else ''}{whole or '0'}.{fraction}")
