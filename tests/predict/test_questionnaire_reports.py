"""Reports of questionnaires, funnels and plans, and numbers that are explained in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from run_command import refused, singleout
from singleout.predict.funnel.tables import short
from singleout.predict.questionnaire.questionnaire import Questionnaire
from singleout.report.say import speaking

ASKED = """population: 100
people: 20
questions:
- {name: "<b>age</b>", shares: {young: 99.9 %, old: 0.1 %}}
- {name: town, shares: {Ely: 80 %, Ham: 15 %, Over: 5 %}}
"""


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    file = tmp_path / "asked.yaml"
    file.write_text(ASKED)
    return file


def test_numbers_below_a_hundredth_are_not_shown_as_zero() -> None:
    assert [short(value) for value in (None, 0, 0.004, 0.28, 99.96, 20_663.4)] == [
        "–",
        "0",
        "< 0.01",
        "0.28",
        "100",
        "20,663",
    ]


def test_sets_below_one_person_are_explained_and_the_worst_case_has_no_bounds(asked: Path) -> None:
    told = singleout("funnel", asked).stdout
    assert "< 0.01" in told
    assert "0.00 " not in told
    assert "Where the smallest set is below 1, fewer than one person is expected" in told
    assert "at least" not in told


def test_the_bounds_of_answers_are_explained(asked: Path) -> None:
    told = singleout("funnel", asked, "--answers", "town=Over,<b>age</b>=old").stdout
    assert "At least 0 does not mean that nobody gives these answers" in told
    alone = singleout("funnel", asked, "--answers", "town=Over").stdout
    assert "at least, at most: what" not in alone


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["funnel"], ["What this questionnaire gives away", "Other ways to ask", "town (drop)"]),
        (["funnel", "--answers", "town=Over"], ["What these answers give away", "town: Over"]),
        (
            ["predict", "plan", "--unique", "1%", "--never-drop", "<b>age</b>"],
            ["How to ask", "What each step buys", "Asked in any case"],
        ),
    ],
)
def test_a_report_holds_tables_and_pictures_and_escapes_names(
    asked: Path, command: list[str], words: list[str]
) -> None:
    report = asked.parent / "report.html"
    done = singleout(*command, "--output", report, asked)
    assert (done.returncode, done.stderr) == (0, "")
    assert "report.html" in done.stdout
    page = report.read_text("utf-8")
    assert all(word in page for word in words)
    assert "<svg" in page
    assert "<b>age" not in page
    assert "<script" not in page


def test_a_report_is_written_from_python_in_either_language(asked: Path) -> None:
    questions = Questionnaire.read(asked)
    whole = questions.to_html(asked.parent / "whole.html").read_text("utf-8")
    assert "&lt;b&gt;age&lt;/b&gt;" in whole
    plan = questions.plan({"unique": "1 %"}).to_html(asked.parent / "plan.html")
    assert "How to ask" in plan.read_text("utf-8")
    with speaking("fr"):
        left = questions.funnel({"town": "Over"}).to_html(asked.parent / "left.html")
    assert "Ce que trahissent ces réponses" in left.read_text("utf-8")


def test_a_report_is_an_html_file_and_writes_over_nothing(asked: Path) -> None:
    assert ".html" in refused(singleout("funnel", asked, "--output", "report.docx"))
    assert "another file that is read" in refused(
        singleout(
            "funnel",
            asked.rename(asked.with_suffix(".html")),
            "--output",
            asked.with_suffix(".html"),
            "--force",
        )
    )
