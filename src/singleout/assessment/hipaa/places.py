"""Identifier B: geographic units smaller than a state, but for three digits of a ZIP code.

The first three digits of a ZIP code may stay if more than 20,000 people live in all the areas that
share them. By the census of 2000 that leaves out 17 prefixes, which are to be replaced by 000.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from singleout.assessment.guess.lists import COUNTRIES, PLACES
from singleout.assessment.guess.names import tokens
from singleout.assessment.guess.patterns import is_number
from singleout.assessment.hipaa.examined import Examined, Found
from singleout.assessment.hipaa.lists import REGIONS, RESTRICTED_ZIPS, STATES

__all__ = ["from_places"]

_NEARLY_ALL = 0.95
_MOST = 0.8
_THREE = re.compile(r"(\d{1,3})(?:[*xX#_]{2}|-)?", re.ASCII)
_TOWNS = PLACES - STATES - REGIONS
_LARGE = STATES | REGIONS | COUNTRIES
_NAMED = {
    "address": "address",
    "municipality": "towns",
    "location": "coordinates",
    "birth place": "towns",
}


def zip_prefix(text: str) -> str | None:
    """Return the three digits of a ZIP code that was cut to them; None for anything else.

    >>> zip_prefix("021"), zip_prefix("36"), zip_prefix("021**"), zip_prefix("02139")
    ('021', '036', '021', None)
    """
    found = _THREE.fullmatch(text)
    return found[1].zfill(3) if found else None


def from_places(column: Examined) -> Iterator[Found]:
    """Yield whether a column holds geographic units that are smaller than a state."""
    decimals = column.look.numeric and not column.look.whole and column.meaning != "location"
    if column.flags or column.about_a_property or column.look.dates or decimals:
        return
    if column.meaning == "postcode":
        yield from _of_postcodes(column)
        return
    look = column.look
    if look.postcodes or (look.five_digits and not column.meaning):
        yield Found("B", "pattern", "postcodes", column.records)
    elif _mostly_large(column):
        return
    yield from _named(column)
    if column.meaning in ("", "region", "municipality", "birth place") and _towns(column):
        yield Found("B", "list", "towns", column.having(_is_town))


def _of_postcodes(column: Examined) -> Iterator[Found]:
    """Yield whether postcodes are longer than three digits, or of areas with few people."""
    texts = [text for text in column.texts if text]
    short = [text for text in texts if zip_prefix(text) is not None]
    if len(short) < _NEARLY_ALL * len(texts):
        yield Found("B", "name", "postcodes", column.having(lambda t: zip_prefix(t) is None))
        if column.look.postcodes or column.look.five_digits:
            yield Found("B", "pattern", "postcodes", column.records)
        return
    records = column.having(lambda text: zip_prefix(text) in RESTRICTED_ZIPS)
    if records:
        yield Found("B", "list", "restricted_zips", records)
    longer = column.having(lambda text: bool(text) and zip_prefix(text) is None and is_number(text))
    if longer:
        yield Found("B", "name", "postcodes", longer)


def _named(column: Examined) -> Iterator[Found]:
    """Yield whether the name speaks of such units; a region alone may be as large as a state."""
    what = _NAMED.get(column.meaning)
    if column.term == "B":
        yield Found("B", "name", "areas", column.records)
    elif what is not None and _could_be(column, what):
        yield Found("B", "name", what, column.records)


def _could_be(column: Examined, what: str) -> bool:
    if column.match is not None and column.match.weak:
        return False  # a part of a longer word
    if what == "coordinates":
        return column.look.numeric or any(char.isdigit() for t in column.look.texts for char in t)
    longest = max(map(len, column.look.texts), default=0)
    return longest >= 3 and not (what == "address" and "@" in "".join(column.look.texts))


def _mostly_large(column: Examined) -> bool:
    """Whether the values are states, countries or regions as large."""
    return column.share(lambda text: _folded(text) in _LARGE) >= _MOST


def _towns(column: Examined) -> bool:
    return column.share(_is_town) >= 0.5 and column.look.distinct >= 3


def _is_town(text: str) -> bool:
    return _folded(text) in _TOWNS


def _folded(text: str) -> str:
    return " ".join(tokens(text))
