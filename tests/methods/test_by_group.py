"""Each group of records is measured as if it were alone."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import singleout as so
from singleout.errors import BadChoice

CELLS = st.sampled_from(["x", "y", None])
ROWS = st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=2, max_size=14)


def table_of(rows: list[tuple[Any, ...]]) -> dict[str, list[Any]]:
    return {
        **{name: [row[at] for row in rows] for at, name in enumerate("abs")},
        "region": [("north", "south")[at % 2] for at in range(len(rows))],
    }


def nobody_is_left(rows: list[tuple[Any, ...]], missing: str) -> bool:
    return missing == "drop" and all(None in row for row in rows)


@given(rows=ROWS, missing=st.sampled_from(["value", "drop"]))
def test_discrimination_by_group(rows: list[tuple[Any, ...]], missing: str) -> None:
    data = table_of(rows)
    if nobody_is_left(rows, missing):
        with pytest.raises(so.SingleoutError, match="none is left"):
            so.discrimination_rate(data, ["a", "b"], "s", missing=missing, by="region")
        return
    found = so.discrimination_rate(data, ["a", "b"], "s", missing=missing, by="region")
    for region in ("north", "south"):
        where = f"region = '{region}'"
        if region not in found.groups:
            assert any(f"Group {region}" in note for note in found.notes)
            continue
        alone = so.discrimination_rate(data, ["a", "b"], "s", missing=missing, where=where)
        part = found.groups[region]
        assert part.to_dict() | {"notes": []} == alone.to_dict() | {"notes": []}
        assert part.per_record.tolist() == pytest.approx(alone.per_record.tolist(), nan_ok=True)


@given(rows=ROWS, missing=st.sampled_from(["value", "never", "drop"]))
def test_suda_by_group(rows: list[tuple[Any, ...]], missing: str) -> None:
    data = table_of(rows)
    if nobody_is_left(rows, missing):
        with pytest.raises(so.SingleoutError, match="none is left"):
            so.suda(data, ["a", "b", "s"], missing=missing, by="region")
        return
    found = so.suda(data, ["a", "b", "s"], missing=missing, by="region")
    for at, region in enumerate(("north", "south")):
        if region not in found.groups:
            assert any(f"Group {region}" in note for note in found.notes)
            continue
        where = f"region = '{region}'"
        alone = so.suda(data, ["a", "b", "s"], missing=missing, where=where)
        part = found.groups[region]
        assert part.score.tolist() == alone.score.tolist()
        assert (part.unique, part.in_pairs) == (alone.unique, alone.in_pairs)
        # records keep their numbers in the whole table
        assert part.record.tolist() == [2 * (number - 1) + 1 + at for number in alone.record]
    assert {group["group"] for group in found.to_dict()["groups"]} == set(found.groups)


def test_without_names_the_column_of_the_groups_is_not_combined() -> None:
    data = {"a": [1, 2, 3], "region": ["n", "n", "s"]}
    assert so.suda(data, by="region").columns == ("a",)


@pytest.mark.parametrize(
    "measure",
    [
        lambda data, by: so.suda(data, ["a"], by=by),
        lambda data, by: so.discrimination_rate(data, ["a"], "s", by=by),
        lambda data, by: so.attacker_risk(data, ["a"], by=by),
        lambda data, by: so.attribute_risk(data, ["a"], by=by),
    ],
)
def test_no_result_is_given_by_the_values_of_a_direct_identifier(measure: Any) -> None:
    data = so.read({"a": [1, 2], "s": [1, 2], "name": ["Ann", "Bob"]})
    with pytest.raises(BadChoice, match="identifies people directly"):
        measure(data.with_roles({"name": "direct-identifier"}), "name")
    with pytest.raises(so.SingleoutError, match="nowhere"):
        measure(data, "nowhere")
