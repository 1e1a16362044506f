"""What a guess was understood from, which values tell little, and what others see."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import singleout as so
from singleout.assessment.guess.guess import guessed_plan
from singleout.assessment.guess.harmless import harmless_values
from singleout.assessment.guess.subject import seen_by_others
from singleout.assessment.guess.words import MEANINGS
from singleout.assessment.plan.plan import Plan
from singleout.assessment.rating.scales import Exposure
from singleout.core.choices import Role

SEX = ["f", "m"] * 30


def harmless(name: str, values: list[Any], meaning: str = "health") -> list[str]:
    """Return the values that get severity 1."""
    return [value for value, _ in harmless_values(so.read({name: values})[name], MEANINGS[meaning])]


# ---- understood or not


def test_a_guess_says_what_it_was_understood_from() -> None:
    table = so.read(
        {
            "sex": SEX,
            "occupation": ["a", "b", "c"] * 20,
            "v1": ["Utrecht", "Breda", "Leiden"] * 20,
            "v2": ["x", "y", "z"] * 20,
            "year": [2020, 2021] * 30,
            "v3": [7] * 60,
            "v4": [1, 2, 3] * 20,
        },
        roles={"v4": "sensitive"},
    )
    guessed = guessed_plan(table)
    assert {guess.column: guess.basis for guess in guessed.guesses} == {
        "sex": "name and values",
        "occupation": "name",
        "v1": "values",
        "v2": "nothing",
        "year": "name and values",
        "v3": "values",
        "v4": "source",
    }
    assert guessed.unexplained == ("v2",)
    assert guessed.to_dict()["unexplained"] == ["v2"]


def test_what_is_not_understood_is_told_from_what_is_harmless() -> None:
    data = {"sex": SEX, "year": [2020, 2021] * 30, "q7": ["x", "y", "z"] * 20}
    guessed = guessed_plan(so.read(data))
    assert [guess.role for guess in guessed.guesses[1:]] == [Role.OTHER, Role.OTHER]
    assert [guess.understood for guess in guessed.guesses[1:]] == [True, False]
    assert set(guessed.plan.columns) == {"sex", "year"}


def test_the_plan_leaves_open_what_nobody_understood_and_offers_it() -> None:
    data = {"sex": SEX, "q: 7": ["x", "y", "z"] * 20, "q8": [1.5, 2.5, 3.5] * 20}
    guessed = guessed_plan(so.read(data))
    text = guessed.to_yaml()
    assert text.count("Not understood: state its role") == 2
    assert Plan.parse(text) == guessed.plan
    stated = Plan.parse(re.sub(r"(?m)^  #('?q|  role)", r"  \1", text))
    assert stated.quasi_identifiers == ("sex", "q: 7", "q8")


def test_a_name_that_the_values_belie_is_not_understood() -> None:
    data = {"sex": SEX, "has_phone": ["0", "1"] * 30, "wgt": ["low", "high"] * 30}
    assert guessed_plan(so.read(data)).unexplained == ("has_phone", "wgt")


def test_where_nothing_is_understood_all_is_taken_and_still_said_to_be_open() -> None:
    guessed = guessed_plan(so.read({"a": [1, 2, 3] * 20, "b": ["x", "y"] * 30}))
    assert guessed.plan.quasi_identifiers == ("a", "b")
    assert guessed.unexplained == ("a", "b")


def test_items_of_daily_life_mean_something_side_by_side_only() -> None:
    items = ["bathing", "dressing", "eating", "cooking", "laundry"]
    data = {**{item: [0, 1, 0] * 20 for item in items}, "sex": SEX}
    guessed = guessed_plan(so.read(data))
    assert guessed.plan.sensitive == tuple(items)
    assert guessed.plan.columns["bathing"].values == {"0": 1}
    without = guessed_plan(so.read({item: [0, 1, 0] * 20 for item in items}))
    assert without.plan.quasi_identifiers == without.plan.sensitive == tuple(items)
    assert without.unexplained == ()
    alone = guessed_plan(so.read({"cooking": [0, 1, 0] * 20, "sex": SEX}))
    assert alone.unexplained == ("cooking",)


# ---- values that tell little


@pytest.mark.parametrize(
    "values",
    [
        "no, none, never, negative, healthy, not applicable, unknown, refused, n/a, no difficulty",
        "non, aucun, aucune, jamais, négatif, sain, sans objet, inconnu, sans handicap",
        "nein, keine, nie, negativ, gesund, trifft nicht zu, unbekannt, keine Behinderung",
        "nee, geen, nooit, negatief, gezond, niet van toepassing, onbekend, geen beperking",
        "no, ninguno, ninguna, nunca, negativo, sano, no aplica, desconocido, sin discapacidad",
        "NO, None, Negative, Not in universe or children, No evidence of disease, ?, -",
    ],
)
def test_values_that_say_none_or_not_known_tell_little_in_five_languages(values: str) -> None:
    said = values.split(", ")
    assert set(harmless("disease", [*said, "HIV", "flu"])) == set(said)


@pytest.mark.parametrize(
    "value",
    [
        "HIV", "not well", "not healthy", "unhealthy", "no improvement", "no longer well",
        "pas bien", "nicht gut", "niet goed", "no mejora", "none of the above", "negative outlook",
        "positive", "2", "9",
    ],
)  # fmt: skip
def test_values_that_only_begin_alike_keep_their_severity(value: str) -> None:
    assert harmless("disease", [value, "yes"]) == []


def test_zero_says_none_among_zeros_and_ones_and_among_some_amounts() -> None:
    assert harmless("hiv", [0, 1]) == ["0"]
    assert harmless("hiv", [0, 1, None]) == ["0"]
    assert harmless("health", [0, 1, 2, 3]) == []  # zero may be the worst
    assert harmless("capital gain", [0, 500, 7000], "gains") == ["0"]
    assert harmless("priors", [0, 1, 4], "crime") == ["0"]
    assert harmless("income", [0, 500, 7000], "income") == []


def test_n_is_no_beside_yes_and_not_known_among_numbers() -> None:
    assert harmless("ill", ["Y", "N"]) == ["N"]
    assert harmless("ill", ["J", "N"]) == ["N"]
    assert harmless("ill", ["1", "2", "N"]) == ["N"]
    assert harmless("ill", ["A", "N"]) == []


def test_none_keeps_its_severity_where_it_hits_people_like_another_answer() -> None:
    assert harmless("religion", ["none", "catholic", "not stated"], "religion") == ["not stated"]
    assert harmless("insurance", ["none", "private", "unknown"], "insurance") == ["unknown"]
    assert harmless("income", ["none", "low", "refused"], "income") == ["refused"]
    assert harmless("in good health", ["no", "yes"]) == []
    assert harmless("geimpft", ["nein", "ja"]) == []


def test_the_plan_gives_such_values_severity_1_and_says_why() -> None:
    data = {"sex": SEX, "hiv": ["negative", "positive", "unknown"] * 20}
    guessed = guessed_plan(so.read(data))
    assert guessed.plan.columns["hiv"].values == {"negative": 1, "unknown": 1}
    assert guessed.plan.columns["hiv"].severity == 4
    assert guessed.guesses[1].reason.endswith("a value that says none or not known has severity 1")
    text = guessed.to_yaml()
    assert "      negative: 1  # it says that there is none\n" in text
    assert "      unknown: 1  # it says that it is not known or does not apply\n" in text
    assert "      #positive: 4\n" in text
    assert Plan.parse(text) == guessed.plan
    assert guessed.plan.check(so.read(data)) == ()


def test_labels_of_a_source_are_read_too() -> None:
    table = so.read({"drem": [1.0, 2.0] * 30, "sex": SEX}, roles={"drem": "sensitive"})
    table = table.with_descriptions({"drem": "Difficulty"}, {"drem": {1.0: "Yes", 2.0: "No"}})
    guessed = guessed_plan(table)
    assert guessed.plan.columns["drem"].values == {"No": 1}
    assert guessed.plan.check(table) == ()


def test_free_text_gets_no_severities() -> None:
    said = [f"no disease {i} was found in her on that day" for i in range(60)]
    assert guessed_plan(so.read({"diagnosis": said, "sex": SEX})).guesses[0].harmless == ()


# ---- what others see


def test_race_religion_and_disability_are_seen_by_others() -> None:
    names = ["race", "religion", "wheelchair", "diagnosis", "income", "sex", "q7"]
    table = so.read({name: ["a", "b", "c"] * 20 for name in names})
    guesses = guessed_plan(table).guesses
    assert [guess.column for guess in guesses if seen_by_others(guess)] == names[:3]


def test_what_others_see_gets_both_roles_and_says_so() -> None:
    data = {"race": ["a", "b", "c"] * 20, "disease": ["flu", "HIV", "none"] * 20}
    guessed = guessed_plan(so.read(data))
    assert guessed.plan.quasi_identifiers == ("race",)
    assert guessed.plan.sensitive == ("race", "disease")
    assert guessed.plan.columns["race"].exposure == Exposure.ER
    assert guessed.guesses[0].reason.endswith("so that it is known to them too")
    assert guessed.to_frame()["role"].to_list() == ["quasi-identifier, sensitive", "sensitive"]
    assert "    role: [quasi-identifier, sensitive]\n    exposure: ER\n" in guessed.to_yaml()
    assert Plan.parse(guessed.to_yaml()) == Plan.parse(guessed.plan.to_yaml()) == guessed.plan


def test_a_safe_file_stays_safe_where_others_see_the_race() -> None:
    chance = np.random.default_rng(3)
    drawn = {"sex": ["f", "m"], "region": ["n", "s", "w"], "race": ["a", "b", "c"]}
    data = {name: chance.choice(values, 6_000) for name, values in drawn.items()}
    found = so.assess({**data, "disease": chance.choice(["flu", "HIV", "none"], 6_000)})
    assert found.plan.columns["race"].sensitive
    assert found.anonymity.k >= 50
    assert (found.level, found.highest) == (2, 2)


def test_nobody_sees_what_a_single_record_says_of_a_disability() -> None:
    told = [f"she has had trouble walking since {i} years ago" for i in range(60)]
    coded = [f"D-{i:04}" for i in range(60)]
    for values in (told, coded):
        guessed = guessed_plan(so.read({"disability": values, "sex": SEX}))
        assert guessed.plan.quasi_identifiers == ("sex",)


def test_who_calls_race_sensitive_and_nothing_else_is_believed() -> None:
    table = so.read({"race": ["a", "b"] * 30, "sex": SEX}, roles={"race": "sensitive"})
    plan = guessed_plan(table).plan
    assert (plan.quasi_identifiers, plan.sensitive) == (("sex",), ("race",))


def test_the_example_of_a_combination_leaves_something_to_infer() -> None:
    data = {"sex": SEX, "age": list(range(20, 80)), "race": ["a", "b", "c"] * 20}
    text = guessed_plan(so.read(data)).to_yaml()
    stated = re.sub(r"(?m)^#(combinations:|  what a)", r"\1", text)
    assert Plan.parse(stated).combinations == {"what a neighbour knows": ["sex", "age"]}


def test_what_is_seen_is_told_also_where_the_source_states_the_role() -> None:
    table = so.read({"race": ["a", "b"] * 30}, roles={"race": "quasi-identifier"})
    (guess,) = guessed_plan(table).guesses
    assert guess.role == Role.QUASI_IDENTIFIER
    assert seen_by_others(guess)


# ---- a number of the row


def _numbered(extra: bool) -> dict[str, Any]:
    chance = np.random.default_rng(3)
    drawn = {"sex": ["f", "m"], "region": ["n", "s", "w"], "disease": ["flu", "HIV", "none"]}
    data: dict[str, Any] = {"nr": list(range(1, 3_001))}
    data |= {name: chance.choice(values, 3_000).tolist() for name, values in drawn.items()}
    return data | ({"q8": chance.integers(0, 3_000, 3_000).tolist()} if extra else {})


def test_a_number_of_the_row_is_told_with_what_to_do_and_the_risk_without_it() -> None:
    found = so.assess(_numbered(extra=False), advice=False)
    assert (found.level, found.range) == (4, (4, 4))
    assert "Without this column the risk is Significant (2 of 4)." in found.verdict
    (note,) = (note for note in found.notes if note.startswith("nr was taken"))
    assert "the values number the records one by one" in note
    assert "leave it out, or give it the role other in a plan" in note


def test_without_the_number_the_risk_is_a_range_where_columns_are_open() -> None:
    found = so.assess(_numbered(extra=True), advice=False)
    assert found.unexplained == ("q8",)
    assert "Without this column the risk is between 2 and 4 of 4, depending on" in found.verdict
    data = _numbered(extra=True)
    del data["nr"]
    assert so.assess(data, advice=False).range == (2, 4)
