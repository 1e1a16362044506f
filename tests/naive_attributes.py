"""Distinction, separation and minimal keys, pair by pair. Motwani and Xu (2007)."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

Row = tuple[Any, ...]


def part(row: Row, columns: Sequence[int]) -> Row:
    return tuple(row[index] for index in columns)


def distinction(rows: Sequence[Row], columns: Sequence[int]) -> Fraction:
    return Fraction(len({part(row, columns) for row in rows}), len(rows))


def separation(rows: Sequence[Row], columns: Sequence[int]) -> Fraction:
    pairs = list(combinations(rows, 2))
    if not pairs:
        return Fraction(1)
    return Fraction(sum(part(a, columns) != part(b, columns) for a, b in pairs), len(pairs))


def minimal_keys(rows: Sequence[Row], width: int, max_size: int) -> set[frozenset[int]]:
    keys: set[frozenset[int]] = set()
    for size in range(1, max_size + 1):
        for columns in combinations(range(width), size):
            tells_apart = len({part(row, columns) for row in rows}) == len(rows)
            if tells_apart and not any(key < set(columns) for key in keys):
                keys.add(frozenset(columns))
    return keys
