"""With weights a match is right by 1/F, or by the individual risk where the plan says so."""

from pathlib import Path
from typing import Any

import pytest

import singleout as so

KNOWN = {"role": "quasi-identifier", "exposure": "EE"}


def plan(**methods: str) -> dict[str, Any]:
    names = ("PUMA", "AGEP", "SEX", "RAC1P")
    return {
        "columns": dict.fromkeys(names, KNOWN)
        | {"DREM": {"role": "sensitive", "moral": 4}, "PWGTP": {"role": "weight"}},
        "methods": methods,
    }


def test_the_individual_risk_is_taken_where_the_plan_says_so(real_data: Path) -> None:
    table = so.read(real_data / "ma2019.csv")
    by_people = so.assess(table, plan(), advice=False)
    individual = so.assess(table, plan(identity="individual"), advice=False)
    risk = so.individual_risk(table, ["PUMA", "AGEP", "SEX", "RAC1P"], "PWGTP")
    # the mean that the specification of the verdict gives, and E[1/F] > 1/E[F]
    assert by_people.records["identity"].mean() == pytest.approx(0.002474, abs=5e-7)
    assert individual.records["identity"].mean() == pytest.approx(risk.global_risk)
    assert individual.records["identity"].to_list() == pytest.approx(risk.risk.tolist())
    assert individual.record_risks.at_risk >= by_people.record_risks.at_risk
    assert any("1/F" in note for note in by_people.notes)
    assert any("Benedetti and Franconi" in note for note in individual.notes)


def test_advice_rates_by_the_same(real_data: Path) -> None:
    table = so.read(real_data / "ma2019.csv")
    for method in ("people", "individual"):
        found = so.assess(table, plan(identity=method) | {"policy": {"k": 3}})
        assert found.remedy is not None
        left = plan(identity=method)
        left["columns"] = {
            name: column
            for name, column in left["columns"].items()
            if name in found.remedy.table.columns
        }
        changed = so.assess(found.remedy.table, left, advice=False)
        assert changed.record_risks.at_risk == found.remedy.after.at_risk


def test_without_weights_it_makes_no_difference() -> None:
    data = {"a": [1, 1, 2], "s": ["x", "y", "x"]}
    columns = {"a": KNOWN, "s": {"role": "sensitive", "moral": 3}}
    one, other = (
        so.assess(data, {"columns": columns, "methods": {"identity": identity}}, advice=False)
        for identity in ("people", "individual")
    )
    assert one.records.equals(other.records)
    assert not any("match" in note for note in one.notes)
