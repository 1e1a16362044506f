"""From the text of a population filter to its parts: a grammar that has no way to do harm.

    condition  := also { OR also }
    also       := contrary { AND contrary }
    contrary   := NOT contrary | ( condition ) | test
    test       := name operator value
                | name [NOT] IN ( value { , value } )
                | name [NOT] BETWEEN value AND value
                | name IS [NOT] NULL | name IS [NOT] MISSING
    operator   := = | != | <> | < | <= | > | >=
    value      := number | 'text' | TRUE | FALSE
    name       := letters, digits and _ | "any name" | `any name`

Words in capitals can be written in any case. There is nothing else: no functions, no queries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from singleout.core.text import printable
from singleout.errors import BadChoice
from singleout.where.tree import (
    KEYWORDS,
    AllOf,
    AnyOf,
    Between,
    Comparison,
    Membership,
    Missing,
    Not,
    Number,
    Part,
    Text,
    Truth,
    Value,
)

__all__ = ["MAX_DEPTH", "MAX_DIGITS", "MAX_LENGTH", "read_condition"]

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
    """A piece of the text: its kind, the text itself and where it starts."""

    kind: str
    text: str
    start: int

    @property
    def word(self) -> str:
        """The keyword or mark that this is, in small letters; empty for what is in quotes."""
        return self.text.lower() if self.kind in ("name", "operator", "mark") else ""


def read_condition(text: str) -> Part:
    """Return the parts of a condition, or say where it cannot be read and what would work."""
    if not text.strip():
        raise BadChoice(f"The condition is empty; write a test of a column, {_SIMPLE_TEST}.")
    if len(text) > MAX_LENGTH:
        raise BadChoice(
            f"The condition has {len(text):,} characters; at most {MAX_LENGTH:,} can be read."
        )
    for place, char in enumerate(text):
        if char == "\0" or "\ud800" <= char <= "\udfff":
            raise _mistake(text, place, "this character is no text that a database can hold")
    reader = _Reader(text)
    part = reader.condition(0)
    reader.expect_end()
    return part


def _mistake(text: str, place: int, advice: str) -> BadChoice:
    rest = text[place:]
    shown = rest if len(rest) <= _SHOWN else rest[: _SHOWN - 1] + "…"
    where = f"at character {place + 1} ({printable(shown)})" if rest else "at its end"
    return BadChoice(f"The condition cannot be read {where}: {advice}.")


def _tokens(text: str) -> Iterator[_Token]:
    place = 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            hints = (hint for start, hint in _HINTS.items() if text.startswith(start, place))
            other = "a name with other characters than letters, digits and _ goes in double quotes"
            number = "this is no number; a text goes in single quotes, a name in double quotes"
            is_number = text[place].isdigit() or text[place] in "+-."
            raise _mistake(text, place, next(hints, number if is_number else other))
        if found.lastgroup != "space":
            yield _Token(str(found.lastgroup), found[0], place)
        place = found.end()
    yield _Token("end", "", len(text))


class _Reader:
    """Reads one token after another; each method takes what its rule of the grammar says."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(_tokens(text))
        self._place = 0

    @property
    def _next(self) -> _Token:
        return self._tokens[self._place]

    def _take(self) -> _Token:
        token = self._next
        self._place += token.kind != "end"
        return token

    def _took(self, *words: str) -> bool:
        """Take these words if they come next, all of them."""
        coming = self._tokens[self._place : self._place + len(words)]
        if tuple(token.word for token in coming) != words:
            return False
        self._place += len(words)
        return True

    def _mistake(self, token: _Token, advice: str) -> BadChoice:
        return _mistake(self._text, token.start, advice)

    def _require(self, word: str, advice: str) -> None:
        if not self._took(word):
            raise self._mistake(self._next, advice)

    def expect_end(self) -> None:
        """Refuse whatever is left."""
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

    def condition(self, depth: int) -> Part:
        parts = self._joined("or", self._also, AnyOf, depth)
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def _also(self, depth: int) -> Part:
        parts = self._joined("and", self._contrary, AllOf, depth)
        return parts[0] if len(parts) == 1 else AllOf(tuple(parts))

    def _joined(
        self,
        word: str,
        rule: Callable[[int], Part],
        same: type[AllOf] | type[AnyOf],
        depth: int,
    ) -> list[Part]:
        """Read what one rule gives, any number of times, without brackets that change nothing."""
        parts: list[Part] = []
        while True:
            part = rule(depth)
            parts.extend(part.parts if isinstance(part, same) else (part,))
            if not self._took(word):
                return parts

    def _contrary(self, depth: int) -> Part:
        token = self._next
        if depth > MAX_DEPTH:
            raise self._mistake(token, f"brackets and not can be {MAX_DEPTH} deep, no deeper")
        if self._took("not"):
            return Not(self._contrary(depth + 1))
        if self._took("("):
            part = self.condition(depth + 1)
            self._require(")", f"the bracket of character {token.start + 1} is not closed here")
            return part
        return self._test()

    def _test(self) -> Part:
        column = self._name()
        contrary = self._took("not")
        part: Part
        if self._took("in"):
            part = Membership(column, self._list())
        elif self._took("between"):
            low = self._ordered_value()
            self._require("and", "between takes two values: between 18 and 65")
            part = Between(column, low, self._ordered_value())
        elif contrary:
            raise self._mistake(self._next, "after a column name, not is followed by in or between")
        elif self._took("is"):
            contrary = self._took("not")
            if not (self._took("null") or self._took("missing")):
                raise self._mistake(self._next, "write is null or is not null, or = for a value")
            part = Missing(column)
        else:
            return self._comparison(column)
        return Not(part) if contrary else part

    def _comparison(self, column: str) -> Comparison:
        token = self._take()
        if token.kind != "operator":
            raise self._mistake(
                token,
                "after a column name comes =, !=, <, <=, >, >=, in, between or is; "
                "a name with blanks goes in double quotes",
            )
        operator = "!=" if token.text == "<>" else token.text
        value = self._value() if operator in ("=", "!=") else self._ordered_value()
        return Comparison(column, operator, value)

    def _list(self) -> tuple[Value, ...]:
        advice = "in takes a list in brackets, such as in ('a', 'b')"
        self._require("(", advice)
        values = [self._value()]
        while self._took(","):
            values.append(self._value())
        self._require(")", advice)
        return tuple(values)

    def _name(self) -> str:
        token = self._take()
        if token.kind == "quoted":
            mark = token.text[0]
            return token.text[1:-1].replace(mark * 2, mark)
        if token.kind == "name" and token.word not in KEYWORDS:
            return token.text
        if token.word in KEYWORDS:
            advice = f'a test starts with a column name; a column of this name is "{token.text}"'
        elif token.kind in ("text", "number"):
            advice = (
                f"a test starts with a column name, {_SIMPLE_TEST}; "
                "a name that is no plain word goes in double quotes"
            )
        else:
            advice = f"here a test should start, {_SIMPLE_TEST}"
        raise self._mistake(token, advice)

    def _ordered_value(self) -> Number | Text:
        token = self._next
        value = self._value()
        if isinstance(value, Truth):
            raise self._mistake(token, "true and false have no order; compare them with = or !=")
        return value

    def _value(self) -> Value:
        token = self._take()
        if token.kind == "text":
            return Text(token.text[1:-1].replace("''", "'"))
        if token.kind == "number":
            return Number(self._number(token))
        if token.word in ("true", "false"):
            return Truth(token.word == "true")
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
        # without the zeros that change nothing; Decimal.normalize would round to its context
        digits = f"{number:f}".lstrip("+-").lstrip("0")
        whole, _, fraction = digits.partition(".")
        fraction = fraction.rstrip("0")
        if len(whole) + len(fraction) > MAX_DIGITS:
            raise self._mistake(token, f"a number may have at most {MAX_DIGITS} digits")
        if not fraction:
            return int(number)
        return Decimal(f"{'-' if number < 0 else ''}{whole or '0'}.{fraction}")
