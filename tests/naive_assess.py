"""Slow twins of the assessment, written from Sondeck and Laurent: obviously right, never fast."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2
from typing import Any

# as the paper prints its figures: the highest row first
FIGURE_1 = {4: (2, 3, 4, 4), 3: (2, 2, 3, 4), 2: (1, 2, 2, 3), 1: (1, 1, 2, 2)}
FIGURE_2 = {4: (2, 3, 4, 4), 3: (2, 2, 3, 4), 2: (1, 2, 2, 2), 1: (1, 1, 2, 2)}


def entropy(values: Sequence[Any]) -> float:
    """H(X) in bits."""
    shares = [values.count(value) / len(values) for value in set(values)]
    return -sum(share * log2(share) for share in shares)


def remaining(known: Sequence[Any], secret: Sequence[Any], value: Any) -> float:
    """H(X | Y = y) in bits."""
    return entropy([x for y, x in zip(known, secret, strict=True) if y == value])


def value_rate(known: Sequence[Any], secret: Sequence[Any], value: Any, variant: str) -> float:
    """The rate of one value y."""
    if len(set(secret)) == 1:
        return 1.0
    left = remaining(known, secret, value) / entropy(secret)
    return 1 - left * (known.count(value) / len(known) if variant == "paper" else 1.0)


def rate(known: Sequence[Any], secret: Sequence[Any], variant: str) -> float:
    """The rate of Y."""
    values = set(known)
    rates = {y: value_rate(known, secret, y, variant) for y in values}
    if variant == "paper":
        return sum(rates.values()) / len(values)
    if variant == "worst-value":
        return max(rates.values())
    return sum(rates[y] for y in known) / len(known)


def level(rate: float) -> int:
    """1 Weak, 2 Moderate, 3 Severe, 4 Critical."""
    return 1 + (rate >= 0.25) + (rate >= 0.5) + (rate >= 0.75)


def record_risks(
    groups: dict[int, Sequence[Any]], secret: Sequence[Any], severity: dict[Any, int]
) -> list[int]:
    """For each record the risk of its own value, by what each exposure level knows of it."""
    risks = []
    for place, value in enumerate(secret):
        exploitabilities = [
            FIGURE_1[level(value_rate(known, secret, known[place], "paper"))][exposure - 1]
            for exposure, known in groups.items()
        ]
        risks.append(FIGURE_2[max(exploitabilities)][severity[value] - 1])
    return risks
