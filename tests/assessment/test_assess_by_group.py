"""Each group of records is assessed as if it were the whole file."""

from typing import Any

import polars as pl
import pytest

import singleout as so
from singleout.assessment.report.content import report_of
from singleout.assessment.report.json import report_json
from singleout.errors import BadChoice

PLAN: dict[str, Any] = {
    "columns": {
        "age": {"role": "quasi-identifier", "exposure": "EE"},
        "region": {"role": "other"},
        "ill": {"role": "sensitive", "moral": 4, "values": {"cold": 1}},
        "name": {"role": "other"},
    },
    "policy": {"highest_risk": 2},
}
# in the north everybody of an age has the same illness, in the south nobody can tell
NORTH = {"age": [20] * 30 + [30] * 30, "ill": ["HIV"] * 30 + ["cold"] * 30}
SOUTH = {"age": [20] * 60 + [30] * 60, "ill": ["HIV", "cold", "cold"] * 40}
DATA = pl.DataFrame(
    {
        "age": NORTH["age"] + SOUTH["age"],
        "ill": NORTH["ill"] + SOUTH["ill"],
        "region": ["north"] * 60 + ["south"] * 120,
        "name": [f"p{i}" for i in range(180)],
    }
)


def test_groups_differ_where_their_risks_do() -> None:
    found = so.assess(DATA, PLAN, by="region")
    assert list(found.groups) == ["north", "south"]
    assert (found.groups["north"].level, found.groups["south"].level) == (4, 2)
    for region, part in found.groups.items():
        alone = so.assess(DATA, PLAN, where=f"region = '{region}'")
        assert (part.level, part.shares, part.range) == (alone.level, alone.shares, alone.range)
        assert part.anonymity.k == alone.anonymity.k
        assert part.met is alone.met
    frame = found.groups_frame
    assert frame["records"].to_list() == [60, 120]
    assert frame["at_risk_share"].to_list() == [0.5, 0.0]
    parts = found.groups.values()
    assert frame["possible_level"].to_list() == [part.range[1] for part in parts]
    assert frame["possible_if_member"].to_list() == [part.range_if_member[1] for part in parts]


def test_the_whole_is_the_same_with_groups_and_without() -> None:
    one, other = so.assess(DATA, PLAN, by="region"), so.assess(DATA, PLAN)
    plain = one.to_dict() | {"by": [], "groups": []}
    assert plain == other.to_dict()


def test_a_group_has_the_same_share_of_the_population_as_the_whole() -> None:
    by_size = so.assess(DATA, PLAN | {"population": {"size": 1800}}, by="region")
    by_share = so.assess(DATA, PLAN | {"population": {"sampling_fraction": 0.1}}, by="region")
    for region in ("north", "south"):
        assert by_size.groups[region].shares == by_share.groups[region].shares


def test_groups_are_in_the_report_the_json_and_judged_by_a_new_policy() -> None:
    from singleout.assessment.gate import read_policy, under_policy

    found = so.assess(DATA, PLAN, by=["region", "age"])
    (section,) = [part for part in report_of(found).sections if part.name == "groups"]
    assert len(section.parts[1].rows) == 4
    assert [row["group"] for row in report_json(found)["groups"]] == [
        "north, 20",
        "north, 30",
        "south, 20",
        "south, 30",
    ]
    by_region = so.assess(DATA, PLAN, by="region")
    assert by_region.groups["north"].met is False
    assert under_policy(by_region, read_policy({"k": 30})).groups["north"].met is True
    assert "groups" not in [part.name for part in report_of(so.assess(DATA, PLAN)).sections]


def test_no_group_is_named_by_a_direct_identifier() -> None:
    columns = PLAN["columns"] | {"name": {"role": "direct-identifier"}}
    with pytest.raises(BadChoice, match="identifies people directly"):
        so.assess(DATA, PLAN | {"columns": columns}, by="name")
    with pytest.raises(so.SingleoutError, match="nowhere"):
        so.assess(DATA, PLAN, by="nowhere")


def test_a_group_without_complete_records_is_left_out_and_named() -> None:
    data = DATA.with_columns(pl.when(pl.col("region") == "south").then("age"))
    found = so.assess(data, PLAN | {"missing": "drop"}, by="region")
    assert list(found.groups) == ["south"]
    assert any("Group north" in note for note in found.notes)
