"""How the values of a column are distributed, as it is and after some steps, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.web.answering import Held
from singleout.web.treating.measuring import plan_of, treated_of

if TYPE_CHECKING:
    from singleout.core.arrays import F64, I64
    from singleout.core.table import Codes, Column

__all__ = ["both", "refuse_names", "values_now"]

_BARS = 12  # of a distribution
_EXACT = (0.05, 0.2, 0.5)  # shares of all values that a published one may stand for
_SHOWN = 200  # values to choose from


def both(held: Held, steps: dict[str, Any], columns: list[str]) -> list[dict[str, Any]]:
    """Return the distribution of each column before and after."""
    from singleout.treatment.hierarchies.order import numbers_of

    treated = treated_of(held, steps)
    refuse_names(held, columns)
    found = []
    for name in columns:
        if name not in treated.original.columns:
            continue
        old = treated.original[name]
        new = treated.table[name] if name in treated.table.columns else None
        after = None
        if new is not None:
            order = _first_of(new, old.codes[treated.applied.rows])
            many = (
                int((new.sizes > 0).sum()) > _BARS
                and numbers_of(new) is None
                and name in treated.counted
            )
            size = treated.applied.values.get(name, 1)
            after = _exactness(treated.shares(name), size) if many else _bars(new, order)
        before = _bars(old, np.arange(old.levels))
        found.append({"name": name, "before": before, "after": after})
    return found


def _exactness(shares: F64, values: int) -> dict[str, Any]:
    """Return how exact the published values are, where they are too many for a bar each.

    ``shares`` has for each record the share of all values that its published value may stand for.
    """
    from singleout.core.wording import percent
    from singleout.report.say import say

    one = (1 + 1e-9) / values
    edges = [one, *(edge for edge in _EXACT if edge > one)]
    counts = np.bincount(np.searchsorted(edges, shares, side="left"), minlength=len(edges) + 1)
    labels = [
        say("web.treat.exact.same"),
        *(say("web.treat.exact.within", share=percent(edge)) for edge in edges[1:]),
        say("web.treat.exact.more"),
    ]
    bars = [(str(label), int(n)) for label, n in zip(labels, counts, strict=True)]
    return {**_shared(bars, len(shares), 0), "exactness": True}


def values_now(held: Held, steps: dict[str, Any], column: str) -> dict[str, Any]:
    """Return the values that a column has after some steps, and the range of its numbers."""
    from singleout.errors import BadChoice
    from singleout.report.say import say
    from singleout.treatment.hierarchies.hierarchy import spelling

    treated = treated_of(held, steps)
    if column not in treated.table.columns:
        raise BadChoice(say("web.treat.errors.no_column"))
    refuse_names(held, [column])
    now = treated.table[column]
    sizes = now.sizes[: len(now.values)]
    order = np.argsort(-sizes, kind="stable")
    there = [int(code) for code in order if sizes[code] > 0]
    shown = sorted(there[:_SHOWN])
    return {
        "values": [
            {
                "value": spelling(now.values[code]),
                "label": str(now.labels.get(now.values[code], "")),
                "records": int(sizes[code]),
            }
            for code in shown
        ],
        "more": len(there) - len(shown),
        "numbers": _range(now, sizes),
    }


def refuse_names(held: Held, columns: list[str]) -> None:
    """Refuse to show the values of columns that name people."""
    from singleout.core.choices import Role
    from singleout.errors import BadChoice
    from singleout.report.say import say

    if set(columns) & set(plan_of(held).with_role(Role.DIRECT_IDENTIFIER)):
        raise BadChoice(say("web.treat.errors.names_people"))


def _range(column: Column, sizes: I64) -> dict[str, Any] | None:
    """Return where the numbers of a column lie, with a width and ends that may suit them."""
    from singleout.treatment.hierarchies.order import numbers_of

    numbers = numbers_of(column)
    if numbers is None:
        return None
    there = np.isfinite(numbers) & (sizes > 0)
    if not there.any():
        return None
    order = np.argsort(numbers[there])
    values, counts = numbers[there][order], sizes[there][order]
    reached = np.cumsum(counts) / counts.sum()
    low, high = float(values[0]), float(values[-1])
    return {
        "low": _plain(low),
        "high": _plain(high),
        "middle": _plain(float(values[np.searchsorted(reached, 0.5)])),
        "top": _plain(float(values[np.searchsorted(reached, 0.95)])),
        "bottom": _plain(float(values[np.searchsorted(reached, 0.05)])),
        "width": _plain(_round_width((high - low) / 8)),
    }


def _plain(value: float) -> int | float:
    return int(value) if value.is_integer() else value


def _round_width(width: float) -> float:
    """Return 1, 2 or 5 times a power of ten, not below a width."""
    if width <= 0:
        return 1.0
    unit = 10.0 ** np.floor(np.log10(width))
    return float(next(step * unit for step in (1, 2, 5, 10) if step * unit >= width * 0.999))


# ---- bars


def _first_of(new: Column, old: Codes) -> I64:
    """Return the codes of a column in the order of the first old code that each stands for."""
    first = np.full(new.levels, np.iinfo(np.int64).max, dtype=np.int64)
    np.minimum.at(first, new.codes, old.astype(np.int64))
    return np.argsort(first, kind="stable")


def _bars(column: Column, order: I64) -> dict[str, Any]:
    """Return a bar for each value; bands of numbers or the most frequent if there are many."""
    from singleout.treatment.hierarchies.order import is_labelled, numbers_of

    sizes = column.sizes
    codes = [int(code) for code in order if sizes[code] > 0]
    if len(codes) <= _BARS:
        return _shared([(_label(column, code), int(sizes[code])) for code in codes], len(column), 0)
    numbers = None if is_labelled(column) else numbers_of(column)
    if numbers is not None:
        return _bands(column, numbers)
    largest = set(sorted(codes, key=lambda code: -int(sizes[code]))[: _BARS - 1])
    bars = [(_label(column, code), int(sizes[code])) for code in codes if code in largest]
    return _shared(bars, len(column), len(codes) - len(largest))


def _bands(column: Column, numbers: F64) -> dict[str, Any]:
    from singleout.core.wording import in_figures

    sizes = column.sizes
    known = np.isfinite(numbers)
    counts, edges = np.histogram(
        numbers[known], bins=_BARS - 2, weights=sizes[: len(numbers)][known]
    )
    bars = [
        (f"{in_figures(float(low), 4)} – {in_figures(float(high), 4)}", int(records))
        for records, low, high in zip(counts, edges[:-1], edges[1:], strict=True)
    ]
    apart = [code for code in range(len(numbers)) if not known[code] and sizes[code]]
    bars += [(_label(column, code), int(sizes[code])) for code in apart[:2]]
    if column.has_missing:
        bars.append((_label(column, len(column.values)), int(sizes[-1])))
    return _shared(bars, len(column), 0)


def _shared(bars: list[tuple[str, int]], rows: int, more: int) -> dict[str, Any]:
    rest = rows - sum(records for _, records in bars)
    return {
        "bars": [
            {"label": label, "records": records, "share": records / rows} for label, records in bars
        ],
        "more": more,
        "exactness": False,
        "rest": rest / rows,
    }


def _label(column: Column, code: int) -> str:
    from singleout.report.say import say
    from singleout.treatment.hierarchies.hierarchy import spelling

    if code == len(column.values):
        return str(say("web.treat.blank"))
    value = column.values[code]
    words = column.labels.get(value, "")
    return f"{spelling(value)} – {words}" if words else spelling(value)
