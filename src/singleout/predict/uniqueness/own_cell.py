"""The cell a person is in, found by its name, its index in a list, or its probability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from singleout.core.arguments import share
from singleout.errors import BadChoice
from singleout.predict.distribution.distribution import Distribution
from singleout.predict.set_sizes.chances import log_missed, log_missed_drawn

__all__ = ["OneCell", "cell_members", "cell_probability"]


@dataclass(frozen=True)
class OneCell:
    """A cell with a person in it, and how the other people are drawn.

    Without members the others are in it independently, each with the probability of the cell. With
    members they are drawn without replacement from a population of which so many are in the cell.
    """

    probability: float
    members: int | None = None
    population: int | None = None

    def alone(self, people: int) -> float:
        """Return the chance that none of the other people is in the cell."""
        if self.members is None or self.population is None:
            return float(np.exp(log_missed(np.array([self.probability]), people - 1)[0]))
        others = np.array([self.members - 1])
        return float(np.exp(log_missed_drawn(others, people - 1, self.population - 1))[0])

    def expected(self, people: int) -> float:
        """Return how many people to expect in the cell, the person included."""
        if self.members is None or self.population is None:
            return 1 + (people - 1) * self.probability
        return 1 + (people - 1) * (self.members - 1) / max(1, self.population - 1)

    def match(self, people: int) -> float:
        """Return the mean of 1 / (people in the cell), the person included.

        Exactly one member is matched if anybody is in the cell, each with the same chance.
        """
        if self.members is None or self.population is None:
            empty = log_missed(np.array([self.probability]), people)[0]
            return min(1.0, float(-np.expm1(empty)) / (people * self.probability))
        empty = log_missed_drawn(np.array([self.members]), people, self.population)[0]
        return min(1.0, float(-np.expm1(empty)) * self.population / (people * self.members))


def cell_probability(source: Any, spread: Distribution, cell: Any) -> float:
    """Return the probability of a cell from its name, its index or its probability.

    ``source`` is what ``spread`` was made from: a list of probabilities has indices, a
    `Distribution` has none.
    """
    name = tuple(cell) if isinstance(cell, list) else cell
    unnamed = spread.names is None
    if unnamed and isinstance(name, int | np.integer) and not isinstance(name, bool):
        return _possible(_at_index(source, int(name)), name)
    if isinstance(name, float | np.floating) and name not in (spread.names or ()):
        return share(name, "The probability of a cell", one=True)
    return _possible(spread.probability_of(name), name)


def _at_index(source: Any, index: int) -> float:
    if not (isinstance(source, Sequence) or hasattr(source, "__array__")):
        raise BadChoice(
            f"The cells of this distribution have no order, so there is no cell {index}; give its "
            "probability, or give the probabilities of the cells instead of the distribution."
        )
    shares = np.asarray(source, dtype=np.float64).ravel()
    if not 0 <= index < len(shares):
        raise BadChoice(f"There are {len(shares):,} cells, numbered from 0, so no cell {index}.")
    return float(shares[index] / shares.sum())


def _possible(likely: float, cell: Any) -> float:
    if likely == 0:
        raise BadChoice(f"Cell {cell!r} has probability 0, so nobody can be in it.")
    return likely


def cell_members(spread: Distribution, likely: float) -> int:
    """Return how many people of the population are in a cell of this probability."""
    population = int(spread.population or 0)
    members = round(likely * population)
    if members < 1:
        raise BadChoice(
            f"A cell of probability {likely:.3g} has nobody of {population:,} people; give a cell "
            "that has, or without_replacement=False."
        )
    return members
