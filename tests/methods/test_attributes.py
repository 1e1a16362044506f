"""Distinction, separation and minimal keys."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_attributes as naive
import singleout as so
from singleout.errors import BadChoice, UndefinedMeasure, UnknownColumns, UnusableTable

NAMES = ("a", "b", "c")


def table_of(rows: list[tuple[Any, ...]]) -> dict[str, list[Any]]:
    return {name: [row[at] for row in rows] for at, name in enumerate(NAMES)}


@given(
    rows=st.lists(st.tuples(*[st.sampled_from([0, 1, 2, None])] * 3), min_size=1, max_size=12),
    max_size=st.integers(1, 4),
    drop=st.booleans(),
)
def test_every_combination_is_that_of_the_naive_twin(
    rows: list[tuple[Any, ...]], max_size: int, drop: bool
) -> None:
    data = table_of(rows)
    try:
        risk = so.attribute_risk(data, NAMES, max_size, missing="drop" if drop else "value")
    except UnusableTable:
        assert drop
        assert all(row[at] is None for row in rows for at in range(3))
        return
    for one in risk.combinations:
        at = [NAMES.index(name) for name in one.columns]
        counted = [row for row in rows if not drop or None not in naive.part(row, at)]
        assert one.records == len(counted)
        assert one.distinction == pytest.approx(float(naive.distinction(counted, at)))
        assert one.separation == pytest.approx(float(naive.separation(counted, at)))
    if not drop:
        keys = {frozenset(NAMES.index(name) for name in key) for key in risk.keys}
        assert keys == naive.minimal_keys(rows, 3, min(max_size, 3))
        distinctions = [one.distinction for one in risk.combinations]
        assert distinctions == sorted(distinctions, reverse=True)


def test_groups_are_measured_as_if_they_were_alone() -> None:
    rows = [(1, "x", 1), (1, "y", 1), (2, "x", None), (2, "x", 3), (2, "z", 3)]
    data = table_of(rows) | {"region": ["n", "n", "s", "s", "s"]}
    risk = so.attribute_risk(data, NAMES, by="region")
    for region, part in risk.groups.items():
        alone = so.attribute_risk(data, NAMES, where=f"region = '{region}'")
        assert part.combinations == alone.combinations
    assert risk.to_frame()["group"].n_unique() == 3


def test_adult_by_what_anonymity_sets_count(real_data: Path) -> None:
    table = so.read(real_data / "adult.csv")
    risk = so.attribute_risk(table, max_size=2)
    assert not risk.keys
    for names in (("age",), ("age", "occupation"), ("sex", "race")):
        sets = so.anonymity_sets(table, names)
        one = risk.of(*names)
        assert (one.distinct, one.unique) == (sets.sets, sets.unique)
    assert risk.of("sex").separation == pytest.approx(
        2 * (20_380 / 30_162) * (9_782 / 30_161), abs=1e-12
    )


def test_roles_that_nobody_matches_by_are_left_out_and_named() -> None:
    table = so.read({"id": [1, 2], "a": [1, 1]}).with_roles({"id": "direct-identifier"})
    risk = so.attribute_risk(table)
    assert risk.columns == ("a",)
    assert any("'id' was left out" in note for note in risk.notes)


def test_what_cannot_be_measured_is_refused_in_a_sentence() -> None:
    wide = {f"c{index}": [1, 2] for index in range(60)}
    with pytest.raises(BadChoice, match="fewer columns or a smaller max_size"):
        so.attribute_risk(wide, max_size=5)
    with pytest.raises(UndefinedMeasure, match="matches everything"):
        so.attribute_risk({"a": [1, None]}, missing="wildcard")
    with pytest.raises(BadChoice, match="max_size must be a whole number of columns"):
        so.attribute_risk({"a": [1, 2]}, max_size=0)
    with pytest.raises(UnknownColumns):
        so.attribute_risk({"a": [1, 2]}, ["b"])


def test_the_picture_and_the_plain_values() -> None:
    risk = so.attribute_risk(table_of([(1, 2, 3), (1, 2, 4), (2, 2, 4)]), max_size=2)
    assert risk.to_dict(2)["worst"][0]["columns"] == ["a", "c"]
    assert risk.to_dict()["keys"] == [["a", "c"]]
    drawn = risk.plot(top=3).to_dict()
    assert len(next(iter(drawn["datasets"].values()))) == 3
    assert "tells all records apart" in str(risk)


def test_a_combination_is_asked_for_by_names_or_a_list() -> None:
    risk = so.attribute_risk({"age": [30, 30, 41], "sex": list("fmm")}, max_size=2)
    assert risk.of(["sex", "age"]) is risk.of("age", "sex")
    with pytest.raises(BadChoice, match="was not measured"):
        risk.of("name")
