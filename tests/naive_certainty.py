"""The slow twin of the rating by certainty, record by record and in fractions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from naive_assess import FIGURE_1, FIGURE_2


@dataclass(frozen=True)
class Rated:
    identity: Fraction
    gain: Fraction
    inference: int
    exploitability: int
    risk: int


def correlation(known: Sequence[Any], secret: Sequence[Any], value: Any) -> Fraction:
    """The intra-class correlation of the indicator of a value, ANOVA estimator, not below 0."""
    n, classes = len(known), sorted(set(known), key=repr)
    if len(classes) < 2 or n == len(classes):
        return Fraction(0)
    p = Fraction(secret.count(value), n)
    sizes = {y: known.count(y) for y in classes}
    held = {
        y: sum(k == y and s == value for k, s in zip(known, secret, strict=True)) for y in sizes
    }
    squares = sum((Fraction(held[y] ** 2, sizes[y]) for y in classes), Fraction(0))
    between = (squares - n * p * p) / (len(classes) - 1)
    within = (n * p - squares) / (n - len(classes))
    typical = (n - Fraction(sum(size**2 for size in sizes.values()), n)) / (len(classes) - 1)
    total = between + (typical - 1) * within
    return max(Fraction(0), (between - within) / total) if total > 0 else Fraction(0)


def belief_of_a_stranger(
    known: Sequence[Any], secret: Sequence[Any], at: int, rho: Fraction
) -> Fraction:
    """Belief in a record's value from the others of its class, as far as classes tell."""
    share = Fraction(secret.count(secret[at]), len(secret))
    others = [other for other in range(len(known)) if other != at and known[other] == known[at]]
    if rho == 0:
        return share
    prior = (1 - rho) / rho
    if len(others) + prior == 0:
        return share
    alike = sum(secret[other] == secret[at] for other in others)
    return (alike + prior * share) / (len(others) + prior)


def rate(
    known: Sequence[Any],
    secret: Sequence[Any],
    severity: dict[Any, int],
    *,
    exposure: int = 4,
    people: dict[Any, Fraction] | None = None,
) -> list[Rated]:
    """Rate each record against one attacker and one sensitive column.

    ``people`` says how many people of the population each class has; None if the person is known
    to be in the file.
    """
    rhos = {value: correlation(known, secret, value) for value in set(secret)}
    rated = []
    for at, (y, x) in enumerate(zip(known, secret, strict=True)):
        size = known.count(y)
        held = sum(k == y and s == x for k, s in zip(known, secret, strict=True))
        everybody = Fraction(size) if people is None else max(Fraction(size), people[y])
        member = size / everybody
        share = Fraction(secret.count(x), len(secret))
        stranger = belief_of_a_stranger(known, secret, at, rhos[x])
        belief = member * Fraction(held, size) + (1 - member) * stranger
        identity, gain = 1 / everybody, max(Fraction(0), belief - share)
        inference = 1 + sum(max(identity, gain) >= Fraction(cut, 4) for cut in (1, 2, 3))
        exploitability = FIGURE_1[inference][exposure - 1]
        risk = FIGURE_2[exploitability][severity[x] - 1]
        rated.append(Rated(identity, gain, inference, exploitability, risk))
    return rated


def level(risks: Sequence[int], tolerated: Fraction = Fraction(1, 100)) -> int:
    """The highest level that at least the tolerated share of the records reaches."""
    reached = [
        level
        for level in (1, 2, 3, 4)
        if (count := sum(risk >= level for risk in risks)) and count >= tolerated * len(risks)
    ]
    return max(reached)
