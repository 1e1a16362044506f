"""The outlier test against sibling populations, from its definition: no index, no sampling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def middle(numbers: Sequence[float]) -> float:
    """Return the median."""
    ordered = sorted(numbers)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def unusual_in(
    population: dict[str, Any],
    kappa: float,
    sd: float,
    others: Sequence[tuple[dict[str, Any], float]],
) -> list[str]:
    """Return the attributes whose siblings a distance is too far from.

    Siblings have the same attributes and another value of one of them. At least ten are needed; too
    far is six times the root of the squares of their spread, of the noise, and of 0.01 nats.
    """
    found = []
    for name in sorted(population):
        theirs = []
        for other, distance in others:
            if set(other) != set(population):
                continue
            if [each for each in population if other[each] != population[each]] == [name]:
                theirs.append(distance)
        if len(theirs) < 10:
            continue
        centre = middle(theirs)
        spread = 1.4826 * middle([abs(each - centre) for each in theirs])
        if abs(kappa - centre) > 6 * (spread**2 + sd**2 + 0.01**2) ** 0.5:
            found.append(name)
    return found
