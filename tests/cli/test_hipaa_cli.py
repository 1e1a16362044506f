"""`singleout hipaa`."""

import csv
import json
from pathlib import Path

import pytest

import singleout as so
from run_command import refused, singleout

ROWS = [
    "name,age,zip,sex",
    "James Smith,93,02139,m",
    "Mary Jones,51,10001,f",
    "Susan Brown,42,60601,f",
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    found = tmp_path / "patients.csv"
    found.write_text("\n".join(ROWS) + "\n")
    return found


@pytest.mark.parametrize("engine", ["local", "database"])
def test_the_command_prints_what_the_function_returns(file: Path, engine: str) -> None:
    done = singleout("hipaa", file, "--engine", engine, "--json")
    (result,) = json.loads(done.stdout)["results"]
    assert result["findings"] == so.hipaa(file).to_dict()["findings"]
    assert result["identifiers"] == ["A", "B", "C"]


def test_people_read_findings_without_values(file: Path) -> None:
    shown = singleout("hipaa", file).stdout
    assert "A Names: name" in shown
    assert "33.3% of the values are ages over 89" in shown
    assert not any(value in shown for value in ("Smith", "02139", "93"))


def test_findings_are_written_and_drawn(file: Path, tmp_path: Path) -> None:
    table, chart = tmp_path / "found.csv", tmp_path / "found.svg"
    singleout("hipaa", file, "--columns", "age,zip", "--csv", table, "--plot", chart)
    with table.open() as lines:
        rows = list(csv.DictReader(lines))
    assert [(row["identifier"], row["column"]) for row in rows] == [("B", "zip"), ("C", "age")]
    assert "<svg" in chart.read_text()


def test_clean_data_is_said_to_be_and_drawn_too(file: Path, tmp_path: Path) -> None:
    chart = tmp_path / "found.svg"
    table = tmp_path / "found.csv"
    done = singleout("hipaa", file, "--columns", "sex", "--csv", table, "--plot", chart)
    assert table.read_text().startswith("identifier,title,column")
    assert "None of the 18 identifiers" in done.stdout
    assert "none was recognised" in chart.read_text()


def test_an_unknown_column_is_refused(file: Path) -> None:
    assert "agee" in refused(singleout("hipaa", file, "--columns", "agee"))
