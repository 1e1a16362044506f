"""Impossible and inconsistent records are set apart; what noise can explain is not."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_cases import ALICE, Place, exact, record, send

from singleout.core.counts import SizeProfile
from singleout.repository.documents.record import Record
from singleout.repository.gate.gate import Released, release
from singleout.repository.store.admitted.agreement import contradictions, disagree, is_coarser
from singleout.repository.store.admitted.plausibility import impossible

tables = st.lists(st.integers(1, 60), min_size=3, max_size=40).filter(lambda c: sum(c) > 3)


@given(tables, st.integers(0, 50))
def test_the_numbers_of_every_table_are_possible(counts: list[int], empty: int) -> None:
    assert impossible(exact(counts, len(counts) + empty)) == ()


@settings(max_examples=40)
@given(
    st.lists(st.integers(1, 300), min_size=60, max_size=150),
    st.integers(0, 100),
    st.sampled_from(["public", "registered"]),
    st.binary(min_size=32, max_size=32),
)
def test_what_the_gate_lets_through_is_possible(
    counts: list[int], empty: int, tier: str, key: bytes
) -> None:
    sizes, cells = np.unique(counts, return_counts=True)
    released = release(SizeProfile(sizes, cells), len(counts) + empty, tier=tier, key=key)
    if not isinstance(released, Released):
        return
    fields = ("people", "cells", "support", "largest", "kappa", "s2", "s3", "small", "sd")
    numbers = {name: getattr(released, name) for name in fields}
    made = Record.of({"quasi_identifier": [{"attribute": "age"}], "numbers": numbers})
    assert impossible(made) == ()


@pytest.mark.parametrize(
    ("numbers", "sentence"),
    [
        ({"kappa": -0.5}, "never negative"),
        ({"kappa": 9.0}, "at most the logarithm"),
        ({"support": 10, "kappa": 0.0, "s2": 0.2, "s3": 0.05}, "too small for"),
        ({"support": 200}, "more than the 100 possible"),
        ({"people": 1000, "cells": 5000, "support": 3000}, "people can occupy"),
        ({"s2": 0.0001, "s3": 1e-7}, "too small for"),
        ({"s2": 1.5}, "not between 0 and 1"),
        ({"s2": 0.5, "s3": 0.3}, "more than the share of the largest cell"),
        ({"kappa": 2.0, "s2": 0.0102}, "too small for a distance of"),
        ({"s3": 1e-9}, "smaller than the square"),
        ({"s3": 0.009}, "too large for"),
        ({"small": 1.8}, "not between 0 and 1"),
        ({"support": 20, "kappa": 1.7, "small": 0.9, "s2": 0.05}, "needs more occupied cells"),
    ],
)
def test_impossible_numbers_are_set_apart_with_the_reason(
    file_place: Place, numbers: dict[str, float], sentence: str
) -> None:
    store = file_place.create()
    receipt = send(store, record({"City": "Urk"}, numbers=numbers))
    assert receipt.state == "quarantined"
    assert any(sentence in reason for reason in receipt.reasons), receipt.reasons


def test_noise_widens_the_checks() -> None:
    exactly = record({"City": "Urk"}, numbers={"kappa": -0.05}, tier="none")
    assert impossible(exactly) != ()
    noisy = record({"City": "Urk"}, numbers={"kappa": -0.05})
    assert noisy.numbers.sd.kappa is not None
    assert 6 * noisy.numbers.sd.kappa > 0.05
    assert impossible(noisy) == ()


def test_a_legacy_tuple_is_checked_as_far_as_it_goes() -> None:
    assert impossible(Record.legacy_tuple(["age"], {"City": "Urk"}, 0.4011, cells=95)) == ()
    assert impossible(Record.legacy_tuple(["age"], {"City": "Urk"}, 0.4011)) == ()
    assert impossible(Record.legacy_tuple(["age"], {"City": "Urk"}, -0.001, cells=95)) == ()
    assert len(impossible(Record.legacy_tuple(["age"], {}, 5.0, cells=95))) == 1


def _of(
    attributes: list[dict[str, str]], counts: list[int], cells: int, where: Any = None
) -> Record:
    return exact(counts, cells, quasi_identifier=attributes, population=where or {})


def test_a_finer_quasi_identifier_has_more_entropy_and_fewer_pairs(file_place: Place) -> None:
    age, sex = {"attribute": "age"}, {"attribute": "sex"}
    coarse = _of([age], [100] * 10, 10)
    fine = _of([age, sex], [50] * 20, 20)
    assert contradictions(fine, [coarse], []) == []
    assert contradictions(coarse, [fine], []) == []
    wrong = _of([age, sex], [500, 500], 20)
    assert len(contradictions(wrong, [coarse], [])) == 2
    assert len(contradictions(coarse, [wrong], [])) == 2
    store = file_place.create(personal=True, owner=ALICE)
    send(store, coarse)
    receipt = send(store, wrong)
    assert receipt.state == "quarantined"
    assert coarse.id in receipt.reasons[0]
    assert send(store, fine.model_copy(update={"supersedes": wrong.id})).state == "valid"


def test_wider_intervals_are_coarser_if_they_fit() -> None:
    def coded(coding: str) -> Record:
        return _of([{"attribute": "age", "coding": coding}], [10] * 10, 10)

    assert is_coarser(coded("width=10"), coded("width=5"))
    assert is_coarser(coded("width=10"), coded("identity"))
    assert not is_coarser(coded("width=7"), coded("width=5"))
    assert not is_coarser(coded("width=10,offset=3"), coded("width=5"))
    assert not is_coarser(coded("width=5"), coded("width=10"))


def test_a_part_has_no_more_people_or_pairs_than_the_whole(file_place: Place) -> None:
    age = [{"attribute": "age"}]
    whole = _of(age, [100] * 20, 20)
    part = _of(age, [50] * 20, 20, {"City": "Urk"})
    larger = _of(age, [150] * 20, 20, {"City": "Urk"})
    clumped = _of(age, [1900, 1], 20, {"City": "Urk"})
    assert contradictions(part, [], [whole]) == []
    assert "more people than the whole" in contradictions(larger, [], [whole])[0]
    assert "more pairs of people" in contradictions(clumped, [], [whole])[0]
    store = file_place.create(personal=True, owner=ALICE)
    send(store, whole)
    assert send(store, larger).state == "quarantined"
    assert send(store, part.model_copy(update={"supersedes": larger.id})).state == "valid"


def test_records_disagree_only_beyond_noise_and_tolerance() -> None:
    one = record({"City": "Urk"})
    sd = one.numbers.sd.kappa
    assert sd is not None
    near = record({"City": "Urk"}, numbers={"kappa": 3 * sd})
    far = record({"City": "Urk"}, numbers={"kappa": 20 * sd})
    assert not disagree(one, near)
    assert disagree(one, far)
    other_cells = record({"City": "Urk"}, numbers={"cells": 200, "kappa": math.log(2)})
    assert not disagree(one, other_cells)  # the same entropy, from another number of cells
    tuples = [Record.legacy_tuple(["age"], {}, kappa) for kappa in (0.40, 0.41, 0.9)]
    assert not disagree(tuples[0], tuples[1])
    assert disagree(tuples[0], tuples[2])
