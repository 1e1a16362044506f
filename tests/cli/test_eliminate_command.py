"""`singleout eliminate`: what it shows, what it writes, and what it never writes over."""

import csv
import json
from pathlib import Path

import polars as pl
import pytest
import typer
from click.testing import Result
from typer.testing import CliRunner

import naive_qar
import singleout as so
from singleout.cli.eliminate import eliminate as command
from singleout.errors import BadChoice
from singleout.methods.qar.function import qar
from singleout.treatment.eliminate import eliminate

app = typer.Typer()
app.command()(command)


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def shown(*words: object) -> str:
    done = run(*words)
    assert done.exception is None
    return done.stdout


def refused(*words: object) -> str:
    done = run(*words)
    assert isinstance(done.exception, BadChoice)
    assert done.stdout == ""
    return str(done.exception)


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    path = tmp_path / "survey.csv"
    names = [f"q{place:02}" for place in range(12)]
    pl.DataFrame(naive_qar.golden_records(), schema=names, orient="row").write_csv(path)
    return path


def test_it_shows_the_risk_before_and_after_and_the_bound(survey: Path) -> None:
    found = eliminate(survey, records=40, every=10)
    words = shown(survey, "--records", 40, "--every", 10)
    assert "survey.csv: 40 of 400 records removed (10.0%)" in words
    assert f"{found.risk[0]:.4f}" in words
    assert f"{found.risk[-1]:.4f}" in words
    assert f"no choice of so many records lowers it by more than {found.bound[-1]:.1%}." in words


def test_several_criteria_are_compared_and_the_best_is_written(survey: Path) -> None:
    out = survey.parent / "small.csv"
    both = ["--criterion", "uniqueness-star", "--criterion", "contribution"]
    words = shown(survey, "--share", 0.1, "--every", 1, *both, "--out", out)
    found = eliminate(survey, share=0.1, every=1, criterion=["uniqueness-star", "contribution"])
    best = min(found, key=lambda one: one.risk[-1])
    assert qar(out).risk == pytest.approx(best.risk[-1], abs=1e-14)
    assert f"360 records, by {best.name}, which lowers the risk most." in words


def test_the_reduced_file_holds_the_other_lines_as_they_were(survey: Path) -> None:
    out = survey.parent / "small.csv"
    assert "Written: " in shown(survey, "--records", 40, "-o", out)
    gone = set(eliminate(survey, records=40).order.tolist())
    header, *lines = survey.read_text().splitlines()
    kept = [line for number, line in enumerate(lines, 1) if number not in gone]
    assert out.read_text().splitlines() == [header, *kept]


def test_columns_that_are_not_combined_are_written_as_well(survey: Path) -> None:
    out = survey.parent / "small.parquet"
    shown(survey, "--records", 10, "--qi", "q01,q05,q07,q09", "-o", out)
    table = so.read(out)
    assert (table.rows, len(table.columns)) == (390, 12)


def test_the_input_is_replaced_only_if_forced(survey: Path) -> None:
    before = survey.read_bytes()
    assert "is the file that is read" in refused(survey, "--records", 4, "-o", survey)
    assert survey.read_bytes() == before
    shown(survey, "--records", 4, "-o", survey, "--force")
    assert so.read(survey).rows == 396
    assert [path.name for path in survey.parent.iterdir()] == ["survey.csv"]


@pytest.mark.parametrize("option", ["--out", "--csv", "--plot"])
def test_files_that_exist_are_kept(survey: Path, option: str) -> None:
    other = survey.parent / "other.csv"
    other.write_text("precious")
    assert "exists already" in refused(survey, "--records", 4, option, other)
    assert other.read_text() == "precious"


def test_a_format_that_cannot_be_written_is_refused_before_the_work(survey: Path) -> None:
    out = survey.parent / "small.xls"
    assert "end the name in one of .csv" in refused(survey, "--records", 4, "-o", out)


def test_json_csv_and_picture(survey: Path) -> None:
    curve, picture = survey.parent / "curve.csv", survey.parent / "curve.svg"
    words = shown(
        survey, "--records", 30, "--every", 10, "--json", "--csv", curve, "--plot", picture
    )
    found = eliminate(survey, records=30, every=10)
    (result,) = json.loads(words)["results"]
    assert result == found.to_dict()
    with curve.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["removed"]) for row in rows] == [0, 10, 20, 30]
    assert float(rows[-1]["risk"]) == found.risk[-1]
    assert picture.read_text().startswith("<svg")


def test_zero_computes_the_criterion_once(survey: Path) -> None:
    (result,) = json.loads(shown(survey, "--records", 30, "--every", 0, "--json"))["results"]
    assert result["every"] is None
    assert result["order"] == eliminate(survey, records=30, every=None).order.tolist()


def test_a_score_of_another_file_decides_alone_and_that_file_is_kept(survey: Path) -> None:
    scores = survey.parent / "scores.csv"
    pl.DataFrame({"n": range(400), "mine": [number % 7 for number in range(400)]}).write_csv(scores)
    asked = (survey, "--records", 9, "--score", f"{scores}:mine")
    (result,) = json.loads(shown(*asked, "--every", 0, "--json"))["results"]
    assert result["criterion"] == "score"
    assert result["order"] == [7 * place + 7 for place in range(9)]
    assert "is read" in refused(*asked, "--csv", scores, "--force")
    assert "write it as FILE:COLUMN" in refused(survey, "--records", 9, "--score", "mine")


def test_steps_and_criteria_are_repeated(survey: Path) -> None:
    words = shown(
        survey, "--records", 20, "--every", 0, "--every", 5, "--criterion", "contribution"
    )
    assert "contribution, once" in words
    assert "contribution, every 5" in words


def test_it_warns_where_removing_records_is_not_worth_it(tmp_path: Path) -> None:
    crowd = tmp_path / "crowd.csv"
    pl.DataFrame({name: [i % 5 for i in range(100)] for name in "abcd"}).write_csv(crowd)
    words = shown(crowd, "--share", 0.1)
    assert "Warning: Removing records is not worth it: 10.0% of them can lower" in words
    assert "the risk does not fall" in words


def test_it_says_when_fewer_removals_would_do_more(survey: Path) -> None:
    found = eliminate(survey, records=300, criterion="contribution", every=1)
    assert found.lowest < 300
    words = shown(survey, "--records", 300, "--criterion", "contribution", "--every", 1)
    assert f"the risk is lowest after {found.lowest:,} removals" in words or "not fall" in words


def test_what_has_no_meaning_is_refused(survey: Path) -> None:
    assert "either how many records" in refused(survey)
    assert "not a criterion" in refused(survey, "--records", 3, "--criterion", "luck")
    assert "None (--every 0)" in refused(
        survey, "--records", 3, "--criterion", "entropy", "--every", 5
    )
