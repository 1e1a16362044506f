"""How many give several answers, from how many give each: Fréchet's bounds and the likeliest share.

Shares of single answers, and of some groups of answers together, leave many populations open. The
bounds hold in all of them; the likeliest share is that of the population with the largest entropy,
in which answers depend on each other only as the groups say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from singleout.predict.funnel.together_fit import Known, Populations, populations
from singleout.report.say import say

__all__ = ["Bounds", "Known", "bounds_together", "likely_together", "linked", "within"]

_WORTH_A_WARNING = 1e-9  # misfit of a share

Bounds = Sequence[tuple[float, float]]  # the least and the largest share, after each answer


@dataclass(frozen=True)
class Together:
    """The share of people who give all answers so far, after each of them."""

    shares: tuple[float, ...]  # the likeliest
    bounds: Bounds
    warnings: tuple[str, ...] = ()


def bounds_together(singles: Sequence[float], known: Known) -> list[tuple[float, float]]:
    """Return, after each answer, the least and largest share of people who give all so far.

    They hold for any dependence, and no closer bounds do. Without groups they are Fréchet's: no
    more than the rarest answer, and no fewer than are left if those who do not give one are never
    the same people.

    Examples
    --------
    >>> bounds_together([0.5, 0.75], {})
    [(0.5, 0.5), (0.25, 0.5)]
    """
    return _bounds_of(_parts(singles, known), len(singles))


def likely_together(singles: Sequence[float], known: Known) -> Together:
    """Return, after each answer, the likeliest share of people who give all so far, and its bounds.

    Examples
    --------
    >>> found = likely_together([0.5, 0.4, 0.2], {frozenset([0, 2]): 0.2})
    >>> [round(share, 3) for share in found.shares]
    [0.5, 0.2, 0.08]
    """
    parts = _parts(singles, known)
    bounds = _bounds_of(parts, len(singles))
    by_part, misfit = [], 0.0
    for part in parts:
        shares, fitting_error = part.likeliest(_so_far(part, len(singles)))
        by_part.append(shares)
        misfit = max(misfit, fitting_error, part.misfit)
    likely = [prod(shares) for shares in zip(*by_part, strict=True)]
    warned = misfit > _WORTH_A_WARNING
    warnings = (say("predict.funnel.misfit", misfit=misfit),) if warned else ()
    return Together(within(likely, bounds), tuple(bounds), warnings)


def within(shares: Sequence[float], bounds: Bounds) -> tuple[float, ...]:
    """Return fitted shares clipped to their bounds, so that shares that were given stay exact."""
    return tuple(
        max(low, min(share, high)) for share, (low, high) in zip(shares, bounds, strict=True)
    )


def linked(
    indices: Sequence[int] | range, groups: Mapping[frozenset[int], object]
) -> list[list[int]]:
    """Return the connected components of indices that groups link."""
    part = {index: {index} for index in indices}
    for group in groups:
        merged = set().union(*(part[index] for index in group))
        for index in merged:
            part[index] = merged
    distinct = {id(members): members for members in part.values()}
    return sorted(sorted(members) for members in distinct.values())


def _parts(singles: Sequence[float], known: Known) -> list[Populations]:
    """Return the populations of each part that no group links to the others."""
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
    return [frozenset(index for index in part.members if index <= last) for last in range(count)]


def _bounds_of(parts: Sequence[Populations], count: int) -> list[tuple[float, float]]:
    by_part = []
    for part in parts:
        groups = _so_far(part, count)
        each = {group: part.bounds(group) for group in dict.fromkeys(groups)}
        by_part.append([each[group] for group in groups])
    return [_combined(limits) for limits in zip(*by_part, strict=True)]


def _combined(limits: Sequence[tuple[float, float]]) -> tuple[float, float]:
    upper = min(high for _, high in limits)
    some = [low for low, _ in limits if low < 1]
    # a sum of complements, so that many parts lose nothing to rounding
    lower = some[0] if len(some) == 1 else 1 - sum(1 - low for low in some)
    return min(upper, max(0.0, lower)), upper
