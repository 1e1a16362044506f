"""Reading and writing hierarchies: ARX's format, frames, and what is wrong with a bad one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import singleout as so
from singleout.errors import BadChoice, InputError, UnreadableFile
from singleout.treatment.hierarchies.hierarchy import Hierarchy
from singleout.treatment.hierarchies.read import read_hierarchy
from singleout.treatment.hierarchies.write import hierarchy_text, write_hierarchy

AGES = [["34", "<50", "*"], ["45", "<50", "*"], ["66", ">=50", "*"]]


def written(folder: Path, text: str | bytes, name: str = "age.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


# ---- what can be read


@pytest.mark.parametrize(
    "text",
    [
        "34;<50;*\n45;<50;*\n66;>=50;*\n",
        "34,<50,*\r\n45,<50,*\r\n66,>=50,*\r\n",
        "34\t<50\t*\n45\t<50\t*\n66\t>=50\t*",
        "\ufeff34;<50;*\n45;<50;*\n66;>=50;*\n",
        '"34";"<50";"*"\n"45";"<50";"*"\n\n"66";">=50";"*"\n',
        "34;<50;*\n34;<50;*\n45;<50;*\n66;>=50;*\n",
    ],
    ids=["semicolons", "commas and CRLF", "tabs", "BOM", "quotes and a blank line", "a line twice"],
)
def test_every_usual_kind_of_csv_is_the_same_hierarchy(tmp_path: Path, text: str) -> None:
    found = read_hierarchy(written(tmp_path, text), "age")
    assert found.rows == AGES
    assert found.column == "age"


def test_a_delimiter_within_values_is_not_taken_for_one(tmp_path: Path) -> None:
    text = "Smith, J;a, b;*\nJones, K;a, b;*\nLee, L;c, d;*\n"
    assert read_hierarchy(written(tmp_path, text), "name").rows[2] == ["Lee, L", "c, d", "*"]


@pytest.mark.parametrize(
    "frame",
    [pl.DataFrame, pd.DataFrame, lambda columns: nw.from_native(pl.DataFrame(columns))],
    ids=["polars", "pandas", "narwhals"],
)
def test_a_frame_has_a_column_for_each_level(frame: Any) -> None:
    found = read_hierarchy(frame({"a": [34, 45], "b": ["<50", "<50"], "c": ["*", "*"]}), "age")
    assert found.rows == [[34, "<50", "*"], [45, "<50", "*"]]


def test_a_hierarchy_may_be_given_for_another_column() -> None:
    found = read_hierarchy(Hierarchy.of_rows("age", AGES), "AGE")
    assert (found.column, found.rows) == ("AGE", AGES)


def test_numbers_of_a_frame_meet_the_text_of_a_file() -> None:
    column = so.read({"age": [34.0, 45.0, None]})["age"]
    tree = read_hierarchy(AGES, "age").fit(column)
    assert tree.labels[0] == (34.0, 45.0, "66", None)
    assert [tree.labels[1][i] for i in tree.maps[1]] == ["<50", "<50", None]
    assert [tree.labels[2][i] for i in tree.maps[2]] == ["*", "*", "*"]


def test_a_line_without_a_value_is_that_of_missing_values(tmp_path: Path) -> None:
    hierarchy = read_hierarchy(written(tmp_path, "1;low;*\n;unknown;*\n"), "x")
    tree = hierarchy.fit(so.read({"x": ["1", None]})["x"])
    assert tree.size == 2
    assert [tree.labels[1][i] for i in tree.maps[1]] == ["low", "unknown"]


def test_text_that_is_spelled_as_a_number_stays_text() -> None:
    column = so.read({"x": [1, "1", "b"]})["x"]
    hierarchy = Hierarchy.of_rows("x", [[value, "*"] for value in column.values])
    tree = hierarchy.fit(column)
    assert [tree.labels[0][i] for i in tree.maps[0]] == list(column.values)


def test_every_hierarchy_of_arx_is_read_and_fits_its_data(real_data: Path) -> None:
    adult = so.read(real_data / "adult.csv")
    for column in adult:
        path = real_data / "hierarchies" / f"adult_hierarchy_{column.name}.csv"
        tree = read_hierarchy(path, column.name).fit(column)
        lines = path.read_text().splitlines()
        assert tree.size == len(lines)
        assert tree.levels == len(lines[0].split(";"))
        assert tree.labels[-1] == ("*",)


# ---- what cannot

BAD = {
    "a line too short": ("a;x;*\nb;*\n", "line 2: 'b' has 2 columns, but line 1 has 3"),
    "not a tree": ("a;x;p;*\nb;x;q;*\n", "line 2: 'x' is below 'q', but in line 1 it is below 'p'"),
    "two roots": ("a;x;*\nb;y;all\nc;y;*\n", "line 2: 'b' ends in 'all', but 'c' in line 3 ends"),
    "headings": ("age;level 1\n34;*\n45;*\n", "line 1: 'age' ends in 'level 1'"),
    "a cycle": ("a;b;*\nb;a;*\n", "line 2: 'a' is above 'b', and also below it"),
    "a longer cycle": ("a;b;*\nb;c;*\nc;a;*\n", "line 3: 'a' is above 'c', and also below it"),
    "a value in itself": ("a;b;a;*\n", "line 1: 'a' is above 'b', and also below it"),
    "a value twice": ("a;x;*\nb;y;*\na;y;*\n", "line 3: the value 'a' stands in line 1 already"),
    "a value twice, further up": ("a;x;p;*\na;x;q;*\n", "line 2: 'x' is below 'q', but in line 1"),
    "one column": ("a b *\nc d *\n", "line 1: 'a b *' has one column only"),
    "another delimiter": ("a:x:*\nb:x:*\n", "line 1: 'a:x:*' has one column only"),
    "no label": ("a;x;*\nb;;*\n", "line 2: 'b' has no label on level 1"),
    "no last label": ("a;x;\nb;x;\n", "line 1: 'a' has no label on level 2"),
    "empty": ("", "age.csv is empty"),
    "blank lines only": ("\n\n\n", "age.csv has no lines"),
    "not UTF-8": (b"a;x;*\nb\xe9;x;*\n", "line 2: this is not text in UTF-8"),
    "a Parquet file": (b"PAR1\x15\x04\x15", "age.csv is a Parquet file"),
    "a line break in a value": ('"a\n1";x;*\nb;*\n', "line 3: 'b' has 2 columns, but line 1"),
}


@pytest.mark.parametrize(("text", "sentence"), BAD.values(), ids=BAD.keys())
def test_a_bad_hierarchy_gets_one_sentence_with_line_and_value(
    tmp_path: Path, text: str | bytes, sentence: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(InputError) as error:
        read_hierarchy(path, "age")
    message = str(error.value)
    assert sentence in message
    assert message.startswith("age.csv")
    assert message.endswith(".")
    assert "\n" not in message


def test_a_file_that_is_too_large_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("singleout.treatment.hierarchies.read._LARGEST", 1_000)
    with pytest.raises(UnreadableFile, match=r"age\.csv is too large for a hierarchy"):
        read_hierarchy(written(tmp_path, "a;*\n" * 300), "age")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"nothing\.csv"):
        read_hierarchy(tmp_path / "nothing.csv", "age")


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([], "has no rows"),
        (["a;*", "b;*"], "A row of the hierarchy of 'age' is 'a;\\*'"),
        ([["a", "x", "*"], ["b", "*"]], "row 2: 'b' has 2 columns, but row 1 has 3"),
        ([["a"], ["b"]], "row 1: there is one column only"),
    ],
)
def test_bad_rows_get_a_sentence(rows: list[Any], sentence: str) -> None:
    with pytest.raises(BadChoice, match=sentence):
        read_hierarchy(rows, "age")


def test_a_value_that_the_hierarchy_lacks_is_named() -> None:
    column = so.read({"job": ["nurse", "teachr", "cook", "monk"]})["job"]
    hierarchy = Hierarchy.of_rows("job", [["nurse", "*"], ["teacher", "*"], ["cook", "*"]])
    with pytest.raises(BadChoice, match=r"'job' lacks the value 'monk' and 1 more; add a line"):
        hierarchy.fit(column)
    without = so.read({"job": ["nurse", "teachr"]})["job"]
    with pytest.raises(BadChoice, match=r"'teachr'; .*Did you mean 'teacher'"):
        hierarchy.fit(without)


# ---- round trips

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
HOSTILE = st.sampled_from(
    [
        "=1+1",
        "@cmd",
        '"',
        ";",
        "a;b",
        "a\nb",
        "a\r\nb",
        "\r",
        "\ufeff",
        " x ",
        "*",
        "<b>",
        "\t",
        "''",
    ]
)


@given(st.lists(TEXT | HOSTILE, min_size=1, max_size=12, unique=True), st.data())
def test_what_is_written_is_read_again(values: list[str], data: st.DataObject) -> None:
    groups = [data.draw(st.integers(0, 2)) for _ in values]
    names = data.draw(st.lists(TEXT, min_size=3, max_size=3, unique=True))
    labels = [f"{name}/{number}" for number, name in enumerate(names)]
    rows = [[value, labels[group], "*"] for value, group in zip(values, groups, strict=True)]
    hierarchy = Hierarchy.of_rows("x", rows)
    text = hierarchy_text(hierarchy)
    from singleout.treatment.hierarchies import read

    found = read._built("x", read._parsed(text, "x.csv"), "x.csv, line")
    assert found.rows == rows


def test_a_written_file_is_read_again_and_nothing_is_overwritten(tmp_path: Path) -> None:
    hierarchy = Hierarchy.of_rows("x", [["=1+1", "a;b", "*"], ["-2", 'say "x"', "*"]])
    path = tmp_path / "x.csv"
    write_hierarchy(hierarchy, path)
    assert path.read_bytes() == b'=1+1;"a;b";*\n-2;"say ""x""";*\n'
    assert read_hierarchy(path, "x").rows == hierarchy.rows
    with pytest.raises(BadChoice, match=r"x\.csv"):
        write_hierarchy(hierarchy, path)
    write_hierarchy(Hierarchy.of_rows("x", [["a", "*"]]), path, force=True)
    assert path.read_text() == "a;*\n"


def test_missing_values_are_written_as_nothing() -> None:
    maps = np.array([[0, 1], [0, 1], [0, 0]], dtype=np.int32)
    hierarchy = Hierarchy("x", ((1, None), ("low", None), ("*",)), maps)
    assert hierarchy_text(hierarchy) == "1;low;*\n;;*\n"
    assert read_hierarchy([["1", "low", "*"], [None, None, "*"]], "x").rows[1] == [None, None, "*"]
