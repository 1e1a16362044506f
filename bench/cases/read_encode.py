"""Read and encode: from a Parquet file on disk to one array of codes for each column.

The file types its columns as dictionaries, as data frames with categories are saved. Who keeps
the numbers found in the file has no encoding left to do; singleout and duckdb number the values
anew, in order. Everyone reads a file that the system has in its cache.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
from numpy.typing import NDArray

import singleout as so
from bench import data
from bench.case import Contender, Prepared, case
from bench.threads import threads

# for each column the codes, and the value that each code stands for
Encoded = list[tuple[NDArray[Any], dict[int, Any]]]


@case("read-encode/large", "A Parquet file of persons drawn from a model of Census-Income.")
def large(quick: bool) -> Prepared:
    path = data.large_file(quick)
    contenders = [
        Contender("singleout", lambda: _ours(path, None), ours=True),
        Contender("singleout, 1 thread", lambda: _ours(path, 1), ours=True),
        Contender("polars, categorical (not dense)", lambda: _polars(path)),
        Contender("pandas, factorize", lambda: _pandas_factorized(path)),
        Contender("pandas, categories of the file", lambda: _pandas_categories(path)),
        Contender("duckdb, enum", lambda: _duckdb(path)),
    ]
    about = pq.read_metadata(path)
    return Prepared((about.num_rows, about.num_columns), contenders, _canonical, _difference)


def _ours(path: Path, number: int | None) -> Encoded:
    with threads(number):
        return [(column.codes, dict(enumerate(column.values))) for column in so.read(path)]


def _polars(path: Path) -> Encoded:
    """Categories are numbered for all columns together, so the codes of one column have gaps."""
    frame = pl.read_parquet(path).with_columns(pl.all().cast(pl.Categorical))
    encoded = []
    for series in frame.get_columns():
        found = series.unique()
        book = dict(zip(found.to_physical().to_list(), found.to_list(), strict=True))
        encoded.append((series.to_physical().to_numpy(), book))
    return encoded


def _pandas_factorized(path: Path) -> Encoded:
    found = (pd.factorize(column) for _, column in pd.read_parquet(path).items())
    return [(codes, dict(enumerate(values))) for codes, values in found]


def _pandas_categories(path: Path) -> Encoded:
    found = (column.cat for _, column in pd.read_parquet(path).items())
    return [(cat.codes.to_numpy(), dict(enumerate(cat.categories))) for cat in found]


def _duckdb(path: Path) -> Encoded:
    """Read the file into memory, make an ordered type of each column, and take its ranks."""
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE persons AS SELECT * FROM read_parquet(?)", [str(path)])
        names = [row[0] for row in connection.execute("DESCRIBE persons").fetchall()]
        for name in names:
            values = f'SELECT DISTINCT "{name}" FROM persons ORDER BY 1'
            connection.execute(f'CREATE TYPE "type of {name}" AS ENUM ({values})')
        ranks = ", ".join(f'enum_code("{n}"::"type of {n}") AS "{n}"' for n in names)
        codes = connection.execute(f"SELECT {ranks} FROM persons").fetchnumpy()
        books = [
            connection.execute(f'SELECT enum_range(NULL::"type of {name}")').fetchall()[0][0]
            for name in names
        ]
    return [(codes[name], dict(enumerate(b))) for name, b in zip(names, books, strict=True)]


def _canonical(encoded: Encoded) -> list[tuple[NDArray[Any], list[str]]]:
    """Return the codes and the values that occur, in the order of the alphabet."""
    columns = []
    for codes, book in encoded:
        used = np.flatnonzero(np.bincount(codes)).tolist()
        in_order = sorted(used, key=lambda code: str(book[code]))
        rank = np.zeros(max(used) + 1, dtype=np.uint16)
        rank[in_order] = np.arange(len(in_order))
        columns.append((rank[codes], [str(book[code]) for code in in_order]))
    return columns


def _difference(theirs: Any, ours: Any) -> str:
    if len(theirs) != len(ours):
        return f"{len(theirs)} columns, ours {len(ours)}"
    for place, ((codes, values), (our_codes, our_values)) in enumerate(
        zip(theirs, ours, strict=True), start=1
    ):
        if values != our_values:
            return f"column {place} has {len(values)} values, ours {len(our_values)} or others"
        if not np.array_equal(codes, our_codes):
            return f"column {place} has other values in some rows"
    return ""
