"""How much one person can change each number: by being there or not, or by having another cell.

With cells of at most C people, or numbers clipped at C, and n people:

    kappa              (1 + ln(C + 1)) / n
    s_r, unbiased      r C (C - 1) … (C - r + 2) / (n (n - 1) … (n - r + 1))
    n, M, largest cell 1
    people in cells below 10   10
"""

from __future__ import annotations

import math

from singleout.repository.gate.numbers import SMALL_CELL

__all__ = ["influence_on_kappa", "influence_on_power_sum", "influences"]


def influence_on_kappa(people: float, cap: float) -> float:
    """Return the bound for kappa, in nats.

    >>> round(influence_on_kappa(1200, 50), 8)
    0.00410985
    """
    return (1 + math.log(cap + 1)) / people


def influence_on_power_sum(order: int, people: float, cap: float) -> float:
    """Return the bound for s_r.

    >>> [f"{influence_on_power_sum(order, 1200, 50):.6g}" for order in (2, 3)]
    ['6.95024e-05', '4.26413e-06']
    """
    bound = order / people
    for step in range(1, order):
        bound *= max(cap - step + 1, 0) / (people - step)
    return bound


def influences(people: float, cap: float) -> dict[str, float]:
    """Return the bound for each number of a record; ``small`` is in people, not a share."""
    return {
        "people": 1.0,
        "support": 1.0,
        "largest": 1.0,
        "kappa": influence_on_kappa(people, cap),
        "s2": influence_on_power_sum(2, people, cap),
        "s3": influence_on_power_sum(3, people, cap),
        "small": float(SMALL_CELL),
    }
