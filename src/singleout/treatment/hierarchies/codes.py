"""Hierarchies of codes: characters are dropped from the right, ``1234``, ``123*``, ``12**``, ``*``.

Postcodes and classifications such as ISCO, NACE and ICD are written so that the first characters
say most.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from singleout.core.arrays import I64
from singleout.core.table import Column
from singleout.errors import BadChoice
from singleout.treatment.hierarchies.hierarchy import EVERYTHING, Hierarchy, spelling
from singleout.treatment.hierarchies.levels import (
    MOST_LEVELS,
    Level,
    assembled,
    finer,
    with_values_apart,
)
from singleout.treatment.hierarchies.order import few_apart

__all__ = ["code_length", "from_prefixes", "proposed_prefixes"]

_SHAPE = re.compile(r"[0-9A-Za-z](?:[0-9A-Za-z .,/-]*[0-9A-Za-z])?")
_FEW = 12  # so few values may have the same length by chance
_SHORTEST, _LONGEST = 3, 16
_YEARS = (1800, 2100)
_WORTH = 0.75  # a level keeps at most this share of the labels below it
_CLUMPED = 0.5  # numbers that lie together in so few of the tens are no quantity
_NAMED = re.compile(
    r"zip|post|plz|\bpc\d|code|puma|fips|nuts|\bnis\b|\blau\b|icd|isco|nace|naics|\bsic\b|isic"
    r"|\bsoc\b|nomesco|\batc\b|municip|gemeente|gemeinde|commune|insee|district|tract|kommun",
    re.IGNORECASE,
)


def from_prefixes(column: Column, lengths: Sequence[int] | None = None) -> Hierarchy:
    """Return the hierarchy of codes by their first characters.

    Parameters
    ----------
    column
        The column of codes.
    lengths
        How many characters each level keeps, from many to few; if not given, one fewer on each.

    Examples
    --------
    >>> import singleout as so
    >>> pc4 = so.read({"pc4": ["1011", "1012", "1021", "9999"]})["pc4"]
    >>> from_prefixes(pc4).rows[0]
    ['1011', '101*', '10**', '1***', '*']
    >>> from_prefixes(pc4, [2]).rows[0]
    ['1011', '10**', '*']
    """
    texts = [spelling(value) for value in column.values]
    longest = max(map(len, texts), default=0)
    kept = range(longest - 1, 0, -1) if lengths is None else _checked(lengths, column)
    return assembled(column, list(_levels(texts, kept)))


def _checked(lengths: Sequence[int], column: Column) -> list[int]:
    kept = list(lengths)
    falling = all(upper < lower for lower, upper in pairwise(kept))
    if not falling or not all(isinstance(n, int) and not isinstance(n, bool) for n in kept):
        kept = []
    if not kept or kept[-1] < 1:
        raise BadChoice(
            f"The levels of {column.name!r} keep fewer and fewer characters, such as [4, 2], not "
            f"{lengths!r}."
        )
    return kept


def _levels(texts: Sequence[str], kept: Sequence[int]) -> Iterator[Level]:
    """Yield a level for each number of characters that is kept."""
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    longest = int(lengths.max(initial=0))
    of_value = np.arange(len(texts))
    keys: Sequence[str] = texts
    for length in kept:
        number_of: dict[str, int] = {}
        cut = [number_of.setdefault(key[:length], len(number_of)) for key in keys]
        of_value = np.array(cut, dtype=np.int64)[of_value]
        # a code that is not longer than its group's characters stays itself, if it is alone
        is_cut = np.zeros(len(number_of), dtype=np.bool_)
        is_cut[of_value[lengths > length]] = True
        keys = tuple(number_of)
        labels = tuple(
            key + EVERYTHING * (longest - len(key)) if cut_off else key
            for key, cut_off in zip(keys, is_cut.tolist(), strict=True)
        )
        yield Level(of_value, labels)


# ---- whether values are codes


def code_length(column: Column, *, nominal: bool = False) -> int | None:
    """Return how long the codes of a column are; None if its values do not look like codes.

    Codes have the same length and share their first characters. Digits alone are codes if one
    starts with 0, if the column is named so or known to be ``nominal``, or if they lie together as
    no quantity does.
    """
    if any(isinstance(value, float) and not value.is_integer() for value in column.values[:_FEW]):
        return None
    texts = [spelling(value) for value in column.values]
    lengths, times = np.unique([len(text) for text in texts], return_counts=True)
    if not len(lengths):
        return None
    length, codes = int(lengths[times.argmax()]), int(times.max())
    if not few_apart(len(texts), codes) or not _SHORTEST <= length <= _LONGEST:
        return None
    same = [text for text in texts if len(text) == length]
    if len(same) <= _FEW or not all(_SHAPE.fullmatch(text) for text in same):
        return None
    groups = _groups(same, length)
    shared = any(1 < count <= _WORTH * len(same) for count in groups[1:length])
    return length if shared and (nominal or _are_told(column.name, same)) else None


def _groups(texts: Sequence[str], length: int) -> list[int]:
    """Return how many different beginnings of 0, 1, 2 … characters codes of one length have."""
    letters = np.array(sorted(texts), dtype=f"U{length}").view(np.uint32).reshape(-1, length)
    differ = letters[1:] != letters[:-1]
    shared = np.where(differ.any(axis=1), differ.argmax(axis=1), length)
    return [1 + int((shared < kept).sum()) for kept in range(length + 1)]


def _are_told(name: str, texts: Sequence[str]) -> bool:
    """Whether something tells codes from numbers and from words."""
    if all(text.isdecimal() and text.isascii() for text in texts):
        zero = any(text[0] == "0" for text in texts)
        return zero or _is_named(name) or _clumped(texts)
    # words of the same length have no digits
    return all(any(char.isdecimal() for char in text) for text in texts)


def _is_named(name: str) -> bool:
    return _NAMED.search(name.replace("_", " ")) is not None


def _clumped(texts: Sequence[str]) -> bool:
    """Whether numbers lie in far fewer hundreds than as many random numbers would."""
    numbers: I64 = np.array([int(text) for text in texts], dtype=np.int64)
    low, high = int(numbers.min()), int(numbers.max())
    if (low >= _YEARS[0] and high <= _YEARS[1]) or len(texts[0]) < 5:
        return False
    hundreds = high // 100 - low // 100 + 1
    expected = hundreds * -np.expm1(-len(texts) / hundreds)
    return bool(len(np.unique(numbers // 100)) < _CLUMPED * expected)


def proposed_prefixes(column: Column, length: int) -> list[Level]:
    """Return levels of codes, only those that take enough together."""
    texts = [spelling(value) for value in column.values]
    ranked = np.array([i for i, text in enumerate(texts) if len(text) == length], dtype=np.int64)
    same = [texts[i] for i in ranked.tolist()]
    groups = _groups(same, length)
    worth: list[int] = []
    left = len(same)
    for kept in range(length - 1, 0, -1):
        if 1 < groups[kept] <= _WORTH * left:
            worth.append(kept)
            left = groups[kept]
    levels = _levels(same, worth[-(MOST_LEVELS - 2) :])
    whole = [with_values_apart(column, ranked, level) for level in levels]
    return finer(whole, len(texts))
