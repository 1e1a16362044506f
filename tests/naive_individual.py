"""Individual risk as Benedetti and Franconi (1998) define it, in fractions and in mpmath."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import Any

import mpmath


def exact_risk(f: int, p: Fraction) -> tuple[Fraction, Fraction]:
    """Return bounds of E[1/F | f]: a partial sum over F = f, f + 1, ..., and the same with a tail.

    P(F = h) = C(h-1, f-1) p^f (1-p)^(h-f). What follows a term is less than a geometric series
    times the next 1/h; as probabilities it is what is left of 1.
    """
    probability = p**f
    total, seen, h = probability / f, probability, f
    while (1 - seen) / (h + 1) > total * Fraction(1, 10**16):
        h += 1
        probability *= (1 - p) * Fraction(h - 1, h - f)
        total += probability / h
        seen += probability
    return total, total + (1 - seen) / (h + 1)


def hypergeometric_sum(f: int, p: Fraction, digits: int = 20) -> Fraction:
    """Return (p/f) 2F1(1, 1; f + 1; 1 - p) as a partial sum that is right to so many digits.

    Each term is less than (1 - p) times the one before, so the rest is less than term (1-p)/p.
    """
    q = 1 - p
    total = term = Fraction(1)
    k = 0
    while term * q > p * total * Fraction(1, 10**digits):
        term *= q * Fraction(k + 1, f + k + 1)
        total += term
        k += 1
    return p / f * total


def mpmath_risk(f: int, p: float, digits: int = 40) -> Any:
    """Return the same by mpmath, from a probability that is taken as exact."""
    with mpmath.workdps(digits + 20):
        probability = mpmath.mpf(p)
        return probability / f * mpmath.hyp2f1(1, 1, f + 1, 1 - probability)


def matches(
    rows: Sequence[Sequence[Any]], weights: Sequence[float], missing: str = "value"
) -> list[tuple[int, float]]:
    """Return f and F of each record: how many records match it, and the sum of their weights."""

    def equal(a: Any, b: Any) -> bool:
        return a == b or (missing == "wildcard" and (a is None or b is None))

    answer = []
    for row in rows:
        same = [all(map(equal, row, other)) for other in rows]
        answer.append((sum(same), sum(w for w, hit in zip(weights, same, strict=True) if hit)))
    return answer


def risks(
    rows: Sequence[Sequence[Any]], weights: Sequence[float], missing: str = "value"
) -> list[float]:
    """Return the individual risk of each record."""
    found = matches(rows, weights, missing)
    return [float(mpmath_risk(f, min(1.0, f / people) if people else 1.0)) for f, people in found]


def household_risk(households: Sequence[Any], risk: Sequence[float]) -> list[float]:
    """Return for each record how likely somebody of its household is re-identified."""
    answer = []
    for home, own in zip(households, risk, strict=True):
        together = (
            [own]
            if home is None
            else [r for other, r in zip(households, risk, strict=True) if other == home]
        )
        answer.append(1 - prod(1 - r for r in together))
    return answer


def threshold(wanted: float, risk: Sequence[float]) -> float:
    """Return the highest t so that the mean of min(risk, t) is at most wanted, by bisection."""
    if sum(risk) / len(risk) <= wanted:
        return max(risk)
    low, high = 0.0, max(risk)
    for _ in range(200):
        middle = (low + high) / 2
        if sum(min(r, middle) for r in risk) / len(risk) <= wanted:
            low = middle
        else:
            high = middle
    return low
