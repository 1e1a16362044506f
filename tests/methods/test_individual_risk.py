"""`so.individual_risk`: records, households, groups, missing values and other tools."""

from __future__ import annotations

import csv
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_individual as naive
import singleout as so
from singleout.errors import BadChoice, UndefinedMeasure, UnknownColumns, UnusableColumn

SHARED = Path(__file__).resolve().parents[3] / "shared"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared")
TESTDATA_KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]

# the table that can be checked by hand of ../shared/data/README.md
HAND: dict[str, list[Any]] = {
    "A": [2, 3, 2, 2, 3, 3, 1, 2],
    "B": [3, 3, 3, 3, 3, 3, 4, 3],
    "C": [1, 3, None, 2, 1, 1, None, 1],
    "weight": [18.0, 45.5, 39.0, 17.0, 92.0, 8.0, 123.5, 51.0],
}
COMPLETE = HAND | {"C": [1, 3, 1, 2, 1, 1, 1, 1]}


def test_the_risks_of_the_hand_table_are_as_published() -> None:
    found = so.individual_risk(COMPLETE, ["A", "B", "C"], "weight")
    assert found.matches.tolist() == [3, 1, 3, 1, 2, 2, 1, 3]
    assert found.people.tolist() == [108, 45.5, 108, 17, 100, 100, 123.5, 108]
    published = [0.01355297, 0.08579129, 0.01355297, 0.17707583, 0.01877883, 0.01877883]
    assert found.risk.tolist() == pytest.approx([*published, 0.03931625, 0.01355297], abs=5e-9)
    assert found.expected == pytest.approx(found.risk.sum())
    assert found.global_risk == pytest.approx(found.risk.mean())


def test_a_missing_value_matches_everything_as_in_sdcmicro() -> None:
    found = so.individual_risk(HAND, ["A", "B", "C"], "weight", missing="wildcard")
    assert found.matches.tolist() == [3, 1, 4, 2, 2, 2, 1, 3]
    assert found.people.tolist() == [108, 45.5, 125, 56, 100, 100, 123.5, 108]
    assert found.records == 8


def test_a_missing_value_is_a_value_like_another_unless_said_otherwise() -> None:
    found = so.individual_risk(HAND, ["A", "B", "C"], "weight")
    assert found.matches.tolist() == [2, 1, 1, 1, 2, 2, 1, 2]


def test_records_that_lack_a_value_can_be_left_out() -> None:
    homes = HAND | {"home": [1, 1, 1, 2, 2, 3, 3, 3]}
    found = so.individual_risk(homes, ["A", "B", "C"], "weight", "home", missing="drop")
    assert (found.records, found.dropped) == (6, 2)
    assert np.flatnonzero(np.isnan(found.risk)).tolist() == [2, 6]
    assert found.household is not None
    assert np.flatnonzero(np.isnan(found.household)).tolist() == [2, 6]
    assert found.matches.tolist() == [2, 1, 0, 1, 2, 2, 0, 2]
    assert found.people.tolist() == [69, 45.5, 0, 17, 100, 100, 0, 69]
    assert found.expected == pytest.approx(np.nansum(found.risk))
    assert "2 of 8 records" in found.notes[0]
    assert found.per_record["risk"].null_count() == 2
    assert found.per_record["matches"].to_list()[2] is None


# ---- other tools


def _golden(name: str) -> dict[str, np.ndarray]:
    with (SHARED / "goldens" / name).open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {key: np.array([float(row[key]) for row in rows]) for key in rows[0]}


@needs_shared
def test_testdata_has_the_risks_of_sdcmicro_but_for_its_approximation() -> None:
    theirs = _golden("sdcmicro_testdata_individual_risk_hh.csv")
    whole = _golden("sdcmicro_testdata_global_risk_hh.csv")
    data = SHARED / "data" / "sdcmicro_testdata.csv"
    ours = so.individual_risk(data, TESTDATA_KEYS, "sampling_weight", "ori_hid")
    assert np.array_equal(ours.matches, theirs["fk"])
    assert np.array_equal(ours.people, theirs["Fk"])
    assert np.abs(ours.risk - theirs["risk"]).max() < 5e-5
    assert ours.household is not None
    assert np.abs(ours.household - theirs["hier_risk"]).max() < 2e-4
    assert ours.global_risk == pytest.approx(whole["risk"][0], abs=5e-5)
    assert ours.household_global_risk == pytest.approx(whole["hier_risk"][0], abs=5e-5)
    # for a class of three of 300 people the exact mean of 1/F is lower by 0.4 %
    three = ours.matches == 3
    assert set(ours.risk[three].round(8)) == {0.00495322}
    assert set(theirs["risk"][three].round(8)) == {0.00497512}
    assert round(ours.expected, 4) == 10.7755
    assert round(whole["risk_ER"][0], 4) == 10.7783
    assert ours.household_expected == pytest.approx(51.7996, abs=5e-5)
    assert round(whole["hier_risk_ER"][0], 4) == 51.8129


@needs_shared
def test_francdat_has_the_risks_of_sdcmicro() -> None:
    theirs = _golden("sdcmicro_francdat_freq_risk.csv")
    data = SHARED / "data" / "sdcmicro_francdat.csv"
    ours = so.individual_risk(data, ["Key1", "Key2", "Key3", "Key4"], "w")
    assert ours.matches.tolist() == [2, 2, 2, 1, 1, 1, 1, 2]
    assert ours.risk.tolist() == pytest.approx(theirs["risk"].tolist(), rel=1e-12)


# ---- the naive twin

CELLS = st.sampled_from([None, "a", "b"])
RECORD = st.tuples(
    CELLS, CELLS, st.sampled_from([0.5, 1.0, 3.0, 40.25]), st.sampled_from([None, 1, 2, 3])
)


@given(st.lists(RECORD, min_size=1, max_size=12), st.sampled_from(["value", "wildcard"]))
def test_risks_equal_those_of_the_naive_twin(records: list[tuple[Any, ...]], missing: str) -> None:
    x, y, weights, homes = (list(column) for column in zip(*records, strict=True))
    frame = pl.DataFrame(
        {"x": x, "y": y, "w": weights, "home": homes},
        schema={"x": pl.String, "y": pl.String, "w": pl.Float64, "home": pl.Int64},
    )
    found = so.individual_risk(frame, ["x", "y"], "w", "home", missing=missing)
    expected = naive.risks(list(zip(x, y, strict=True)), weights, missing)
    assert found.risk.tolist() == pytest.approx(expected, rel=1e-12)
    assert found.household is not None
    together = naive.household_risk(homes, expected)
    assert found.household.tolist() == pytest.approx(together, rel=1e-12)
    assert found.household_expected == pytest.approx(sum(together), rel=1e-12)
    assert found.household_global_risk == pytest.approx(sum(together) / len(together), rel=1e-12)
    limit = found.threshold(0.1, household=True)
    assert limit.risk == pytest.approx(naive.threshold(0.1, together), rel=1e-9)


# ---- groups, roles, weights


def test_groups_are_measured_by_themselves() -> None:
    found = so.individual_risk(COMPLETE, ["B", "C"], "weight", by="A")
    assert list(found.groups) == [1, 2, 3]
    for value, part in found.groups.items():
        rows = [at for at, other in enumerate(COMPLETE["A"]) if other == value]
        alone = {name: [cells[at] for at in rows] for name, cells in COMPLETE.items()}
        expected = so.individual_risk(alone, ["B", "C"], "weight")
        assert part.risk.tolist() == expected.risk.tolist()
        assert part.expected == expected.expected
    assert [group["group"] for group in found.to_dict()["groups"]] == ["1", "2", "3"]
    assert found.to_frame()["group"].to_list() == [None, "1", "2", "3"]


def test_a_group_whose_records_are_all_left_out_is_noted() -> None:
    data = HAND | {"part": list("aaabbbcc")} | {"C": [1, 3, 1, 2, 1, 1, None, None]}
    found = so.individual_risk(data, ["A", "B", "C"], "weight", by="part", missing="drop")
    assert (list(found.groups), found.dropped) == (["a", "b"], 2)
    assert any("c" in note for note in found.notes)


def test_columns_are_found_by_their_roles() -> None:
    roles = {
        "A": "quasi-identifier", "B": "quasi-identifier", "weight": "weight", "home": "household",
    }  # fmt: skip
    data = COMPLETE | {"home": [1, 1, 2, 2, 3, 3, 4, 4]}
    by_role = so.individual_risk(so.read(data).with_roles(roles))
    named = so.individual_risk(data, ["A", "B"], "weight", "home")
    assert by_role.risk.tolist() == named.risk.tolist()
    assert by_role.household is not None
    assert by_role.household.tolist() == named.household.tolist()  # type: ignore[union-attr]
    assert (by_role.weights, by_role.household_column) == ("weight", "home")


def test_weights_below_one_are_noted() -> None:
    found = so.individual_risk({"x": ["a", "a", "b"], "w": [0.5, 0.9, 20]}, "x", "w")
    assert found.risk[:2].tolist() == [0.5, 0.5]
    assert "2 of 3 records" in found.notes[0]


def test_a_condition_chooses_records() -> None:
    found = so.individual_risk(COMPLETE, ["A", "B", "C"], "weight", where="A = 3")
    assert found.matches.tolist() == [1, 2, 2]


# ---- what cannot be answered


def test_there_is_no_individual_risk_without_weights() -> None:
    with pytest.raises(BadChoice, match="weights="):
        so.individual_risk(COMPLETE, ["A"])
    with pytest.raises(UnknownColumns, match="'wait'"):
        so.individual_risk(COMPLETE, ["A"], "wait")
    with pytest.raises(UnusableColumn, match="cannot be the weight"):
        so.individual_risk({"x": [1, 2], "w": [1, -1]}, ["x"], "w")


def test_a_wanted_global_risk_is_a_share() -> None:
    found = so.individual_risk(COMPLETE, ["A"], "weight")
    with pytest.raises(BadChoice, match="global_risk"):
        found.threshold(0)
    with pytest.raises(BadChoice, match="household="):
        found.threshold(0.1, household=True)
    assert found.household is None
    assert found.household_global_risk is None
    assert found.household_expected is None


def test_the_risk_of_each_record_is_not_known_of_data_elsewhere(tmp_path: Path) -> None:
    file = tmp_path / "hand.parquet"
    pl.DataFrame(COMPLETE).write_parquet(file)
    found = so.individual_risk(file, ["A", "B", "C"], "weight", engine="database")
    assert found.expected == pytest.approx(0.3803999, abs=1e-7)
    with pytest.raises(UndefinedMeasure, match='engine="local"'):
        _ = found.risk


# ---- ways to look at it


def test_the_result_is_plain_and_can_be_kept() -> None:
    data = COMPLETE | {"home": [1, 1, 2, 2, 3, 3, 4, None]}
    found = so.individual_risk(data, ["A", "B", "C"], "weight", "home")
    plain = json.loads(found.to_json())
    assert plain["household"]["column"] == "home"
    assert plain["above"]["0.05"] == found.above(0.05) == 2
    assert pickle.loads(pickle.dumps(found)).risk.tolist() == found.risk.tolist()
    with pytest.raises(ValueError, match="read-only"):
        found.risk[0] = 1
    assert "8 records" in str(found)
    assert len(found.plot().to_dict()["vconcat"]) == 2
    assert found.per_record.columns == ["matches", "people", "risk", "household_risk"]


def test_the_bands_of_the_picture_are_named_in_percent() -> None:
    data = {"a": [1, 2, 3], "w": [100_000_000.0, 300.0, 20.0]}
    drawn = so.individual_risk(data, ["a"], "w").plot().to_dict()
    bands = [band["band"] for rows in drawn["datasets"].values() for band in rows]
    assert bands[0] == "0–0.0001%"
    assert bands[1:3] == ["0.0001–0.0002%", "0.0002–0.0005%"]
    assert all("e" not in band and band.endswith("%") for band in bands)


@pytest.mark.parametrize("argument", ["weights", "household"])
def test_a_column_is_named_and_not_given_itself(argument: str) -> None:
    named: dict[str, Any] = {"weights": "weight"} | {argument: [2.0, 3.0]}
    with pytest.raises(BadChoice, match=f"{argument} must be the name of a column, not list"):
        so.individual_risk({"age": [30, 41], "weight": [2.0, 3.0]}, "age", **named)
