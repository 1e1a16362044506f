"""Tables 4 to 13 of Sondeck and Laurent, from their Tables 1 to 3 as files and a plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import naive_assess
from singleout.assessment.assess import assess
from singleout.assessment.plan.plan import Plan
from singleout.assessment.rating.scales import (
    EXPLOITABILITIES,
    INFERENCES,
    RISKS,
    SEVERITIES,
    Exposure,
    named_level,
)
from singleout.assessment.result import Assessment

HERE = Path(__file__).parent

PLAN = """
methods: {rating: paper}
columns:
  Age: {role: quasi-identifier, exposure: 4-EE, bodily: 1, material: 1, moral: 1}
  Gender: {role: quasi-identifier, exposure: 4-EE, bodily: 1, material: 1, moral: 1}
  Country: {role: quasi-identifier, exposure: 4-EE, bodily: 1, material: 1, moral: 1}
  Admission Date: {role: quasi-identifier, exposure: 2-EI, bodily: 1, material: 1, moral: 1}
  Blood Type: {role: quasi-identifier, exposure: BLOOD, bodily: 1, material: 1, moral: 1}
  Disease:
    role: sensitive
    bodily: 1
    material: 3
    moral: 4
    values: {Colds: 1, Flu: 1, Diabetes: 3, HIV: 4, Cancer: 4}
"""


def plan(blood: str = "2-EI") -> Plan:
    """Table 7 has 1-RI for the blood type; Tables 8 to 11 rest on 2-EI."""
    return Plan.parse(PLAN.replace("BLOOD", blood))


def assessed(table: int, blood: str = "2-EI") -> Assessment:
    return assess(HERE / f"paper_table{table}.csv", plan(blood))


def rows(found: Assessment, kind: str) -> list[tuple[str, str, str, str]]:
    """The rows of one kind as the paper prints them."""
    return [
        (
            "/".join(row["columns"]),
            str(row["exposure"]),
            named_level(row["inference"], INFERENCES),
            named_level(row["exploitability"], EXPLOITABILITIES),
        )
        for row in found.rows.filter(pl.col("kind") == kind).to_dicts()
    ]


def test_table_4_the_severity_of_attributes_is_their_largest_impact() -> None:
    severities = {
        name: named_level(column.severity or 0, SEVERITIES)
        for name, column in plan().columns.items()
    }
    assert severities == {
        "Age": "1-Negligible",
        "Gender": "1-Negligible",
        "Country": "1-Negligible",
        "Admission Date": "1-Negligible",
        "Blood Type": "1-Negligible",
        "Disease": "4-Maximum",
    }


def test_table_5_the_severity_of_values_is_that_of_the_plan() -> None:
    found = assessed(1)
    diseases = pl.read_csv(HERE / "paper_table1.csv")["Disease"].to_list()
    severities = dict(zip(diseases, found.records["severity"].to_list(), strict=True))
    assert severities == {"Colds": 1, "Flu": 1, "Diabetes": 3, "HIV": 4, "Cancer": 4}


def test_table_6_the_entries_at_risk_are_6_to_9() -> None:
    found = assessed(1)
    highlighted = found.records.filter(pl.col("severity") >= 3)["record"].to_list()
    assert highlighted == [6, 7, 8, 9]
    at_risk = found.records.filter(pl.col("risk") >= 3)["record"].to_list()
    assert at_risk == [6, 7, 8, 9]
    assert set(found.riskiest(4)["record"].to_list()) == {6, 7, 8, 9}
    # everybody is alone with age, gender and country: very easy, so severity decides
    assert found.records["exploitability"].to_list() == [4] * 12
    assert found.records["risk"].to_list() == [2, 2, 2, 2, 2, 4, 4, 4, 4, 2, 2, 2]


@pytest.mark.parametrize("table", [1, 2, 3])
def test_the_risk_of_each_record_is_that_of_the_definition(table: int) -> None:
    people = pl.read_csv(HERE / f"paper_table{table}.csv", infer_schema=False)
    groups: dict[int, list[Any]] = {
        4: people.select("Age", "Gender", "Country").rows(),
        2: people.select("Admission Date", "Blood Type").rows(),
    }
    severity = {"Colds": 1, "Flu": 1, "Diabetes": 3, "HIV": 4, "Cancer": 4}
    expected = naive_assess.record_risks(groups, people["Disease"].to_list(), severity)
    assert assessed(table).records["risk"].to_list() == expected


def test_table_7_the_blood_type_is_restricted_within() -> None:
    exposures = {
        row["name"]: f"{row['exposure']}-{Exposure(row['exposure']).name}"
        for row in assessed(1, "1-RI").rows.filter(pl.col("kind") == "attribute").to_dicts()
    }
    # the paper's abbreviations are turned round: EI and RI
    assert exposures == {
        "Age": "4-EE",
        "Gender": "4-EE",
        "Country": "4-EE",
        "Admission Date": "2-IE",
        "Blood Type": "1-IR",
    }


def test_with_the_blood_type_of_table_7_each_internal_attribute_is_a_level_of_its_own() -> None:
    found = assessed(2, "1-RI")
    assert rows(found, "exposure") == [
        ("Age/Gender/Country", "4", "4-Critical", "4-Very easy"),
        ("Admission Date", "2", "4-Critical", "3-Easy"),
        ("Blood Type", "1", "3-Severe", "2-Difficult"),
    ]
    assert rows(found, "cumulative") == [
        ("Age/Gender/Country/Admission Date", "2", "4-Critical", "3-Easy"),
        ("Age/Gender/Country/Admission Date/Blood Type", "1", "4-Critical", "2-Difficult"),
    ]
    blood = found.rows.filter((pl.col("kind") == "exposure") & (pl.col("exposure") == 1))
    assert blood["risk"].to_list() == [2]


COMBINED = [
    ("Age/Gender/Country", "4", "4-Critical", "4-Very easy"),
    ("Admission Date/Blood Type", "2", "4-Critical", "3-Easy"),
]


def test_table_8_exploitability_of_the_hipaa_table() -> None:
    assert rows(assessed(3), "exposure") == COMBINED


def test_table_9_exploitability_of_the_k_anonymous_table() -> None:
    assert rows(assessed(2), "exposure") == COMBINED


def test_table_10_attributes_of_the_k_anonymous_table() -> None:
    assert rows(assessed(2), "attribute") == [
        ("Age", "4", "4-Critical", "4-Very easy"),
        ("Gender", "4", "3-Severe", "4-Very easy"),
        ("Country", "4", "4-Critical", "4-Very easy"),
        ("Admission Date", "2", "4-Critical", "3-Easy"),
        ("Blood Type", "2", "3-Severe", "2-Difficult"),
    ]


def test_table_11_attributes_of_the_hipaa_table() -> None:
    assert rows(assessed(3), "attribute") == [
        ("Age", "4", "4-Critical", "4-Very easy"),
        ("Gender", "4", "3-Severe", "4-Very easy"),
        ("Country", "4", "4-Critical", "4-Very easy"),
        ("Admission Date", "2", "4-Critical", "3-Easy"),
        ("Blood Type", "2", "4-Critical", "3-Easy"),
    ]


@pytest.mark.parametrize("table", [3, 2], ids=["table 12", "table 13"])
def test_tables_12_and_13_both_anonymised_tables_end_critical(table: int) -> None:
    found = assessed(table)
    printed = [
        (
            row["name"],
            named_level(row["exploitability"], EXPLOITABILITIES),
            named_level(row["severity"], SEVERITIES),
            named_level(row["risk"], RISKS),
        )
        for row in found.rows.filter(pl.col("kind") == "exposure").to_dicts()
    ]
    assert printed == [
        ("EE", "4-Very easy", "4-Maximum", "4-Critical"),
        ("IE", "3-Easy", "4-Maximum", "4-Critical"),
    ]
    assert found.level == 4
    assert found.verdict.startswith(
        "Critical risk (4 of 4): for someone who knows Age, Gender and Country (external, "
        "extended) it is very easy to infer Disease"
    )


def test_the_severity_of_a_table_is_that_of_the_values_it_holds() -> None:
    harmless = pl.read_csv(HERE / "paper_table3.csv", infer_schema=False).filter(
        pl.col("Disease").is_in(["Colds", "Flu"])
    )
    found = assess(harmless, plan())
    assert found.rows["severity"].unique().to_list() == [1]
    assert found.level == 2
