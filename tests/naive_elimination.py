"""Slow twins of elimination: records are really deleted, and everything is computed anew."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import naive_qar
from naive_qar import Record


def scores(
    records: Sequence[Record], size: int, criterion: str, **options: Any
) -> Sequence[int | float]:
    """How much each record deserves to go; whole numbers where the criterion has them."""
    if criterion == "contribution":
        return naive_qar.contributions(records, size, **options)
    distinct = naive_qar.distinct_counts(records, size)
    many = -(-len(distinct) // 10)
    cut = sorted(distinct)[len(distinct) - many]
    weights = {
        "uniqueness-plus": distinct,
        "uniqueness-star": [len(records) - h for h in distinct],
        "top-uniqueness": [int(h >= cut) for h in distinct],
    }[criterion]
    return [
        sum(w for w, unique in zip(weights, flags, strict=True) if unique)
        for flags in naive_qar.unique_flags(records, size)
    ]


def without(records: Sequence[Record], removed: Sequence[int]) -> list[Record]:
    """The table without some records."""
    gone = set(removed)
    return [record for number, record in enumerate(records) if number not in gone]


def order(
    records: Sequence[Record], size: int, criterion: str, every: int | None, many: int
) -> list[int]:
    """The records in the order of their removal, ties by number."""
    left = list(range(len(records)))
    gone: list[int] = []
    while len(gone) < many:
        found = scores([records[i] for i in left], size, criterion)
        block = min(every or many, many - len(gone))
        ranked = sorted(range(len(left)), key=lambda place: (-found[place], left[place]))
        gone += [left[place] for place in ranked[:block]]
        left = [i for i in left if i not in set(gone)]
    return gone
