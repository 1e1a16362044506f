"""Attackers and diversity where a person has several records: people are counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_people as naive
import singleout as so
from run_command import refused, singleout
from singleout.errors import SingleoutError

VISITS = {
    "patient": ["a", "a", "a", "b", "c", "c", "d"],
    "age": [30, 30, 30, 41, 41, 41, 30],
    "ill": ["flu", "flu", "HIV", "flu", "flu", "flu", "flu"],
    "w": [2, 2, 2, 3, 5, 5, 4],
}
EVENT = st.tuples(st.integers(0, 5), st.sampled_from("xyz"), st.sampled_from("pqr"))


@settings(max_examples=40)
@given(st.lists(EVENT, min_size=1, max_size=20))
def test_a_prosecutor_finds_people_by_the_rarest_of_their_records(
    events: list[tuple[Any, ...]],
) -> None:
    who, age, _ = (list(column) for column in zip(*events, strict=True))
    found = so.attacker_risk({"who": who, "age": age}, ["age"], threshold=0.3, unit="who")
    sizes = naive.rarest([(one,) for one in age], who)
    assert found.records == len(sizes)
    assert found.prosecutor.highest == 1 / min(sizes)
    assert found.prosecutor.at_risk == pytest.approx(
        sum(1 / size > 0.3 for size in sizes) / len(sizes)
    )
    assert found.marketer.success == pytest.approx(sum(1 / size for size in sizes) / len(sizes))


def test_records_have_the_risk_of_their_person() -> None:
    data = {"who": [1, 1, 2, 3], "age": [30, 40, 30, 30]}
    found = so.attacker_risk(data, ["age"], unit="who")
    assert found.per_record["prosecutor"].to_list() == pytest.approx([1, 1, 1 / 3, 1 / 3])
    assert "People are counted, not their 4 records" in found.notes[-1]
    assert found.to_dict()["unit"] == "who"


def test_a_population_is_one_of_people() -> None:
    by_size = so.attacker_risk(VISITS, ["age"], population=40, unit="patient")
    assert by_size.journalist.highest == pytest.approx(2 / 40 / 2 * 2)
    by_weight = so.attacker_risk(VISITS, ["age"], so.Population(weights="w"), unit="patient")
    # a and d stand for six people of their age, b and c for eight
    assert by_weight.journalist.highest == pytest.approx(1 / 6)
    uneven = {**VISITS, "w": [2, 9, 2, 3, 5, 5, 4]}
    with pytest.raises(SingleoutError, match="have different weights"):
        so.attacker_risk(uneven, ["age"], so.Population(weights="w"), unit="patient")


@settings(max_examples=40)
@given(st.lists(EVENT, min_size=1, max_size=20))
def test_values_of_a_class_are_those_of_its_people(events: list[tuple[Any, ...]]) -> None:
    who, age, ill = (list(column) for column in zip(*events, strict=True))
    found = so.diversity({"who": who, "age": age, "ill": ill}, "age", "ill", unit="who")
    classes = {one: {w for w, a, _ in events if a == one} for one in age}
    assert found.k == min(map(len, classes.values()))
    held = {(w, a, i) for w, a, i in events}  # each person once with each value in a class
    most = [
        max(sum((a, i) == (one, value) for _, a, i in held) for value in "pqr")
        / sum(a == one for _, a, _ in held)
        for one in classes
    ]
    assert found.alpha == pytest.approx(max(most))


def test_visits_of_one_person_are_not_diverse() -> None:
    data = {"who": [1, 1, 1, 2], "age": [30] * 4, "ill": ["flu", "flu", "flu", "HIV"]}
    assert so.diversity(data, "age", "ill").alpha == 0.75
    found = so.diversity(data, "age", "ill", unit="who")
    assert (found.alpha, found.k, found.to_dict()["unit"]) == (0.5, 2, "who")


def test_what_has_no_meaning_beside_unit_is_refused() -> None:
    for measure in (
        lambda **how: so.attacker_risk(VISITS, ["age"], **how),
        lambda **how: so.diversity(VISITS, ["age"], "ill", **how),
    ):
        with pytest.raises(SingleoutError, match="cannot be a quasi-identifier too"):
            measure(unit="age")
        with pytest.raises(SingleoutError, match="a wildcard is not defined"):
            measure(unit="patient", missing="wildcard")
        with pytest.raises(SingleoutError, match="Columns not found"):
            measure(unit="patients")
        with pytest.raises(SingleoutError, match="a table of counts stands for several"):
            measure(unit="patient", count="w")
    with pytest.raises(SingleoutError, match="'patient' is missing in some records"):
        so.diversity({**VISITS, "patient": [None] * 7}, ["age"], "ill", unit="patient")


def test_commands_take_a_unit(tmp_path: Path) -> None:
    pl.DataFrame(VISITS).write_csv(tmp_path / "visits.csv")
    words = ["visits.csv", "--qi", "age", "--unit", "patient"]
    done = singleout("attacker-risk", *words, cwd=tmp_path)
    assert "4 people in 2 classes" in done.stdout
    done = singleout("diversity", *words, "--sensitive", "ill", cwd=tmp_path)
    assert "People are counted, not their 7 records" in " ".join(done.stdout.split())
    said = refused(singleout("attacker-risk", *words, "--count", "w", cwd=tmp_path))
    assert said == "--unit counts people and cannot go with --count; leave one of them out."
