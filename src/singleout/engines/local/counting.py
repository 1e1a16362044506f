"""Count in memory, with the compiled kernels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

import numpy as np

from singleout.core.arrays import F64, I64, Flags, sums
from singleout.core.counts import Counts, SizeProfile
from singleout.core.progress import track
from singleout.core.table import Table
from singleout.errors import UnusableColumn
from singleout.kernels.grouping.group import Groups, group_records, group_sizes
from singleout.kernels.grouping.match import matching

__all__ = [
    "complete_records",
    "counts",
    "group",
    "marginal",
    "match_totals",
    "profile",
    "profiles",
    "set_totals",
    "weights",
]

# Rolling up pays where the combinations are that many times fewer than the records.
_WORTH_ROLLING_UP = 16


def complete_records(table: Table, columns: Sequence[str]) -> Flags:
    """Return which records have a value in all of some columns."""
    complete = np.ones(table.rows, dtype=np.bool_)
    for name in columns:
        if table[name].has_missing:
            complete &= ~table[name].is_missing
    return complete


def profile(table: Table, columns: Sequence[str]) -> SizeProfile:
    """Return how many sets of records that share a combination there are of each size."""
    chosen = [table[name] for name in columns]
    return SizeProfile.of(group_sizes([c.codes for c in chosen], [c.levels for c in chosen]))


def counts(table: Table, columns: Sequence[str], weight: str | None = None) -> Counts:
    """Return the distinct combinations of some columns and how many records share each."""
    chosen = [table[name] for name in columns]
    groups = group(table, columns)
    return Counts(
        tuple(columns),
        tuple(column.values for column in chosen),
        tuple(column.codes[groups.first] for column in chosen),
        groups.sizes,
        None if weight is None else sums(groups.ids, weights(table, weight)),
    )


def marginal(whole: Counts, columns: Sequence[str]) -> Counts:
    """Return the counts over some of the columns, without passing over the records again."""
    indexes = [whole.columns.index(name) for name in columns]
    codes = [whole.codes[index] for index in indexes]
    groups = group_records(codes, [len(whole.values[index]) + 1 for index in indexes])
    # sums of whole numbers below 2**53 are exact
    sizes = np.bincount(groups.ids, whole.sizes).astype(np.int64)
    return Counts(
        tuple(columns),
        tuple(whole.values[index] for index in indexes),
        tuple(column[groups.first] for column in codes),
        sizes,
    )


def profiles(table: Table, column_sets: Sequence[Sequence[str]]) -> list[SizeProfile]:
    """Return the profile of each of several column sets, sharing work between them.

    A subset of another column set is rolled up from the combinations of that one if they are few;
    so are all of them from their union.
    """
    wanted = {frozenset(names): tuple(names) for names in column_sets}
    shared: dict[frozenset[str], Counts] = {}
    union = frozenset(name for names in wanted for name in names)
    if len(wanted) > 1 and _is_small(table, union):
        shared[union] = counts(table, sorted(union))
    by_set: dict[frozenset[str], SizeProfile] = {}
    largest_first = sorted(wanted, key=len, reverse=True)
    for names in track(largest_first, "Counting anonymity sets"):
        source = _smallest_above(names, shared)
        if source is None and _is_small(table, names) and any(other < names for other in wanted):
            shared[names] = counts(table, wanted[names])
        elif source is not None:
            shared[names] = marginal(source, wanted[names])
        by_set[names] = shared[names].profile if names in shared else profile(table, wanted[names])
    return [by_set[frozenset(names)] for names in column_sets]


def _is_small(table: Table, names: Iterable[str]) -> bool:
    """Whether there are far fewer possible combinations than records."""
    return prod(table[name].levels for name in names) * _WORTH_ROLLING_UP <= table.rows


def _smallest_above(names: frozenset[str], shared: dict[frozenset[str], Counts]) -> Counts | None:
    above = [counted for columns, counted in shared.items() if names <= columns]
    return min(above, key=len, default=None)


def set_totals(table: Table, columns: Sequence[str], amounts: F64 | None = None) -> I64 | F64:
    """Return for each record how many records share its combination, or the sum of amounts."""
    groups = group(table, columns)
    if amounts is None:
        return groups.sizes[groups.ids]
    return np.bincount(groups.ids, amounts)[groups.ids]


def match_totals(table: Table, columns: Sequence[str], amounts: F64 | None = None) -> I64 | F64:
    """Return the same where a missing value matches everything."""
    chosen = [table[name] for name in columns]
    groups = group(table, columns)
    group_totals = np.asarray(
        groups.sizes if amounts is None else np.bincount(groups.ids, amounts), dtype=np.float64
    )
    totals = matching(
        [column.codes[groups.first] for column in chosen],
        [column.levels for column in chosen],
        [column.missing_code for column in chosen],
        group_totals,
    )
    # sums of whole numbers below 2**53 are exact
    return (totals.astype(np.int64) if amounts is None else totals)[groups.ids]


def weights(table: Table, name: str) -> F64:
    """Return the weight of each record: a number, not missing and not negative."""
    numbers = table[name].numbers()
    if not np.isfinite(numbers).all() or (numbers < 0).any():
        raise UnusableColumn(
            f"Column {name!r} cannot be the weight: every record needs a number of 0 or more there."
        )
    return numbers


def group(table: Table, columns: Iterable[str]) -> Groups:
    """Return the group of each record: those that share a combination of some columns."""
    chosen = [table[name] for name in columns]
    return group_records([c.codes for c in chosen], [c.levels for c in chosen])
