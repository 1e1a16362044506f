"""Two versions attribute by attribute: levels before and after, and what degrading brings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from run_command import singleout
from singleout.assessment.comparison.compare import compare
from singleout.assessment.comparison.result import Comparison
from singleout.assessment.report.content import report_of
from singleout.report.page import page

HERE = Path(__file__).parent
PLAN = """
methods: {rating: paper}
columns:
  Age: {role: quasi-identifier, exposure: 4-EE}
  Gender: {role: quasi-identifier, exposure: 4-EE}
  Country: {role: quasi-identifier, exposure: 4-EE}
  Admission Date: {role: quasi-identifier, exposure: 2-EI}
  Blood Type: {role: quasi-identifier, exposure: 2-EI}
  Disease:
    role: sensitive
    moral: 4
    values: {Colds: 1, Flu: 1, Diabetes: 3, HIV: 4, Cancer: 4}
"""


def table(number: int) -> Path:
    return HERE / f"paper_table{number}.csv"


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("plan") / "plan.yaml"
    file.write_text(PLAN)
    return file


@pytest.fixture(scope="module")
def published(plan: Path) -> Comparison:
    """The HIPAA table of the paper (Tables 3 and 11), and the k-anonymous one (2 and 10)."""
    return compare(table(3), table(2), plan)


def test_the_only_difference_of_tables_10_and_11_is_the_blood_type(published: Comparison) -> None:
    # "evaluated as severe vs critical thus leading to a difficult vs easy level of exploitability"
    assert [str(one) for one in published.attributes] == [
        "Age: Critical, Very easy",
        "Gender: Severe, Very easy",
        "Country: Critical, Very easy",
        "Admission Date: Critical, Easy",
        "Blood Type: Critical → Severe, Easy → Difficult",
    ]
    blood = published.attributes_frame().row(4, named=True)
    assert (blood["risk_before"], blood["risk_after"]) == (4, 2)
    assert round(blood["rate_before"], 3) == 0.940
    assert round(blood["rate_after"], 3) == 0.669


def test_without_matched_records_the_levels_of_all_who_know_an_attribute_decide(
    published: Comparison,
) -> None:
    assert {one.attribute: one.pays for one in published.attributes} == {
        "Age": False,
        "Gender": None,
        "Country": False,
        "Admission Date": None,
        "Blood Type": True,
    }
    assert published.not_worth_degrading == ("Age", "Country")
    assert not any(one.tried for one in published.attributes)
    assert "Age, Country" in published.on_attributes


def test_coarser_dates_gain_nothing_where_everybody_is_alone_with_age_and_country(
    plan: Path,
) -> None:
    found = compare(table(1), table(3), plan)
    assert found.not_worth_degrading == ("Admission Date",)
    (date,) = [one for one in found.attributes if one.degraded]
    assert (date.attribute, date.tried, date.pays) == ("Admission Date", True, False)


SMALL: dict[str, Any] = {
    "columns": {
        "age": {"role": "quasi-identifier", "exposure": "EE"},
        "shoe": {"role": "quasi-identifier", "exposure": "EE"},
        "ill": {"role": "sensitive", "moral": 4, "values": {"none": 1}},
    }
}


def people(age: list[str] | None, shoe: list[str] | None) -> pl.DataFrame:
    ill = [*["none"] * 9, "HIV"] * 2
    columns = {"age": age, "shoe": shoe, "ill": ill}
    return pl.DataFrame({name: values for name, values in columns.items() if values is not None})


AGES = [str(20 + person) for person in range(20)]
DECADES = [age[0] + "*" for age in AGES]
SHOES = ["41"] * 10 + ["42"] * 10


def test_what_protects_pays_and_what_says_the_same_again_does_not() -> None:
    # the shoe is told by the decade already: nobody is safer for a coarser one
    found = compare(people(AGES, SHOES), people(DECADES, ["4*"] * 20), SMALL)
    assert {one.attribute: one.pays for one in found.attributes} == {"age": True, "shoe": False}
    assert found.not_worth_degrading == ("shoe",)


def test_an_attribute_that_was_left_out_is_judged_too() -> None:
    found = compare(people(AGES, SHOES), people(DECADES, None), SMALL)
    shoe = next(one for one in found.attributes if one.attribute == "shoe")
    assert (shoe.degraded, shoe.pays, shoe.after) == (True, False, None)
    assert str(shoe).startswith("shoe: ")
    assert found.attributes_frame().row(by_predicate=pl.col("attribute") == "shoe")
    other = compare(people(AGES, SHOES), people(None, SHOES), SMALL)
    assert other.not_worth_degrading == ()


def test_names_of_people_hide_nothing_of_what_the_rest_brings() -> None:
    named = {"columns": {**SMALL["columns"], "name": {"role": "direct-identifier"}}}
    names = pl.Series("name", [f"person {number}" for number in range(20)])
    before, after = (
        people(ages, shoes).with_columns(names)
        for ages, shoes in ((AGES, SHOES), (DECADES, ["4*"] * 20))
    )
    assert compare(before, after, named).not_worth_degrading == ("shoe",)


def test_a_policy_that_breaks_makes_an_attribute_worth_degrading() -> None:
    harmless = {"columns": {**SMALL["columns"], "ill": {"role": "sensitive", "moral": 1}}}
    ages = ["2*"] * 20
    assert (
        "shoe"
        in compare(people(ages, SHOES), people(ages, ["4*"] * 20), harmless).not_worth_degrading
    )
    asked = {**harmless, "policy": {"k": 20}}
    found = compare(people(ages, SHOES), people(ages, ["4*"] * 20), asked)
    assert found.not_worth_degrading == ()


def test_the_screen_the_file_the_picture_and_the_report_tell_the_same(
    plan: Path, tmp_path: Path
) -> None:
    out, picture, report = (tmp_path / name for name in ("a.csv", "a.svg", "report.html"))
    done = singleout(
        "compare", table(3), table(2), "--plan", plan, "--attributes", out,
        "--plot-attributes", picture, "--output", report,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    line = next(line for line in done.stdout.splitlines() if line.strip().startswith("Blood"))
    assert "Critical → Severe" in line
    assert "Easy → Difficult" in line
    assert "Critical → Significant" in line
    assert "Not worth degrading by these levels: Age, Country." in done.stdout
    frame = pl.read_csv(out)
    assert frame["attribute"].to_list()[-1] == "Blood Type"
    assert frame["inference_after"].to_list() == [4, 3, 4, 4, 3]
    assert "<svg" in picture.read_text()
    html = report.read_text()
    assert "4 Critical → 3 Severe" in html
    assert "3 Easy → 2 Difficult" in html
    assert "Not worth degrading" in html


def test_json_has_the_attributes(plan: Path, published: Comparison) -> None:
    done = singleout("compare", table(3), table(2), "--plan", plan, "--json")
    answer = json.loads(done.stdout)
    assert answer["not_worth_degrading"] == ["Age", "Country"]
    assert answer["attributes"] == json.loads(published.to_json())["attributes"]
    assert "By attribute" in page(report_of(published.after, comparison=published))
