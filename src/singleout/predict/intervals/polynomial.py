"""Singletons as a polynomial in the width of intervals, and where that holds. Koot (2012), 6.3.

With a smooth density f, and k people,

    E S = k - D k(k-1) int f^2 + D^2 k(k-1)(k-2)/2 int f^3 + O(D^3).

The terms in f' and f'' that the thesis prints beside these cancel, since the probabilities of all
cells sum to 1. Where the density jumps inside a cell, as at the end of a uniform or exponential
distribution, the square of the jump enters at order 2. The polynomial is worth having as a rule of
thumb; beyond its domain it is off by any factor, and soon negative.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from singleout.core.arrays import F64
from singleout.errors import UndefinedMeasure
from singleout.predict.intervals.quadrature import integral
from singleout.report.say import say

__all__ = ["check_domain", "jumps", "polynomial", "polynomial_shares", "power_integrals"]


_DOMAIN = {1: 0.05, 2: 0.3}  # the largest k D int f^2 at which each order is good
_REFUSED = 1.0  # from here on neither order says anything
_QUANTILES = np.array([1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 0.01, 0.05, 0.2, 0.35])


def polynomial(
    people: int,
    width: float,
    powers: tuple[float, float, float],
    order: int,
    *,
    jump: float = 0.0,
    slope: float = 0.0,
) -> float:
    """Return the expected singletons to order 1, 2 or 3 in the width.

    ``powers`` are the integrals of the second, third and fourth power of the density; with several
    attributes they hold the widths, and the width is 1. ``jump`` is the sum of u (1 - u) times the
    squared jumps of the density, each u being where in its cell it jumps, from 0 to 1. ``slope``
    is the integral of its squared slope, which enters at order 3.
    """
    second, third, fourth = powers
    pairs = people * (people - 1.0)
    terms = [
        people,
        -width * pairs * second,
        width**2 * pairs * ((people - 2) / 2 * third + jump),
        width**3 * pairs * (slope / 12 - (people - 2) * (people - 3) / 6 * fourth),
    ]
    return float(sum(terms[: order + 1]))


def polynomial_shares(
    people: int,
    width: float,
    powers: tuple[float, float, float],
    order: int,
    jump: float = 0.0,
) -> F64:
    """Return the shares of people in sets of 1, 2 and 3 to order 1 or 2; see `polynomial`."""
    second, third, _ = powers
    pair = width * (people - 1) * second
    triple = float(order > 1) * width**2 * (people - 1) * (people - 2) / 2 * third
    bend = float(order > 1) * width**2 * (people - 1) * jump
    shares = np.array([1 - pair + triple + bend, pair - 2 * triple - bend, triple])
    clipped: F64 = np.clip(shares, 0.0, 1.0)
    return clipped


def check_domain(people: int, density: float, order: int, next_term: float) -> tuple[str, ...]:
    """Warn where an order is not good any more, and refuse where it says nothing.

    The density is D int f^2, the probability that two people share an interval; the next term is
    the first that the polynomial leaves out, in people.
    """
    crowding = people * density
    if crowding <= _DOMAIN[order]:
        return ()
    if crowding > _REFUSED:
        raise UndefinedMeasure(
            f"The polynomial of order {order} has no meaning here: k D ∫f² is {crowding:.2g}, and "
            f"it is good up to {_DOMAIN[order]}; use method='exact'."
        )
    warning = say(
        "predict.intervals.domain",
        crowding=crowding,
        order=order,
        good=_DOMAIN[order],
        term=abs(next_term),
        share=abs(next_term) / people,
    )
    return (warning,)


def power_integrals(distribution: Any) -> tuple[float, float, float]:
    """Return the integrals of the second, third and fourth power of a density."""
    law = distribution
    ends = [float(end) for end in law.support() if math.isfinite(end)]
    breaks = np.unique(
        np.concatenate([ends, law.ppf(_QUANTILES), [law.ppf(0.5)], law.isf(_QUANTILES)])
    )

    def powers(points: Any) -> Any:
        density = law.pdf(points)
        return np.vstack([density**2, density**3, density**4])

    with np.errstate(over="ignore", invalid="ignore"):
        scale = float(law.ppf(0.75) - law.ppf(0.25))
        integrals, error = integral(
            lambda z: powers(z * scale) * scale, breaks / scale, 1e-12 / scale
        )
    if not np.isfinite(integrals).all() or error > 1e-6 * float(integrals[0]):
        raise UndefinedMeasure(
            "The density of this distribution has no finite integral of its square, cube and "
            "fourth power, so there is no polynomial; use method='exact'."
        )
    second, third, fourth = (float(value) for value in integrals)
    return second, third, fourth


def jumps(distribution: Any, width: float, offset: float | None) -> float:
    """Return what the jumps of a density at the ends of its support add: see `polynomial`."""
    total = 0.0
    for end in distribution.support():
        if not math.isfinite(end):
            continue
        height = float(distribution.pdf(end))
        if not math.isfinite(height):
            return 0.0
        # over all offsets u (1 - u) is 1/6 on average
        inside = 1 / 6
        if offset is not None:
            u = (float(end) - offset) / width % 1.0
            inside = u * (1 - u)
        total += inside * height**2
    return total
