"""What a plan may have missed is said: names of people under any header, and no header at all."""

from __future__ import annotations

from typing import Any

import pytest

import singleout as so
from singleout.assessment.guess.guess import guessed_plan
from singleout.core.choices import Role

FIRST = ["Ngozi", "Wei", "Bo", "Dina", "Emil", "Fay", "Gus", "Hal", "Ivy", "Jon"]
LAST = ["Okafor", "Li", "Brown", "Olsen", "Meyer", "Kim", "Lopez", "Rossi", "Khan", "Ito"]
NAMES = [f"{first} {last}" for first in FIRST for last in LAST]
SEX = ["f", "m"] * 50
ILL = ["flu", "HIV", "colds", "flu"] * 25


def warnings(data: dict[str, list[Any]], **columns: dict[str, Any]) -> str:
    return " ".join(so.assess(data, {"columns": columns}).warnings)


KNOWN = {"role": "quasi-identifier", "exposure": "EE"}
SENSITIVE = {"role": "sensitive", "moral": 4}


# ---- names under any header


@pytest.mark.parametrize("header", ["titulaire", "contact", "label", "who", "v7", "year", "email"])
def test_names_that_no_list_knows_are_direct_identifiers_under_any_header(header: str) -> None:
    found = guessed_plan(so.read({header: NAMES, "sex": SEX})).guesses[0]
    assert (found.role, found.sure) == (Role.DIRECT_IDENTIFIER, "unsure")
    assert "may name people" in found.reason


def test_numbers_and_shared_text_are_not_taken_for_names() -> None:
    amounts = [1.5 + 7 * place for place in range(100)]
    table = so.read({"v1": amounts, "v2": ["red", "green", "blue", "red"] * 25, "sex": SEX})
    assert [guess.role for guess in guessed_plan(table).guesses[:2]] == [Role.OTHER, Role.OTHER]


def test_a_column_of_own_values_that_the_plan_does_not_rate_is_warned_about() -> None:
    data = {"who": NAMES, "label": NAMES, "sex": SEX, "ill": ILL}
    said = warnings(data, label={"role": "other"}, sex=KNOWN, ill=SENSITIVE)
    assert "a value of its own in 'who', 'label', which the plan does not rate" in said
    assert "Okafor" not in said
    named = {"role": "direct-identifier"}
    said = warnings(data, label=named, who=named, sex=KNOWN, ill=SENSITIVE)
    assert "value of its own" not in said
    assert "value of its own" not in warnings({"sex": SEX, "ill": ILL}, sex=KNOWN, ill=SENSITIVE)


def test_what_was_guessed_to_be_other_is_warned_about_as_well() -> None:
    amounts = [1.5 + 7 * place for place in range(100)]
    found = so.assess({"amount": amounts, "sex": SEX, "diagnosis": ILL})
    assert any("'amount'" in warning for warning in found.warnings)


# ---- no header


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        ({"Anna Smith": ["Bob Jones"], "HIV": ["flu"]}, "names of people"),
        ({"Ngozi Okafor": NAMES[1:], "m": ["f"] * 99}, "names of people"),
        ({"0612345678": ["0687654321"], "x": ["a"]}, "numbers"),
        ({"39": [50, 38, 53, 28], "x": [1, 2, 1, 2]}, "numbers"),
        ({"1980": [1975, 1990, 1981], "x": [1, 2, 1]}, "numbers"),
        ({"2.5": [1.5, 3.5], "x": [1, 2]}, "numbers"),
        ({"a.b@example.org": ["c@example.org"]}, "e-mail addresses"),
        ({"06-12345678": ["06-87654321"]}, "telephone numbers"),
        ({"02/01/1980": ["03/04/1975"]}, "dates"),
        ({"State-gov": ["Private", "State-gov"], "Male": ["Female", "Male"]}, "columns hold"),
    ],
)
def test_a_first_record_in_place_of_a_header_is_noticed_and_not_repeated(
    data: dict[str, list[Any]], kind: str
) -> None:
    (said,) = guessed_plan(so.read(data)).warnings
    assert kind in said
    assert "a first line with the names of the columns" in said
    assert not any(name in said for name in data if len(name) > 1)


@pytest.mark.parametrize(
    "data",
    [
        {"age": [39, 50], "sex": ["m", "f"], "Blood Type": ["A+", "O-"]},
        {"0": [3, 0, 1], "1": [1, 2, 1], "2": [2, 0, 3]},
        {"1": [3, 0, 1], "2": [1, 2, 1]},
        {"2019": [1000, 3000], "2020": [1000, 3000], "name": ["a", "b"]},
        {"101": [1, 2, 5], "102": [1, 2, 5]},
        {"Work Class": ["Self Employed", "Never Worked"] * 10, "Max Value": [1, 2] * 10},
        {"other": ["other", "none"], "x": [1, 2]},
    ],
)
def test_usual_names_are_no_values(data: dict[str, list[Any]]) -> None:
    assert guessed_plan(so.read(data)).warnings == ()


def test_the_demo_and_the_published_tables_have_headers(real_data: Any) -> None:
    assert guessed_plan(so.demo()).warnings == ()
    for name in ("adult.csv", "eusilcS.csv", "sdcmicro_testdata.csv", "sdcmicro_francdat.csv"):
        assert guessed_plan(so.read(real_data / name)).warnings == (), name


def test_a_missing_header_is_said_when_guessing_and_when_assessing() -> None:
    data = {"Anna Smith": NAMES, "m": SEX, "flu": ILL}
    guessed = guessed_plan(so.read(data))
    assert "had no header" in guessed.notes[0]
    assert "had no" in guessed.to_yaml()
    plan = {"Anna Smith": {"role": "direct-identifier"}, "m": KNOWN, "flu": SENSITIVE}
    assert "had no header" in warnings(data, **plan)
