"""How many give several answers, from how many give each: Fréchet's bounds and the likeliest share.

Shares of single answers, and of some groups of answers together, leave many populations open. The
bounds hold in all of them; the likeliest share is that of the population with the largest entropy,
in which nothing depends on anything but as the groups say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from singleout.predict.funnel.together_fit import Known, Populations, populations

__all__ = ["Bounds", "Known", "Together", "bounds_together", "likely_together", "linked", "within"]

_TOLD = 1e-9  # what a share is off by before that is worth a sentence

Bounds = Sequence[tuple[float, float]]  # the least and the largest share, after each answer


@dataclass(frozen=True)
class Together:
    """The share of people who give all answers so far, after each of them.

    Parameters
    ----------
    shares
        The likeliest.
    bounds
        The least and the largest.
    warnings
        Why not to rely on it: one sentence each.
    """

    shares: tuple[float, ...]
    bounds: Bounds
    warnings: tuple[str, ...] = ()


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
    return _bounds_of(_parts(singles, known), len(singles))


def likely_together(singles: Sequence[float], known: Known) -> Together:
    """Return, after each answer, the likeliest share of people who give all so far, and its bounds.

    Parameters
    ----------
    singles
        The share of people who give each answer.
    known
        The shares of some groups of answers.

    Examples
    --------
    >>> found = likely_together([0.5, 0.4, 0.2], {frozenset([0, 2]): 0.2})
    >>> [round(share, 3) for share in found.shares]
    [0.5, 0.2, 0.08]
    """
    parts = _parts(singles, known)
    bounds = _bounds_of(parts, len(singles))
    found, off = [], 0.0
    for part in parts:
        shares, missed = part.likeliest(_so_far(part, len(singles)))
        found.append(shares)
        off = max(off, missed, part.misfit)
    likely = [prod(shares) for shares in zip(*found, strict=True)]
    return Together(within(likely, bounds), tuple(bounds), _misfit(off))


def within(shares: Sequence[float], bounds: Bounds) -> tuple[float, ...]:
    """Return fitted shares, but what is given, or the only possibility, as it is."""
    return tuple(
        max(low, min(share, high)) for share, (low, high) in zip(shares, bounds, strict=True)
    )


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


def _parts(singles: Sequence[float], known: Known) -> list[Populations]:
    """Return the populations of each part that says nothing about the others."""
    return [
        populations(
            members,
            singles,
            {group: share for group, share in known.items() if group <= set(members)},
        )
        for members in linked(range(len(singles)), known)
    ]


def _so_far(part: Populations, count: int) -> list[frozenset[int]]:
    """Return after each answer those so far that belong to a part."""
    return [frozenset(place for place in part.members if place <= last) for last in range(count)]


def _bounds_of(parts: Sequence[Populations], count: int) -> list[tuple[float, float]]:
    found = []
    for part in parts:
        groups = _so_far(part, count)
        each = {group: part.bounds(group) for group in dict.fromkeys(groups)}
        found.append([each[group] for group in groups])
    return [_combined(limits) for limits in zip(*found, strict=True)]


def _combined(limits: Sequence[tuple[float, float]]) -> tuple[float, float]:
    upper = min(high for _, high in limits)
    some = [low for low, _ in limits if low < 1]
    # summed as what is missing, so that many parts lose nothing to rounding
    lower = some[0] if len(some) == 1 else 1 - sum(1 - low for low in some)
    return min(upper, max(0.0, lower)), upper


def _misfit(off: float) -> tuple[str, ...]:
    if off <= _TOLD:
        return ()
    return (
        f"No population has all shares of answers together as they are given: the closest misses "
        f"one by {off:.2g}, so the people left can be off by more than that; check them.",
    )
