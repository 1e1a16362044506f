"""Files are counted by the embedded database exactly as they are read in memory."""

import gzip
import re
import subprocess
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pytest
import tables
from database_twin import check, plain

import singleout as so
from singleout.engines.local.counter import LocalCounter
from singleout.engines.sql.engine import Database
from singleout.engines.sql.parquet import VIEW
from singleout.engines.sql.text import text_files as files_of
from singleout.errors import SingleoutError, UnreadableFile, UnusableTable
from singleout.io.read import read
from singleout.io.text.delimited import read_delimited
from singleout.where.condition import parse
from text_cases import text_files


def test_text_is_read_alike_or_refused_alike(tmp_path: Path) -> None:
    """Both engines give the same cells, or the same sentence why not."""
    path, copied, read_alike = tmp_path / "t.csv", 0, 0
    database = duckdb.connect()
    for number, file in enumerate(text_files(400, seed=9)):
        path.write_bytes(file.content)
        folder = tmp_path / str(number)
        folder.mkdir()
        try:
            frame = read_delimited(path).frame
        except SingleoutError as error:
            with pytest.raises(type(error), match=f"^{re.escape(str(error))}$"):
                files_of([path], path.name, folder)
            continue
        files = files_of([path], path.name, folder)
        database.execute(files.select.replace("CREATE", "CREATE OR REPLACE"))
        found = database.execute(f"SELECT * FROM {VIEW}").fetchall()
        assert list(files.names) == frame.columns
        assert Counter(found) == Counter(frame.rows()), file
        copied += not files.slow
        read_alike += 1
    database.close()
    assert read_alike > 200
    assert 60 < copied < read_alike - 60


@pytest.mark.parametrize(
    "data",
    [
        b"a,b\n1,2,\n",
        b"a,b\n1,2\n3,4,",
        b"a,b\n1,2\n3\n",
        b'a,b\n1,"2"3\n',
        b'a,b\n1,"2\n',
        b'a,b\n1,2\n""\n',
        b"a,b\n1,\0\n",
        b"a,a\n1,2\n",
        b"",
        b"a,b\n",
    ],
)
def test_what_is_no_table_is_refused_in_the_same_words(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    sentences = []
    for engine in ("local", "database"):
        with pytest.raises(SingleoutError) as caught:
            so.anonymity_sets(path, ["a"], engine=engine)
        sentences.append(str(caught.value))
    assert sentences[0] == sentences[1]


@pytest.mark.parametrize(
    ("data", "note"),
    [
        ("a,b\n1,é\n".encode("latin-1"), "Windows-1252"),
        ("a,b\n1,é\n".encode("utf-16"), None),
        (b"a,b\r1,2\r", None),
        (b"\n\na,b\n1,2\n", None),
        (gzip.compress(b"a,b\n1,2\n", mtime=0), None),
        (b'a,b\n1,5" pipe\n', None),
        (b"a,b\n1," + b"x" * (1 << 24) + b"\n", None),
    ],
)
def test_what_duckdb_would_read_differently_is_read_all_the_same(
    tmp_path: Path, data: bytes, note: str | None
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    local = LocalCounter(read(path))
    counter = Database().counter(path)
    assert dict(counter.counts(["a", "b"])) == dict(local.counts(["a", "b"]))
    assert (note is None) == (counter.notes == ()) == (local.notes == ())
    counter.close()


def test_packed_text_is_counted_beside_plain_text(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_bytes(b"a,b\n1,2\n")
    (tmp_path / "2.csv.gz").write_bytes(gzip.compress(b"a,b\n1,\n", mtime=0))
    counter = Database().counter(str(tmp_path / "*.csv*"))
    assert dict(counter.counts(["a", "b"])) == {("1", "2"): 1, ("1", None): 1}
    counter.close()
    (tmp_path / "3.parquet.gz").write_bytes(gzip.compress(b"PAR1", mtime=0))
    with pytest.raises(UnreadableFile, match="also packed with gzip"):
        Database().counter(str(tmp_path / "3.parquet.gz"))


def test_a_file_that_changes_between_two_questions_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    for ending, write in (
        (".csv", pl.DataFrame.write_csv),
        (".parquet", pl.DataFrame.write_parquet),
    ):
        path = tmp_path / f"t{ending}"
        frame = tables.people().cast(pl.String)
        write(frame, path)
        counter = Database().counter(path)
        assert counter.rows == 200
        write(frame[:100], path)
        with pytest.raises(UnreadableFile, match=f"t{ending} was changed while it was read"):
            dict(counter.counts(["region"]))
        counter.close()


NAMES = (
    "[abc]",
    "star*",
    "q?",
    "br{a,b}",
    "it's",
    'q"q',
    "a=b",
    "%41",
    "a;b",
    "$x",
    "~x",
    "a b",
    "#1",
    "file:x",
    "back\\slash",
)


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize("inside", [False, True], ids=["file", "folder"])
def test_names_of_files_are_only_names(tmp_path: Path, ending: str, inside: bool) -> None:
    # each pattern would match another file
    for decoy in ("a", "starry", "qq", "bra", "b", "A"):
        _write(
            tmp_path / f"{decoy}/t{ending}" if inside else tmp_path / f"{decoy}{ending}", "other"
        )
    for name in NAMES:
        path = tmp_path / f"{name}/t{ending}" if inside else tmp_path / f"{name}{ending}"
        _write(path, name)
        counter = Database().counter(str(path))
        assert counter.source == path.name
        assert dict(counter.counts(["v"])) == {(name,): 1}
        counter.close()


def test_a_path_that_duckdb_cannot_be_told_is_refused(tmp_path: Path) -> None:
    _write(tmp_path / "b\\*.csv", "x")
    with pytest.raises(UnreadableFile, match="its path has a backslash together with"):
        Database().counter(str(tmp_path / "b\\*.csv"))


def _write(path: Path, value: str) -> None:
    path.parent.mkdir(exist_ok=True)
    frame = pl.DataFrame({"v": [value], "w": ["1"]})
    if path.suffix == ".csv":
        path.write_bytes(frame.write_csv().encode())
    else:
        with path.open("wb") as file:
            frame.write_parquet(file)


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
    assert list(spill.glob("*/*.duckdb")) == []  # encoded by one pass over the text
    pairs = list(combinations(frame.columns, 2))
    found = list(map(plain, counter.profiles(pairs)))
    assert found == list(map(plain, LocalCounter(read(frame)).profiles(pairs)))
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
