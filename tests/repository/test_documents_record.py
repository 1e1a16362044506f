"""Records: identity, keys, three-tuples, words, and hostile input."""

from __future__ import annotations

import json
import pickle
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import singleout as so
from singleout.errors import InputError, MissingDependency, NotPublishable, StoreChanged
from singleout.repository.documents.canonical import canonical, content_hash
from singleout.repository.documents.record import CodedAttribute, Record
from singleout.repository.extra import extra

BASE: dict[str, Any] = {
    "quasi_identifier": [{"attribute": "sex"}, {"attribute": "age", "coding": "width=5"}],
    "population": {"City": "Amsterdam", "age": {"from": 18, "to": 64}},
    "reference_date": "2021-01-01",
    "numbers": {
        "people": 1200,
        "cells": 120,
        "cells_from": "vocabulary",
        "kappa": 0.36,
        "s2": 0.0123,
        "s3": 1.55e-4,
        "sd": {"kappa": 0.014},
    },
    "gate": {"tier": "public", "price": 0.25, "cost": 0.25},
}


def reordered(value: Any, order: random.Random) -> Any:
    if isinstance(value, dict):
        names = order.sample(list(value), len(value))
        return {name: reordered(value[name], order) for name in names}
    return value


def test_the_identity_is_the_hash_of_what_is_published() -> None:
    record = Record.of(BASE)
    assert record.id == content_hash(record) == content_hash(record.to_dict())
    assert record.columns == ("age", "sex")
    assert (record.kappa, record.people, record.cells) == (0.36, 1200, 120)
    assert record.power_sums == (0.0123, 1.55e-4)
    for other in (
        Record.of(record.to_json()),
        Record.of(canonical(record)),
        Record.of(json.dumps(reordered(BASE, random.Random(1)))),
        Record.of({**BASE, "quasi_identifier": BASE["quasi_identifier"][::-1]}),
        Record.of({**BASE, "vocabulary": None}),
        Record.of({**BASE, "population": {"age": range(18, 65), "City": ["Amsterdam"]}}),
    ):
        assert other.id == record.id
        assert other == record


def test_what_two_holders_can_disagree_about_has_one_key() -> None:
    record = Record.of(BASE)
    disputed = Record.of({**BASE, "numbers": {"kappa": 0.2}, "holder": "ed25519:" + "0" * 32})
    assert disputed.key == record.key
    assert disputed.id != record.id
    for change in (
        {"reference_date": "2022-01-01"},
        {"population": {}},
        {"quasi_identifier": [{"attribute": "sex"}]},
    ):
        other = Record.of({**BASE, **change})
        assert other.key != record.key
        assert (other.qid_key == record.qid_key) == ("quasi_identifier" not in change)
    coarser = Record.of({**BASE, "quasi_identifier": [{"attribute": "sex"}, {"attribute": "age"}]})
    assert coarser.qid_key != record.qid_key


@settings(deadline=None, max_examples=60)
@given(
    st.floats(0, 1e3),
    st.integers(0, 10**40),
    st.floats(0, 1),
    st.lists(st.sampled_from(["age", "sex", "PC4", "é", "😀"]), min_size=1, unique=True),
)
def test_a_record_survives_json(kappa: float, cells: int, s2: float, names: list[str]) -> None:
    record = Record.of(
        {
            "quasi_identifier": [{"attribute": name} for name in names],
            "numbers": {"kappa": kappa, "cells": cells, "s2": s2},
        }
    )
    again = Record.of(record.to_json())
    assert again == record
    assert again.id == record.id
    assert again.cells == pytest.approx(cells, rel=1e-15)


def test_three_tuples_are_accepted_and_marked() -> None:
    # Koot (2012): ages in Urk, 95 of them
    tuple_ = {"QID": ["age"], "population": {"City": "Urk"}, "KL": 0.4011}
    record = Record.of(tuple_)
    assert record.legacy
    assert record.numbers.cells is None
    assert record.power_sums == ()
    assert record.gate.tier == "none"
    with_cells = Record.legacy_tuple(["age"], "City=Urk", 0.4011, cells=95)
    assert with_cells.cells == 95
    assert Record.of({**tuple_, "N": 95}) == with_cells
    assert "three-tuple" in str(record)
    for wrong in ({**tuple_, "kl": 1}, {**tuple_, "QID": "age"}, {**tuple_, "KL": "much"}):
        with pytest.raises(InputError):
            Record.of(wrong)


def test_a_record_is_read_by_people() -> None:
    assert str(Record.of(BASE)) == (
        "age:width=5, sex; population: City=Amsterdam, age=18..64; as of 2021-01-01\n"
        "Kullback-Leibler distance from equal cells: 0.36 nats, with noise of standard deviation "
        "0.014.\n"
        "About 1,200 people.\n"
        "120 cells are possible in the population.\n"
        "The shares of cells have a sum of squares of 0.0123 and a sum of cubes of 0.000155."
    )
    frame = Record.of(BASE).to_frame()
    assert frame.height == 1
    assert frame["kappa"].to_list() == [0.36]
    assert "<table" in Record.of(BASE)._repr_html_()
    assert so.repository.Record is Record


@pytest.mark.parametrize(
    ("given_", "attribute", "coding"),
    [
        ("age", "age", "identity"),
        ("age:width=5.0", "age", "width=5"),
        ("a:b", "a:b", "identity"),
        ("a:b:level=x", "a:b", "level=x"),
        (("age", "width=5"), "age", "width=5"),
        ({"attribute": "age"}, "age", "identity"),
    ],
)
def test_a_coded_attribute_is_written_in_several_ways(
    given_: Any, attribute: str, coding: str
) -> None:
    one = CodedAttribute.of(given_)
    assert (one.attribute, one.coding) == (attribute, coding)
    assert CodedAttribute.of(str(one)) == one


def numbers(**change: Any) -> dict[str, Any]:
    return {"numbers": {**BASE["numbers"], **change}}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (numbers(kappa=float("nan")), "must be a number"),
        (numbers(kappa=float("inf")), "must be a number"),
        (numbers(kappa=10**5000), "kappa"),
        (numbers(kappa="x" * 10_000), "must be a number"),
        (numbers(people=-1), "negative"),
        (numbers(people=1.5), "whole number"),
        (numbers(cells=10**5000), "300 digits"),
        (numbers(sd={"kappa": -1}), "at least 0"),
        (numbers(kapa=1), "did you mean 'kappa'"),
        ({"population": {"a": {"from": 3, "to": 1}}}, "smaller end first"),
        ({"population": [1]}, "must have entries"),
        ({"quasi_identifier": []}, "too few"),
        ({"quasi_identifier": [{"attribute": "a"}] * 2}, "twice"),
        ({"quasi_identifier": [{"attribute": f"a{n}"} for n in range(51)]}, "at most 50"),
        ({"quasi_identifier": [{"attribute": "a\x1b"}]}, "cannot be printed"),
        ({"quasi_identifier": [{"attribute": "a", "coding": "widt=5"}]}, "is no coding"),
        ({"reference_date": "2020-13-01"}, "month"),
        ({"reference_date": "2020-01-01T00:00:00"}, "2021-12-31"),
        ({"reference_date": 0}, "2021-12-31"),
        ({"holder": "me"}, "form"),
        ({"supersedes": "sha256:0"}, "form"),
        ({"licence": "x" * 2_001}, "at most 2000"),
        ({"norm": "\u202e"}, "cannot be printed"),
        ({"access": "all"}, "must be one of"),
        ({"coverage": {"fraction": 2}}, "at most 1"),
        ({"kind": "record/2"}, "must be one of"),
        ({"surprise": 1}, "is not known here"),
    ],
)  # fmt: skip
def test_hostile_records_get_a_sentence(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence) as error:
        Record.of({**BASE, **change})
    assert len(str(error.value)) < 500


@pytest.mark.parametrize("given_", [5, None, [], "", "[]", b"{", "{}"])
def test_what_is_no_record_gets_a_sentence(given_: Any) -> None:
    with pytest.raises(InputError):
        Record.of(given_)


def test_errors_of_a_repository_say_why_and_survive_a_process() -> None:
    refused = NotPublishable(["Too few people.", "The budget is spent."], refusals=("a", "b"))
    assert str(refused) == "Too few people. The budget is spent."
    changed = StoreChanged("Entry 5 was changed.", entry=5)
    for error in (refused, changed):
        again = pickle.loads(pickle.dumps(error))
        assert str(again) == str(error)
        assert vars(again) == vars(error)
    assert NotPublishable("One.").reasons == ("One.",)


def test_a_package_of_the_extra_that_is_missing_gets_a_sentence() -> None:
    with pytest.raises(MissingDependency, match=r"'no_such_package'.*singleout\[repository\]"):
        extra("no_such_package.part")
