"""The scale of a sensitive column: whether its values have an order, and which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import StrEnum
from numbers import Number
from typing import Any

import numpy as np

from singleout.core.arrays import I64
from singleout.core.choices import choose
from singleout.core.table import Column, smallest_codes
from singleout.errors import BadChoice
from singleout.where.kinds import read_number

__all__ = ["Scale", "asked_scales", "ranked", "scale_of"]

_ORDERED = (Number, date, time, timedelta)


class Scale(StrEnum):
    """How far two values of a sensitive column are apart."""

    NOMINAL = "nominal"  # any two differ by 1
    ORDINAL = "ordinal"  # by the difference of their ranks, from 0 to 1


def asked_scales(scale: Any, sensitive: Sequence[str]) -> dict[str, Scale]:
    """Return the scales that a user gives: one word for all columns, or a word for each of some."""
    if scale is None:
        return {}
    if not isinstance(scale, Mapping):
        return dict.fromkeys(sensitive, _scale(scale))
    absent = [name for name in scale if name not in sensitive]
    if absent:
        raise BadChoice(
            f"A scale is given for {absent}, but the sensitive columns are {list(sensitive)}."
        )
    return {name: _scale(word) for name, word in scale.items()}


def _scale(word: str) -> Scale:
    # the paper's word is understood as well
    return Scale.ORDINAL if word == "ordered" else choose(Scale, word, "scale")


def scale_of(column: Column) -> Scale:
    """Return the scale of a column by its values: those of numbers and dates have an order.

    So have texts that are all numbers or all dates, as a CSV file has them. Where the source names
    each number in words, as SPSS does with codes, the numbers are names and have none.
    """
    held = [column.values[code] for code in _occurring(column).tolist()]
    if not held or all(value in column.labels for value in held):
        return Scale.NOMINAL
    if all(isinstance(value, _ORDERED) for value in held):
        return Scale.ORDINAL
    return Scale.ORDINAL if _text_in_order(held) else Scale.NOMINAL


def _text_in_order(values: Sequence[Any]) -> bool:
    """Whether all values are texts that read as numbers, or all as dates: 2001-12-31."""
    if not all(isinstance(value, str) for value in values):
        return False
    return all(read_number(value) is not None for value in values) or all(map(_is_date, values))


def ranked(column: Column, scale: Scale) -> Column:
    """Return a column whose codes are in the order of its values; missing comes last.

    Codebooks are sorted, but one of mixed Python values is sorted as text.
    """
    if scale == Scale.NOMINAL or not len(column.values):
        return column
    numbers = [_as_number(value) for value in column.values]
    if any(number is None for number in numbers):
        return column
    order: I64 = np.argsort(np.array(numbers, dtype=np.float64), kind="stable")
    if (np.diff(order) == 1).all():
        return column
    new_code = np.append(np.empty_like(order), len(order))  # missing stays last
    new_code[order] = np.arange(len(order))
    values = [column.values[code] for code in order.tolist()]
    codes = smallest_codes(new_code[column.codes], column.levels)
    return Column(column.name, codes, values, column.has_missing)


def _occurring(column: Column) -> I64:
    return np.flatnonzero(np.bincount(column.codes, minlength=column.levels)[: len(column.values)])


def _as_number(value: Any) -> float | None:
    if isinstance(value, str):
        return read_number(value)
    return float(value) if isinstance(value, int | float | Decimal) else None


def _is_date(text: str) -> bool:
    # only the form whose order as text is that of time
    if len(text) < 10 or text[4] != "-" or text[7] != "-":
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
