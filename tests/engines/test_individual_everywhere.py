"""`so.individual_risk` gives the same risks wherever the data is."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
import tables
from stores import Put

import singleout as so
from singleout.errors import UnusableColumn


def assert_same(data: Any, frame: pl.DataFrame, known: list[str], **choices: Any) -> None:
    found = so.individual_risk(data, known, "weight", **choices)
    expected = so.individual_risk(frame, known, "weight", **choices)
    assert list(found.groups) == list(expected.groups)
    pairs = [(found, expected)]
    pairs += [(found.groups[key], expected.groups[key]) for key in expected.groups]
    for ours, theirs in pairs:
        assert (ours.records, ours.dropped) == (theirs.records, theirs.dropped)
        assert [ours.above(r) for r in (0.01, 0.1)] == [theirs.above(r) for r in (0.01, 0.1)]
        # risks are summed in another order
        assert ours.expected == pytest.approx(theirs.expected, rel=1e-12)
        assert ours.highest == pytest.approx(theirs.highest, rel=1e-12)
        homes, their_homes = ours.household_spread, theirs.household_spread
        assert (homes is None) == (their_homes is None)
        if homes is not None and their_homes is not None:
            assert homes.expected == pytest.approx(their_homes.expected, rel=1e-12)
        assert ours.notes == theirs.notes
        assert ours.threshold(0.05).risk == pytest.approx(theirs.threshold(0.05).risk, rel=1e-9)


def test_risks_are_the_same(there: Put) -> None:
    frame = tables.people()
    data = there(frame, "people")
    assert_same(data, frame, ["zip", "sex", "children"])
    assert_same(data, frame, ["zip", "sex", "children"], household="age")
    assert_same(data, frame, ["zip", "children"], by="sex", household="age")
    assert_same(data, frame, ["zip", "children"], where="sex = 'f'")


@pytest.mark.parametrize("missing", ["value", "wildcard", "drop"])
def test_missing_values_mean_the_same(there: Put, missing: str) -> None:
    frame = tables.nulls().with_columns(weight=pl.int_range(pl.len()) / 4)
    data = there(frame, "nulls_with_weights")
    assert_same(data, frame, ["age", "sex"], missing=missing)
    assert_same(data, frame, ["age", "sex"], missing=missing, household="born")


def test_weights_that_are_none_are_refused(there: Put) -> None:
    frame = pl.DataFrame({"x": ["a", "b"], "weight": [1.0, -1.0]})
    with pytest.raises(UnusableColumn, match="weight"):
        so.individual_risk(there(frame, "negative_weights"), ["x"], "weight")


def test_a_survey_has_the_same_risks(there: Put, real_data: Path) -> None:
    frame = pl.read_csv(real_data / "sdcmicro_testdata.csv").rename({"sampling_weight": "weight"})
    known = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
    assert_same(there(frame, "survey"), frame, known, household="ori_hid")
