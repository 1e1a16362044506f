"""The cell a person is in: by its name, by its index in a list, or by its probability."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from singleout.core.arguments import share
from singleout.errors import BadChoice
from singleout.predict.distribution.distribution import Distribution

__all__ = ["cell_members", "cell_probability"]


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
