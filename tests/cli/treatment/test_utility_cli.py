"""`singleout utility`: what an analyst still finds in the treated file."""

import csv
import json
from pathlib import Path

import pytest

import singleout as so
from run_command import refused, singleout
from singleout.treatment.utility.function import utility


@pytest.fixture
def treated(survey: Path, steps: Path) -> Path:
    """Return the treated survey."""
    out = survey.parent / "treated.csv"
    so.treat(survey, steps).write(out)
    return out


def test_it_shows_columns_numbers_and_the_regression(survey: Path, treated: Path) -> None:
    done = singleout(
        "utility", survey, treated, "--columns", "age,sex,income", "--outcome", "income"
    )
    assert done.returncode == 0, done.stderr
    found = utility(survey, treated, columns=["age", "sex", "income"], outcome="income")
    assert str(found) in done.stdout
    age = found.columns[0]
    assert age.before is not None
    assert age.after is not None
    rows = [line.split() for line in done.stdout.splitlines()]
    shown = next(row for row in rows if row[:1] == ["age"] and len(row) == 7 and "%" not in row[3])
    assert shown[1:3] == [f"{age.before.mean:.5g}", f"{age.after.mean:.5g}"]
    assert "income explained by the other columns (linear)" in done.stdout


def test_json_csv_and_pictures_side_by_side(survey: Path, treated: Path) -> None:
    out, picture = survey.parent / "out.csv", survey.parent / "out.svg"
    done = singleout("utility", survey, treated, "--json", "--csv", out, "--plot", picture)
    assert done.returncode == 0, done.stderr
    found = utility(survey, treated)
    answer = json.loads(done.stdout)
    assert answer["mean_variation"] == found.mean_variation
    assert answer["propensity"]["pmse"] == pytest.approx(found.propensity.pmse)
    with out.open(newline="") as file:
        assert [row["column"] for row in csv.DictReader(file)] == ["age", "sex", "region", "income"]
    assert "<svg" in picture.read_text()


def test_what_cannot_be_compared_is_refused(survey: Path, treated: Path) -> None:
    assert "'xyz'" in refused(singleout("utility", survey, treated, "--columns", "xyz"))
    assert "is the data itself" in refused(
        singleout("utility", survey, treated, "--csv", treated, "--force")
    )
    other = survey.parent / "other.csv"
    other.write_text("x\n1\n")
    assert "no column in common" in refused(singleout("utility", survey, other))
