"""Files are encoded batch by batch: the same table and counts as if they were read at once."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import tables
from hypothesis import given
from hypothesis import strategies as st

import singleout as so
from singleout.core.table import Table
from singleout.engines.chunks import Gathered, coded
from singleout.engines.local.counter import LocalCounter
from singleout.engines.sql import encoded
from singleout.engines.sql.counter import DatabaseCounter
from singleout.engines.sql.engine import Database
from singleout.errors import UnusableTable
from singleout.where.condition import parse

VALUES = {
    pl.String: st.sampled_from(["a", "A", "", "10", "9", "é"]),
    pl.Float64: st.sampled_from([0.0, -0.0, 1.5, float("nan"), float("inf")]),
    pl.Int64: st.integers(-3, 300),
    pl.Boolean: st.booleans(),
    pl.Date: st.dates(date(2020, 1, 1), date(2020, 2, 1)),
}


@st.composite
def cut_columns(draw: st.DrawFn) -> tuple[pl.Series, list[int]]:
    kind = draw(st.sampled_from(list(VALUES)))
    values = draw(st.lists(st.none() | VALUES[kind], min_size=1, max_size=40))
    cuts = draw(st.lists(st.integers(0, len(values)), max_size=4))
    return pl.Series("c", values, dtype=kind), sorted({0, *cuts, len(values)})


@given(cut_columns())
def test_chunks_make_the_column_that_the_whole_makes(case: tuple[pl.Series, list[int]]) -> None:
    series, cuts = case
    gathered = Gathered(["c"])
    for begin, end in pairwise(cuts):
        gathered.add(0, coded(series[begin:end].to_arrow()))
    assert_alike(gathered.table("t"), so.read(series.to_frame()))


def assert_alike(found: Table, expected: Table) -> None:
    assert found.columns == expected.columns
    for here, local in zip(found, expected, strict=True):
        assert list(here.values) == list(local.values)
        assert here.has_missing == local.has_missing
        assert here.codes.dtype == local.codes.dtype
        assert here.codes.tolist() == local.codes.tolist()


def wide(rows: int = 900, columns: int = 20) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    drawn = {f"c{n}": rng.integers(0, 2 + 7 * n, rows) for n in range(columns - 1)}
    return pl.DataFrame({"record": np.arange(rows), **drawn})


@contextmanager
def in_folder(folder: Path, frame: pl.DataFrame, **options: Any) -> Iterator[DatabaseCounter]:
    """Give the counter of a frame in three files."""
    folder.mkdir(exist_ok=True)
    edges = np.linspace(0, frame.height, 4).astype(int)
    for number, (begin, end) in enumerate(pairwise(edges)):
        frame[int(begin) : int(end)].write_parquet(folder / f"{number}.parquet")
    with Database(**options).counter(folder) as counter:
        assert isinstance(counter, DatabaseCounter)
        yield counter


def test_records_keep_their_order_over_files_batches_and_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoded, "_ROWS", 64)
    monkeypatch.setattr(encoded, "_COLUMNS", 3)
    frame = wide()
    with in_folder(tmp_path, frame) as counter:
        assert_alike(counter.fetch(), so.read(frame))
        assert counter.session.statements == 2 + 7  # the view, the rows, and 3 columns a pass


def test_every_type_of_a_parquet_file_is_encoded_as_it_is_read(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "category": pl.Series(["b", None, "a", "b"], dtype=pl.Categorical),
            "decimal": [Decimal("1.50"), Decimal("1.50"), None, Decimal("0.25")],
            "at": [datetime(2020, 1, day, tzinfo=UTC) for day in (1, 2, 1, 3)],
            "bytes": [b"\x00", b"a", b"\xff", b"a"],
            "large": [2**63, 1, 1, 2**63],
            "real": [float("nan"), -0.0, 0.0, 1.0],
            "nothing": pl.Series([None] * 4, dtype=pl.Int8),
        },
        schema_overrides={"large": pl.UInt64},
    )
    with in_folder(tmp_path, frame) as counter:
        assert_alike(counter.fetch(), so.read(frame))


@pytest.mark.parametrize("drop", [False, True])
def test_sets_are_counted_by_one_pass_where_the_codes_fit(tmp_path: Path, drop: bool) -> None:
    frame = wide(columns=9).select(pl.all().replace(0, None))
    names, local = frame.columns, LocalCounter(so.read(frame))
    counts = {}
    for size in (2, 3):
        expected = local.distinct_counts(names, size, drop=drop).counts.tolist()
        # reading alone is allowed more than 60 MB
        for memory in ("2GB", "60MB"):
            with in_folder(tmp_path / memory, frame, memory=memory) as counter:
                opened = counter.rows and counter.session.statements
                found = counter.distinct_counts(names, size, drop=drop).counts.tolist()
                assert found == expected
                counts[memory, size] = counter.session.statements - opened
    assert counts["2GB", 2] == counts["2GB", 3] == 1
    assert min(counts["60MB", 2], counts["60MB", 3]) > 3


def test_codes_that_turn_out_too_large_are_left_to_statements(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = wide()
    monkeypatch.setattr(encoded, "_OF_THE_DATABASE", 0)
    expected = LocalCounter(so.read(frame)).distinct_counts(frame.columns, 2).counts.tolist()
    for room in (10_000, 19_000, 60_000, 120_000, 10_000_000):  # bytes: from none to plenty
        monkeypatch.setattr(encoded, "available_memory", lambda room=room: room)
        with in_folder(tmp_path, frame) as counter:
            assert counter.distinct_counts(frame.columns, 2).counts.tolist() == expected
            statements = counter.session.statements
            assert (statements == 2 + 2) == (room == 10_000_000)  # two passes for 20 columns


def test_a_filtered_folder_keeps_its_cap(tmp_path: Path) -> None:
    with in_folder(tmp_path, tables.people(), memory="60MB") as counter:
        assert counter.filtered(parse("age > 30")).memory == 60_000_000


def test_special_uniques_of_a_folder_keep_the_cap_or_say_that_they_cannot(tmp_path: Path) -> None:
    frame = wide(rows=150_000, columns=12).drop("record")
    with in_folder(tmp_path, frame):
        pass
    found = so.suda(tmp_path, max_size=2, engine=so.Database(memory="1GB"))
    assert found.counts_by_size.sum() == so.suda(frame, max_size=2).counts_by_size.sum()
    with pytest.raises(UnusableTable, match=r"Fetching 150,000 records .* may be used; give fewer"):
        so.suda(tmp_path, max_size=2, engine=so.Database(memory="101MB"))
    with pytest.raises(UnusableTable, match=r"Searching 2,047 sets .* may be used; allow more"):
        so.suda(tmp_path, max_size=None, engine=so.Database(memory="110MB"))
