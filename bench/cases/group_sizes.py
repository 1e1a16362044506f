"""Group sizes: how many records share each combination of codes.

Every contender gets the same codes, of one or two bytes a cell, in the form it holds by itself: a
frame, a table in memory. Packing columns into one key is part of the time wherever it is done.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import prod
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
from numpy.typing import NDArray

from bench import data
from bench.case import Contender, Prepared, case
from bench.data import Coded
from bench.threads import threads
from singleout.kernels.grouping.group import group_sizes

CENSUS_9 = (
    *("AAGE", "ASEX", "ARACE", "AREORGN", "AMARITL"),
    *("AHGA", "ACLSWKR", "PENATVTY", "HHDFMX"),
)


@case("group-sizes/adult", "UCI Adult; besides, pycanon and a Counter of tuples.")
def adult(quick: bool) -> Prepared:  # noqa: ARG001
    table = data.adult()
    more = [
        Contender("pycanon, equivalence classes", _pycanon(table)),
        Contender("Counter of tuples", lambda: _counter(table)),
    ]
    return _prepared(table, more, groups=19_502, alone=15_512)


@case("group-sizes/census-9", "Census-Income, 9 columns.")
def census_9(quick: bool) -> Prepared:  # noqa: ARG001
    return _prepared(data.census(CENSUS_9))


@case("group-sizes/census-40", "Census-Income, 40 columns, too many for one 64-bit key.")
def census_40(quick: bool) -> Prepared:  # noqa: ARG001
    return _prepared(data.census(), groups=224_816, alone=213_647)


@case("group-sizes/large", "Persons drawn from a model of Census-Income.")
def large(quick: bool) -> Prepared:
    return _prepared(data.large(quick))


def _prepared(
    table: Coded, more: list[Contender] | None = None, *, groups: int = 0, alone: int = 0
) -> Prepared:
    """Return the case; ``groups`` and ``alone`` are published numbers, 0 where there are none."""

    def published(sizes: NDArray[Any]) -> str:
        found = len(sizes), int((sizes == 1).sum())
        if not groups or found == (groups, alone):
            return ""
        return "{:,} groups and {:,} alone, published are {:,} and {:,}".format(
            *found, groups, alone
        )

    frame = pl.DataFrame(dict(zip(table.names, table.columns, strict=True)))
    pandas = pd.DataFrame({name: frame[name].to_numpy() for name in table.names})
    contenders = [
        Contender("singleout", lambda: _ours(table, None), ours=True),
        Contender("singleout, 1 thread", lambda: _ours(table, 1), ours=True),
        Contender("polars", lambda: frame.group_by(table.names).len()["len"]),
        Contender("polars, streaming", lambda: _streamed(frame.lazy(), table.names)),
        *_packed(frame, table),
        *_duckdb(frame),
        Contender("pandas", lambda: pandas.groupby(table.names, sort=False, observed=True).size()),
        *(more or []),
    ]
    return Prepared(table.shape, contenders, _canonical, _difference, published)


def _ours(table: Coded, number: int | None) -> NDArray[np.int64]:
    with threads(number):
        return group_sizes(table.columns, table.levels)


def _streamed(frame: pl.LazyFrame, by: list[str]) -> pl.Series:
    sizes = frame.group_by(by).agg(pl.len()).select("len")
    return sizes.collect(engine="streaming")["len"]


def _packed(frame: pl.DataFrame, table: Coded) -> list[Contender]:
    """Return the strongest way with polars, where the columns fit into a key of 64 bits."""
    if prod(table.levels) > 1 << 64:
        return []
    key = pl.lit(0, dtype=pl.UInt64)
    for name, levels in zip(table.names, table.levels, strict=True):
        key = key * levels + pl.col(name).cast(pl.UInt64)
    packed = frame.lazy().select(key.alias("key"))
    return [Contender("polars, streaming, packed key", lambda: _streamed(packed, ["key"]))]


def _duckdb(frame: pl.DataFrame) -> list[Contender]:
    """Take the sizes themselves, or how many groups have each size: less to hand to Python."""
    connection = duckdb.connect()
    connection.register("arrow", frame.to_arrow())
    connection.execute("CREATE TABLE coded AS SELECT * FROM arrow")
    names = ", ".join(f'"{name}"' for name in frame.columns)
    sizes = f"SELECT count(*) AS size FROM coded GROUP BY {names}"
    profile = f"SELECT size, count(*) AS groups FROM ({sizes}) GROUP BY size"

    def counted() -> tuple[Any, Any]:
        found = connection.execute(profile).fetchnumpy()
        return found["size"], found["groups"]

    return [
        Contender("duckdb", lambda: connection.execute(sizes).fetchnumpy()["size"]),
        Contender("duckdb, counts of counts", counted),
    ]


def _pycanon(table: Coded) -> Callable[[], list[Any]]:
    """List the records of each class, as its k_anonymity does before it takes the smallest."""
    from pycanon.anonymity.utils.aux_anonymity import get_equiv_class

    frame = pd.DataFrame(dict(zip(table.names, table.columns, strict=True)))
    return lambda: [len(records) for records in get_equiv_class(frame, table.names)]


def _counter(table: Coded) -> list[int]:
    records = zip(*(codes.tolist() for codes in table.columns), strict=True)
    return list(Counter(records).values())


def _canonical(answer: Any) -> NDArray[np.int64]:
    """Return the sizes in order, so that equal means the same sizes equally often."""
    sizes = np.repeat(*answer) if isinstance(answer, tuple) else np.asarray(answer)
    return np.sort(sizes.astype(np.int64))


def _difference(sizes: NDArray[np.int64], ours: NDArray[np.int64]) -> str:
    if np.array_equal(sizes, ours):
        return ""
    return f"{len(sizes):,} groups of {sizes.sum():,} records, ours {len(ours):,} of {ours.sum():,}"
