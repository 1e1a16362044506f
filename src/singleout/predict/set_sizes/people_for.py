"""How many people must share an area for few enough to be unique: the inverse question.

The expected share of unique people, the sum of p (1 - p)^(k - 1), only falls as people are added:
there is one answer. Koot's Example 5.6 asks instead how large areas should be if each costs as much
as C unique people: the k at which the unique people less the costs of the areas are most.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.arguments import share
from singleout.core.frame_kinds import Frame, framed
from singleout.core.results import Result
from singleout.core.wording import stated_percent
from singleout.errors import BadChoice, UndefinedMeasure
from singleout.predict.distribution.distribution import Distribution, as_distribution
from singleout.predict.distribution.people import is_real_number, readable_cells
from singleout.predict.set_sizes.shares import log_missed
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt

__all__ = ["PeopleFor", "people_for"]

_MOST = 2**53  # people: up to here a float holds every whole number
_CURVE = 60
_NOBODY = 1e-6  # a share of unique people that is as good as none


@dataclass(frozen=True, eq=False)
class PeopleFor(Result):
    """How large an area must be.

    Parameters
    ----------
    people
        k: the least number of people in it; with a cost the best one.
    unique_share
        The people expected to be unique / all people, at this size.
    target
        The largest share that was asked for; None with a cost.
    cost
        What an area costs, in unique people; None without.
    distribution
        How people spread over cells within an area.
    notes, warnings
        What a reader should know, one sentence each.
    """

    people: int
    unique_share: float
    target: float | None
    cost: float | None
    distribution: Distribution
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold."""
        return {
            "people": self.people,
            "unique_share": self.unique_share,
            "target": self.target,
            "cost": self.cost,
            "distribution": self.distribution.to_dict(),
            "notes": list(self.notes),
            "warnings": list(self.warnings),
        }

    def to_frame(self) -> Frame:
        """Return the share of unique people for sizes from a few people to beyond the answer."""
        from singleout.core.frames import pl

        sizes = np.unique(
            np.geomspace(1, max(10, 4 * self.people), _CURVE).round().astype(np.int64)
        )
        sizes = np.union1d(sizes, [self.people])
        shares = [_unique_share(self.distribution, int(size)) for size in sizes]
        return pl.DataFrame({"people": sizes, "unique_share": shares})

    def plot(self) -> alt.LayerChart | alt.FacetChart:
        """Return the picture: the share of unique people by the size of an area."""
        from singleout.predict.set_sizes.chart import unique_by_people

        points = [(int(people), float(each)) for people, each in self._polars_frame().iter_rows()]
        cells = readable_cells(self.distribution.cells)
        return unique_by_people(points, (self.people, self.unique_share), self.target, cells=cells)

    def __str__(self) -> str:
        numbers = {"people": self.people, "unique": self.unique_share}
        if self.target is None:
            return say("predict.people_for.best", cost=self.cost, **numbers)
        return say("predict.people_for.least", target=stated_percent(self.target), **numbers)


@framed
def people_for(
    distribution: Any, unique: float | None = None, *, cost: float | None = None
) -> PeopleFor:
    """Find how many people must share an area for at most a share of them to be unique.

    Parameters
    ----------
    distribution
        How people within an area spread over cells: a `Distribution`, the probabilities of the
        cells, or a `Table` whose quasi-identifiers make the cells.
    unique
        The largest expected share of unique people, between 0 and 1.
    cost
        Instead of ``unique``: what an area costs, in unique people. Then the size is found at which
        the unique people less the costs of all areas are most (Example 5.6 of the thesis).

    Examples
    --------
    >>> import numpy as np
    >>> from singleout.predict import people_for
    >>> ages = np.full(95, 1 / 95)
    >>> print(people_for(ages, unique=0.05))
    At least 285 people must share an area for at most 5% of them to be unique: then 5.0% are
    >>> people_for(ages, cost=1).people, people_for(ages, cost=10).people
    (10, 37)
    """
    spread = as_distribution(distribution)
    if (unique is None) == (cost is None):
        raise BadChoice(
            "Give unique=, the share of people that may be unique, or cost=, what an area costs; "
            "one of them."
        )
    if unique is not None:
        target = share(unique, "unique")
        number = _least(lambda k: _unique_share(spread, k) <= target)
        if number is None:
            raise UndefinedMeasure(
                f"Even with 9e15 people more than {target:.2%} are unique: there are too many "
                "cells; give coarser ones."
            )
    else:
        target = None
        number = _best(spread, _checked_cost(cost))
    warnings = () if spread.summary is None else (say("predict.stand_in"),)
    return PeopleFor(
        number, _unique_share(spread, number), target, cost, spread, spread.notes, warnings
    )


def _unique_share(spread: Distribution, people: int) -> float:
    """Return the people expected to be unique / all people."""
    shares = spread.multiplicity * spread.probabilities
    return float((shares * np.exp(log_missed(spread.probabilities, people - 1))).sum())


def _least(enough: Callable[[int], bool]) -> int | None:
    """Return the least number of people that is enough, if more always are; None if none is."""
    high = 1
    while not enough(high):
        if high >= _MOST:
            return None
        high *= 2
    low = high // 2  # not enough
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _best(spread: Distribution, cost: float) -> int:
    """Return the size at which unique people less the costs of areas, each per person, are most.

    Sizes at which hardly anybody is unique are not looked at: they gain less than nothing.
    """

    def gain(people: int) -> float:
        return _unique_share(spread, people) - cost / people

    # on a coarse grid, then every number of people around its best
    top = _least(lambda k: _unique_share(spread, k) <= _NOBODY and k > 2 * cost)
    if top is None:
        raise UndefinedMeasure("There are too many cells for a size to be best; give coarser ones.")
    grid = np.unique(np.geomspace(1, top, 2000).astype(np.int64)).tolist()
    best = max(range(len(grid)), key=lambda index: gain(grid[index]))
    low, high = grid[max(0, best - 1)], grid[min(best + 1, len(grid) - 1)]
    while high - low > 400:
        third = (high - low) // 3
        low, high = (
            (low + third, high) if gain(low + third) < gain(high - third) else (low, high - third)
        )
    size = max(range(low, high + 1), key=gain)
    if gain(size) <= _NOBODY:
        raise UndefinedMeasure(
            f"At a cost of {cost:g} every area costs more than the people who are unique in it, so "
            "no size is best; give a lower cost or more cells."
        )
    return size


def _checked_cost(cost: Any) -> float:
    if not is_real_number(cost) or not 0 < cost < math.inf:
        raise BadChoice(f"cost must be a number above 0, in unique people per area, not {cost!r}.")
    return float(cost)
