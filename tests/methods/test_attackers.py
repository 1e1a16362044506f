"""Prosecutor, journalist and marketer."""

import csv
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_attackers as naive
import singleout as so
from singleout.errors import BadChoice, UndefinedMeasure

SHARED = Path(__file__).parents[3] / "shared"
needs_shared = pytest.mark.skipif(not SHARED.exists(), reason="needs ../shared")

PEOPLE = {"age": [30, 30, 41, 41, 41], "sex": ["f", "f", "m", "m", "f"]}


def test_three_classes_by_hand() -> None:
    # classes of 2, 2 and 1 records, each with ten times as many people
    risk = so.attacker_risk(PEOPLE, population=50, quasi_identifiers=["age", "sex"], threshold=0.5)
    assert asdict(risk.prosecutor) == {"at_risk": 0.2, "highest": 1.0, "success": 0.6}
    assert asdict(risk.journalist) == {
        "at_risk": 0.0,
        "highest": 0.1,
        "success": pytest.approx(0.06),
    }
    assert risk.marketer.success == pytest.approx(0.06)
    assert (risk.marketer.at_risk, risk.marketer.highest) == (None, None)


def test_without_a_population_the_three_coincide_and_it_says_so() -> None:
    risk = so.attacker_risk(PEOPLE, ["age", "sex"])
    assert risk.prosecutor == risk.journalist
    assert risk.marketer.success == risk.prosecutor.success == 0.6
    assert risk.population is None
    assert any("the same chances" in note for note in risk.notes)


def test_a_population_by_a_table_of_counts() -> None:
    table = {"sex": ["f", "m", "f"], "age": ["30", "41", "41"], "inhabitants": [4, 2, 10]}
    risk = so.attacker_risk(PEOPLE, ["age", "sex"], so.Population(table=table))
    assert risk.journalist.highest == 0.5
    assert risk.marketer.success == pytest.approx((2 / 4 + 2 / 2 + 1 / 10) / 5)
    # three classes of 16 people
    assert risk.journalist.success == pytest.approx(max(3 / 16, risk.marketer.success))


@pytest.mark.parametrize(
    "population",
    [
        so.Population(table={"age": [30, 41], "people": [1, 9]}),
        so.Population(table={"age": [41], "people": [9]}),
        so.Population(weights="weight"),
    ],
)
def test_a_population_of_fewer_people_than_records_is_named(population: so.Population) -> None:
    """By hand: two records of 30 years stand for one person or for nobody, so for two."""
    data = {"age": [30, 30, 41], "weight": [0.5, 0.5, 9]}
    risk = so.attacker_risk(data, "age", population)
    assert risk.journalist.highest == 1 / 2
    assert risk.marketer.success == pytest.approx((2 / 2 + 1 / 9) / 3)
    (note,) = risk.notes
    assert "fewer people like 2 of the 3 records" in note


def test_the_same_population_stated_in_four_ways() -> None:
    data = PEOPLE | {"w": [10] * 5}
    table = {"age": [30, 41, 41], "sex": ["f", "m", "f"], "n": [20, 20, 10]}
    answers = [
        so.attacker_risk(data, ["age", "sex"], population).attackers
        for population in (
            50,
            so.Population(sampling_fraction=0.1),
            so.Population(weights="w"),
            so.Population(table=table),
        )
    ]
    assert all(answer == answers[0] for answer in answers)


@given(data=st.data())
def test_every_number_is_that_of_the_naive_twin(data: st.DataObject) -> None:
    cells = st.sampled_from([0, 1, 2, None])
    rows = data.draw(st.lists(st.tuples(cells, cells), min_size=1, max_size=12))
    weights = data.draw(
        st.lists(st.sampled_from([0, 1, 2, 5]), min_size=len(rows), max_size=len(rows))
    )
    threshold = data.draw(st.sampled_from([0.0, 0.25, 0.5, 1.0]))
    missing = data.draw(st.sampled_from(["value", "wildcard", "drop"]))
    kept = [index for index, row in enumerate(rows) if missing != "drop" or None not in row]
    table = {"a": [a for a, _ in rows], "b": [b for _, b in rows], "w": weights}
    population = so.Population(weights="w")
    if not kept:
        with pytest.raises(so.SingleoutError, match="none is left"):
            so.attacker_risk(table, ["a", "b"], population, missing=missing)
        return
    risk = so.attacker_risk(table, ["a", "b"], population, threshold, missing=missing)
    expected = naive.attackers(
        [rows[index] for index in kept],
        [Fraction(weights[index]) for index in kept],
        Fraction(threshold),
        wildcard=missing == "wildcard",
    )
    for name, numbers in expected.items():
        for number, value in numbers.items():
            assert getattr(getattr(risk, name), number) == pytest.approx(float(value)), name
    assert risk.dropped == len(rows) - len(kept)
    per_record = risk.per_record
    assert per_record.height == len(rows)
    assert per_record["prosecutor"].null_count() == risk.dropped
    assert per_record["prosecutor"].max() == pytest.approx(risk.prosecutor.highest)
    assert per_record["journalist"].mean() == pytest.approx(risk.marketer.success)


def test_groups_are_measured_as_if_they_were_alone() -> None:
    data = PEOPLE | {"region": ["n", "n", "n", "s", "s"], "w": [1, 3, 2, 2, 5]}
    risk = so.attacker_risk(data, ["age", "sex"], so.Population(weights="w"), by="region")
    assert list(risk.groups) == ["n", "s"]
    for region, part in risk.groups.items():
        alone = so.attacker_risk(
            data, ["age", "sex"], so.Population(weights="w"), where=f"region = '{region}'"
        )
        assert part.attackers == alone.attackers
    assert risk.to_frame().height == 9
    assert [group["group"] for group in risk.to_dict()["groups"]] == ["n", "s"]


def test_a_group_whose_records_are_all_dropped_is_left_out_and_named() -> None:
    data = {"a": [1, None, 1], "region": ["n", "s", "n"]}
    risk = so.attacker_risk(data, "a", by="region", missing="drop")
    assert list(risk.groups) == ["n"]
    assert any("Group s" in note for note in risk.notes)


@needs_shared
def test_arx_on_adult() -> None:
    with (SHARED / "goldens/arx_adult_risk.csv").open() as file:
        golden = [row for row in csv.DictReader(file) if row["qis"] == "9"]
    columns = [
        "sex",
        "age",
        "race",
        "marital-status",
        "education",
        "native-country",
        "workclass",
        "occupation",
        "salary-class",
    ]
    risk = so.attacker_risk(SHARED / "data/adult.csv", columns)
    assert golden
    for row in golden:
        assert risk.prosecutor.at_risk == pytest.approx(
            float(row["prosecutor_at_risk_0.2"]), abs=1e-12
        )
        assert risk.prosecutor.highest == float(row["highest"])
        for attacker, column in (
            (risk.prosecutor, "prosecutor_success"),
            (risk.journalist, "journalist_success"),  # ARX does not use its population here
            (risk.marketer, "marketer"),
        ):
            assert attacker.success == pytest.approx(float(row[column]), abs=1e-12)


def test_a_smaller_population_than_records_is_not_used_and_it_says_so() -> None:
    risk = so.attacker_risk(PEOPLE, ["age", "sex"], population=3)
    assert risk.population is None
    assert any("fewer than the 5 records" in note for note in risk.notes)


@pytest.mark.parametrize(
    ("population", "sentence"),
    [
        (True, "must be a whole number of people"),
        ("many", "must be a whole number of people"),
        (0, "at least 1"),
        (2.5, "size"),
        ({"size": 5, "weights": "w"}, "given more than once"),
        (so.Population(weights="nowhere"), "nowhere"),
        (so.Population(table={"age": [1], "n": [1]}), "has no column 'sex'"),
        (so.Population(table={"age": [1], "sex": [1]}), "not 0"),
    ],
)
def test_a_population_that_cannot_be_used_is_refused(population: Any, sentence: str) -> None:
    with pytest.raises(so.SingleoutError, match=sentence):
        so.attacker_risk(PEOPLE, ["age", "sex"], population)


def test_a_threshold_is_a_share() -> None:
    with pytest.raises(BadChoice, match="threshold must be a share from 0 to 1, not 20"):
        so.attacker_risk(PEOPLE, ["age", "sex"], threshold=20)


def test_the_picture_has_both_attackers_where_there_is_a_population() -> None:
    drawn = so.attacker_risk(PEOPLE, ["age", "sex"], 50).plot().to_dict()
    lines = drawn["datasets"][drawn["layer"][0]["data"]["name"]]
    assert {row["attacker"] for row in lines} == {"prosecutor", "journalist"}
    first = lines[0]
    assert (first["risk"], first["share"]) == (0, 1)


def test_a_result_of_counts_has_no_records(tmp_path: Path) -> None:
    pl.DataFrame(PEOPLE).write_parquet(tmp_path / "people.parquet")
    risk = so.attacker_risk(tmp_path / "people.parquet", ["age", "sex"], engine="database")
    with pytest.raises(UndefinedMeasure, match="only counts were taken"):
        _ = risk.per_record


def test_two_columns_of_weights_are_refused_by_every_measure_unless_the_population_is_stated() -> (
    None
):
    data = {"age": [30, 30, 41, 52], "w": [10.0] * 4, "other": [20.0] * 4}
    roles = {"age": "quasi-identifier", "w": "weight", "other": "weight"}
    table = so.read(data).with_roles(roles)
    refused = r"Only one column can be the weight, not \['w', 'other'\]\."
    measures = (so.anonymity_sets, so.individual_risk, so.attacker_risk, so.population_uniqueness)
    for measure in measures:
        with pytest.raises(BadChoice, match=refused):
            measure(table)
    assert so.attacker_risk(table, population=400).journalist.highest == 0.01
    stated = so.attacker_risk(table, population=so.Population(weights="other"))
    assert stated.journalist.highest == 0.05
