"""Numbers that are codes have no order, and a guessed plan says so."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import singleout as so
from singleout.assessment.guess.guess import guessed_plan

# a column that no name explains, with values that many records share
CODES = {
    "gaps": [1, 2, 3, 9],
    "special": [1, 2, 3, 4, 5, 98, 99],
    "steps": [1, 2, 3, 4, 5],
    "tens": [10, 20, 30, 40],
    "two": [1, 9],
    "halves": [0.5, 1.0, 1.5, 9.0],
    "years": [1999, 2000, 2005, 2010],
}


def scale(values: list[float], labels: dict[float, str] | None = None) -> str | None:
    table = so.read({"q7": values * 30, "sex": ["f", "m"] * (15 * len(values))})
    if labels:
        column = table["q7"]
        table = so.Table(
            [so.Column("q7", column.codes, column.values, labels=labels), table["sex"]]
        )
    return guessed_plan(table).guesses[0].scale


@pytest.mark.parametrize(
    ("name", "expected"),
    [(name, "nominal" if name in ("gaps", "special") else None) for name in CODES],
)
def test_few_whole_numbers_with_gaps_are_codes(name: str, expected: str | None) -> None:
    assert scale(CODES[name]) == expected


def test_numbers_that_stand_for_words_are_codes() -> None:
    words = {1: "single", 2: "married", 3: "widowed"}
    assert scale([1, 2, 3], words) == "nominal"
    assert scale([1, 2, 3]) is None


def test_numbers_of_few_records_have_gaps_by_chance() -> None:
    table = so.read({"q7": [1, 2, 3, 9], "sex": ["f", "m"] * 2})
    assert guessed_plan(table).guesses[0].scale is None


def test_the_plan_says_that_numbers_are_taken_as_codes() -> None:
    values = [1, 2, 3, 9] * 30
    people = so.read({"q7": values, "sex": ["f", "m"] * 60})
    text = guessed_plan(people).to_yaml()
    assert "its few numbers have gaps, so they are taken as codes without" in " ".join(
        text.replace("#", "").split()
    )
    assert "#  scale: nominal" in text
    alone = guessed_plan(so.read({"q7": values})).of_people().plan
    assert alone.columns["q7"].scale == "nominal"


def test_true_numbers_keep_their_order() -> None:
    guesses = {guess.column: guess for guess in guessed_plan(so.demo()).guesses}
    assert guesses["AGEP"].scale == "ordinal"
    table = so.read(
        {
            "age": [21, 22, 30, 31] * 30,
            "income": [100, 101, 900, 901] * 30,
            "duration_days": [1, 2, 9, 10] * 30,
        }
    )
    found = {guess.column: guess.scale for guess in guessed_plan(table).guesses}
    assert (found["age"], found["income"]) == ("ordinal", "ordinal")
    assert found["duration_days"] != "nominal"


def test_ages_and_amounts_of_real_files_keep_their_order(real_data: Path) -> None:
    table = so.read(real_data / "sdcmicro_testdata.csv")
    found = {guess.column: guess.scale for guess in guessed_plan(table).guesses}
    assert found["age"] == "ordinal"
    for name in ("expend", "income", "savings"):
        assert found[name] != "nominal", name


def test_a_database_guesses_the_same(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    pl.DataFrame({"q7": [1, 2, 3, 9] * 30, "sex": ["f", "m"] * 60}).write_parquet(path)
    here, there = (so.assess(path, advice=False, engine=one).plan for one in ("local", "database"))
    assert here.columns == there.columns
