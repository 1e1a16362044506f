"""Tables of counts are recognised and refused, and people are not taken for counts."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import singleout as so
from singleout.assessment.guess.counts import counts_of_people
from singleout.assessment.guess.guess import guessed_plan
from singleout.assessment.plan.plan import Plan
from singleout.errors import UnusableTable

REGIONS = ["Utrecht", "Zeeland", "Drenthe", "Limburg", "Friesland", "Flevoland"]
AGES = ["0-19", "20-39", "40-64", "65+"]


def crossed(number: str, *, share: float = 1.0) -> dict[str, list[Any]]:
    """Return a table of counts by sex, age and region; some cells may be missing."""
    chance = random.Random(5)
    cells = [cell for cell in product("fm", AGES, REGIONS) if chance.random() <= share]
    columns = dict(zip(("sex", "age", "region"), map(list, zip(*cells, strict=True)), strict=True))
    return {**columns, number: [chance.randrange(0, 900) for _ in cells]}


NAMES = """
n, N, count, counts, number, population, freq, frequency, persons, number of people, total, pop,
effectif, nombre, habitants, nombre de personnes, Anzahl, Einwohner, Häufigkeit, Personen,
Bevölkerung, aantal, inwoners, aantal_personen, bevolking, población, número, frecuencia,
habitantes, conteo
"""


@pytest.mark.parametrize("number", " ".join(NAMES.split()).split(", "))
def test_a_number_of_people_beside_combinations_that_stand_once_is_recognised(number: str) -> None:
    guessed = guessed_plan(so.read(crossed(number)))
    assert guessed.counts == (number,)
    assert guessed.unexplained == ()
    assert guessed.plan.count == number
    assert "how many people a row stands for" in guessed.guesses[3].reason
    assert "a table of counts and not of people" in guessed.notes[0]
    assert guessed.to_dict()["counts"] == [number]


def test_cells_may_be_missing_and_columns_may_follow_from_others() -> None:
    data = crossed("n", share=0.8)
    data["part"] = [
        "north" if name in ("Drenthe", "Friesland") else "south" for name in data["region"]
    ]
    data["row"] = list(range(1, len(data["n"]) + 1))
    assert guessed_plan(so.read(data)).counts == ("n",)


def test_a_list_of_places_or_ages_with_a_number_of_people_is_a_table_of_counts() -> None:
    places = {"gemeente": [f"plaats {i}" for i in range(40)], "inwoners": list(range(100, 140))}
    assert guessed_plan(so.read(places)).counts == ("inwoners",)
    ages = {"age": list(range(100)), "n": [(7 * i) % 83 for i in range(100)]}
    assert guessed_plan(so.read(ages)).counts == ("n",)


def test_a_table_of_counts_is_refused_with_what_would_work() -> None:
    data = crossed("population")
    with pytest.raises(UnusableTable, match="Give --count population"):
        so.assess(data)
    with pytest.raises(UnusableTable, match="Give --count population"):
        so.suggest(data, k=2)
    with pytest.raises(UnusableTable, match="Give --count population"):
        so.compare(data, data)
    silent = {"columns": {"sex": {"role": "quasi-identifier"}}}
    with pytest.raises(UnusableTable, match="state the role of 'population' in a plan"):
        so.assess(data, silent)


def test_the_plan_of_a_table_of_counts_counts_people(tmp_path: Path) -> None:
    data = crossed("population")
    guessed = guessed_plan(so.read(data))
    (tmp_path / "plan.yaml").write_text(guessed.to_yaml())
    plan = Plan.read(tmp_path / "plan.yaml")
    assert plan == guessed.plan
    assert plan.count == "population"
    assert "The plan gives it the role count" in guessed.notes[0]
    found = so.assess(data, plan)
    assert found.facts.rows == sum(data["population"])
    assert found.shares == so.assess(data, plan, count="population").shares


def test_the_first_of_several_numbers_of_people_is_the_count() -> None:
    data = crossed("population")
    data["women"] = [number // 2 for number in data["population"]]
    plan = guessed_plan(so.read({**data, "persons": data["women"]})).plan
    assert plan.count == "population"
    assert plan.columns["persons"].role == "other"


def test_rows_repeated_as_the_refusal_says_are_people() -> None:
    data = crossed("n")
    times = [number % 4 for number in data.pop("n")]
    people = {
        name: [v for v, n in zip(values, times, strict=True) for _ in range(n)]
        for name, values in data.items()
    }
    assert so.assess(people).facts.rows == sum(times)


@pytest.mark.parametrize("role", ["other", "weight", "sensitive"])
def test_who_states_the_role_of_the_number_is_believed(role: str) -> None:
    data = crossed("n")
    text = guessed_plan(so.read(data)).to_yaml()
    plan = Plan.parse(text.replace("    role: count\n", f"    role: {role}\n"))
    assert plan.columns["n"].role == role
    assert so.assess(data, plan).facts.rows == len(data["n"])


def test_people_with_a_number_of_something_are_not_taken_for_counts() -> None:
    chance = random.Random(9)
    people = range(400)
    data: dict[str, list[Any]] = {
        "sex": [chance.choice("fm") for _ in people],
        "age": [chance.randrange(90) for _ in people],
        "region": [chance.choice(REGIONS) for _ in people],
        "occupation": [chance.randrange(60) for _ in people],
        "income": [chance.randrange(10**5) for _ in people],
        "n": [chance.randrange(9) for _ in people],
    }
    assert guessed_plan(so.read(data)).counts == ()
    # few people, who all differ by chance
    few = {name: values[:12] for name, values in data.items()}
    assert guessed_plan(so.read(few)).counts == ()


def test_several_measurements_of_each_person_are_no_counts() -> None:
    rows = list(product([f"P-{i:04}" for i in range(30)], range(1, 6)))
    data = {
        "patient_id": [person for person, _ in rows],
        "visit": [visit for _, visit in rows],
        "count": [(7 * i) % 450 for i in range(len(rows))],
    }
    assert guessed_plan(so.read(data)).counts == ()


def test_a_number_that_is_no_whole_number_counts_nobody() -> None:
    data = crossed("n")
    for values in ([1.5] * 24 + [2.0] * 24, [-1] * 24 + [3] * 24, ["a"] * 24 + ["b"] * 24):
        assert counts_of_people(so.read({**data, "n": values}), {}) == ()


def test_a_table_of_counts_is_found_among_some_of_its_rows_only() -> None:
    table = so.read(crossed("n"))
    assert counts_of_people(table.take(np.array([0, 0, 1, 2, 3, 4])), {}) == ()
    assert counts_of_people(table.take(np.array([0, 1])), {}) == ()
