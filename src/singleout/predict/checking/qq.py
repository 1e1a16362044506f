"""Is a quantity normal enough to be predicted as such? QQ-plots, as in Koot (2012), 6.3.2.

The observed quantiles are set against those of the normal law with the same mean and standard
deviation. What matters for a prediction is stated beside them: how many people would be unique by
the values observed, and how many by the normal law in their place.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special, stats

from singleout.core.arrays import F64, I64
from singleout.core.frame_kinds import Frame, framed
from singleout.core.results import Result
from singleout.engines.open import open_data
from singleout.errors import BadChoice, UnusableColumn
from singleout.predict.comparing.counted import whole_people
from singleout.predict.distribution.distribution import Distribution, check_people
from singleout.predict.distribution.people import is_real_number
from singleout.predict.singletons.singletons import singletons
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt

__all__ = ["NormalCheck", "qq"]

_POINTS = 200
_GOOD = 0.02  # relative difference of the two predictions up to which the normal law will do
_MOST_CELLS = 10**7


@dataclass(frozen=True, eq=False)
class NormalCheck(Result):
    """How far a quantity is from normal, and what assuming it would change.

    Parameters
    ----------
    column
        The quantity.
    people
        How many people have a value.
    mean, sd
        Of the values: those of the normal law they are compared with.
    correlation
        Of observed and normal quantiles: 1 if the values are normal.
    distance
        The largest difference of the two distribution functions (Kolmogorov's).
    quantiles
        Normal and observed quantiles, at most 200 of them.
    width, drawn
        The width of an interval, and how many people are drawn, if a prediction was asked for.
    unique, unique_if_normal
        How many of them would be unique by the values observed, and by the normal law.
    notes
        What a reader should know, one sentence each.
    """

    column: str
    people: int
    mean: float
    sd: float
    correlation: float
    distance: float
    quantiles: tuple[tuple[float, float], ...] = field(repr=False)
    width: float | None = None
    drawn: int | None = None
    unique: float | None = None
    unique_if_normal: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def will_do(self) -> bool | None:
        """Whether the normal law predicts within 2 %; None if no prediction was asked for."""
        if self.unique is None or self.unique_if_normal is None:
            return None
        return abs(self.unique_if_normal - self.unique) <= _GOOD * self.unique

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold; None where not asked for."""
        left_out = ("quantiles", "notes")
        plain = {name: value for name, value in vars(self).items() if name not in left_out}
        pairs = [list(pair) for pair in self.quantiles]
        return {**plain, "will_do": self.will_do, "quantiles": pairs, "notes": list(self.notes)}

    def to_frame(self) -> Frame:
        """Return the normal and the observed quantiles."""
        from singleout.core.frames import pl

        return pl.DataFrame(self.quantiles, schema=["normal", "observed"], orient="row")

    def plot(self) -> alt.LayerChart | alt.FacetChart:
        """Return the QQ-plot."""
        from singleout.predict.checking.qq_chart import qq_plot

        return qq_plot(self)

    def __str__(self) -> str:
        says = say(
            "predict.qq.says",
            column=self.column,
            people=self.people,
            mean=self.mean,
            sd=self.sd,
            correlation=self.correlation,
            distance=self.distance,
        )
        if self.will_do is None:
            return says
        key = "predict.qq.will_do" if self.will_do else "predict.qq.will_not"
        effect = say(
            key,
            width=self.width,
            drawn=self.drawn,
            unique=self.unique,
            normal=self.unique_if_normal,
        )
        return f"{says}. {effect}"


@framed
def qq(
    data: Any,
    column: str,
    *,
    width: float | None = None,
    people: int | None = None,
    counts: str | None = None,
    engine: Any = None,
    where: Any = None,
) -> NormalCheck:
    """Check a quantity against the normal law before a prediction assumes it.

    Parameters
    ----------
    data
        As for `places`.
    column
        The quantity: a column of numbers.
    width, people
        Also compare how many of so many people would be unique if the quantity is rounded to
        intervals of this width: by the values observed and by the normal law.
    counts
        The column that says how many people a row stands for.
    engine, where
        As for `places`.

    Examples
    --------
    >>> from scipy import stats
    >>> from singleout import predict
    >>> heights = {"height": stats.norm(170, 10).ppf([(i + 0.5) / 500 for i in range(500)])}
    >>> found = predict.qq(heights, "height", width=1, people=20)
    >>> round(found.correlation, 4), found.will_do
    (1.0, True)
    """
    if (width is None) != (people is None):
        raise BadChoice("width= and people= go together: give both, or none.")
    if width is not None and not (is_real_number(width) and 0 < width < float("inf")):
        raise BadChoice(f"width must be a positive number, not {width!r}.")
    with open_data(data, engine, where, [column, *filter(None, [counts])]) as counter:
        found = counter.counts([column], counts)
        notes = counter.notes
    sizes = found.sizes if found.weights is None else whole_people(found.weights, str(counts))
    values, weights = _numbers(column, found.values[0], found.codes[0], sizes)
    missing = int(sizes.sum()) - int(weights.sum())
    if missing:
        notes = (*notes, say("predict.qq.missing", n=missing))
    total = int(weights.sum())
    mean = float(weights @ values / total)
    sd = float(np.sqrt(weights @ (values - mean) ** 2 / (total - 1)))
    if not (np.isfinite(sd) and sd > 0):
        raise UnusableColumn(f"Column {column!r} has one value only, so it has no distribution.")
    observed, normal = _quantiles(values, weights)
    points = np.linspace(0, len(values) - 1, min(_POINTS, len(values))).astype(int)
    pairs = tuple(zip((mean + sd * normal[points]).tolist(), values[points].tolist(), strict=True))
    check = NormalCheck(
        *(column, total, mean, sd),
        correlation=_correlation(observed, normal, weights),
        distance=_kolmogorov(values, weights, mean, sd),
        quantiles=pairs,
        notes=notes,
    )
    if width is None:
        return check
    drawn = check_people(people, least=1)
    seen = singletons(_rounded(values, weights, width), drawn, False).mean
    law = Distribution.from_scipy(stats.norm(mean, sd), width)
    assumed = singletons(law, drawn).mean
    return replace(check, width=float(width), drawn=drawn, unique=seen, unique_if_normal=assumed)


def _numbers(column: str, book: Any, codes: Any, sizes: I64) -> tuple[F64, I64]:
    """Return the values of a column in order, and how many people have each."""
    kept = (codes < len(book)) & (sizes > 0)
    try:
        numbers = np.array([float(book[code]) for code in codes[kept]], dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if len(numbers) == 0 or not np.isfinite(numbers).all() or isinstance(book[0], bool):
        raise UnusableColumn(f"Column {column!r} is no column of numbers; name one that is.")
    order = np.argsort(numbers)
    if len(numbers) < 3:
        raise UnusableColumn(f"Column {column!r} has fewer than 3 different values.")
    return numbers[order], sizes[kept][order]


def _quantiles(values: F64, weights: I64) -> tuple[F64, F64]:
    """Return the values, and the normal quantiles of their mean ranks (Blom's positions)."""
    total = int(weights.sum())
    ranks = np.cumsum(weights) - (weights - 1) / 2
    return values, np.asarray(special.ndtri((ranks - 0.375) / (total + 0.25)))


def _correlation(x: F64, y: F64, weights: I64) -> float:
    x, y = x - weights @ x / weights.sum(), y - weights @ y / weights.sum()
    scale = np.sqrt((weights @ x**2) * (weights @ y**2))
    return min(1.0, float(weights @ (x * y)) / float(scale))


def _kolmogorov(values: F64, weights: I64, mean: float, sd: float) -> float:
    after = np.cumsum(weights) / weights.sum()
    before = after - weights / weights.sum()
    normal = special.ndtr((values - mean) / sd)
    return float(np.maximum(np.abs(after - normal), np.abs(before - normal)).max())


def _rounded(values: F64, weights: I64, width: float) -> Distribution:
    cells = np.floor(values / width)
    if cells[-1] - cells[0] > _MOST_CELLS:
        raise BadChoice(f"width {width:g} makes more than {_MOST_CELLS:,} intervals; give more.")
    people = np.bincount((cells - cells[0]).astype(np.int64), weights).astype(np.int64)
    return Distribution.from_counts(people[people > 0])
