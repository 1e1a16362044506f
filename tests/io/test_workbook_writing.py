"""Workbooks that are written: two other readers find in them what was put in."""

import zipfile
from datetime import date, datetime
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import singleout as so
from singleout.errors import UnreadableFile, UnusableTable
from singleout.io.write.table import write_table
from singleout.io.write.workbook import write_workbook

FRAME = pl.DataFrame(
    {
        "text <&>": ["a", " b ", '=1+1 "x" <&>', "é 身\n", None],
        "whole": [1, -2, 3, None, 2**53],
        "decimal": [0.1, -2.5, 1e300, 1e-9, None],
        "truth": [True, False, None, True, False],
        "day": [date(2020, 2, 29), date(1900, 3, 1), None, date(2100, 1, 1), date(1999, 12, 31)],
        "stamp": [datetime(2020, 1, 2, 3, 4, 5), None, *[datetime(1987, 6, 5, 12)] * 3],
    }
)


def cells(path: Path) -> list[tuple[Any, ...]]:
    sheet = openpyxl.load_workbook(path).active
    assert sheet is not None
    return list(sheet.iter_rows(values_only=True))


def test_another_program_reads_the_same_values(tmp_path: Path) -> None:
    path = tmp_path / "out.xlsx"
    write_workbook(FRAME, path)
    header, *rows = cells(path)
    assert list(header) == FRAME.columns
    for row, expected in zip(rows, FRAME.rows(), strict=True):
        days = [v.date() if isinstance(v, datetime) and i == 4 else v for i, v in enumerate(row)]
        assert days == list(expected)


def test_it_is_read_again_with_its_types(tmp_path: Path) -> None:
    path = tmp_path / "out.xlsx"
    write_table(so.read(FRAME), path)
    table = so.read(path)
    assert table.columns == tuple(FRAME.columns)
    found = [table["day"].value(code) for code in table["day"].codes.tolist()]
    assert found[0] == datetime(2020, 2, 29)  # Excel has no dates without a time
    assert [table["truth"].value(code) for code in table["truth"].codes.tolist()][:2] == [
        True,
        False,
    ]


def test_the_same_data_give_the_same_file(tmp_path: Path) -> None:
    one, other = tmp_path / "a.xlsx", tmp_path / "b.xlsx"
    write_workbook(FRAME, one)
    write_workbook(FRAME, other)
    assert one.read_bytes() == other.read_bytes()


def test_text_is_never_a_formula(tmp_path: Path) -> None:
    path = tmp_path / "out.xlsx"
    write_workbook(pl.DataFrame({"=cmd()": ["=HYPERLINK(1)", "+1", "@x"]}), path)
    sheet = openpyxl.load_workbook(path).active
    assert sheet is not None
    assert {cell.data_type for row in sheet.iter_rows() for cell in row} <= {"s", "inlineStr"}
    with zipfile.ZipFile(path) as book:
        assert b"<f>" not in book.read("xl/worksheets/sheet1.xml")


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), min_size=1))
def test_any_text_survives(tmp_path: Path, texts: list[str]) -> None:
    path = tmp_path / "out.xlsx"
    write_workbook(pl.DataFrame({"x": [f"_{text}_" for text in texts]}), path)
    unescape = openpyxl.utils.escape.unescape
    found = [unescape(str(row[0])) for row in cells(path)[1:]]
    assert [text.replace("\r\n", "\n") for text in found] == [
        f"_{text}_".replace("\r\n", "\n") for text in texts
    ]


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "out.xlsx"
    with pytest.raises(UnreadableFile, match="32,767 characters at most"):
        write_workbook(pl.DataFrame({"x": ["a" * 40_000]}), path)
    with pytest.raises(UnreadableFile, match="16,384 columns at most"):
        write_workbook(pl.DataFrame({str(i): [1] for i in range(16_385)}), path)


BLANK = {
    "in the middle": {"a": ["x", None, None, "y"], "b": [1, None, None, 2]},
    "at the ends": {"a": [None, "x", "y", None, None], "b": [None, 1, 2, None, None]},
    "numbers only": {"a": [1.5, None, 2.5, None], "b": [1, None, 2, None]},
    "one column": {"a": [None, 1, None, 2, None]},
    "everywhere": {"a": [None, None], "b": [None, None]},
    "empty text": {"a": ["x", "", "y"], "b": ["", "", ""]},
}


@pytest.mark.parametrize("where", BLANK)
def test_a_blank_record_is_still_a_record(tmp_path: Path, where: str) -> None:
    path = tmp_path / "out.xlsx"
    frame = pl.DataFrame(BLANK[where])
    write_workbook(frame, path)
    table = so.read(path)
    for name, values in BLANK[where].items():
        column = table[name]
        found = [column.value(code) for code in column.codes.tolist()]
        assert found == [value if value != "" else None for value in values]
    sheet = openpyxl.load_workbook(path).active
    assert sheet is not None
    assert sheet.cell(1, 1).value == "a"


def test_measuring_a_workbook_of_blanked_records_gives_what_was_published(tmp_path: Path) -> None:
    data = {"a": ["x", "y", "z", "w", "x", "x"], "b": [1, 2, 3, 4, 1, 1]}
    treated = so.treat(data, [{"suppress": "records", "k": 3, "columns": ["a", "b"]}])
    path = treated.write(tmp_path / "out.xlsx")
    assert so.read(path).rows == 6
    assert so.anonymity_sets(path, ["a", "b"]).k == 3
    assert pd.read_excel(path).shape == (6, 2)


def test_a_range_of_records_that_would_fill_the_memory_is_refused(tmp_path: Path) -> None:
    path, hostile = tmp_path / "out.xlsx", tmp_path / "hostile.xlsx"
    write_workbook(pl.DataFrame({f"c{i}": ["x", None] for i in range(2000)}), path)
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(hostile, "w") as new:
        for part in old.namelist():
            new.writestr(
                part, old.read(part).replace(b"$3</definedName>", b"$1048576</definedName>")
            )
    with pytest.raises(UnusableTable, match="reaches over 1,048,575 rows and 2,000 columns"):
        so.read(hostile)
