"""How a file is read: options of commands, stored in a plan and read back the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest

import singleout as so
from run_command import refused, singleout
from singleout.assessment.plan.plan import Plan
from singleout.errors import BadChoice, SingleoutError
from singleout.io.write.text import copy_delimited

HEADER = ["age", "sex", "town", "disease"]
PEOPLE = [
    [
        30 + number % 4,
        "fm"[number % 2],
        ["Ely", "Ham"][number % 3 == 0],
        ["flu", "HIV"][number == 5],
    ]
    for number in range(12)
]


@pytest.fixture
def book(tmp_path: Path) -> Path:
    workbook = openpyxl.Workbook()
    workbook.active.title = "Read me"
    workbook.active.append(["Patients of 2024"])
    for title in ("Ward A", "Ward B"):
        sheet = workbook.create_sheet(title)
        sheet.append([title])
        for row in (HEADER, *PEOPLE[: 12 if title == "Ward A" else 8]):
            sheet.append(row)
        sheet.append(["Source: the ward"])
    path = tmp_path / "wards.xlsx"
    workbook.save(path)
    return path


def test_sheets_that_look_like_tables_are_listed(book: Path) -> None:
    said = refused(singleout("assess", book))
    assert "2 sheets that look like a table: 'Ward A' (15 rows), 'Ward B' (11 rows)" in said


def test_a_plan_reads_as_the_command_that_made_it(book: Path) -> None:
    plan = book.with_name("plan.yaml")
    done = singleout("plan", book, "--sheet", "Ward B", "--header-row", 2, "-o", plan)
    assert done.returncode == 0
    assert Plan.read(plan).reading.options == {"sheet": "Ward B", "header_row": 2}
    by_plan = singleout("assess", "--plan", plan, "--no-advice")
    assert "8 records" in by_plan.stdout
    assert so.assess(plan=plan, advice=False).facts.rows == 8
    other = singleout("assess", "--plan", plan, "--sheet", "Ward A", "--no-advice")
    assert "12 records" in other.stdout


OPTIONS: dict[str, tuple[list[str], dict[str, Any]]] = {
    "delimiter": (["--delimiter", ";"], {"delimiter": ";"}),
    "quote": (["--quote", "'"], {"quote": "'"}),
    "no quote": (["--quote", ""], {"quote": ""}),
    "encoding": (["--encoding", "latin-1"], {"encoding": "latin-1"}),
    "missing": (["--na", "flu", "--na", "x"], {"missing_values": ["flu", "x"]}),
    "header": (["--header-row", "2"], {"header_row": 2}),
    "rows": (["--skip-rows", "1,14-15"], {"skip_rows": "1,14-15"}),
}


@pytest.mark.parametrize("option", OPTIONS)
def test_options_of_text_go_round_through_a_plan(tmp_path: Path, option: str) -> None:
    words, stored = OPTIONS[option]
    rows = [["Ward A"], HEADER, *PEOPLE, ["Source: the ward"]]
    file = tmp_path / "ward.csv"
    file.write_text("\n".join(";".join(map(str, row)) for row in rows))
    plan = tmp_path / "plan.yaml"
    assert singleout("plan", file, *words, "-o", plan).returncode == 0
    again = Plan.read(plan)
    assert again.reading.options == stored
    assert Plan.of(again.to_dict()) == again
    direct = so.read(file, **stored)
    found = so.assess(plan=plan, advice=False)
    assert (found.facts.rows, found.facts.columns) == (direct.rows, direct.columns)
    disease = direct["disease"]
    assert disease.has_missing == (option == "missing")


def test_an_option_of_the_plan_that_does_not_fit_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ward.csv").write_text("age,sex\n30,f\n31,m\n")
    plan = {"reading": {"sheet": "Ward A"}, "columns": {"age": {"role": "quasi-identifier"}}}
    with pytest.raises(
        BadChoice, match=r"sheet has no meaning for ward\.csv, delimited text; remove"
    ):
        so.assess(tmp_path / "ward.csv", plan)
    assert so.assess({"age": [1, 2], "sex": ["f", "m"]}, plan, advice=False).facts.rows == 2


@pytest.mark.parametrize(
    ("reading", "words"),
    [
        ({"header_row": 0}, "header_row must be a whole number"),
        ({"skip_rows": "x"}, "does not say which rows"),
        ({"shet": "A"}, "shet"),
        ({"range": "A1:B9", "header_row": 2}, "leave header_row out"),
    ],
)
def test_a_plan_that_contradicts_itself_on_reading_is_refused(
    reading: dict[str, Any], words: str
) -> None:
    with pytest.raises(SingleoutError, match=words):
        Plan.of({"reading": reading})


def text(tmp_path: Path, content: str) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(content)
    return path


BODY = "id,sex,age\n1,f,30\n2,m,41\n3,f,41\n"
MESSY = f"Patients of 2024\nward,A\n\n{BODY}\nSource: the ward\n"


@pytest.mark.parametrize("engine", ["local", "database"])
@pytest.mark.parametrize("content", [MESSY, MESSY.replace("2024\n", "2024,,\n"), BODY])
def test_lines_around_a_table_in_text_are_left_out_on_every_engine(
    tmp_path: Path, content: str, engine: str
) -> None:
    table = so.read(text(tmp_path, content), engine=engine)
    assert table.columns == ("id", "sex", "age")
    assert table.rows == 3
    assert len(table.notes) == (content != BODY)
    if content != BODY:
        assert "titles (rows 1-2), a remark below (row 9)" in table.notes[0]


def test_an_error_in_a_text_with_titles_names_the_line_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(SingleoutError, match=r"people\.csv, line 7 has 2 values"):
        so.read(text(tmp_path, "Patients\n\nid,sex,age\n1,f,30\n2,m,41\n3,f,41\n4,m\n5,f,22\n"))


def test_notes_at_the_end_of_a_long_text_are_found(tmp_path: Path) -> None:
    body = "".join(f"{number},f,{number % 90}\n" for number in range(60_000))
    table = so.read(text(tmp_path, f"id,sex,age\n{body}\nSource: the ward\n"))
    assert table.rows == 60_000
    assert "row 60003" in table.notes[0]


def test_a_line_that_was_cut_off_is_no_remark(tmp_path: Path) -> None:
    with pytest.raises(SingleoutError, match="line 5 has 1 value but the header has 3"):
        so.read(text(tmp_path, BODY + "Bo"))


def test_records_are_copied_without_the_lines_around_them(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    copy_delimited(text(tmp_path, MESSY), np.array([True, False, True]), out, zipped=False)
    assert out.read_text() == "id,sex,age\n1,f,30\n3,f,41\n"


def test_a_treated_text_is_written_with_the_delimiter_that_the_plan_states(tmp_path: Path) -> None:
    file, out = tmp_path / "ward.csv", tmp_path / "out.csv"
    file.write_text("Ward A\nage#sex#town\n30#f#Ely\n31#m#Ely\n")
    plan = {"reading": {"delimiter": "#", "header_row": 2, "missing_values": ["m"]}}
    treated = so.treat(file, [{"drop": "sex"}], plan=plan)
    treated.write(out)
    assert out.read_text() == "age#town\n30#Ely\n31#Ely\n"
