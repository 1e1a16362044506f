"""Which cell a person is in: by its name, by its place in a list, or by its probability."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from singleout.errors import BadChoice
from singleout.predict.distribution.distribution import Distribution

__all__ = ["cell_members", "cell_probability"]


def cell_probability(given: Any, spread: Distribution, cell: Any) -> float:
    """Return how likely the person's cell is, however it was named.

    Parameters
    ----------
    given
        The distribution as the user gave it: probabilities have places, a `Distribution` has not.
    spread
        The same as a distribution.
    cell
        A name, a place or a probability.
    """
    name = tuple(cell) if isinstance(cell, list) else cell
    unnamed = spread.names is None
    if unnamed and isinstance(name, int | np.integer) and not isinstance(name, bool):
        return _possible(_at_place(given, int(name)), name)
    if isinstance(name, float | np.floating) and name not in (spread.names or ()):
        if not 0 < name <= 1:
            raise BadChoice(f"The probability of a cell lies between 0 and 1, not {name}.")
        return float(name)
    return _possible(spread.probability_of(name), name)


def _at_place(given: Any, place: int) -> float:
    if not (isinstance(given, Sequence) or hasattr(given, "__array__")):
        raise BadChoice(
            f"The cells of this distribution are not in an order, so there is no cell {place}; "
            "give its probability, or the probabilities of the cells in place of the distribution."
        )
    shares = np.asarray(given, dtype=np.float64).ravel()
    if not 0 <= place < len(shares):
        raise BadChoice(f"There are {len(shares):,} cells, numbered from 0, so no cell {place}.")
    return float(shares[place] / shares.sum())


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
