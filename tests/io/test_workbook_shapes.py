"""Workbooks as people make them: the table is found, or the sheets are listed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.worksheet.worksheet import Worksheet

from singleout.errors import BadChoice, InputError
from singleout.io.formats.excel import read_excel

HEADER = ["id", "sex", "age", "town"]
PEOPLE = [
    [1, "f", 30, "Ely"],
    [2, "m", 41, "Ham"],
    [3, "f", 41, "Ely"],
    [4, "m", 58, "Bath"],
    [5, "f", 22, "Ham"],
]
Write = Callable[[openpyxl.Workbook], None]
TWO = ["Hospital", "St Mary"]


def put(sheet: Worksheet, *rows: Any, top: int = 1, left: int = 1) -> None:
    for number, row in enumerate(rows, start=top):
        for column, value in enumerate(row, start=left):
            if value is not None:
                sheet.cell(number, column, value)


def sheet(*rows: Any, top: int = 1, left: int = 1, merge: tuple[str, ...] = ()) -> Write:
    def write(book: openpyxl.Workbook) -> None:
        put(book.active, *rows, top=top, left=left)
        for cells in merge:
            book.active.merge_cells(cells)

    return write


def with_sheets(
    *others: tuple[str, list[Any]], first: bool = True, state: str = "visible"
) -> Write:
    def write(book: openpyxl.Workbook) -> None:
        book.active.title = "Data"
        put(book.active, HEADER, *PEOPLE)
        for title, rows in others:
            other = book.create_sheet(title, 0 if first else None)
            other.sheet_state = state
            put(other, *rows)

    return write


README = ("Read me", [["Patients of 2024"], ["Made by the ward"], ["Do not share"]])
CODES = ("Codes", [["code", "meaning"], ["f", "female"], ["m", "male"]])
BLANK: list[Any] = []
FIRST = 1 + len(PEOPLE)

# what is written, and the rows that are said to be left out
FOUND: dict[str, tuple[Write, str]] = {
    "a plain table": (sheet(HEADER, *PEOPLE), ""),
    "blank rows above": (sheet(HEADER, *PEOPLE, top=4), ""),
    "blank columns before": (sheet(HEADER, *PEOPLE, left=3), ""),
    "blank rows between": (sheet(HEADER, *PEOPLE[:2], BLANK, *PEOPLE[2:]), ""),
    "a title": (sheet(["Patients"], HEADER, *PEOPLE), "1"),
    "a title and a blank row": (sheet(["Patients"], BLANK, HEADER, *PEOPLE), "1"),
    "a title over merged cells": (
        sheet(["Patients"], HEADER, *PEOPLE, merge=("A1:D1",)),
        "1",
    ),
    "a title in the middle": (sheet([None, None, "Patients"], HEADER, *PEOPLE), "1"),
    "several titles": (sheet(["Patients"], ["of 2024"], BLANK, HEADER, *PEOPLE), "1-2"),
    "names and values above": (sheet(TWO, ["Date", 2024], BLANK, HEADER, *PEOPLE), "1-2"),
    "a title left of the table": (
        lambda book: (
            put(book.active, ["Patients"]),
            put(book.active, HEADER, *PEOPLE, top=3, left=2),
        ),
        "1",
    ),
    "groups of names over merged cells": (
        sheet(["Person", None, None, "Place"], HEADER, *PEOPLE, merge=("A1:C1",)),
        "1",
    ),
    "names over two rows": (
        sheet(
            ["id", "Person", None, "town"],
            [None, "sex", "age", None],
            *PEOPLE,
            merge=("A1:A2", "B1:C1", "D1:D2"),
        ),
        "1",
    ),
    "a title, and names over two rows": (
        sheet(
            ["Patients"],
            ["id", "Person", None, "town"],
            [None, "sex", "age", None],
            *PEOPLE,
            merge=("A2:A3", "B2:C2", "D2:D3"),
        ),
        "1-2",
    ),
    "a source below": (sheet(HEADER, *PEOPLE, ["Source: the ward"]), "7"),
    "a remark after a blank row": (sheet(HEADER, *PEOPLE, BLANK, ["secret"]), "8"),
    "a footnote": (sheet(HEADER, *PEOPLE, ["* in years"]), "7"),
    "a sentence below": (sheet(HEADER, *PEOPLE, ["Made by the ward in May"]), "7"),
    "a remark over merged cells": (
        sheet(HEADER, *PEOPLE, BLANK, ["Made in May"], merge=("A8:D8",)),
        "8",
    ),
    "several remarks": (
        sheet(HEADER, *PEOPLE, BLANK, ["one"], ["two"], BLANK, ["three"]),
        "8-9, 11",
    ),
    "a total": (sheet(HEADER, *PEOPLE, ["Total", None, 192]), "7"),
    "a total after a blank row": (sheet(HEADER, *PEOPLE, BLANK, ["Summe", None, 192, None]), "8"),
    "sums without a label": (sheet(HEADER, *PEOPLE, [None, None, 192]), "7"),
    "a total and a mean": (
        sheet(HEADER, *PEOPLE, ["Total", None, 192], ["Average", None, 38.4]),
        "7-8",
    ),
    "all of it": (
        sheet(
            ["Patients"], BLANK, HEADER, *PEOPLE, ["Total", None, 192], BLANK, ["Source: the ward"]
        ),
        "1|9|11",
    ),
    "a sheet to read first": (with_sheets(README), ""),
    "an empty sheet": (with_sheets(("Sheet2", []), first=False), ""),
    "a chart's numbers": (with_sheets(("Notes", [["one"], ["two"]]), first=False), ""),
    "hidden lists": (with_sheets(CODES, state="hidden"), ""),
}

REFUSED: dict[str, tuple[Write, str]] = {
    "two tables": (with_sheets(CODES), "'Codes' .3 rows., 'Data' .6 rows."),
    "three tables": (with_sheets(CODES, ("More", [HEADER, *PEOPLE])), "3 sheets that look like"),
    "no table": (
        lambda book: (put(book.active, *README[1]), put(book.create_sheet("B"), ["x"], ["y"])),
        "none looks like a table.*'Sheet', 'B'",
    ),
}

# a row that may be a record is one
KEPT: dict[str, list[Any]] = {
    "a record with one value": [6, None, None, None],
    "a record with one value in another column": [None, None, None, "Ely"],
    "a person called Total": [6, "m", 30, "Total"],
    "a town of three words": [6, "f", 30, "Ely by the Sea"],
}


def made(tmp_path: Path, write: Write) -> Path:
    book = openpyxl.Workbook()
    write(book)
    path = tmp_path / "people.xlsx"
    book.save(path)
    return path


@pytest.mark.parametrize("shape", FOUND)
def test_the_table_is_found_with_its_types_and_it_is_said_what_was_left_out(
    tmp_path: Path, shape: str
) -> None:
    write, rows = FOUND[shape]
    source = read_excel(made(tmp_path, write))
    assert source.frame.columns == HEADER
    assert [list(row) for row in source.frame.rows()] == PEOPLE
    assert source.frame["age"].dtype.is_numeric()
    said = [note for note in source.notes if "left out" in note]
    assert len(said) == (rows != "")
    for part in filter(None, rows.split("|")):
        assert f"row {part})" in said[0] or f"rows {part})" in said[0]


@pytest.mark.parametrize("shape", REFUSED)
def test_sheets_are_listed_where_nobody_can_know_which_one_is_meant(
    tmp_path: Path, shape: str
) -> None:
    write, words = REFUSED[shape]
    with pytest.raises(InputError, match=words):
        read_excel(made(tmp_path, write))


@pytest.mark.parametrize("shape", KEPT)
def test_a_row_that_may_be_a_record_is_read(tmp_path: Path, shape: str) -> None:
    source = read_excel(made(tmp_path, sheet(HEADER, *PEOPLE, KEPT[shape])))
    assert list(source.frame.row(-1)) == KEPT[shape]
    assert source.notes == ()


def test_the_sheet_that_was_chosen_and_hidden_ones_are_said(tmp_path: Path) -> None:
    source = read_excel(made(tmp_path, with_sheets(README)))
    assert source.notes == (
        "people.xlsx has 2 sheets; 'Data', the only one that looks like a table, was read.",
    )
    hidden = read_excel(made(tmp_path, with_sheets(CODES, state="hidden")))
    assert hidden.notes[1] == "Sheet 'Codes' of people.xlsx is hidden, and was not read."


def test_a_merged_cell_gives_its_value_to_all_its_records(tmp_path: Path) -> None:
    rows = [["Ely", 1, "f"], [None, 2, "m"], [None, 3, "f"], ["Ham", 4, "m"]]
    path = made(tmp_path, sheet(["town", "id", "sex"], *rows, merge=("A2:A4",)))
    source = read_excel(path)
    assert source.frame["town"].to_list() == ["Ely", "Ely", "Ely", "Ham"]
    assert source.notes == (
        "One cell of sheet 'Sheet' of people.xlsx reaches over several records; each of them was "
        "given its value.",
    )


MESSY = sheet(["Patients"], BLANK, HEADER, *PEOPLE, ["Total", None, 192], BLANK, ["Source: ward"])


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        ({"header_row": 3}, PEOPLE),
        ({"range": "A3:D8"}, PEOPLE),
        ({"range": "$A$3:$D$6"}, PEOPLE[:3]),
        ({"skip_rows": "1-2, 9-11"}, PEOPLE),
        ({"skip_rows": [1, 2, 5, 9, 10, 11]}, [PEOPLE[0], *PEOPLE[2:]]),
        ({"header_row": 3, "skip_rows": "4-5,9-11"}, PEOPLE[2:]),
        ({"header_row": 3, "skip_rows": "9-11"}, PEOPLE),
    ],
)
def test_who_knows_where_the_table_is_says_so(
    tmp_path: Path, options: dict[str, Any], rows: list[Any]
) -> None:
    source = read_excel(made(tmp_path, MESSY), **options)
    assert source.frame.columns == HEADER
    assert [list(row) for row in source.frame.rows()] == rows
    assert source.frame["age"].dtype.is_numeric()


def test_all_rows_can_be_kept(tmp_path: Path) -> None:
    source = read_excel(made(tmp_path, MESSY), skip_rows=0)
    assert source.frame.columns == ["Patients", "column_2", "column_3", "column_4"]
    assert source.frame.height == 1 + len(PEOPLE) + 2


def test_some_columns_of_a_range_are_read(tmp_path: Path) -> None:
    source = read_excel(made(tmp_path, sheet(HEADER, *PEOPLE, top=3, left=3)), range="D3:E")
    assert source.frame.columns == ["sex", "age"]
    assert source.frame.height == len(PEOPLE)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"header_row": 0}, "header_row must be a whole number, 1 or more, not 0"),
        ({"header_row": 99}, "Nothing is left to read in sheet 'Sheet' of people.xlsx"),
        ({"skip_rows": "3-1"}, "skip_rows '3-1' does not say which rows"),
        ({"skip_rows": "a"}, "skip_rows 'a' does not say which rows"),
        ({"range": "B3"}, "range 'B3' is no range of cells"),
        ({"range": "F3:B9"}, "range 'F3:B9' is no range of cells"),
        ({"range": "X3:Z9"}, "The range lies outside the cells"),
        ({"range": "A1:B9", "header_row": 2}, "leave header_row out, or range"),
        ({"header_row": 2, "skip_rows": 3}, "header_row 2 is among the rows"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_sentence(
    tmp_path: Path, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(BadChoice, match=words):
        read_excel(made(tmp_path, MESSY), **options)


def test_dates_as_text_stay_text_and_dates_stay_dates(tmp_path: Path) -> None:
    rows = [[1, "01.02.2024", dt.date(2024, 2, 1)], [2, "02.02.2024", dt.date(2024, 2, 2)]]
    frame = read_excel(made(tmp_path, sheet(["List"], ["id", "from", "to"], *rows))).frame
    assert frame["from"].to_list() == ["01.02.2024", "02.02.2024"]
    assert frame["to"].dtype.is_temporal()


def test_a_sheet_without_names_says_how_to_give_them(tmp_path: Path) -> None:
    source = read_excel(made(tmp_path, sheet(["List"], [1, 2, 3], [4, 5, 6])))
    assert "has names for 1 of 3 columns" in source.notes[0]
    assert source.frame.height == 2
