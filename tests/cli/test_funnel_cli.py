"""`singleout funnel` as a user meets it."""

import csv
import io
import json
from pathlib import Path

import pytest

from run_command import refused, singleout
from singleout import __version__
from singleout.cli.shared.options import pairs
from singleout.errors import BadChoice

QUESTIONNAIRE = """population: 1000
people: 10
questions:
- name: age
  codings:
  - name: year
    counts: {'1981': 30, '1982': 10, '1993': 40, '1994': 20}
  - name: decade
    groups: {80s: 1981..1982, 90s: 1993..1994}
- name: sex
  shares: {f: 50 %, m: 50 %}
"""


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("questions") / "q.yaml"
    path.write_text(QUESTIONNAIRE)
    return path


def test_answers_are_followed(asked: Path) -> None:
    done = singleout("funnel", asked, "--answers", "age=80s,sex=f")
    assert (done.returncode, done.stderr) == (0, "")
    assert "age: 80s" in done.stdout
    assert "about 200 are left after 2 answers" in done.stdout
    assert "between 0 and 400" in done.stdout
    assert "Note: The answers count as independent" in done.stdout
    assert "Note: From q.yaml." in done.stdout


def test_without_answers_it_shows_the_expected_and_the_worst(asked: Path) -> None:
    done = singleout("funnel", asked)
    assert (done.returncode, done.stderr) == (0, "")
    for words in (
        "q.yaml: 10 of 1,000 people answer",
        "What the answers give away, one after the other",
        "The rarest answers: the worst case",
        "age: 1982",
        "age (decade)",
        "age (year) *",
        "Of 10 people who answer, 26.4% are expected to be unique among them",
    ):
        assert words in done.stdout, words
    coarse = singleout("funnel", asked, "--coding", "age=decade", "--people", 20)
    assert "age (decade) *" in coarse.stdout
    assert "20 of 1,000 people answer" in coarse.stdout


def test_json_is_the_result_and_nothing_else(asked: Path) -> None:
    answer = json.loads(singleout("funnel", asked, "--answers", "sex=m", "--json").stdout)
    assert answer["singleout"] == __version__
    assert answer["funnel"]["size"] == pytest.approx(500)
    whole = json.loads(singleout("funnel", asked, "--json").stdout)
    assert whole["risk"]["unique"] == pytest.approx(0.2636812, abs=1e-6)
    assert whole["rarest"]["steps"][0]["answer"] == "1982"
    assert [row["coding"] for row in whole["codings"]] == ["year", "decade", "drop", "sex", "drop"]


def test_bounds_are_shown_alone_if_asked(asked: Path) -> None:
    done = singleout("funnel", asked, "--answers", "age=90s,sex=f", "--mode", "bounds")
    assert "between 100 and 500 are left after 2 answers" in done.stdout
    assert "about" not in done.stdout


def test_files_are_written(asked: Path, tmp_path: Path) -> None:
    out, picture = tmp_path / "out.csv", tmp_path / "out.svg"
    words = ["funnel", asked, "--answers", "age=80s,sex=f", "--csv", out, "--plot", picture]
    assert singleout(*words).returncode == 0
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert [row["question"] for row in rows] == ["age", "sex"]
    assert "How many people give the same answers" in picture.read_text()
    assert "exists already" in refused(singleout(*words))
    both = tmp_path / "both.svg"
    assert singleout("funnel", asked, "--plot", both).returncode == 0
    assert "What each way to ask costs" in both.read_text()


def test_the_sample_is_shown_saved_and_read_back(tmp_path: Path) -> None:
    path = tmp_path / "sample.yaml"
    done = singleout("funnel", "--save", path)
    assert done.returncode == 0
    assert "Visitors of a museum" in done.stdout
    assert "Note: From the sample questionnaire." in done.stdout
    again = singleout("funnel", path, "--answers", "age=30-39,sex=female")
    assert "are left after 2 answers, 3.7 bits" in again.stdout


@pytest.mark.parametrize(
    "words", [["--plot", "zz.bmp"], ["--answers", "nothing"], ["--answers", "age=9"]]
)
def test_a_command_that_is_refused_has_written_nothing(words: list[str], tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    refused(singleout("funnel", "--save", path, *words))
    assert list(tmp_path.iterdir()) == []


def test_the_schema_is_printed() -> None:
    assert "questions" in json.loads(singleout("funnel", "--schema").stdout)["properties"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--answers", "sex"], "is not a question and an answer; write them as age=30-39"),
        (["--answers", "sex=f,sex=m"], "--answers has 'sex' twice"),
        (["--answers", "sex=x"], "'sex' has no option 'x'; it has: f, m."),
        (["--answers", "sx=f"], "There is no question 'sx'"),
        (["--answers", "sex=f", "--mode", "best"], "'best' is not a mode"),
        (["--mode", "bounds"], "--mode says how to follow answers"),
        (["--answers", "sex=f", "--people", "5"], "--people says how many answer"),
        (["--coding", "age=week"], "'age' has no coding 'week'; it has: year, decade."),
        (["--people", "2000"], "2,000 people cannot answer out of a population of 1,000"),
    ],
)
def test_what_cannot_be_answered_is_refused_in_a_sentence(
    asked: Path, words: list[str], sentence: str
) -> None:
    assert sentence in refused(singleout("funnel", asked, *words))


def test_a_mistake_in_the_file_is_a_sentence_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(QUESTIONNAIRE.replace("f: 50 %", "f: 60 %"))
    said = refused(singleout("funnel", path))
    assert said == "bad.yaml, line 11: the shares of 'sex' add up to 1.1; they must add up to 1."
    assert "cannot be read" in refused(singleout("funnel", tmp_path / "none.yaml"))


def test_names_from_a_file_cannot_steer_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "q.yaml"
    path.write_text('population: 10\nquestions:\n- name: "a\\e[31m"\n  shares: {x: 1}\n')
    done = singleout("funnel", path)
    assert done.returncode == 0
    assert "\x1b" not in done.stdout + done.stderr


def test_commas_and_equals_signs_within_names_are_escaped() -> None:
    assert pairs(None, "--answers") == {}
    assert pairs(["a=1,b=2", "c=3"], "--answers") == {"a": "1", "b": "2", "c": "3"}
    assert pairs([r"income=less than 25\,000,a\=b=c=d"], "--answers") == {
        "income": "less than 25,000",
        "a=b": "c=d",
    }
    for bad in ("a", "=1", "a=", "a=1,"):
        with pytest.raises(BadChoice, match="is not a question and an answer"):
            pairs([bad], "--answers")
