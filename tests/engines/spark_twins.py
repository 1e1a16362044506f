"""The same table in Spark and in memory, and whether both give the same answers."""

import datetime
import math
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl

from singleout.core.counts import SizeProfile
from singleout.engines.counter import Counter
from singleout.engines.local.counter import LocalCounter
from singleout.io.read import read

HOSTILE = ("a.b", "`tick`", 'quo"ted', "it's; DROP TABLE x; --", "Ünï çode ✓", "A", "a", "select")


def random_table(seed: int, rows: int = 60) -> pl.DataFrame:
    """A table of all kinds of values, many of them missing, under hostile names."""
    rng = np.random.default_rng(seed)
    kinds: list[tuple[list[Any], Any]] = [
        ([2**62, -(2**62), 2**62 + 1, 0], pl.Int64),
        ([1.5, -0.0, 0.0, math.nan, math.inf], pl.Float64),
        (["a", "A", "a ", "ä", "01", "1", ""], pl.String),
        ([datetime.date(1, 1, 1), datetime.date(2020, 2, 29)], pl.Date),
        ([Decimal("1.50"), Decimal("-0.01"), Decimal(0)], pl.Decimal(12, 2)),
        ([True, False], pl.Boolean),
        (
            [datetime.datetime(2020, 1, 1, 5), datetime.datetime(2020, 1, 1, 5, 0, 0, 1)],
            pl.Datetime,
        ),
        ([b"\x00", b"\xff", b""], pl.Binary),
    ]
    columns = []
    for name, (values, kind) in zip(HOSTILE, kinds, strict=True):
        picks = rng.integers(0, len(values) + 1, rows)
        held = [*values, None]
        columns.append(pl.Series(name, [held[pick] for pick in picks], dtype=kind))
    return pl.DataFrame(columns)


def assert_same_profile(one: SizeProfile, other: SizeProfile) -> None:
    assert one.sizes.tolist() == other.sizes.tolist()
    assert one.sets.tolist() == other.sets.tolist()


def joint(counter: Counter, columns: list[str], sensitive: str, *, drop: bool) -> Any:
    """Joint counts in a form that does not depend on how the values y are numbered."""
    found = counter.joint_counts(columns, sensitive, drop=drop)
    pairs: list[list[int]] = [[] for _ in found.sizes]
    for parent, size in zip(found.parents.tolist(), found.joint_sizes.tolist(), strict=True):
        pairs[parent].append(size)
    of_each = sorted(
        (size, sorted(sizes)) for size, sizes in zip(found.sizes.tolist(), pairs, strict=True)
    )
    return of_each, sorted(found.of_sensitive.tolist())


def in_memory(frame: pl.DataFrame) -> LocalCounter:
    return LocalCounter(read(frame))
