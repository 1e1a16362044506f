"""The summary that a stand-in distribution was made from, and the range of predictions it allows.

Many distributions have the same summary, and predictions are those of one of them. Every result
says so, and gives the least and the most unique people that any of them has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from singleout.core.results import ResultPart

__all__ = ["Summary"]


@dataclass(frozen=True)
class Summary(ResultPart):
    """What a stand-in was made from.

    Parameters
    ----------
    cells
        N: how many cells are possible.
    kl
        The Kullback-Leibler distance to the uniform distribution over them, in nats; None if not
        given.
    power_sums
        The sums of the squares, cubes and so on of the probabilities; None if not given.
    """

    cells: float
    kl: float | None = None
    power_sums: tuple[float, ...] | None = None

    def unique_people(self, people: int) -> tuple[float, float]:
        """Return the least and the most unique people on average, over all that have the summary.

        Parameters
        ----------
        people
            k: how many people there will be.

        Examples
        --------
        >>> from singleout.predict.distribution.stand_in import Summary
        >>> [round(end, 1) for end in Summary(95, kl=0.1).unique_people(95)]
        [31.1, 34.7]
        """
        from singleout.predict.singletons.bounds import singleton_bounds, singleton_range

        if people < 1:
            return 0.0, 0.0
        if self.power_sums is not None:
            return singleton_bounds(self.cells, self.power_sums, people)
        return singleton_range(self.cells, self.kl or 0.0, people)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold."""
        sums = None if self.power_sums is None else list(self.power_sums)
        return {"cells": self.cells, "kl_nats": self.kl, "power_sums": sums}
