"""Statements to print, and the file that comes back."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlglot

from singleout.errors import BadChoice, UnreadableFile
from singleout.repository.publishing.profile import SQL_DIALECTS, print_sql, read_profile

NAMES = {"postgresql": "postgres", "mysql": "mysql", "sqlserver": "tsql"}


@pytest.mark.parametrize("dialect", SQL_DIALECTS)
def test_names_and_texts_of_any_kind_stay_names_and_texts(dialect: str) -> None:
    wild = "x'); DROP TABLE t; --\\"
    text = print_sql(
        "my people", ['quo"ted`]', "b:width=2.5,offset=1"], {wild: wild}, dialect=dialect
    )
    first, second = sqlglot.parse(text, read=NAMES[dialect])
    for statement in (first, second):
        assert statement is not None
        assert {table.name for table in statement.find_all(sqlglot.exp.Table)} == {"my people"}
        columns = {column.name for column in statement.find_all(sqlglot.exp.Column)}
        assert columns >= {'quo"ted`]', "b", wild}
        literals = {literal.this for literal in statement.find_all(sqlglot.exp.Literal)}
        assert wild in literals or wild.replace("\\", "\\\\") in literals
        assert literals >= {"2.5", "1"}


def test_the_first_statement_shows_sizes_only() -> None:
    (first, _) = sqlglot.parse(print_sql("people", ["age", "sex"]), read="postgres")
    assert first is not None
    assert [column.alias_or_name for column in first.expressions] == ["size", "cells"]


def test_people_are_added_up_where_rows_stand_for_several() -> None:
    assert 'SELECT SUM("n") AS size' in print_sql("people", ["age"], counts="n")


def test_truths_ranges_and_several_values_have_their_statements() -> None:
    population = {"a": True, "b": [1, 2, {"from": 5, "below": 7}], "c": {"not_in": ["x"]}}
    text = print_sql("t", ["z"], population)
    assert '"a" = TRUE' in text
    assert '("b" IN (1, 2) OR ("b" >= 5 AND "b" < 7))' in text or '"b" >= 5 AND "b" < 7' in text
    assert """(NOT ("c" = 'x') OR "c" IS NULL)""" in text


def test_what_has_no_statement_is_refused() -> None:
    with pytest.raises(BadChoice, match="choose one of postgresql, mysql, sqlserver"):
        print_sql("t", ["a"], dialect="oracle")
    with pytest.raises(BadChoice, match="give one quasi-identifier"):
        print_sql("t", [["a"], ["b"]])


@pytest.mark.parametrize(
    "text",
    [
        "size,cells\n1,4\n12,30\n",
        "\ufeffCells;Size\n4;1\n30;12\n0;0\n",
        "size\tcells\n12.0\t30\n1\t4",
    ],
)
def test_a_profile_is_read_however_it_was_exported(text: str, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(text, encoding="utf-8")
    profile = read_profile(tmp_path / "p.csv")
    assert profile.sizes.tolist() == [1, 12]
    assert profile.sets.tolist() == [4, 30]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "columns size and cells"),
        ("a,b\n1,2\n", "columns size and cells"),
        ("size,cells\n", "counts nobody"),
        ("size,cells\n0,5\n", "counts nobody"),
        ("size,cells\n1,2\n1,3\n", "line 3: the size 1 stands there twice"),
        ("size,cells\n-1,2\n", "line 2: '-1' is no whole number"),
        ("size,cells\n1.5,2\n", "line 2: '1.5' is no whole number"),
        ("size,cells\n7\n", "line 2: '' is no whole number"),
        ("size,cells\n99999999999999999,9\n", "more people than can be"),
        ("size,cells\n٣,2\n", "is no whole number"),
    ],
)
def test_a_file_that_is_no_profile_is_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(text, encoding="utf-8")
    with pytest.raises(UnreadableFile, match=message):
        read_profile(tmp_path / "p.csv")
    (tmp_path / "p.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UnreadableFile, match="UTF-8"):
        read_profile(tmp_path / "p.csv")
    with pytest.raises(UnreadableFile, match="cannot be read"):
        read_profile(tmp_path / "none.csv")
