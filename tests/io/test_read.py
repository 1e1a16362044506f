from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from formats import WRITERS

from singleout.core.progress import listening
from singleout.core.table import Table
from singleout.errors import (
    BadChoice,
    UnknownColumns,
    UnreadableFile,
    UnusableColumn,
    UnusableTable,
)
from singleout.io.read import read

CSV = b"age,sex\n30,f\n41,m\n,m\n"


@pytest.fixture
def people(write):
    return write(CSV)


def test_a_path_may_be_text_a_path_or_begin_at_home(people, monkeypatch):
    monkeypatch.setenv("HOME", str(people.parent))
    monkeypatch.setenv("USERPROFILE", str(people.parent))
    for path in (str(people), people, "~/people.csv"):
        table = read(path)
        assert table.columns == ("age", "sex")
        assert table.source == "people.csv"


@pytest.mark.parametrize("name", ["a.CSV", "a.txt", "a.tab", "a.dat", "a", "a.2020", "a.b.csv"])
def test_delimited_text_is_read_whatever_its_extension(write, name):
    assert len(read(write(CSV, name))) == 3


@pytest.mark.parametrize("name", ["a.csv.gz", "a.TSV.GZ", "a.gz", "a.2020.gz", "a.csv", "a.dat"])
def test_gzip_text_is_read_whatever_its_extension(write, name):
    assert len(read(write(gzip.compress(CSV), name))) == 3


@pytest.mark.parametrize(
    "extension", [".parquet", ".arrow", ".arrows", ".xlsx", ".ods", ".sav", ".dta", ".xpt"]
)
def test_a_file_without_an_extension_is_recognised_by_its_content(tmp_path, extension):
    original = tmp_path / f"people{extension}"
    WRITERS[extension](original)
    bare = original.rename(tmp_path / "people")
    assert len(read(bare).columns) == 5


def test_a_picture_without_an_extension_is_refused_by_what_it_is(write):
    with pytest.raises(UnreadableFile, match=r"looks like a PNG image.*\.csv, "):
        read(write(b"\x89PNG\r\n\x1a\n\0", "picture"))


def test_a_compressed_parquet_file_must_be_unpacked(write):
    with pytest.raises(UnreadableFile, match="unpack it first"):
        read(write(gzip.compress(b"PAR1"), "people.parquet.gz"))


def test_a_file_that_is_not_there_gets_the_nearest_name(people):
    with pytest.raises(
        UnreadableFile, match=r"No file '.*peple\.csv'\. Did you mean 'people\.csv'"
    ):
        read(str(people.with_name("peple.csv")))
    with pytest.raises(UnreadableFile, match=r"No file '.*zzz\.parquet'\.$"):
        read(people.with_name("zzz.parquet"))
    with pytest.raises(UnreadableFile, match="there is no folder"):
        read(people.parent / "nowhere" / "people.csv")
    with pytest.raises(UnreadableFile, match="No file"):
        read(people / "people.csv")


@pytest.mark.parametrize("address", ["https://example.org/a.csv", "s3://bucket/a.parquet"])
def test_an_address_is_never_fetched(address):
    with pytest.raises(UnreadableFile, match="never fetches anything: download"):
        read(address)


def test_a_folder_an_empty_file_and_an_empty_name_are_explained(write, tmp_path):
    with pytest.raises(UnreadableFile, match="is a folder"):
        read(tmp_path)
    with pytest.raises(UnreadableFile, match=r"people\.parquet is empty"):
        read(write(b"", "people.parquet"))
    with pytest.raises(UnreadableFile, match="file name is empty"):
        read("")
    with pytest.raises(UnreadableFile, match="zero byte"):
        read("a\0b")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_refused_instead_of_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(UnreadableFile, match="not a regular file"):
        read(tmp_path / "pipe.csv")


def test_a_file_that_may_not_be_opened_is_explained(people, monkeypatch):
    def refuse(*_args, **_options):
        raise PermissionError

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(UnreadableFile, match="may not be opened"):
        read(people)


def test_a_header_alone_has_no_rows(write):
    with pytest.raises(UnusableTable, match=r"people\.csv has no rows"):
        read(write(b"age,sex\n"))


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("people.csv", {"sheet": 1}),
        ("people.csv", {"name": "x"}),
        ("people.parquet", {"delimiter": ","}),
        ("people.parquet", {"encoding": "utf-8"}),
        ("people.xlsx", {"quote": ""}),
        ("people.sav", {"sheet": "x"}),
        ("people.rds", {"delimiter": ";"}),
    ],
)
def test_an_option_without_meaning_for_the_format_is_refused(tmp_path, name, option):
    path = tmp_path / name
    WRITERS[path.suffix](path)
    with pytest.raises(BadChoice, match=f"{next(iter(option))} has no meaning for {name}"):
        read(path, **option)


def test_options_that_have_a_meaning_are_used(write):
    path = write("a§é\n1§2\n".replace("§", "^").encode("cp1252"))
    assert read(path, delimiter="^", quote="", encoding="cp1252").columns == ("a", "é")


def test_columns_roles_missing_values_and_policy_are_applied(people):
    table = read(
        people,
        ["sex", "age"],
        missing_values=["m"],
        missing="drop",
        roles={"age": "quasi-identifier"},
    )
    assert table.columns == ("sex", "age")
    assert table["sex"].is_missing.tolist() == [False, True, True]
    assert table.missing == "drop"
    assert table.quasi_identifiers == ("age",)
    assert read(people, missing_values="41")["age"].is_missing.tolist() == [False, True, True]


def test_one_column_may_be_given_by_its_name_alone(people):
    assert read(people, "sex").columns == ("sex",)


def test_a_table_comes_back_as_it_is_or_adjusted(people):
    table = read(people, missing="drop")
    assert read(table) is table
    changed = read(table, ["sex"], missing="wildcard", roles={"sex": "sensitive"})
    assert isinstance(changed, Table)
    assert changed.columns == ("sex",)
    assert changed.missing == "wildcard"
    assert changed.with_role("sensitive") == ("sex",)
    assert read(table, ["age"]).missing == "drop"


def test_what_cannot_be_changed_on_a_table_is_refused(people):
    table = read(people)
    with pytest.raises(BadChoice, match="missing_values cannot be given with a Table"):
        read(table, missing_values=["x"])
    with pytest.raises(BadChoice, match="sheet has no meaning for a Table"):
        read(table, sheet=1)
    with pytest.raises(UnknownColumns):
        read(table, ["zip"])


def test_reading_is_announced_once(people):
    messages: list[str] = []
    with listening(lambda what, _done, _total: messages.append(what)):
        read(people)
        read(pl.DataFrame({"a": [1]}))
    assert messages.count("Reading people.csv") == 1
    assert messages.count("Reading the data frame") == 1


def test_reading_a_csv_imports_no_other_reader():
    code = (
        "import sys, pathlib, tempfile\n"
        "from singleout.io.read import read\n"
        "path = pathlib.Path(tempfile.mkdtemp()) / 'a.csv'\n"
        "path.write_text('a,b\\n1,2\\n')\n"
        "read(path)\n"
        "heavy = {'pandas', 'pyarrow', 'pyreadstat', 'rdata', 'fastexcel'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]", done.stderr


def test_listed_missing_values_are_compared_as_they_are():
    big = read({"x": [2**53, 2**53 + 1]}, missing_values=[2**53])["x"]
    assert big.is_missing.tolist() == [True, False]
    text = read({"x": ["None", "1_000", "NA"]}, missing_values=[None, "NA"])["x"]
    assert text.is_missing.tolist() == [False, False, True]
    assert read({"x": [1000, 5]}, missing_values=["1_000"])["x"].is_missing.sum() == 0
    assert read({"x": [-9, 5]}, missing_values=-9)["x"].is_missing.tolist() == [True, False]
    assert read({"x": [-9.0, 5.5]}, missing_values=["-9"])["x"].is_missing.tolist() == [True, False]
    assert read({"x": [True, False]}, missing_values=[True])["x"].is_missing.tolist() == [
        True,
        False,
    ]


def test_json_values_that_differ_stay_different(tmp_path):
    cases = {
        "truth.json": '[{"a": true}, {"a": 1}]',
        "large.jsonl": '{"a": 9007199254740993}\n{"a": 9007199254740992}\n{"a": 0.5}',
    }
    for name, content in cases.items():
        (tmp_path / name).write_text(content)
        codes = read(tmp_path / name)["a"].codes.tolist()
        assert len(set(codes)) == len(codes), name
    (tmp_path / "lists.jsonl").write_text('{"a": "[1]"}\n{"a": [1]}')
    with pytest.raises(UnusableColumn, match="list"):
        read(tmp_path / "lists.jsonl")
