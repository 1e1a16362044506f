"""Compare everything that a counter can be asked with the same questions asked in memory."""

from collections import Counter as Bag
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from singleout.core.counts import Counts, SizeProfile
from singleout.engines.counter import Counter, JointCounts
from singleout.engines.local.counter import LocalCounter
from singleout.io.read import read


def local(frame: pl.DataFrame) -> LocalCounter:
    return LocalCounter(read(frame))


def plain(profile: SizeProfile) -> list[tuple[int, int]]:
    assert profile.sizes.dtype == profile.sets.dtype == np.int64
    return list(zip(profile.sizes.tolist(), profile.sets.tolist(), strict=True))


def joints(found: JointCounts) -> tuple[Bag[Any], list[int]]:
    """Return joint counts such that the numbers of the y do not matter."""
    inside: dict[int, list[int]] = {y: [] for y in range(len(found.sizes))}
    for parent, size in zip(found.parents.tolist(), found.joint_sizes.tolist(), strict=True):
        inside[parent].append(size)
    of_y = Bag((int(size), tuple(sorted(inside[y]))) for y, size in enumerate(found.sizes.tolist()))
    return of_y, sorted(found.of_sensitive.tolist())


def shape(counts: Counts) -> tuple[Bag[Any], list[int]]:
    """Return ranked counts such that which value has which rank does not matter."""
    # each column: how its codes split the combinations, and which are missing
    splits = []
    for codes, values in zip(counts.codes, counts.values, strict=True):
        sizes: Bag[int] = Bag()
        for code, size in zip(codes.tolist(), counts.sizes.tolist(), strict=True):
            sizes[code] += size
        missing = sizes.pop(len(values), 0)
        splits.append((tuple(sorted(sizes.values())), missing, len(values)))
    return Bag(splits), sorted(counts.sizes.tolist())


def check(there: Counter, frame: pl.DataFrame, *, by: Sequence[str] = (), weight: str = "") -> None:
    """Assert that a counter gives the numbers of the local one."""
    here = local(frame)
    names = tuple(name for name in frame.columns if name != weight)
    assert there.columns == tuple(frame.columns)
    assert there.rows == here.rows
    assert there.missing(names) == here.missing(names)
    assert there.complete(names) == here.complete(names)
    for drop in (False, True):
        _check_sets(there, here, names, drop=drop)
        if by:
            _check_groups(there, here, names[:2], by, drop=drop)
        for groups in ((), tuple(by)) if weight else ():
            totals = there.weight_totals(names[:2], weight, groups, drop=drop)
            assert totals == here.weight_totals(names[:2], weight, groups, drop=drop)
    _check_values(there, here, names)
    if weight:
        _check_weights(there, here, names[:2], weight)


def weighed(counts: Counts) -> dict[Any, tuple[int, float]]:
    """Return the combinations with their sizes and the sums of their weights."""
    assert counts.weights is not None
    return {
        values: (size, round(total, 9))
        for (values, size), total in zip(counts, counts.weights.tolist(), strict=True)
    }


def _check_weights(there: Counter, here: Counter, names: tuple[str, ...], weight: str) -> None:
    assert weighed(there.counts(names, weight)) == weighed(here.counts(names, weight))
    ranked = there.ranked_counts(names, weight)
    assert all(isinstance(values, range) for values in ranked.values)
    assert sorted(weighed(ranked).values()) == sorted(weighed(here.counts(names, weight)).values())
    assert there.ranked_counts(names).weights is None


def _check_sets(there: Counter, here: Counter, names: tuple[str, ...], *, drop: bool) -> None:
    sets = [part for size in (1, 2, len(names)) for part in combinations(names, size)]
    found, expected = there.profiles(sets, drop=drop), here.profiles(sets, drop=drop)
    assert list(map(plain, found)) == list(map(plain, expected))
    for size in range(1, 1 + min(len(names), 3 if len(names) < 8 else 1)):
        np.testing.assert_array_equal(
            there.distinct_counts(names, size, drop=drop).counts,
            here.distinct_counts(names, size, drop=drop).counts,
        )
    if len(names) > 1:
        known, sensitive = names[:-1], names[-1]
        assert joints(there.joint_counts(known, sensitive, drop=drop)) == joints(
            here.joint_counts(known, sensitive, drop=drop)
        )


def _check_groups(
    there: Counter, here: Counter, names: tuple[str, ...], by: Sequence[str], *, drop: bool
) -> None:
    found = there.grouped_profiles(names, by, drop=drop)
    expected = here.grouped_profiles(names, by, drop=drop)
    assert list(found) == list(expected)
    assert [plain(found[key]) for key in found] == [plain(expected[key]) for key in expected]
    assert list(there.group_rows(by).items()) == list(here.group_rows(by).items())


def _check_values(there: Counter, here: Counter, names: tuple[str, ...]) -> None:
    assert dict(there.counts(names)) == dict(here.counts(names))
    ranked = there.ranked_counts(names)
    assert shape(ranked) == shape(here.ranked_counts(names))
    assert all(isinstance(values, range) for values in ranked.values)
    fetched, expected = there.fetch(names), here.fetch(names)
    for name in names:
        assert list(fetched[name].values) == list(expected[name].values)
    assert Bag(zip(*(c.codes.tolist() for c in fetched), strict=True)) == Bag(
        zip(*(c.codes.tolist() for c in expected), strict=True)
    )
