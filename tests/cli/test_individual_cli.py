"""`singleout individual-risk`: tables, JSON, the records as CSV, and pictures."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import singleout as so
from run_command import refused, singleout

ROWS = """\
name,A,B,C,weight,home
ann,2,3,1,18,1
bob,3,3,3,45.5,1
cy,2,3,,39,2
dot,2,3,2,17,2
eve,3,3,1,92,3
fay,3,3,1,8,
gus,1,4,,123.5,4
hal,2,3,1,51,4
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    found = tmp_path / "sample.csv"
    found.write_text(ROWS)
    return found


@pytest.mark.parametrize("missing", ["value", "wildcard", "drop"])
@pytest.mark.parametrize("engine", ["local", "database"])
def test_the_command_prints_what_the_function_returns(
    file: Path, missing: str, engine: str
) -> None:
    known = ["A", "B", "C"]
    expected = so.individual_risk(file, known, "weight", "home", missing=missing)
    done = singleout(
        "individual-risk", file, "--qi", "A,B,C", "--weights", "weight", "--household", "home",
        "--missing", missing, "--engine", engine, "--wanted", "0.01", "--json",
    )  # fmt: skip
    (result,) = json.loads(done.stdout)["results"]
    assert result["expected"] == pytest.approx(expected.expected, rel=1e-12)
    assert result["household"]["expected"] == pytest.approx(expected.household_expected, rel=1e-12)
    assert result["dropped"] == expected.dropped
    assert result["threshold"]["risk"] == pytest.approx(expected.threshold(0.01).risk, rel=1e-9)
    assert result["threshold"]["records"] == expected.threshold(0.01).records


def test_records_are_written_with_the_column_that_names_them(file: Path, tmp_path: Path) -> None:
    out, picture = tmp_path / "risks.csv", tmp_path / "risks.svg"
    done = singleout(
        "individual-risk", file, "--qi", "A,B,C", "--weights", "weight", "--missing", "drop",
        "--id", "name", "--csv", out, "--plot", picture,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    with out.open() as stream:
        rows = list(csv.DictReader(stream))
    assert [row["id"] for row in rows][:3] == ["ann", "bob", "cy"]
    assert float(rows[1]["risk"]) == pytest.approx(0.0857913, abs=1e-7)
    assert rows[2]["risk"] == ""
    assert picture.read_text().startswith("<svg")
    assert "2 of 8 records" in done.stdout


def test_people_read_the_risk_of_groups_and_what_must_be_treated(file: Path) -> None:
    done = singleout(
        "individual-risk", file, "--qi", "B,C", "--weights", "weight", "--household", "home",
        "--by", "A", "--wanted", "0.02",
    )  # fmt: skip
    assert "B+C, all records" in done.stdout
    assert "To have a global risk of 2%, treat" in done.stdout
    assert "of its household (home)" in done.stdout
    safe = singleout("individual-risk", file, "--qi", "B", "--weights", "weight", "--wanted", "0.9")
    assert "not above 90%" in safe.stdout


def test_records_of_data_elsewhere_are_not_written(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "risks.csv"
    done = singleout(
        "individual-risk", file, "--qi", "A", "--weights", "weight", "--engine", "database",
        "--csv", out,
    )  # fmt: skip
    assert "--engine local" in refused(done)
    assert not out.exists()
