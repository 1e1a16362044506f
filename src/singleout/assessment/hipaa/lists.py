"""Words of Safe Harbor: what columns with its identifiers are called, states, months, ZIP areas."""

from __future__ import annotations

from singleout.assessment.guess.lists import data, words
from singleout.assessment.guess.names import tokens

__all__ = [
    "DATE_WORDS",
    "DAY_WORDS",
    "FLAGS",
    "LETTERS",
    "MONTHS",
    "MONTH_WORDS",
    "NOT_ITSELF",
    "OPEN_WORDS",
    "QUARTER_WORDS",
    "REGIONS",
    "RESTRICTED_ZIPS",
    "STATES",
    "STATE_CODES",
    "TERMS",
    "THINGS",
    "VERSION_WORDS",
]

# The identifiers of 164.514(b)(2)(i), by the letter of their paragraph.
LETTERS = "ABCDEFGHIJKLMNOPQR"

_LISTS = data("safe_harbor.toml")


def _terms() -> dict[tuple[str, ...], tuple[str, bool]]:
    """Return which identifier each term speaks of, and whether it must be the whole name."""
    return {
        tokens(term): (letter, term.startswith("="))
        for letter, text in _LISTS["terms"].items()
        for term in words(text)
    }


TERMS = _terms()
# A name with one of these words is about a property: phone_type, has_email.
NOT_ITSELF = frozenset(words(_LISTS["not_itself"]["words"]))
# Values that only say whether there is something.
FLAGS = frozenset({"", *words(_LISTS["flags"]["words"])})
# Words of a group of ages that has no upper end: 90 or older.
OPEN_WORDS = frozenset(words(_LISTS["open_ages"]["words"]))
# An age of one of these is not the age of a person.
THINGS = frozenset(words(_LISTS["things"]["words"]))
VERSION_WORDS = frozenset(words(_LISTS["version"]["words"]))
STATE_CODES = frozenset(words(_LISTS["states"]["codes"]))
STATES = STATE_CODES | frozenset(words(_LISTS["states"]["names"]))
REGIONS = frozenset(words(_LISTS["regions"]["names"]))
RESTRICTED_ZIPS = frozenset(words(_LISTS["zip"]["restricted"]))
MONTH_WORDS = frozenset(words(_LISTS["months"]["words"]))
QUARTER_WORDS = frozenset(words(_LISTS["months"]["quarters"]))
DAY_WORDS = frozenset(words(_LISTS["months"]["days"]))
DATE_WORDS = frozenset(words(_LISTS["months"]["dates"]))
MONTHS = frozenset(words(_LISTS["months"]["names"]))
