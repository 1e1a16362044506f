"""Slow twins of every kernel, written from the definitions: obviously right, never fast."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import log, log2
from typing import Any

Record = tuple[Any, ...]


def group_sizes(records: Sequence[Record]) -> Counter[Record]:
    """How many records share each combination."""
    return Counter(records)


def sizes_of_records(records: Sequence[Record]) -> list[int]:
    """For each record, how many records are the same (Koot 2012, definition 3.1)."""
    return [sum(other == record for other in records) for record in records]


def match(a: Record, b: Record) -> bool:
    """Whether two records could be the same person, None matching everything."""
    return all(x is None or y is None or x == y for x, y in zip(a, b, strict=True))


def matching(records: Sequence[Record], amounts: Sequence[float] | None = None) -> list[float]:
    """For each record, how many records match it, or the sum of their amounts."""
    held = [1.0] * len(records) if amounts is None else amounts
    return [
        sum(amount for other, amount in zip(records, held, strict=True) if match(record, other))
        for record in records
    ]


def quartile(values: Sequence[int], quarter: int) -> float:
    """R's quantile type 7: linear between order statistics at (n - 1) q + 1."""
    ordered = sorted(values)
    place = Fraction(quarter, 4) * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return float(ordered[low] + (ordered[high] - ordered[low]) * (place - low))


def shannon(sizes: Sequence[int]) -> float:
    """Koot (2.2), in bits."""
    total = sum(sizes)
    return -sum(size / total * log2(size / total) for size in sizes)


def renyi(sizes: Sequence[int], order: float) -> float:
    """Koot (2.5), in bits, for an order other than 1."""
    total = sum(sizes)
    return log2(sum((size / total) ** order for size in sizes)) / (1 - order)


def kl_to_uniform(sizes: Sequence[int], cells: int) -> float:
    """Koot 4.3.2: sum of p ln(p N), in nats."""
    total = sum(sizes)
    return sum(size / total * log(size / total * cells) for size in sizes)
