"""The checks of one column, in order: its name, its dates, places and numbers, its text."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from singleout.assessment.guess.column import guess_column
from singleout.assessment.guess.names import counts_something
from singleout.assessment.guess.subject import Subject
from singleout.assessment.hipaa.dates import from_ages, from_dates
from singleout.assessment.hipaa.examined import Examined, Found
from singleout.assessment.hipaa.numbers import from_registers
from singleout.assessment.hipaa.places import from_places
from singleout.assessment.hipaa.text import from_text
from singleout.core.choices import Role
from singleout.core.table import Column, smallest_codes

__all__ = ["check", "is_free_text"]

# What a name means as a guess has it, by the identifier; the name's own terms come first.
_MEANINGS = {
    "name": "A",
    "phone": "D",
    "email": "F",
    "national id": "R",
    "person number": "R",
    "account": "J",
    "device": "R",
    "vehicle": "L",
    "biometric": "P",
    "household": "R",
}
_DIGITS_OF_A_PHONE = 7
_DIGITS_OF_SSN = 4  # its last four are a part of it


def check(column: Examined, role: Role = Role.OTHER, this_year: int | None = None) -> list[Found]:
    """Return the signs of identifiers in a column.

    >>> from singleout.assessment.hipaa.examined import examined
    >>> [sign.letter for sign in check(examined("tel", [("617-555-0123", 1)]))]
    ['D', 'D']
    >>> check(examined("year", [(2019, 5), (2020, 5)]))
    []
    """
    if not any(column.texts):
        return []
    spoken, letter = _spoken(column), _letter(column)
    number = from_registers(column, spoken)
    if number and number.letter == spoken:
        letter = spoken  # a few shared values are numbers, too, if both name and form say so
    found = [*_of_name(column, letter), *from_dates(column), *from_ages(column, this_year)]
    found += from_places(column)
    found += [number] if number else []
    # a form that all such values have already is no second sign
    known = {sign.letter: sign.records for sign in found if sign.kind != "name"}
    found += [s for s in from_text(column, letter) if s.records > known.get(s.letter, 0)]
    return found or [*_of_guess(column, role)]


def is_free_text(column: Examined) -> bool:
    """Whether the values are sentences, in which a name may stand that nothing recognises."""
    look = column.look
    return look.free_text and not look.numeric and not look.dates


def _spoken(column: Examined) -> str:
    """Return the identifier that the name speaks of, whatever the values are."""
    if column.about_a_property or counts_something(column.name) or column.flags:
        return ""
    letter = column.term if column.term != "B" else ""
    if not letter and not (column.match and column.match.weak):
        letter = _MEANINGS.get(column.meaning, "")
    return letter


def _letter(column: Examined) -> str:
    """Return the identifier that the name speaks of, if its values can be one."""
    letter = _spoken(column)
    return letter if letter and _FITS.get(letter, _numbered)(column) else ""


def _of_name(column: Examined, letter: str) -> Iterator[Found]:
    if letter:
        yield Found(letter, "name", letter, column.records)


# ---- whether values can be what the name says


def _numbered(column: Examined) -> bool:
    """Whether values can be numbers of people or things: with digits, and not only a few."""
    look = column.look
    decimals = look.numeric and not look.whole
    return not look.handful and not decimals and not look.dates and _with_digits(column, 1)


def _with_digits(column: Examined, many: int) -> bool:
    return column.share(lambda text: sum(map(str.isdigit, text)) >= many) >= 0.5


def _named_people(column: Examined) -> bool:
    look = column.look
    return not look.numeric and not look.dates and (not look.handful or look.like_people)


_FITS: dict[str, Callable[[Examined], bool]] = {
    "A": _named_people,
    "D": lambda column: _with_digits(column, _DIGITS_OF_A_PHONE),
    "E": lambda column: _with_digits(column, _DIGITS_OF_A_PHONE),
    "F": lambda column: any("@" in text for text in column.look.texts),
    "G": lambda column: _with_digits(column, _DIGITS_OF_SSN) and _numbered(column),
    "N": lambda column: column.share(lambda text: "." in text and not text[0].isdigit()) >= 0.5,
    "O": lambda column: column.share(lambda text: "." in text or ":" in text) >= 0.5,
    "P": lambda column: not column.look.handful,
    "Q": lambda column: not column.look.handful and not column.look.numeric,
}


# ---- what is left


def _of_guess(column: Examined, role: Role) -> Iterator[Found]:
    """Yield what a guess takes for a direct identifier though no rule above knows it."""
    if role == Role.DIRECT_IDENTIFIER:
        yield Found("R", "role", "declared", column.records)
        return
    if is_free_text(column):
        return
    guess = guess_column(_subject(column))
    if guess.meaning == "name" and guess.role == Role.DIRECT_IDENTIFIER:
        yield Found("A", "pattern", "A", column.records)
    elif guess.role == Role.DIRECT_IDENTIFIER and column.look.nearly_unique:
        yield Found("R", "unique", "own", column.records, guess.reason)


def _subject(column: Examined) -> Subject:
    """Return the column as a guess sees it; one record for each value is enough."""
    many = len(column.texts)
    codes = smallest_codes(np.arange(many), many)
    bare = Column(column.name, codes, column.texts, description=column.description)
    return Subject.of(bare, column.look)
