"""The findings in the terms of regulators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from singleout.assessment.assess import assess
from singleout.assessment.report.content import report_of
from singleout.assessment.result import Assessment
from singleout.report.page import page

HERE = Path(__file__).parent
PLAN: dict[str, Any] = {
    "columns": {
        **{
            name: {"role": "quasi-identifier", "exposure": "EE"}
            for name in ("Age", "Gender", "Country")
        },
        **{
            name: {"role": "quasi-identifier", "exposure": "IE"}
            for name in ("Admission Date", "Blood Type")
        },
        "Disease": {"role": "sensitive", "moral": 4, "values": {"Colds": 1, "Flu": 1}},
    }
}


@pytest.fixture(scope="module")
def original() -> Assessment:
    return assess(HERE / "paper_table1.csv", PLAN, advice=False)


def by_criterion(found: Assessment) -> dict[str, dict[str, Any]]:
    return {row["criterion"]: row for row in found.regulators().to_dicts()}


def test_the_paper_s_examples_have_the_names_of_the_working_party(original: Assessment) -> None:
    found = by_criterion(original)
    # section 2.2.2: everybody is singled out, linked by age, gender and country, and inferred
    assert found["Singling out"]["finding"].startswith("12 of 12 records (100%) are alone")
    assert "(Age, Gender, Country) 100% of the records" in found["Linkability"]["finding"]
    assert "100% of what there is to guess about Disease" in found["Inference"]["finding"]
    assert {found[name]["source"] for name in ("Singling out", "Linkability", "Inference")} == {
        "WP29, Opinion 05/2014"
    }


def test_the_three_attackers_and_the_threshold_of_the_ema(original: Assessment) -> None:
    found = by_criterion(original)
    assert found["Prosecutor risk"]["finding"].startswith("Highest 100%")
    assert "No population is stated" in found["Journalist risk"]["finding"]
    assert found["Marketer risk"]["finding"].startswith("100% of the records matched")
    assert found["Risk of at most 0.09"]["kept"] is False


@pytest.mark.parametrize(("k", "kept"), [(11, False), (12, True)])
def test_the_limit_of_the_ema_is_kept_from_twelve_records_on(k: int, kept: bool) -> None:
    people = pl.DataFrame({"sex": ["f"] * k + ["m"] * k, "ill": ["x", "y"] * k})
    plan = {
        "columns": {
            "sex": {"role": "quasi-identifier", "exposure": "IE"},
            "ill": {"role": "sensitive", "moral": 2},
        }
    }
    found = by_criterion(assess(people, plan, advice=False))
    assert found["Risk of at most 0.09"]["kept"] is kept
    assert "no attribute that is found outside" in found["Linkability"]["finding"]
    assert found["Severity"]["finding"] == "2 of 4: Limited."


def test_safe_harbor_names_columns_and_identifiers_and_no_value(original: Assessment) -> None:
    row = by_criterion(original)["Safe Harbor"]
    assert row["kept"] is False
    assert "Admission Date" in row["finding"]
    assert "2019-09-21" not in row["finding"]


def test_counted_data_says_where_safe_harbor_is_examined() -> None:
    counted = assess(HERE / "paper_table1.csv", PLAN, advice=False, engine="database")
    local = assess(HERE / "paper_table1.csv", PLAN, advice=False)
    here, there = by_criterion(local), by_criterion(counted)
    assert "singleout hipaa" in there.pop("Safe Harbor")["finding"]
    del here["Safe Harbor"]
    assert here == there


def test_without_a_sensitive_attribute_there_is_nothing_to_infer() -> None:
    plan = {"columns": {"Age": {"role": "quasi-identifier", "exposure": "EE"}}}
    found = by_criterion(assess(HERE / "paper_table1.csv", plan, advice=False))
    assert "no sensitive attribute" in found["Inference"]["finding"]


def test_the_report_has_the_page(original: Assessment) -> None:
    html = page(report_of(original))
    assert "In the terms of regulators" in html
    assert "EMA, Policy 0070" in html
    assert "not kept" in html
