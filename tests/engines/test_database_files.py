"""Files are counted by the embedded database exactly as they are read in memory."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import tables
from database_twin import check, plain
from hypothesis import given, settings
from hypothesis import strategies as st

from singleout.engines.local.counter import LocalCounter
from singleout.engines.sql.engine import Database
from singleout.errors import SingleoutError, UnreadableFile, UnusableTable
from singleout.io.read import read
from singleout.where.condition import parse

CELLS = ["a", "", "b c", " x ", "01", "1", "NA", "NULL", "é", "#x", "1e3", "\\", "a\\b", "'q'"]


@st.composite
def text_files(draw: st.DrawFn) -> bytes:
    delimiter, end = draw(st.sampled_from(",;\t|")), draw(st.sampled_from(["\n", "\r\n"]))
    width = draw(st.integers(1, 3))
    quoted = st.sampled_from([*CELLS, f"a{delimiter}b", 'a""b', f"two{end}lines"]).map(
        '"{}"'.format
    )
    cell = st.sampled_from(CELLS) | quoted
    header = [draw(st.sampled_from(["age", "Age", "", '"q"'])) + str(n) for n in range(width)]
    records = draw(
        st.lists(
            st.lists(cell, min_size=width, max_size=width) | st.just([]), min_size=1, max_size=9
        )
    )
    lines = [delimiter.join(cells) for cells in [header, *records]]
    mark = draw(st.sampled_from(["", "\ufeff"]))
    return (mark + end.join(lines) + draw(st.sampled_from(["", end, end * 2]))).encode()


def counted(make: Any) -> Any:
    """Return the names and combinations of a counter, or the sentence why not."""
    try:
        counter = make()
    except SingleoutError as error:
        return str(error)
    try:
        found = sorted((repr(values), size) for values, size in counter.counts(counter.columns))
        return counter.columns, found
    except SingleoutError as error:
        return str(error)
    finally:
        counter.close()


@settings(max_examples=40)
@given(text_files())
def test_text_files_have_the_same_cells(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.mktemp("text") / "t.csv"
    path.write_bytes(data)
    here, there = (
        counted(lambda: LocalCounter(read(path))),
        counted(lambda: Database().counter(path)),
    )
    if isinstance(there, str) and not isinstance(here, str):
        assert "would not read exactly" in there
    elif not isinstance(here, str):
        assert there == here
    else:
        assert isinstance(there, str)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"a,b\n1,2,\n", "record 1 has 3 values but the header has 2"),
        (b"a,b\n1,2\n3\n", "record 2 has 1 values"),
        (b'a,b\n1,"2"3\n', "quote marks within cells"),
        (b'a,b\n1,"2\n', "quote marks within cells"),
        ("a,b\n1,é\n".encode("latin-1"), "not UTF-8"),
        ("a,b\n1,é\n".encode("utf-16"), "not UTF-8"),
        (b"a,b\r1,2\r", "line ends"),
        (b"\n\na,b\n1,2\n", "blank lines before its header"),
        (b"a,b\n1,\0\n", "binary data"),
        (b"a,a\n1,2\n", "more than one column called 'a'"),
        (b"", "is empty"),
    ],
)
def test_what_would_be_read_differently_is_refused(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    with pytest.raises(SingleoutError, match=words):
        Database().counter(path)


def test_files_of_a_pattern_are_one_table(tmp_path: Path) -> None:
    frame = tables.people().cast(pl.String)
    for part in range(4):
        frame[part * 50 : part * 50 + 50].write_csv(tmp_path / f"part {part}.csv", separator=";")
        frame[part * 50 : part * 50 + 50].write_parquet(tmp_path / f"part {part}.parquet")
    for pattern in ("part*.csv", "part*.parquet", "part [0-9].csv"):
        counter = Database().counter(str(tmp_path / pattern))
        assert counter.source.startswith("4 files of ")
        check(counter, frame, by=["region"], weight="weight")
        counter.close()
    folder = Database().counter(tmp_path)
    check(folder, frame, by=["region"])
    folder.close()


def test_names_of_files_are_only_names(tmp_path: Path) -> None:
    frame = tables.people()
    for name in ("it's.parquet", "a;b.parquet", "[1].parquet", "x*y.parquet", "%s.parquet"):
        frame.write_parquet(tmp_path / name)
        counter = Database().counter(str(tmp_path / name))
        assert counter.rows == 200
        assert counter.source == name
        counter.close()


def test_files_of_different_columns_are_no_table(tmp_path: Path) -> None:
    tables.people().write_parquet(tmp_path / "a.parquet")
    tables.people().with_columns(more=1).write_parquet(tmp_path / "b.parquet")
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    (tmp_path / "b.csv").write_text("y,x\n1,2\n")
    for pattern, name in (("*.parquet", "b.parquet"), ("*.csv", "b.csv")):
        with pytest.raises(UnusableTable, match=f"{name} has other columns than a"):
            Database().counter(str(tmp_path / pattern))


def test_what_is_not_there_or_of_another_kind_is_said(tmp_path: Path) -> None:
    (tmp_path / "damaged.parquet").write_bytes(b"PAR1 and no more")
    (tmp_path / "a.xlsx").write_bytes(b"PK\x03\x04")
    (tmp_path / "nothing").mkdir()
    for given_, words in (
        ("none.parquet", "No file"),
        ("*.nothing", "No file matches"),
        ("damaged.parquet", "cut off, damaged"),
        ("a.xlsx", "read other files with the local engine"),
        ("nothing", "without Parquet files"),
    ):
        with pytest.raises(UnreadableFile, match=words):
            Database().counter(str(tmp_path / given_))


def test_a_condition_reaches_columns_by_their_names(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("age,Age,select\n1,x,a\n2,y,a\n2,x,b\n")
    counter = Database().counter(tmp_path / "t.csv", parse("Age = 'x'"))
    assert dict(counter.counts(["age", "Age", "select"])) == {
        ("1", "x", "a"): 1,
        ("2", "x", "b"): 1,
    }
    counter.close()


def test_text_that_is_read_often_is_copied_once(tmp_path: Path, real_data: Path) -> None:
    spill = tmp_path / "spill"
    spill.mkdir()
    frame = tables.adult(real_data).cast(pl.String)
    counter = Database(folder=spill).counter(real_data / "adult.csv")
    expected = LocalCounter(read(frame)).distinct_counts(frame.columns, 3).counts
    np.testing.assert_array_equal(counter.distinct_counts(frame.columns, 3).counts, expected)
    assert [path.name for path in spill.glob("*/*.duckdb")] == ["copy.duckdb"]
    assert plain(counter.profiles([["sex"]])[0]) == [(9782, 1), (20380, 1)]
    counter.close()
    assert list(spill.iterdir()) == []


CAPPED = """
import sys, resource, polars as pl
from singleout.engines.sql.engine import Database
counter = Database(memory="200MB", folder=sys.argv[2]).counter(sys.argv[1])
counter.rows
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
profile, = counter.profiles([["a", "b", "c"]])
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
counter.close()
print(profile.sizes.tolist(), profile.sets.tolist(), (after - before) // 1024)
"""


def test_a_cap_on_memory_is_kept_and_nothing_is_left_behind(tmp_path: Path) -> None:
    # 4 million combinations of 24 bytes and more, each of them twice
    rows = 8_000_000
    key = np.arange(rows, dtype=np.int64) % (rows // 2)
    frame = pl.DataFrame({"a": key * 7_919, "b": key % 9_973, "c": key // 3})
    frame.write_parquet(tmp_path / "large.parquet", row_group_size=200_000)
    (tmp_path / "spill").mkdir()
    run = subprocess.run(
        [
            sys.executable,
            "-W",
            "ignore",
            "-c",
            CAPPED,
            tmp_path / "large.parquet",
            tmp_path / "spill",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    answer, _, growth = run.stdout.strip().rpartition(" ")
    assert answer == "[2] [4000000]"
    assert int(growth) < 320  # MB; without a cap it is 426
    assert list((tmp_path / "spill").iterdir()) == []
