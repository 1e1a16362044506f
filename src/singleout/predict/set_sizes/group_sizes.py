"""How large the sets will be that people share a cell with: Koot (2012), 5.2.2 and 6.2.

The number of people in a cell of probability p is binomial, or hypergeometric where they are drawn
from a counted population and nobody twice. Summed over the cells this gives, for each size, how
many sets to expect, which share of the cells they are and which share of the people they hold.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from singleout.core.arguments import whole
from singleout.core.choices import choose
from singleout.core.frame_kinds import framed
from singleout.core.progress import track
from singleout.errors import BadChoice
from singleout.predict.distribution.distribution import (
    Distribution,
    as_distribution,
    check_people,
    draws_without_replacement,
)
from singleout.predict.set_sizes.result import GroupMethod, GroupSizes
from singleout.predict.set_sizes.shares import (
    binomial,
    hypergeometric,
    log_missed,
    log_missed_drawn,
)
from singleout.predict.singletons.approximations import approximate_set_shares, nearest_possible
from singleout.report.say import say

__all__ = ["group_sizes"]

_MOST_SIZES = 100_000  # the time grows with each


@framed
def group_sizes(
    distribution: Any,
    people: int,
    up_to: int = 10,
    method: str = "exact",
    without_replacement: bool | None = None,
) -> GroupSizes:
    """Predict how many sets of each size there will be, and how many people in them.

    Parameters
    ----------
    distribution
        How people spread over the cells: a `Distribution`, the probabilities of the cells, or a
        `Table` whose quasi-identifiers make the cells, its `Counts` or its `AnonymitySets`.
    people
        k: how many people there will be.
    up_to
        The largest size to tell apart.
    method
        ``exact``; or from the number of cells and the Kullback-Leibler distance alone: ``kl`` by
        (5.5) and (5.6) of the thesis, ``kl-finite`` by its form for any number of cells, ``gamma``
        as if the cells followed a gamma law.
    without_replacement
        Whether the people are drawn from the counted population and nobody twice; if not given,
        where they are more than 1 % of it.

    Examples
    --------
    >>> from singleout.predict import group_sizes
    >>> found = group_sizes([0.4, 0.3, 0.2, 0.1], people=2)
    >>> found.share_of_people.round(3).tolist()
    [0.0, 0.7, 0.3]
    >>> print(found)
    Of 2 people 70.0% are unique, 100% in sets of at most 2
    """
    spread = as_distribution(distribution)
    number = check_people(people, least=1)
    chosen = choose(GroupMethod, method, "method")
    largest = _checked_size(up_to, number)
    if chosen is GroupMethod.EXACT:
        result = _exact(spread, number, largest, without_replacement)
    else:
        result = _approximate(spread, number, largest, chosen, without_replacement)
    if spread.summary is None:
        return result
    low, high = spread.summary.unique_people(number)
    nearest = result.nearest
    if nearest is not None:  # more may be known than the distance
        nearest = min(max(nearest, low), high)
    return replace(result, low=low, high=high, nearest=nearest)


def _exact(
    spread: Distribution, people: int, largest: int, without_replacement: bool | None
) -> GroupSizes:
    drawn, notes = draws_without_replacement(spread, people, without_replacement)
    sets = [
        _expected_sets(spread, people, size, drawn)
        for size in track(range(largest + 1), say("progress.set_sizes"))
    ]
    known = spread.summary is None
    return GroupSizes(
        people,
        spread.cells,
        np.array(sets),
        _expected_occupied(spread, people, drawn),
        without_replacement=drawn,
        error=0.0 if known else None,
        notes=(*spread.notes, *notes),
        warnings=() if known else (say("predict.stand_in"),),
    )


def _approximate(
    spread: Distribution,
    people: int,
    largest: int,
    method: GroupMethod,
    without_replacement: bool | None,
) -> GroupSizes:
    if without_replacement:
        raise BadChoice(
            f"Method '{method}' knows no population to draw from; without_replacement=True needs "
            "method 'exact'."
        )
    if not math.isfinite(spread.cells):
        raise BadChoice(
            f"Method '{method}' needs a finite number of cells, and this distribution has "
            "infinitely many; use method 'exact'."
        )
    approximate = approximate_set_shares(spread.cells, spread.kl, people, largest, str(method))
    sets = approximate.shares * spread.cells
    nearest, error, warnings = nearest_possible(approximate, float(sets[1]))
    if spread.summary is not None and spread.summary.kl is None:
        # also the distance is that of a stand-in
        error, warnings = None, (*warnings, say("predict.stand_in"))
    return GroupSizes(
        people,
        spread.cells,
        sets,
        max(0.0, float(spread.cells - sets[0])),
        method,
        nearest=nearest,
        error=error,
        notes=spread.notes,
        warnings=warnings,
    )


def _checked_size(up_to: int, people: int) -> int:
    """Return the largest size to tell apart: no set has more than all people."""
    largest = min(whole(up_to, "up_to", of="people in a set"), people)
    if largest > _MOST_SIZES:
        raise BadChoice(f"up_to must be at most {_MOST_SIZES:,}, not {largest:,}.")
    return largest


def _expected_sets(spread: Distribution, people: int, size: int, drawn: bool) -> float:
    """Return how many cells to expect with ``size`` people."""
    if drawn and spread.counts is not None and spread.population is not None:
        chance = hypergeometric(size, spread.population, spread.counts, people)
    else:
        chance = binomial(size, people, spread.probabilities)
    expected = float((spread.multiplicity * chance).sum())
    return expected + float(spread.cells - spread.support) if size == 0 else expected


def _expected_occupied(spread: Distribution, people: int, drawn: bool) -> float:
    """Return how many cells to expect with at least one person."""
    if drawn and spread.counts is not None and spread.population is not None:
        empty = log_missed_drawn(spread.counts, people, spread.population)
    else:
        empty = log_missed(spread.probabilities, people)
    return float((spread.multiplicity * -np.expm1(empty)).sum())
