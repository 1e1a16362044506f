"""Recode a codebook: each method says what every value becomes, records are never looked at."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import ROUND_FLOOR, Decimal
from typing import Any, NamedTuple

import numpy as np

from singleout.core.arrays import F64
from singleout.core.table import Column
from singleout.errors import BadChoice, nearest
from singleout.treatment.hierarchies.hierarchy import Hierarchy, spelling
from singleout.treatment.hierarchies.intervals import figure
from singleout.treatment.steps import bands
from singleout.treatment.steps.days import coarser_date, dates_of
from singleout.treatment.steps.models import Recode
from singleout.where.kinds import read_number

__all__ = ["NewValues", "new_values"]

_HALF = Decimal("0.5")


class NewValues(NamedTuple):
    """What each code becomes, that for missing included.

    ``leaves`` and ``size`` are those of a hierarchy: how many of its values are below the new value
    of each code, and how many it has. None where there is no hierarchy.
    """

    values: list[Any]
    leaves: F64 | None = None
    size: int | None = None


def new_values(
    step: Recode,
    column: Column,
    hierarchy: Hierarchy | None = None,
    sizes: Sequence[int] | None = None,
) -> NewValues:
    """Return what the values of a column become; refuse what cannot work.

    ``sizes`` are how many records have each value, where the column itself does not know it.
    """
    if hierarchy is not None:
        return _on_level(step, column, hierarchy)
    values = list(column.values)
    if not values:
        return NewValues([None] * column.levels)
    if step.method == "rare":
        new = _rare(step, values, column.sizes.tolist() if sizes is None else sizes)
    else:
        new = _METHODS[step.method](step, column, values)
    return NewValues([*new, None] if column.has_missing else new)


def _on_level(step: Recode, column: Column, hierarchy: Hierarchy) -> NewValues:
    tree = hierarchy.fit(column)
    level = step.level
    assert level is not None
    if level >= tree.levels:
        raise BadChoice(
            f"level is {level}, but the hierarchy of {column.name!r} has levels from 0 to "
            f"{tree.levels - 1}."
        )
    chosen = tree.maps[level]
    values = [tree.labels[level][index] for index in chosen.tolist()]
    leaves = np.asarray(tree.leaves[level][chosen], dtype=np.float64)
    return NewValues(values, leaves, tree.size)


# ---- numbers


def _numbers(step: Recode, column: Column, values: Sequence[Any]) -> list[Decimal]:
    numbers = []
    for value in values:
        number: Any = read_number(value) if isinstance(value, str) else value
        if not _is_number(number):
            what = "top and bottom" if step.method == "ends" else step.method
            raise BadChoice(
                f"{what} needs numbers, and {column.name!r} holds {value!r}; recode it by groups, "
                "or read the data with it as a missing value."
            )
        numbers.append(bands.exact(number))
    return numbers


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return False
    return math.isfinite(value)


def _like(number: Decimal, value: Any) -> Any:
    """Return a number as what a column holds: text, or a number of its kind."""
    if isinstance(value, str):
        return figure(number)
    if isinstance(value, Decimal):
        return number
    if isinstance(value, int) and number == number.to_integral_value():
        return int(number)
    return float(number)


def _amount(value: float | None) -> Decimal | None:
    return None if value is None else bands.exact(value)


def _width(step: Recode, column: Column, values: list[Any]) -> list[Any]:
    assert step.width is not None
    numbers = _numbers(step, column, values)
    ends = _amount(step.bottom), _amount(step.top)
    return list(bands.of_width(numbers, bands.exact(step.width), bands.exact(step.offset), *ends))


def _cuts(step: Recode, column: Column, values: list[Any]) -> list[Any]:
    cuts = [bands.exact(cut) for cut in step.cuts or ()]
    return list(bands.of_cuts(_numbers(step, column, values), cuts))


def _ends(step: Recode, column: Column, values: list[Any]) -> list[Any]:
    bottom, top = _amount(step.bottom), _amount(step.top)
    new = []
    for number, value in zip(_numbers(step, column, values), values, strict=True):
        if top is not None and number > top:
            new.append(_like(top, value))
        elif bottom is not None and number < bottom:
            new.append(_like(bottom, value))
        else:
            new.append(value)
    return new


def _round(step: Recode, column: Column, values: list[Any]) -> list[Any]:
    assert step.round is not None
    unit = bands.exact(step.round)
    numbers = _numbers(step, column, values)
    rounded = [(n / unit + _HALF).to_integral_value(ROUND_FLOOR) * unit for n in numbers]
    return [_like(number, value) for number, value in zip(rounded, values, strict=True)]


# ---- text and dates


def _prefix(step: Recode, column: Column, values: list[Any]) -> list[Any]:
    assert step.prefix is not None
    odd = [v for v in values if isinstance(v, bool) or not isinstance(v, str | int | float)]
    texts = [spelling(value) for value in values]
    if odd or any(isinstance(v, float) and not v.is_integer() for v in values):
        raise BadChoice(
            f"prefix needs codes, and {column.name!r} holds numbers with decimals or dates; use "
            "width or date."
        )
    longest = max(map(len, texts))
    if step.prefix >= longest:
        raise BadChoice(
            f"prefix is {step.prefix}, but no value of {column.name!r} has more than {longest} "
            f"characters; keep fewer than {longest}."
        )
    return [text[: step.prefix] for text in texts]


def _date(step: Recode, column: Column, values: list[Any]) -> list[Any]:
    assert step.date is not None
    days = dates_of(values)
    if days is None:
        raise BadChoice(
            f"date needs dates, and {column.name!r} holds other values, or dates of which it is "
            "unclear whether the day or the month comes first; write them as 2001-12-31."
        )
    as_text = isinstance(values[0], str)
    return [coarser_date(day, step.date, as_text=as_text) for day in days]


# ---- values taken together


def _groups(step: Recode, column: Column, values: list[Any]) -> list[Any]:
    of = {member: label for label, members in (step.groups or {}).items() for member in members}
    spelled = [(spelling(value), column.label(value)) for value in values]
    if not any(text in of or words in of for text, words in spelled):
        member = next(iter(of))
        hint = nearest(member, [text for pair in spelled for text in pair])
        raise BadChoice(
            f"no value of {column.name!r} is in a group, such as {member!r}"
            + (f"; did you mean {hint!r}?" if hint else ".")
        )
    return [
        of.get(text, of.get(words, value if step.other is None else step.other))
        for (text, words), value in zip(spelled, values, strict=True)
    ]


def _rare(step: Recode, values: list[Any], sizes: Sequence[int]) -> list[Any]:
    assert step.rare is not None
    label = "other" if step.other is None else step.other
    return [
        label if size < step.rare else value
        for value, size in zip(values, sizes, strict=False)  # sizes may end with missing
    ]


_METHODS: dict[str, Callable[[Recode, Column, list[Any]], list[Any]]] = {
    "width": _width,
    "cuts": _cuts,
    "ends": _ends,
    "round": _round,
    "prefix": _prefix,
    "date": _date,
    "groups": _groups,
}
