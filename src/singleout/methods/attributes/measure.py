"""Distinction and separation of column sets, and the minimal keys among them.

R. Motwani and Y. Xu, Efficient algorithms for masking and finding quasi-identifiers (2007). The
distinction of a column set is the number of its different combinations over the number of records.
Its separation is the share of pairs of records that differ in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from singleout.core.counts import SizeProfile

__all__ = ["Telling", "column_sets", "minimal_keys", "telling"]

Names = tuple[str, ...]


@dataclass(frozen=True)
class Telling:
    """How far a column set tells records apart."""

    columns: Names
    records: int  # counted
    distinct: int  # combinations that occur
    unique: int  # records that are alone with theirs
    alike: int  # pairs of records that have the same one

    @property
    def distinction(self) -> float:
        """Combinations that occur / records."""
        return self.distinct / self.records

    @property
    def separation(self) -> float:
        """Pairs of records that differ / pairs of records; 1 for a single record."""
        pairs = self.records * (self.records - 1) // 2
        return 1 - self.alike / pairs if pairs else 1.0

    @property
    def unique_share(self) -> float:
        """Records alone with their combination / records."""
        return self.unique / self.records

    @property
    def is_key(self) -> bool:
        """Whether it tells all records apart."""
        return self.alike == 0


def column_sets(columns: Sequence[str], max_size: int) -> list[Names]:
    """Return all sets of at most so many columns, the smallest first."""
    sizes = range(1, min(max_size, len(columns)) + 1)
    return [names for size in sizes for names in combinations(columns, size)]


def telling(columns: Names, profile: SizeProfile) -> Telling:
    """Return how far a column set tells records apart, from its counts of counts."""
    sizes, sets = profile.sizes.tolist(), profile.sets.tolist()
    return Telling(
        columns,
        records=profile.records,
        distinct=profile.number_of_sets,
        unique=sets[0] if sizes and sizes[0] == 1 else 0,
        # whole numbers of Python: pairs of many records exceed 64 bits
        alike=sum(n * (n - 1) // 2 * m for n, m in zip(sizes, sets, strict=True)),
    )


def minimal_keys(measured: Iterable[Telling]) -> tuple[Names, ...]:
    """Return the keys that have no smaller key within them."""
    keys = sorted((set_.columns for set_ in measured if set_.is_key), key=len)
    minimal: list[Names] = []
    for names in keys:
        if not any(set(smaller) < set(names) for smaller in minimal):
            minimal.append(names)
    return tuple(minimal)
