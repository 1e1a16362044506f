"""Find the record that answers: exact, larger population, finer, coarser; what each step does."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest
from gated_tables import DATA

from singleout.errors import BadChoice, UndefinedMeasure
from singleout.repository.answering.memory import RecordList
from singleout.repository.answering.paths import turning_point
from singleout.repository.answering.query import find
from singleout.repository.answering.relations import coded, qid_key, related
from singleout.repository.answering.steps import PathEffect
from singleout.repository.documents.record import Record
from singleout.repository.documents.vocabulary import Vocabulary

VOCABULARY = Vocabulary.of(
    {
        "name": "people",
        "version": "1",
        "attributes": {
            "age": {
                "kind": "integer",
                "values": {"from": 0, "to": 99},
                "ages": True,
                "codings": {"width=5": {}, "width=10": {}},
            },
            "birth": {"kind": "integer", "values": {"from": 1920, "to": 2025}},
            "sex": {"values": ["F", "M"]},
            "PC4": {"values": ["1011", "8321"], "determines": {"City": {"1011": "A", "8321": "U"}}},
            "City": {"values": ["A", "U"]},
        },
    }
)


def record(qid: list[str], population: object, kappa: float, cells: int, **more: object) -> Record:
    made = Record.legacy_tuple(qid, population, kappa, cells=cells)
    return made.model_copy(update=more)


HELD = RecordList(
    [
        record(["age"], {"City": "U"}, 0.4011, 95),
        record(["age", "sex"], {}, 0.1, 200),
        record(["age:width=5"], {}, 0.05, 20),
    ],
    VOCABULARY,
)


def asked(qid: list[str], population: object = None, **how: object):
    return find(HELD, qid, population, vocabulary=VOCABULARY, **how)


# ---- relations


def test_the_key_of_a_quasi_identifier_is_that_of_its_records() -> None:
    made = record(["sex", "age:width=5"], {}, 0.1, 40)
    assert qid_key(coded(["age:width=5", "sex"])) == made.qid_key
    assert qid_key(coded("age:width=5,sex")) == made.qid_key


@pytest.mark.parametrize(
    ("found", "relation"),
    [
        (["age"], "equal"),
        (["age", "sex"], "finer"),
        (["age:width=5"], "coarser"),
        (["sex"], None),
        (["age:width=5", "sex"], None),
    ],
)
def test_a_quasi_identifier_is_finer_coarser_or_neither(found: list[str], relation: object) -> None:
    got = related(coded(["age"]), coded(found), VOCABULARY)
    assert (None if got is None else str(got.relation)) == relation


def test_what_another_attribute_determines_makes_no_difference() -> None:
    got = related(coded(["PC4"]), coded(["PC4", "City"]), VOCABULARY)
    assert got is not None
    assert str(got.relation) == "equal"


def test_levels_of_levels_are_coarser_than_the_first() -> None:
    tree = Vocabulary.of(
        {
            "name": "places",
            "version": "1",
            "attributes": {
                "place": {
                    "values": ["a", "b", "c"],
                    "codings": {
                        "level=city": {"mapping": {"a": "x", "b": "x", "c": "y"}},
                        "level=land": {"of": "level=city", "mapping": {"x": "z", "y": "z"}},
                    },
                }
            },
        }
    )
    got = related(coded(["place:level=city"]), coded(["place:level=land"]), tree)
    assert got is not None
    assert str(got.relation) == "coarser"


def test_a_quasi_identifier_has_attributes_and_each_once() -> None:
    with pytest.raises(BadChoice, match="empty"):
        coded([])
    with pytest.raises(BadChoice, match="twice"):
        coded(["age", "age:width=5"])


# ---- what is found


def test_an_exact_record_is_found_and_its_path_says_so() -> None:
    answer = asked(["age"], {"City": "U"})
    assert answer.exact
    assert answer.record.kappa == 0.4011
    assert [step.kind for step in answer.path] == ["exact"]
    assert answer.range is None


def test_the_nearest_larger_population_is_taken() -> None:
    country = record(["age"], {}, 0.1, 95, numbers=HELD.records[0].numbers)
    both = RecordList([*HELD.records, country], VOCABULARY)
    answer = find(both, ["age"], {"City": "U", "sex": "F"}, vocabulary=VOCABULARY)
    assert str(answer.record.population) == "City=U"
    assert [step.kind for step in answer.path] == ["super-population"]
    assert not answer.exact


def test_a_postcode_is_within_its_city() -> None:
    assert asked(["age"], {"PC4": "8321"}).record.kappa == 0.4011


def test_a_finer_record_overstates_and_bounds_from_above() -> None:
    answer = asked(["sex"])
    prediction = answer.predict(40)
    assert [str(step.effect) for step in answer.path] == ["too high"]
    assert answer.path[0].certain
    assert prediction.bounds[0] == 0
    assert prediction.bounds[1] < 40


def test_a_coarser_record_understates_and_bounds_from_below() -> None:
    answer = asked(["age:width=5", "height"])
    assert [step.effect for step in answer.path] == [PathEffect.TOO_LOW]
    prediction = answer.predict(40)
    assert 0 < prediction.bounds[0] < prediction.bounds[1] == 40


def test_what_is_not_there_is_said_with_what_is_nearest_and_noted() -> None:
    wanted = []
    answer = find(
        HELD, ["sex", "shoe"], {}, vocabulary=VOCABULARY, demand=lambda *what: wanted.append(what)
    )
    assert not answer.found
    assert "no record of sex, shoe" in str(answer)
    assert answer.nearest == ("One record of age, sex, for other people.",)
    assert [str(one) for one in wanted[0][0]] == ["sex", "shoe"]
    with pytest.raises(UndefinedMeasure, match="no record"):
        answer.predict(40)
    assert answer.to_dict()["record"] is None
    assert answer.to_frame().height == 1


def test_holders_who_disagree_give_a_range_and_the_most_pessimistic_is_taken() -> None:
    holders = [f"ed25519:{digit * 32}" for digit in "ab"]
    two = [
        record(["age"], {}, kappa, 95, holder=holder)
        for kappa, holder in zip((0.3, 0.1), holders, strict=True)
    ]
    answer = find(RecordList(two), ["age"])
    assert len(answer.records) == 2
    assert answer.range == (0.1, 0.3)
    prediction = answer.predict(40)
    assert prediction.record.kappa == 0.1
    assert prediction.range is not None
    assert prediction.range[0] < prediction.range[1] == prediction.mean
    assert any("2 holders" in note for note in prediction.notes)


def test_the_record_nearest_in_time_is_taken() -> None:
    days = [date(2015, 1, 1), date(2020, 1, 1), date(2024, 1, 1)]
    held = RecordList([record(["age"], {}, 0.1, 95, reference_date=day) for day in days])
    assert find(held, ["age"]).record.reference_date == days[2]
    found = find(held, ["age"], reference_date=date(2019, 6, 1))
    assert found.record.reference_date == days[1]
    assert len(found.records) == 1


def test_an_age_ages_and_a_birth_year_does_not() -> None:
    day = date(2015, 1, 1)
    held = RecordList(
        [record([name], {}, 0.1, 95, reference_date=day) for name in ("age", "birth")]
    )
    how = {"vocabulary": VOCABULARY, "reference_date": date(2020, 1, 1)}
    assert "change with time: age" in find(held, ["age"], **how).notes[0]
    assert "change with time" not in find(held, ["birth"], **how).notes[0]
    assert find(held, ["age"], vocabulary=VOCABULARY, reference_date=day).notes == ()


def test_an_answer_is_plain_values_and_a_frame() -> None:
    answer = asked(["age"], {"City": "U", "sex": "F"})
    plain = answer.to_dict(people=40)
    assert plain["path"][0]["effect"] == "too high"
    assert answer.to_dict()["path"][0]["effect"] == "unknown"
    assert answer.to_frame().height == 1
    assert "nearest" in str(answer)


# ---- the direction of a larger population (C2)


def test_the_direction_turns_at_about_two_people_per_cell() -> None:
    point = turning_point(record(["age"], {}, 0.02, 20))
    assert point is not None
    assert 36 <= point <= 48
    path = {people: asked(["age:width=5"], {"sex": "F"}, people=people).path for people in (10, 90)}
    assert path[10][0].effect is PathEffect.TOO_HIGH
    assert path[90][0].effect is PathEffect.TOO_LOW
    assert not path[10][0].certain


@pytest.mark.skipif(not DATA.exists(), reason="needs the shared data")
def test_a_municipality_overstates_its_postcodes_for_ten_people_and_understates_for_hundred() -> (
    None
):
    table = pl.read_csv(DATA / "nl_pc4_age5_sex_2021.csv.gz", infer_schema_length=0)
    people = pl.col("inwoners").cast(pl.Int64, strict=False).fill_null(0)
    counts = (
        table.filter(pl.col("gemeente") == "Nijmegen")
        .with_columns(people)
        .pivot(on="leeftijd", index="postcode", values="inwoners", aggregate_function="sum")
        .drop("postcode")
        .to_numpy()
        .astype(float)
    )
    counts = counts[counts.sum(axis=1) >= 200]
    whole, parts = counts.sum(axis=0) / counts.sum(), counts / counts.sum(axis=1, keepdims=True)
    weights = counts.sum(axis=1) / counts.sum()

    def alone(shares: np.ndarray, people: int) -> np.ndarray:
        return (shares * (1 - shares) ** (people - 1)).sum(axis=-1)

    off = {k: alone(whole, k) / (weights @ alone(parts, k)) - 1 for k in (10, 100)}
    assert off[10] == pytest.approx(0.05, abs=0.01)
    assert off[100] == pytest.approx(-0.09, abs=0.01)
    kappa = float((whole * np.log(20 * whole)).sum())
    turning = turning_point(record(["age:width=5"], {"City": "Nijmegen"}, kappa, 20))
    assert turning is not None
    assert 10 < turning < 100


def test_cells_of_the_country_leave_more_open_than_those_of_the_municipality() -> None:
    """C1: the same people, whose cells are counted within the municipality or in the country."""
    local = find(RecordList([record(["age"], {}, 0.341, 2_300)]), ["age"]).predict(2_000)
    kappa = 0.341 + float(np.log(170))
    national = find(RecordList([record(["age"], {}, kappa, 2_300 * 170)]), ["age"]).predict(2_000)
    assert national.bounds[0] < local.bounds[0] < local.bounds[1] < national.bounds[1]
