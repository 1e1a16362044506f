"""A number that is rounded and coded from the top: how many people would still be unique."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log10
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from singleout.core.wording import count, figure, percent
from singleout.errors import UnusableColumn
from singleout.report.content import Part
from singleout.report.say import say
from singleout.web.charts import chart_text
from singleout.web.predicting.columns import FEWEST
from singleout.web.predicting.following import plain, table

if TYPE_CHECKING:
    from singleout.web.answering import Held

__all__ = ["limits", "rounded"]

_NOTCHES = 100  # of a slider
_SERIES = (1, 2, 5, 10, 20, 50)  # widths of the picture, in notches


@dataclass(frozen=True)
class _Numbers:
    """Numbers, how many people have each, and what a slider for them looks like."""

    values: list[float]
    people: list[int]
    least: float
    most: float
    notch: float


def limits(held: Held, column: str, pasted: Sequence[Sequence[float]]) -> dict[str, float]:
    """Return the ends and the notch of the sliders of a column, or of pasted numbers."""
    found = _numbers(held, column, pasted)
    return {
        "least": found.least,
        "most": found.most,
        "notch": found.notch,
        "people": sum(found.people),
    }


def rounded(
    held: Held,
    column: str,
    pasted: Sequence[Sequence[float]],
    people: int,
    width: float,
    top: float,
) -> dict[str, Any]:
    """Return how many of some people would be unique, at this width and at others.

    Parameters
    ----------
    held
        The data, if a column is meant.
    column
        The column; if empty, the numbers were pasted.
    pasted
        Pairs of a number and how many people have it.
    people
        How many people there will be.
    width
        How wide the intervals are.
    top
        From where on all are one answer; at the end of the slider nothing is coded so.
    """
    from singleout.predict.granularities.function import granularity

    found = _numbers(held, column, pasted)
    name = column or "value"
    coded = {name: top} if top < found.most else {}
    data = {name: found.values, f"people of {name}": found.people}
    widths = sorted({width, *(found.notch * times for times in _SERIES)})
    result = granularity(data, {name: widths}, people, top=coded, counts=f"people of {name}")
    row = next(row for row in result.rows if row.widths[0] == width)
    said = "top" if coded else "plain"
    numbers = {"width": _short(width), "top": _short(top), "people": count(people)}
    heads = say("web.predict.rounding_heads").split(" | ")
    rows = [
        [
            _short(each.widths[0]) + (" *" if each.widths[0] == width else ""),
            count(each.cells),
            figure(each.singletons, ",.1f"),
            percent(each.unique_share),
        ]
        for each in result.rows
    ]
    parts: list[Part] = [table(say("web.predict.rounding_table"), heads, rows)]
    return {
        "sentence": say(
            f"web.predict.rounding_says_{said}",
            unique=figure(row.singletons, ",.1f"),
            share=percent(row.unique_share),
            **numbers,
        ),
        "unique": row.singletons,
        "width": _short(width),
        "top": _short(top) if coded else "",
        "parts": plain(parts),
        "chart": chart_text(result.plot()),
        "name": f"chart-{token_hex(4)}",  # of its own: htmx would copy styles of the old one
        "notes": [str(note) for note in result.notes],
    }


def _numbers(held: Held, column: str, pasted: Sequence[Sequence[float]]) -> _Numbers:
    if not column:
        return _described({float(value): int(people) for value, people in pasted})
    kept: dict[str, _Numbers] = held.kept.setdefault("numbers", {})
    if column not in kept:
        from singleout.predict.granularities.function import numbers_of

        kept[column] = _described(numbers_of(held.counter().counts([column])))
    return kept[column]


def _described(sizes: dict[float, int]) -> _Numbers:
    """Return numbers with the ends of their slider: values that are not rare."""
    values = sorted(sizes)
    common = [value for value in values if sizes[value] >= FEWEST]
    if len(common) < 2:
        raise UnusableColumn(
            f"Fewer than two numbers are those of {FEWEST} people or more; give a column, or a "
            "table, with numbers that people share."
        )
    least, most = common[0], common[-1]
    gap = min(after - before for before, after in pairwise(common))
    notch = _round_up(max(gap, (most - least) / _NOTCHES))
    ends = [float(f"{times * notch:.12g}") for times in (floor(least / notch), ceil(most / notch))]
    return _Numbers(values, [sizes[value] for value in values], ends[0], ends[1], notch)


def _round_up(number: float) -> float:
    """Return the next number of the series 1, 2, 5, 10, 20, 50 and so on.

    >>> _round_up(0.95), _round_up(1), _round_up(730)
    (1.0, 1.0, 1000.0)
    """
    unit = 10.0 ** floor(log10(number))
    # a power of ten may be missed by a rounding error
    first = next(step for step in (1, 2, 5, 10) if step * unit >= number * (1 - 1e-9))
    return float(f"{first * unit:.12g}")


def _short(number: float) -> str:
    return figure(int(number)) if float(number).is_integer() else figure(number, ",.6g")
