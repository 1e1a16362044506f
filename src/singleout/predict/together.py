"""How many give several answers, from how many give each: Fréchet's bounds and the likeliest share.

Shares of single answers, and of some groups of answers together, leave many populations open. The
bounds hold in all of them; the likeliest share is that of the population with the largest entropy,
in which nothing depends on anything but as the groups say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from math import prod

import numpy as np
from numpy.typing import NDArray

from singleout.errors import BadChoice, UndefinedMeasure

__all__ = ["Known", "bounds_together", "likely_together", "linked"]

# the share of people who give all answers of a group, by the places of the answers
Known = Mapping[frozenset[int], float]

_MOST_LINKED = 12  # answers that groups tie together: there are 2**12 ways to give or not give them
_SWEEPS = 2000
_CLOSE = 1e-12  # when the fitted shares are as asked
_CONTRADICTORY = 1e-3  # shares are often rounded; what is further off than this cannot be
_EQUAL = 1e-12
_NO_POPULATION = (
    "The shares of answers together contradict each other: no population has them all; "
    "check them, or leave some out."
)

Floats = NDArray[np.float64]
Events = dict[frozenset[int], NDArray[np.bool_]]


def bounds_together(singles: Sequence[float], known: Known) -> list[tuple[float, float]]:
    """Return, after each answer, the least and largest share of people who give all so far.

    They hold whatever depends on what, and no closer bounds do. Without groups they are Fréchet's:
    no more than the rarest answer, and no fewer than are left if those who do not give one are
    never the same people.

    Parameters
    ----------
    singles
        The share of people who give each answer.
    known
        The shares of some groups of answers.

    Examples
    --------
    >>> bounds_together([0.5, 0.75], {})
    [(0.5, 0.5), (0.25, 0.5)]
    """
    parts = []
    for members in linked(range(len(singles)), known):
        within = {group: share for group, share in known.items() if group <= set(members)}
        parts.append(_bounds_within(members, singles, within))
    found = []
    for count in range(1, len(singles) + 1):
        limits = [part[count] for part in parts]
        upper = min(high for _, high in limits)
        # summed as what is missing, so that many parts with all people lose nothing to rounding
        lower = 1 - sum(1 - low for low, _ in limits)
        found.append((min(upper, max(0.0, lower)), upper))
    return found


def _bounds_within(
    members: list[int], singles: Sequence[float], known: Known
) -> list[tuple[float, float]]:
    """Return for each number of answers so far the bounds of those among the members."""
    shares = {frozenset([place]): singles[place] for place in members} | dict(known)
    shares[frozenset()] = 1.0
    bounds = {group: (share, share) for group, share in shares.items()}
    found = []
    for count in range(len(singles) + 1):
        given = frozenset(place for place in members if place < count)
        if given not in bounds:
            bounds[given] = _least_and_most(given, members, shares)
        found.append(bounds[given])
    return found


def _least_and_most(
    given: frozenset[int], members: list[int], shares: Known
) -> tuple[float, float]:
    """Return the bounds of a group by linear programs over all populations that fit."""
    from scipy.optimize import linprog

    ways = np.arange(_number_of_ways(members))
    events = _events(members, ways, [given, *shares])
    aim = events[given].astype(np.float64)
    rows = np.array([events[group] for group in shares], dtype=np.float64)
    wanted = np.array(list(shares.values()))
    for slack in (0.0, _CONTRADICTORY):
        within = {"A_ub": np.vstack([rows, -rows]), "b_ub": np.r_[wanted + slack, slack - wanted]}
        ends = [linprog(sign * aim, **within, method="highs") for sign in (1, -1)]
        if all(end.status == 0 for end in ends):
            return max(0.0, float(ends[0].fun)), min(1.0, -float(ends[1].fun))
    raise BadChoice(_NO_POPULATION)


def likely_together(singles: Sequence[float], known: Known) -> list[float]:
    """Return, after each answer, the likeliest share of people who give all so far.

    Parameters
    ----------
    singles
        The share of people who give each answer.
    known
        The shares of some groups of answers.

    Examples
    --------
    >>> [round(share, 3) for share in likely_together([0.5, 0.4, 0.2], {frozenset([0, 2]): 0.2})]
    [0.5, 0.2, 0.08]
    """
    parts = []
    for members in linked(range(len(singles)), known):
        within = {group: share for group, share in known.items() if group <= set(members)}
        parts.append(_together_within(members, singles, within))
    return [prod(part[count] for part in parts) for count in range(1, len(singles) + 1)]


def linked(
    places: Sequence[int] | range, groups: Mapping[frozenset[int], object]
) -> list[list[int]]:
    """Return the places in parts such that no group reaches from one part to another."""
    part = {place: {place} for place in places}
    for group in groups:
        merged = set().union(*(part[place] for place in group))
        for place in merged:
            part[place] = merged
    distinct = {id(members): members for members in part.values()}
    return sorted(sorted(members) for members in distinct.values())


def _together_within(members: list[int], singles: Sequence[float], known: Known) -> list[float]:
    """Return for each number of answers so far the share of those among the members."""
    fitted = _largest_entropy(members, singles, known)
    ways = np.arange(len(fitted))
    found = []
    for count in range(len(singles) + 1):
        given = sum(1 << bit for bit, place in enumerate(members) if place < count)
        found.append(float(fitted[(ways & given) == given].sum()))
    return found


def _largest_entropy(members: list[int], singles: Sequence[float], known: Known) -> Floats:
    """Return the share of each way to give or not to give the answers: bit b is member b.

    By iterative scaling: those inside and outside of a group are scaled to their shares in turn.
    """
    ways = np.arange(_number_of_ways(members))
    shares = np.ones(len(ways))
    for bit, place in enumerate(members):
        shares *= np.where(ways >> bit & 1, singles[place], 1 - singles[place])
    if not known:
        return shares
    targets = {frozenset([place]): singles[place] for place in members} | dict(known)
    events = _events(members, ways, targets)
    _rule_out(shares, events, targets)
    error = 1.0
    for _ in range(_SWEEPS):
        error = _sweep(shares, events, targets)
        if error < _CLOSE:
            break
    if error > _CONTRADICTORY:
        raise BadChoice(_NO_POPULATION)
    return shares


def _number_of_ways(members: Sequence[int]) -> int:
    """Return in how many ways so many answers can be given or not given."""
    if len(members) > _MOST_LINKED:
        raise UndefinedMeasure(
            f"{len(members)} answers are tied together by shares of groups, and {_MOST_LINKED} are "
            "the most that can be combined; give fewer groups."
        )
    return 1 << len(members)


def _rule_out(shares: Floats, events: Events, targets: Known) -> None:
    """Clear the ways that nobody takes, which scaling would reach after endless sweeps only."""
    for larger, smaller in permutations(targets, 2):
        if larger < smaller and targets[smaller] >= targets[larger] - _EQUAL:
            shares[events[larger] & ~events[smaller]] = 0


def _sweep(shares: Floats, events: Events, targets: Known) -> float:
    """Scale to each share in turn, and return by how much one of them was off."""
    error = 0.0
    for group, inside in events.items():
        part = shares[inside].sum()
        error = max(error, abs(part - targets[group]))
        _scale(shares, inside, targets[group], part)
        _scale(shares, ~inside, 1 - targets[group], shares[~inside].sum())
    return error


def _events(
    members: list[int], ways: NDArray[np.int64], groups: Iterable[frozenset[int]]
) -> Events:
    """Return which ways give all answers of each group."""
    bits = {group: sum(1 << members.index(place) for place in group) for group in groups}
    return {group: (ways & bit) == bit for group, bit in bits.items()}


def _scale(shares: Floats, where: NDArray[np.bool_], target: float, now: float) -> None:
    if now > 0:
        shares[where] *= target / now
