"""Counts of a questionnaire from files, ranges of numbers, and percentages for shares."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from run_command import refused, singleout
from singleout.errors import BadChoice
from singleout.predict.funnel.funnel import funnel
from singleout.predict.planning.policy import Policy
from singleout.predict.questionnaire.questionnaire import Questionnaire
from singleout.repository.answering.policies import DisclosurePolicy

CENSUS = """PC4,age,sex,people
1056,30,f,40
1056,30,m,20
1056,40,f,10
1057,30,f,5
1057,40,m,15
2011,40,f,10
"""
ASKED = """population: 1000
questions:
- name: PC4
  codings:
  - {name: PC4, counts: census.csv, count: people}
  - {name: area, groups: {Amsterdam: 1000..1099, nobody: 1100..1999, Haarlem: 2000..2099}}
- {name: years, counts: census.csv, value: age, count: people}
- {name: sex, counts: census.csv, count: people}
joint:
- {questions: [PC4, years, sex], counts: census.csv, values: [PC4, age, sex], count: people}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "census.csv").write_text(CENSUS)
    (tmp_path / "asked.yaml").write_text(ASKED)
    return tmp_path


def test_the_counts_of_a_question_come_from_a_file_beside_the_questionnaire(folder: Path) -> None:
    asked = Questionnaire.read(folder / "asked.yaml")
    assert asked["PC4"].codings[0].options == ("1056", "1057", "2011")
    assert asked["PC4"].codings[0].shares.tolist() == [0.7, 0.2, 0.1]
    assert asked["years"].coding().shares.tolist() == [0.65, 0.35]
    assert asked.files == (folder / "census.csv",)


def test_a_joint_table_comes_from_a_file(folder: Path) -> None:
    asked = Questionnaire.read(folder / "asked.yaml")
    left = asked.funnel({"PC4": "1056", "years": "30", "sex": "m"})
    assert [step.size for step in left.steps] == pytest.approx([700, 600, 200])
    assert left.bounds == pytest.approx((200, 200))


def test_a_range_selects_the_numbers_within_it(folder: Path) -> None:
    asked = Questionnaire.read(folder / "asked.yaml")
    area = asked["PC4"].coding("area")
    assert area.shares.tolist() == pytest.approx([0.9, 0, 0.1])
    assert any("Nobody is in 'nobody' of 'area'" in note for note in asked.notes)
    assert asked.funnel({"PC4": "Amsterdam", "sex": "m"}).size == pytest.approx(350)


@given(
    st.lists(st.integers(-50, 50), min_size=1, max_size=8, unique=True),
    st.integers(-60, 60),
    st.integers(-60, 60),
)
def test_a_range_is_the_same_as_asking_each_option(
    options: list[int], first: int, last: int
) -> None:
    options = [option for option in options if option not in (first, last)] or [100]
    within = [o for o in options if min(first, last) <= o <= max(first, last)]
    others = [str(o) for o in options if o not in within]
    groups: dict[str, Any] = {"within": f"{first}..{last}", "others": others}
    codings = [
        {"name": "each", "counts": {str(o): 1 for o in options}},
        {"name": "groups", "groups": groups},
    ]
    asked = Questionnaire.from_dict({"questions": [{"name": "q", "codings": codings}]})
    assert asked["q"].coding("groups").shares[0] == pytest.approx(len(within) / len(options))


def test_a_file_gives_the_same_as_the_numbers_written_down(folder: Path) -> None:
    rows = pl.read_csv(folder / "census.csv", infer_schema=False)
    nested: dict[str, Any] = {}
    for pc4, age, sex, people in rows.iter_rows():
        nested.setdefault(pc4, {}).setdefault(age, {})[sex] = int(people)
    written = {
        "population": 1000,
        "questions": [
            {"name": "PC4", "counts": {"1056": 70, "1057": 20, "2011": 10}},
            {"name": "years", "counts": {"30": 65, "40": 35}},
            {"name": "sex", "counts": {"f": 65, "m": 35}},
        ],
        "joint": [{"questions": ["PC4", "years", "sex"], "counts": nested}],
    }
    by_hand = Questionnaire.from_dict(written).risk(people=10)
    by_file = Questionnaire.read(folder / "asked.yaml").risk(people=10)
    assert by_file.unique == pytest.approx(by_hand.unique, rel=1e-12)
    assert [r.bits for r in by_file.rows] == pytest.approx([r.bits for r in by_hand.rows])


BAD = {
    "no file": ("census.csv, count", "cenus.csv, count", 5, "Did you mean 'census.csv'?"),
    "no count column": (
        "counts: census.csv, count: people}\njoint",
        "counts: census.csv}\njoint",
        8,
        "'census.csv' has no column 'count'; it has: 'PC4', 'age', 'sex', 'people'. Name the "
        "column with count:.",
    ),
    "no value column": ("value: age", "value: ages", 7, "no column 'ages'"),
    "the same column": ("value: age", "value: people", 7, "cannot hold answers and numbers"),
    "text for numbers": ("value: age, count: people", "value: age, count: sex", 7, "'f'"),
    "no file for a column": (
        "{name: sex, counts: census.csv, count: people}",
        "{name: sex, counts: {f: 65, m: 35}, count: people}",
        8,
        "count of 'sex' names a column of a file; give that as well",
    ),
    "a column too few": ("[PC4, age, sex], count", "[PC4, age], count", 10, "names 2 columns"),
    "a column twice": ("[PC4, age, sex], count", "[PC4, age, age], count", 10, "a column twice"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_mistake_with_a_file_is_one_sentence_with_its_line(case: str, folder: Path) -> None:
    old, new, line, words = BAD[case]
    assert old in ASKED
    (folder / "asked.yaml").write_text(ASKED.replace(old, new, 1))
    with pytest.raises(BadChoice) as error:
        Questionnaire.read(folder / "asked.yaml")
    assert words in str(error.value)
    assert str(error.value).startswith(f"asked.yaml, line {line}: ")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("1057,40,,3", "column 'sex' of 'census.csv' is empty in record 7; fill it in"),
        ("1057,40,m,-3", "has -3 in record 7; a number of people is 0 or more"),
        ("1057,40,m,", "column 'people' of 'census.csv' is empty in record 7"),
    ],
)
def test_a_record_without_a_value_is_named(folder: Path, row: str, words: str) -> None:
    (folder / "census.csv").write_text(CENSUS + row + "\n")
    text = "questions:\n- {name: sex, counts: census.csv, count: people}\n"
    (folder / "asked.yaml").write_text(text)
    with pytest.raises(BadChoice, match="line 2") as error:
        Questionnaire.read(folder / "asked.yaml")
    assert words in str(error.value)


def test_an_answer_that_the_joint_file_lacks_is_named(folder: Path) -> None:
    text = ASKED.replace("{name: sex, counts: census.csv, count: people}", "{name: sex, SEX}")
    text = text.replace("SEX", "counts: {f: 6500, m: 3500, x: 1}")
    (folder / "asked.yaml").write_text(text)
    with pytest.raises(BadChoice, match=r"'census\.csv' has no record with 'x' for 'sex'"):
        Questionnaire.read(folder / "asked.yaml")


def test_the_file_of_counts_is_never_written_over(folder: Path) -> None:
    said = refused(
        singleout("funnel", folder / "asked.yaml", "--csv", folder / "census.csv", "--force")
    )
    assert "another file that is read here" in said
    assert (folder / "census.csv").read_text() == CENSUS


# ---- percentages


def test_a_percentage_is_a_share_in_python() -> None:
    answers = {"education": ("vocational", "30 %"), "background": "79%"}
    assert funnel(16_000_000, answers).size == pytest.approx(3_792_000)
    together = {("education", "background"): "20 %"}
    assert funnel(16_000_000, answers, joint=together).size == pytest.approx(3_200_000)
    assert Policy("5 %", (5, "95%")) == Policy(0.05, (5, 0.95))
    kept = DisclosurePolicy(unique="5 %", any_unique="50%")
    assert (kept.unique, kept.any_unique) == (0.05, 0.5)
    with pytest.raises(BadChoice, match=r"not 1\.2"):
        Policy("120 %")


def test_a_percentage_is_a_share_on_the_command_line() -> None:
    by_share = singleout(
        "predict", "plan", "--unique", "0.05", "--in-sets-of", "3", "--share", ".5"
    )
    percents = singleout(
        "predict", "plan", "--unique", "5 %", "--in-sets-of", "3", "--share", "50%"
    )
    assert by_share.returncode == 0
    assert by_share.stdout == percents.stdout
    assert "'few' is not a share; write it as 0.05 or as 5%." in refused(
        singleout("predict", "plan", "--unique", "few")
    )
