"""Files that Spark reads: Parquet as typed, delimited text as it is read in memory."""

import gzip
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from spark_twins import assert_same_profile

from singleout.engines.local.counter import LocalCounter
from singleout.engines.spark.engine import Spark
from singleout.errors import SingleoutError, UnreachableData, UnreadableFile, UnusableTable
from singleout.io.read import read

TEXT = 'id,name,"co,mma",blank\n01,a,"x ""y"" \\ z",\n1,A,"",b\n1, a,"",b\n1,NA,null,"b"\n'


@pytest.fixture(scope="module")
def engine(spark: Any) -> Spark:
    return Spark(session=spark)


def test_text_stays_text_and_empty_cells_are_missing(engine: Spark, tmp_path: Path) -> None:
    file = tmp_path / "pe[o]ple.csv"
    file.write_text(TEXT)
    counter, local = engine.counter(file), LocalCounter(read(file))
    assert counter.source == "pe[o]ple.csv"
    assert counter.columns == local.columns
    assert counter.missing(counter.columns) == local.missing(local.columns)
    assert dict(counter.counts(counter.columns)) == dict(local.counts(local.columns))


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_the_delimiter_is_found_out(engine: Spark, tmp_path: Path, delimiter: str) -> None:
    file = tmp_path / "people.csv"
    rows = [["name", "zip"], ["Zoë", "1,5"], ["Zoé", "1,5"], ["", "2"]]
    text = "\r\n".join(delimiter.join(row) for row in rows)
    file.write_bytes(text.encode("utf-8" if delimiter == ";" else "utf-8-sig"))
    counter, local = engine.counter(file), LocalCounter(read(file))
    assert dict(counter.counts(["name", "zip"])) == dict(local.counts(["name", "zip"]))


def test_several_files_and_zipped_ones(engine: Spark, tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("a,b\n1,2\n")
    (tmp_path / "2.csv").write_text("a,b\n1,\n3,4\n")
    counter = engine.counter(str(tmp_path / "*.csv"))
    assert dict(counter.counts(["a", "b"])) == {("1", "2"): 1, ("1", None): 1, ("3", "4"): 1}
    with gzip.open(tmp_path / "people.csv.gz", "wt") as file:
        file.write("a,b\n1,2\n1,2\n")
    assert dict(engine.counter(tmp_path / "people.csv.gz").counts(["a"])) == {("1",): 2}
    (tmp_path / "3.csv").write_text("b,a\n1,2\n")
    with pytest.raises(UnusableTable, match=r"3\.csv has other columns"):
        engine.counter(str(tmp_path / "*.csv"))


def test_a_record_with_too_few_cells_is_an_error(engine: Spark, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    for lines in ("1,2\n3\n4,5\n", "1,2\n3,4,5\n"):
        file.write_text("a,b\n" + lines)
        with pytest.raises(UnusableTable, match=r"people.csv, line 3 has [13] values? but"):
            engine.counter(file)


def test_parquet_files_and_folders(engine: Spark, tmp_path: Path) -> None:
    frame = pl.DataFrame({"x y": [1, 1, None], "z": ["a", "b", "b"]})
    (tmp_path / "people").mkdir()
    frame[:2].write_parquet(tmp_path / "people" / "1.parquet")
    frame[2:].write_parquet(tmp_path / "people" / "2.parquet")
    counter, local = engine.counter(tmp_path / "people"), LocalCounter(read(frame))
    (found,), (expected,) = counter.profiles([["x y"]]), local.profiles([["x y"]])
    assert_same_profile(found, expected)
    assert counter.source == "people"


def test_files_that_are_not_there_or_cannot_be_read(engine: Spark, tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="No file"):
        engine.counter(tmp_path / "people.parquet")
    with pytest.raises(UnreadableFile, match="No file"):
        engine.counter(tmp_path / "people.csv")
    with pytest.raises(UnreadableFile, match="cannot be read by Spark here"):
        engine.counter(tmp_path / "people.sav")
    with pytest.raises(UnreadableFile, match="The file name is empty"):
        engine.counter(" ")
    (tmp_path / "text.parquet").write_text("no Parquet at all")
    with pytest.raises((UnreadableFile, UnreachableData), match="Spark"):
        engine.counter(tmp_path / "text.parquet").rows  # noqa: B018
    for encoding in ("utf-16", "cp1252"):
        (tmp_path / "other.csv").write_text("a,b\n1,é\n", encoding=encoding)
        with pytest.raises(UnreadableFile, match="save it as UTF-8"):
            engine.counter(tmp_path / "other.csv")
    (tmp_path / "double.csv").write_text("a,a\n1,2\n")
    with pytest.raises(UnusableTable, match="more than one column called 'a'"):
        engine.counter(tmp_path / "double.csv")


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_names_of_files_are_only_names(engine: Spark, tmp_path: Path, ending: str) -> None:
    frame = pl.DataFrame({"v": ["x"], "w": ["1"]})

    def write(name: str, value: str) -> Path:
        path = tmp_path / (name + ending)
        with path.open("wb") as file:
            with_value = frame.with_columns(v=pl.lit(value))
            (with_value.write_csv if ending == ".csv" else with_value.write_parquet)(file)
        return path

    for decoy in ("a", "starry", "qq", "bra"):
        write(decoy, "other")
    for name in ("[abc]", "star*", "q?", "br{a,b}", "%4'1\\x"):
        counter = engine.counter(write(name, name))
        assert counter.columns == ("v", "w")
        assert dict(counter.counts(["v"])) == {(name,): 1}
    for name in ("_a", ".a", "a:b"):
        with pytest.raises(UnreadableFile, match="rename the file"):
            engine.counter(write(name, name))


# ---- text that Spark reads in another way

DIFFERENT = {
    "line breaks in two columns": 'a,b\n"x\ny",1\n"z\nw",2\n',
    "line breaks in one column": 'a\n"x\ny"\nz\n',
    "a return in a cell": 'a,b\r\n"p\r",1\r\nq,2\r\n',
    "a return of its own": "a,b\nx,1\rz,2\n",
    "a return at the end": "a,b\nx,1\nz,2\r",
    "a blank line in one column": "a\nx\n\ny\n",
    "blanks in one column": "a\nx\n  \ny\n",
    "missing cells between tabs": "a\tb\nx\ty\n\t\nz\tw\n",
    "quote marks within cells": 'a,b\nx"y,1\nz"w,2\n',
}


@pytest.mark.parametrize("text", DIFFERENT.values(), ids=list(DIFFERENT))
def test_what_spark_would_read_differently_is_refused(
    engine: Spark, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "people.csv"
    file.write_bytes(text.encode())
    with pytest.raises(UnreadableFile, match=r"Spark would not read exactly.*local engine"):
        engine.counter(file)
    with gzip.open(tmp_path / "people.csv.gz", "wb") as zipped:
        zipped.write(text.encode())
    with pytest.raises(UnreadableFile, match="Spark would not read exactly"):
        engine.counter(tmp_path / "people.csv.gz")


def test_what_is_checked_in_pieces_is_refused_at_the_end(
    engine: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("singleout.io.text.encoding._PIECE", 16)
    file = tmp_path / "people.csv"
    file.write_text("a,b\n" + "x,yz\r\n" * 20, newline="")
    assert engine.counter(file).rows == 20
    file.write_text("a,b\n" + "x,y\n" * 20 + "z\n")
    with pytest.raises(UnusableTable, match="line 22 has 1 value but the header has 2"):
        engine.counter(file)


def test_blank_lines_of_several_columns_are_no_records_anywhere(
    engine: Spark, tmp_path: Path
) -> None:
    file = tmp_path / "people.csv"
    file.write_text('a,b\nx,1\n\n,\n"",""\n"x y ",1\n\n')
    counter, local = engine.counter(file), LocalCounter(read(file))
    assert counter.rows == local.rows == 4
    assert dict(counter.counts(["a", "b"])) == dict(local.counts(["a", "b"]))
    assert counter.notes == ()


def test_a_file_that_is_not_utf8_further_on_is_refused(engine: Spark, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_bytes(b"a,b\n" + b"x,1\n" * 100_000 + b"\xe9,1\n")
    with pytest.raises(UnreadableFile, match="is not UTF-8 text throughout"):
        engine.counter(file)


def test_files_that_only_the_cluster_sees_are_read_strictly_and_with_a_note(
    engine: Spark, tmp_path: Path
) -> None:
    file = tmp_path / "people.csv"
    file.write_text("a,b\nx,1\ny,1\n")
    counter = engine.counter(file.as_uri())
    assert counter.rows == 2
    assert any("Only the Spark cluster can see people.csv" in note for note in counter.notes)
    file.write_text("a,b\nx\ny,1\n")
    for ask in (lambda counter: counter.rows, lambda counter: counter.counts(["a"])):
        with pytest.raises(UnusableTable, match="fewer or more cells than the header"):
            ask(engine.counter(file.as_uri()))


@pytest.mark.parametrize(
    "path",
    [
        "u:S3CRET@host/db",
        "u:S3CRET@host.db",
        "u:S3CRET@host.csv",
        "postgresql://u:S3CRET@host/db#t",
        "jdbc:postgresql://h/db?password=S3CRET",
        "sqlite:/u:S3CRET@x.db",
    ],
)
def test_no_mistyped_address_is_repeated(engine: Spark, path: str) -> None:
    with pytest.raises(SingleoutError) as caught:
        engine.counter(path)
    error: BaseException | None = caught.value
    while error is not None:
        assert "S3CRET" not in str(error)
        error = error.__context__
