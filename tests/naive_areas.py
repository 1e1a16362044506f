"""Entropies and sizes of areas, term by term from Koot (2012), 2.2 and Example 5.6."""

from __future__ import annotations

import math
from collections.abc import Sequence


def shannon(shares: Sequence[float]) -> float:
    return -sum(share * math.log2(share) for share in shares if share > 0)


def renyi(shares: Sequence[float], order: float) -> float:
    return math.log2(sum(share**order for share in shares if share > 0)) / (1 - order)


def bits_for(shares: Sequence[float], part: float) -> float:
    """The most bits that at least this part of the possible people each lack."""
    bits = sorted((-math.log2(share) for share in shares if share > 0), reverse=True)
    enough = next(n for n in range(1, len(bits) + 1) if n >= part * len(bits) - 1e-9)
    return bits[enough - 1]


def unique_share(shares: Sequence[float], people: int) -> float:
    return sum(share * (1 - share) ** (people - 1) for share in shares)


def people_for(shares: Sequence[float], unique: float) -> int:
    people = 1
    while unique_share(shares, people) > unique:
        people += 1
    return people


def best_size(shares: Sequence[float], cost: float, most: int) -> int:
    return max(range(1, most), key=lambda people: unique_share(shares, people) - cost / people)


def best_size_printed(cells: int, cost: float, most: int) -> int:
    """Example 5.6 as it is printed: exp(-k / N) instead of (1 - 1 / N)^(k - 1)."""
    return max(range(1, most), key=lambda people: math.exp(-people / cells) - cost / people)
