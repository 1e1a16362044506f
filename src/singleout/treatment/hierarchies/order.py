"""What order the values of a column have: that of numbers, of dates, or of ranges such as 5-9.

The codebook sorts text by its letters, which is no order for dates and for ``5-9, 10-14``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

import numpy as np

from singleout.core.arrays import F64
from singleout.core.table import Column
from singleout.treatment.hierarchies.dates import date_parts

__all__ = [
    "ORDERED",
    "Scale",
    "are_codes",
    "exact_number",
    "few_apart",
    "in_order",
    "is_labelled",
    "numbers_of",
    "ranks_of",
    "reads_as_number",
]

_FIRST_NUMBER = re.compile(r"\s*([<>≤≥]?)=?\s*(-?\d+(?:\.\d+)?)(?!\d)")
_BESIDE = {"<": -1, "≤": -1, ">": 1, "≥": 1}
_CODE = re.compile(r"[0-9A-Za-z]{4,12}")
_APART = 2  # values without a number among ordered ones, such as "unknown"
_EXACT = 2**53  # from here on not every whole number is a float
_MANY = 20  # fewer values than this may have the same length by chance

Scale = Literal["nominal", "ordinal"]
# whether values have an order, by the scale that somebody stated; None: the values tell
ORDERED: Mapping[Scale | None, bool | None] = {"ordinal": True, "nominal": False, None: None}


def in_order(column: Column, scale: Scale | None) -> bool:
    """Whether the values of a column have a recognisable order.

    Where the plan gives no scale, dates and numbers that are no codes have one.

    >>> import singleout as so
    >>> people = so.read({"age": ["7", "30", "8"], "mood": ["low", "mid", "high"]})
    >>> in_order(people["age"], None), in_order(people["age"], "nominal")
    (True, False)
    >>> in_order(people["mood"], "ordinal")
    False
    """
    if scale == "nominal" or ranks_of(column) is None:
        return False
    texts = [str(value) for value in column.values]
    if scale == "ordinal" or date_parts(texts) is not None:
        return True
    if is_labelled(column):  # numbers that stand for words
        return False
    return all(reads_as_number(value) for value in column.values) and not are_codes(texts)


def is_labelled(column: Column) -> bool:
    """Whether most values of a column have labels."""
    labelled = sum(value in column.labels for value in column.values) if column.labels else 0
    return 2 * labelled > len(column.values)


def ranks_of(column: Column) -> dict[int, int] | None:
    """Return the rank of each code in the order of meaning; None if there is no order.

    A few values may have no rank, such as "unknown" among numbers.
    """
    keys = {code: key for code, key in enumerate(_order_keys(column)) if key is not None}
    if not few_apart(len(column.values), len(keys)) or len(set(keys.values())) < len(keys):
        return None
    return {code: rank for rank, code in enumerate(sorted(keys, key=keys.__getitem__))}


def few_apart(values: int, ranked: int) -> bool:
    """Whether so few values have no rank that the others have an order."""
    return values - ranked <= min(_APART, ranked // 3)


def _order_keys(column: Column) -> list[Any]:
    """Return what each value is sorted by; None for one that has no rank in the order."""
    if all(reads_as_number(value) for value in column.values):
        return [(float(value), str(value)) for value in column.values]  # 1 and 01 may both occur
    texts = [str(value) for value in column.values]
    dates = date_parts(texts)
    if dates is not None:
        # times of the same day follow each other as they are written
        pairs = zip(dates, texts, strict=True)
        return [date.order and (date.order, text) for date, text in pairs]
    return [_first_number(text) for text in texts]


def _first_number(text: str) -> tuple[float, int] | None:
    match = _FIRST_NUMBER.match(text)
    return None if match is None else (float(match[2]), _BESIDE.get(match[1], 0))


def are_codes(texts: Sequence[str], *, nominal: bool = False) -> bool:
    """Whether the values look like postcodes or other codes whose last character is the finest."""
    if len(texts) <= _MANY or not all(_CODE.fullmatch(text) for text in texts):
        return False
    same_length = len({len(text) for text in texts}) == 1
    # the years 1950 and 1951 have four digits as well, but none starts with 0
    telling = nominal or any(text[0] == "0" or not text.isdigit() for text in texts)
    return same_length and telling and len({text[:-1] for text in texts}) < len(texts)


def reads_as_number(value: Any) -> bool:
    """Whether a value is a finite number, or text that reads as one."""
    try:
        return math.isfinite(float(value))
    except (TypeError, ValueError, OverflowError):
        return False


def numbers_of(column: Column) -> F64 | None:
    """Return the values as numbers, NaN for a few that are none; None if those are many.

    >>> import singleout as so
    >>> numbers_of(so.read({"rooms": ["2", "10", "3", "N"]})["rooms"]).tolist()
    [10.0, 2.0, 3.0, nan]
    """
    at_once = getattr(column.values, "numbers", None)
    book = None if at_once is None else at_once()
    if book is None:
        book = _numbers(column.values)
    if book is None:
        return None
    found = np.where(np.isfinite(book), book, np.nan)
    known = int(np.isfinite(found).sum())
    return found if known and few_apart(len(found), known) else None


def _numbers(values: Sequence[Any]) -> F64 | None:
    """Return values as numbers, NaN for those that are none; None as soon as these are too many."""
    numbers = []
    apart = 0
    for value in values:
        numbers.append(_number(value))
        apart += not math.isfinite(numbers[-1])
        if apart > _APART:
            return None
    return np.array(numbers, dtype=np.float64)


def _number(value: Any) -> float:
    if isinstance(value, bool):
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def exact_number(value: Any, number: float) -> float | Decimal:
    """Return a value as a number without rounding, where it is too large for a float to be exact.

    >>> exact_number("9007199254740993", 9007199254740992.0), exact_number("34", 34.0)
    (9007199254740993, 34.0)
    """
    if abs(number) < _EXACT:
        return number
    if isinstance(value, float):
        return int(value)
    try:
        exact = Decimal(str(value).strip())
    except InvalidOperation:  # text that only a float reads
        return int(number)
    whole = exact.to_integral_value()
    return int(whole) if exact == whole else exact
