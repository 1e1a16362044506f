"""Anonymity sets where a person has several records: k counts people."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_people as naive
import singleout as so
from run_command import refused, singleout
from singleout.errors import SingleoutError

VISITS = {
    "patient": ["a", "a", "a", "b", "c", "c", "d"],
    "age": [30, 30, 30, 41, 41, 41, 30],
    "ward": ["x", "x", "y", "x", "x", "z", "x"],
}
ROW = st.tuples(st.sampled_from("xyz"), st.sampled_from([1, 2, None]), st.integers(0, 5))


def test_visits_of_one_person_hide_nobody() -> None:
    records = so.anonymity_sets(VISITS, ["age"])
    assert records.k == 3
    people = so.anonymity_sets(VISITS, ["age"], unit="patient")
    assert (people.records, people.k, people.unique) == (4, 2, 0)


def test_a_person_is_found_by_the_rarest_of_their_records() -> None:
    found = so.anonymity_sets(VISITS, ["age", "ward"], unit="patient")
    assert (found.unique, found.records, found.at_most(2)) == (2, 4, 4)
    assert str(found) == "age+ward: 4 people; 2 (50.0%) are unique, k = 1"


@given(rows=st.lists(ROW, min_size=1, max_size=30))
def test_people_are_counted_as_by_the_naive_twin(rows: list[tuple[object, ...]]) -> None:
    known, people = [row[:2] for row in rows], [row[2] for row in rows]
    data = {
        "a": [row[0] for row in known],
        "b": pl.Series([row[1] for row in known], dtype=pl.Int64),
        "who": people,
    }
    profile = so.anonymity_sets(pl.DataFrame(data), ["a", "b"], unit="who").profile
    assert np.repeat(profile.sizes, profile.sets).tolist() == naive.rarest(known, people)


def test_the_database_counts_the_same_people(tmp_path: Path) -> None:
    path = tmp_path / "visits.parquet"
    pl.DataFrame(VISITS).write_parquet(path)
    here, there = (
        so.anonymity_sets(path, [["age"], ["age", "ward"]], unit="patient", engine=engine)
        for engine in ("local", "database")
    )
    assert [sets.to_dict() for sets in here] == [sets.to_dict() for sets in there]


def test_people_without_a_value_in_any_record_are_dropped_and_counted() -> None:
    data = {"who": [1, 1, 2, 3], "age": [30, None, None, 30]}
    found = so.anonymity_sets(data, ["age"], missing="drop", unit="who")
    assert (found.records, found.dropped, found.k) == (2, 1, 2)
    assert "One person lacks a quasi-identifier" in found.notes[-1]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"unit": "age"}, "cannot be a quasi-identifier too"),
        ({"unit": "patient", "by": "ward"}, "cannot go with by"),
        ({"unit": "patient", "missing": "wildcard"}, "a wildcard is not defined"),
        ({"unit": "patients"}, "Columns not found"),
    ],
)
def test_what_has_no_meaning_beside_unit_is_refused(options: dict[str, str], words: str) -> None:
    with pytest.raises(SingleoutError, match=words):
        so.anonymity_sets(VISITS, ["age"], **options)


def test_a_record_of_nobody_is_refused() -> None:
    with pytest.raises(SingleoutError, match="'who' is missing in some records"):
        so.anonymity_sets({"who": [1, None], "age": [1, 1]}, ["age"], unit="who")


def test_the_verdict_says_that_people_are_counted(tmp_path: Path) -> None:
    pl.DataFrame(VISITS).write_csv(tmp_path / "visits.csv")
    done = singleout("sets", "visits.csv", "--qi", "age,ward", "--unit", "patient", cwd=tmp_path)
    assert "age+ward: 2 of 4 people (50.0%) can be singled out (k = 1)." in done.stdout
    assert "People are counted, not their 7 records" in " ".join(done.stdout.split())
    both = ["--unit", "patient", "--records", "out.csv"]
    assert "--unit counts people" in refused(
        singleout("sets", "visits.csv", "--qi", "age", *both, cwd=tmp_path)
    )
