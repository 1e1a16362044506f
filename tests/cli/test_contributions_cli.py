"""`singleout contributions` as a user meets it."""

import csv
import json
from pathlib import Path

import polars as pl
import pytest
import typer
from typer.testing import CliRunner, Result

from ess_like import ess_like_frame
from singleout.cli import contributions as command
from singleout.core.wording import in_figures
from singleout.errors import BadChoice, SingleoutError, UnknownColumns, UnusableColumn
from singleout.methods.qar.contributions import contributions

app = typer.Typer()
app.command("contributions")(command.contributions)


def singleout(*words: object) -> Result:
    done = CliRunner().invoke(app, [str(word) for word in words])
    if isinstance(done.exception, SingleoutError):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    answers = ess_like_frame(300)[:, 5:]
    names = pl.Series("person", [f"Secret {number}" for number in range(300)])
    return answers.with_columns(names)


@pytest.fixture
def survey(frame: pl.DataFrame, tmp_path: Path) -> Path:
    path = tmp_path / "survey.csv"
    frame.write_csv(path)
    return path


QUESTIONS = [f"q{number:02}" for number in range(6, 19)]
CHOSEN = ("--qi", ",".join(QUESTIONS))


def test_the_top_records_are_shown_with_their_reasons(survey: Path, frame: pl.DataFrame) -> None:
    done = singleout("--top", 3, *CHOSEN, survey)
    found = contributions(frame, QUESTIONS)
    for row in found.top(3).to_dicts():
        assert in_figures(row["contribution"]) in done.stdout
        assert row["unique_for"] in done.stdout
    assert f"{found}." in done.stdout
    assert ("fall into two clusters" in done.stdout) == found.has_clusters
    assert "Secret" not in done.stdout


def test_an_id_is_shown_only_if_asked_for_and_is_not_combined(
    survey: Path, frame: pl.DataFrame
) -> None:
    done = singleout("--id", "person", "--top", 2, survey)
    found = contributions(frame, QUESTIONS)
    for number in found.top(2)["record"]:
        assert f"Secret {number - 1} " in done.stdout
    assert "286 combinations of 3 of 13 columns" in done.stdout
    assert "Column 'person' was left out: its role is direct-identifier." in done.stdout


def test_json_holds_the_result(survey: Path, frame: pl.DataFrame) -> None:
    done = singleout("--id", "person", "--top", 2, *CHOSEN, "--size", 2, "--json", survey)
    (result,) = json.loads(done.stdout)["results"]
    found = contributions(frame, QUESTIONS, size=2)
    assert result["risk"] == pytest.approx(found.risk)
    assert [row["record"] for row in result["top"]] == found.top(2)["record"].to_list()
    assert result["top"][0]["id"] == f"Secret {result['top'][0]['record'] - 1}"
    assert result["top"][0]["unique_for"] == found.top(1)["unique_for"][0]


def test_csv_has_every_record(survey: Path, frame: pl.DataFrame) -> None:
    out = survey.parent / "out.csv"
    singleout(*CHOSEN, "--ordinal", "q06,q07", "--ordinal", "q17", "--csv", out, survey)
    with out.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    found = contributions(frame, QUESTIONS, ordinal=["q06", "q07", "q17"])
    assert [int(row["record"]) for row in rows] == list(range(1, 301))
    assert [float(row["contribution"]) for row in rows] == found.contribution.tolist()
    assert [float(row["entropy"]) for row in rows] == found.entropy.tolist()
    assert "id" not in rows[0]
    with pytest.raises(BadChoice, match="exists already"):
        singleout(*CHOSEN, "--csv", out, survey)
    singleout(*CHOSEN, "--csv", out, "--force", survey)


def test_a_prediction_and_entropy_are_shown_if_asked_for(survey: Path) -> None:
    done = singleout(*CHOSEN, "--ordinal", ",".join(QUESTIONS), "--pls", "quadratic", survey)
    for words in ("entropy", "PLS score", "filtered", "area under the curve", "(quadratic, 3"):
        assert words in done.stdout


def test_correlations_are_shown(survey: Path, frame: pl.DataFrame) -> None:
    done = singleout(*CHOSEN, survey)
    found = contributions(frame, QUESTIONS)
    rows = [line.split() for line in done.stdout.splitlines()]
    for row in found.correlations.to_dicts():
        if (row["measure"], row["other"]) == ("contribution", "uniqueness_plus"):
            expected = [f"{row['pearson']:.4f}", f"{row['kendall']:.4f}"]
            assert ["contribution", "U+", *expected] in rows
    assert sum(row[:2] == ["U+", "U*"] for row in rows) == 1


def test_the_prediction_of_the_contribution_and_a_score(survey: Path, frame: pl.DataFrame) -> None:
    asked = ("--pls", "linear", "--response", "contribution", "--factors", 2, "--train", 0.5)
    done = singleout(*CHOSEN, *asked, "--score", f"{survey}:q06", survey)
    model = contributions(
        frame, QUESTIONS, pls="linear", response="contribution", factors=2, train=0.5
    ).pls
    assert model is not None
    assert f"R² {model.r2_train:.4f} and {model.r2_test:.4f}." in done.stdout
    assert "(linear, 2 factors)" in done.stdout
    assert "150 records that trained it" in done.stdout
    assert any(line.split()[:2] == ["contribution", "score"] for line in done.stdout.splitlines())


def test_a_picture_is_written(survey: Path) -> None:
    out = survey.parent / "out.svg"
    singleout(*CHOSEN, "--plot", out, survey)
    assert "<svg" in out.read_text()


def test_what_cannot_be_done_is_one_sentence(survey: Path) -> None:
    with pytest.raises(UnusableColumn, match="'person' holds text whose order cannot be known"):
        singleout("--ordinal", "person,q06,q07", survey)
    with pytest.raises(UnknownColumns, match="Columns not found"):
        singleout("--id", "name", survey)


def test_none_of_the_records_need_be_shown(survey: Path) -> None:
    done = singleout("--top", 0, *CHOSEN, survey)
    assert "Records that add most" not in done.stdout
    assert "T = " in done.stdout
