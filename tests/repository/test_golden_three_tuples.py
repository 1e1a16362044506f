"""Koot's three-tuples: what a distance and a number of cells predict, as in spec C16."""

from __future__ import annotations

import pytest

from singleout.repository.answering.prediction import predict_from
from singleout.repository.documents.record import Record

TUPLES = {
    "Laren": (0.0914, 95, 0.623),
    "Urk": (0.4011, 95, 0.506),
    "Amsterdam": (0.086, 80, 0.574),
    "Overbetuwe": (0.055, 80, 0.588),
}


def three_tuple(city: str) -> Record:
    kappa, cells, _ = TUPLES[city]
    return Record.legacy_tuple(["age"], {"City": city}, kappa, cells=cells)


@pytest.mark.parametrize("city", TUPLES)
def test_the_share_of_unique_people_of_a_three_tuple_is_that_of_the_thesis(city: str) -> None:
    assert predict_from(three_tuple(city), 40).share == pytest.approx(TUPLES[city][2], abs=6e-4)


def test_the_bounds_of_urk_are_those_of_all_populations_at_its_distance() -> None:
    low, high = predict_from(three_tuple("Urk"), 40).bounds
    assert low / 40 == pytest.approx(0.490, abs=1e-3)
    assert high / 40 == pytest.approx(0.576, abs=1e-3)


def test_what_rounding_of_the_distance_does_to_the_chance_that_all_are_unique_is_said() -> None:
    record = Record.legacy_tuple(["age"], {"City": "Laren"}, 0.09, cells=95)
    notes = predict_from(record, 40).uniqueness.notes
    assert any("factor" in note for note in notes)
