"""The interval of a risk that rests on sketched counts: how much their error can change it.

A sketch gives each distinct count with a known relative standard error. The counts are redrawn with
that error and the risk is estimated from them in the same way, again and again. Three things that
redrawing alone does not show are tried too: errors widen the tail of the counts, so the exact risk
may lie as far on the other side of the estimate; near the number of records no error can be seen,
so all counts are taken to be too high, and too low, at once; and errors break ties, so counts that
cannot be told apart are taken to be equal.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arguments import share, whole
from singleout.core.arrays import F64, I64
from singleout.errors import BadChoice
from singleout.methods.qar.measure import Counted, risk_of
from singleout.methods.qar.pareto import Estimator

__all__ = ["sketch_interval"]


def sketch_interval(
    distinct: Counted,
    relative_error: float,
    records: int,
    *,
    alpha: float = 0.01,
    tail: float = 0.05,
    estimator: str = Estimator.PLOTTING,
    level: float = 0.95,
    repeats: int = 200,
    rng: np.random.Generator | int | None = None,
) -> tuple[float, float]:
    """Return the lowest and the highest risk that exact counts could well have given.

    It says how much the sketches may be off, not how sure the fit is: see
    `DatasetRisk.confidence_interval` for that. Where the fit to exact counts would rest on fewer
    than ten of them, which `fit` warns of, it may hold the risk less often.

    ``relative_error`` is the relative standard error of the counts, with which they are redrawn so
    many times (``repeats``); with 0, both limits are the risk itself. ``level`` is how often the
    interval should hold the risk of the exact counts.

    >>> low, high = sketch_interval(range(100, 300), 0.01, 400)
    >>> round(low, 2), round(high, 2)
    (0.73, 0.76)
    """
    if not 0 <= relative_error < 1:
        raise BadChoice(f"relative_error must lie between 0 and 1, not {relative_error}.")
    level = share(level, "level")
    whole(repeats, "repeats")
    counts = np.clip(np.asarray(distinct, dtype=np.int64), 1, records)

    def risk(tried: NDArray[Any]) -> float:
        rounded = np.clip(np.rint(tried), 1, records).astype(np.int64)
        return risk_of(rounded, records, alpha, tail, estimator)

    own = risk(counts)
    if relative_error == 0:
        return own, own
    source = np.random.default_rng(0 if rng is None else rng)
    noise = 1 + relative_error * source.standard_normal((repeats, len(counts)))
    low, high = np.quantile(
        [risk(counts * row) for row in noise], [(1 - level) / 2, (1 + level) / 2]
    )
    reach = max(own - low, high - own)
    most = relative_error * NormalDist().inv_cdf((1 + level) / 2)
    ends = [own, own - reach, own + reach, risk(counts * (1 - most)), risk(counts * (1 + most))]
    # where all are too high or too low, those that cannot be told apart are so as well
    ends += [
        risk(_tied(counts, width * most) * scale)
        for width in (1, 2)
        for scale in (1, 1 - most, 1 + most)
    ]
    return max(0.0, float(min(ends))), min(1.0, float(max(ends)))


def _tied(counts: I64, width: float) -> F64:
    """Return counts with those that differ by no more than a share ``width`` made the same."""
    order = np.argsort(counts)
    ordered = counts[order].astype(np.float64)
    begin = 0
    while begin < len(ordered):
        end = int(np.searchsorted(ordered, ordered[begin] * (1 + width), side="right"))
        ordered[begin:end] = ordered[begin:end].mean()
        begin = end
    tied = np.empty_like(ordered)
    tied[order] = ordered
    return tied
