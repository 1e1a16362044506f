"""Tables 4 to 6 of Sondeck and Laurent where people meet them, and bounds of one's own."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from run_command import refused, singleout
from singleout.assessment.assess import assess
from singleout.assessment.plan.plan import Plan
from singleout.assessment.report.impacts import impacts_section
from singleout.errors import SingleoutError, UndefinedMeasure
from singleout.report.content import Level, ReportTable

HERE = Path(__file__).parent
ORIGINAL = HERE / "paper_table1.csv"
IMPACTS = "bodily: 1, material: 1, moral: 1"
PLAN = f"""
columns:
  Age: {{role: quasi-identifier, exposure: EE, {IMPACTS}}}
  Gender: {{role: quasi-identifier, exposure: EE, {IMPACTS}}}
  Country: {{role: quasi-identifier, exposure: EE, {IMPACTS}}}
  Admission Date: {{role: quasi-identifier, exposure: IE, {IMPACTS}}}
  Blood Type: {{role: quasi-identifier, exposure: IE, {IMPACTS}}}
  Disease:
    role: sensitive
    bodily: 1
    material: 3
    moral: 4
    values: {{Colds: 1, Flu: 1, Diabetes: 3, HIV: 4, Cancer: 4}}
"""


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("plan") / "plan.yaml"
    file.write_text(PLAN)
    return file


def tables(plan: Path) -> list[ReportTable]:
    (section,) = impacts_section(assess(ORIGINAL, plan, advice=False))
    return [part for part in section.parts if isinstance(part, ReportTable)]


def test_table_4_is_in_the_report(plan: Path) -> None:
    negligible = Level(1, "Negligible")
    attributes = tables(plan)[0]
    assert [row[0] for row in attributes.rows][-1] == "Disease"
    assert all(row[1:] == (negligible,) * 4 for row in attributes.rows[:5])
    maximum = Level(4, "Maximum")
    assert attributes.rows[5][1:] == (negligible, Level(3, "Significant"), maximum, maximum)


def test_table_5_is_in_the_report(plan: Path) -> None:
    values = tables(plan)[1]
    assert [(row[0], row[1].level) for row in values.rows if isinstance(row[1], Level)] == [
        ("Colds", 1),
        ("Flu", 1),
        ("Diabetes", 3),
        ("HIV", 4),
        ("Cancer", 4),
        ("all other values", 4),
    ]


def test_a_plan_without_impacts_has_no_such_section() -> None:
    plan = {"columns": {"Age": {"role": "quasi-identifier"}, "Disease": {"role": "sensitive"}}}
    assert list(impacts_section(assess(ORIGINAL, plan, advice=False))) == []


def test_table_6_is_a_file_for_its_owner_only(plan: Path, tmp_path: Path) -> None:
    out = tmp_path / "entries.csv"
    done = singleout("assess", ORIGINAL, "--plan", plan, "--no-advice", "--csv", out)
    assert done.returncode == 0, done.stderr
    entries = pl.read_csv(out, infer_schema=False)
    original = pl.read_csv(ORIGINAL, infer_schema=False)
    columns = ["Age", "Gender", "Country", "Admission Date", "Blood Type", "Disease"]
    # a spreadsheet would compute what begins like a formula, and nothing here does
    assert entries.select(columns).rows() == original.select(columns).rows()
    severe = entries.filter(pl.col("severe").str.to_lowercase() == "true")
    assert severe["record"].to_list() == ["6", "7", "8", "9"]
    assert severe["severity"].to_list() == ["4", "3", "4", "4"]
    assert stat.S_IMODE(out.stat().st_mode) == 0o600


def test_entries_have_no_direct_identifiers_and_need_records() -> None:
    people = {"name": ["Ann", "Bob"], "age": [1, 2], "risk": ["a", "b"]}
    plan = {
        "columns": {
            "name": {"role": "direct-identifier"},
            "age": {"role": "quasi-identifier"},
            "risk": {"role": "sensitive", "moral": 4},
        }
    }
    found = assess(pl.DataFrame(people), plan, advice=False)
    assert "name" not in found.entries().columns
    assert found.entries()["risk (value)"].to_list() == ["a", "b"]
    counted = assess(ORIGINAL, Plan.parse(PLAN), advice=False, engine="database")
    with pytest.raises(UndefinedMeasure):
        counted.entries()


def test_top_keeps_the_table_on_the_screen_beside_a_report(plan: Path, tmp_path: Path) -> None:
    words = ["assess", ORIGINAL, "--plan", plan, "--no-advice"]
    brief = singleout(*words, "--output", tmp_path / "a.html")
    assert "Worst of what could be known" not in brief.stdout
    whole = singleout(*words, "--output", tmp_path / "b.html", "--top", "20")
    assert "Worst of what could be known" in whole.stdout
    assert "Blood Type" in whole.stdout


# ---- bounds


def test_the_bounds_of_inference_are_those_of_the_plan() -> None:
    table = HERE / "paper_table2.csv"
    given = {**Plan.parse(PLAN).to_dict(), "methods": {"rating": "paper"}}
    usual = assess(table, given, advice=False)
    given["matrices"] = {"inference": [0.25, 0.5, 0.9]}
    higher = assess(table, given, advice=False)
    assert set(usual.rows["inference"].to_list()) == {3, 4}
    assert set(higher.rows["inference"].to_list()) == {3}
    assert higher.plan.matrices.inference == (0.25, 0.5, 0.9)
    assert Plan.parse(higher.plan.to_yaml()) == higher.plan


def test_records_are_rated_by_them_too() -> None:
    # identity is one third everywhere, and a gain of 5/9 is the largest
    given: dict[str, Any] = {**Plan.parse(PLAN).to_dict()}
    given["matrices"] = {"inference": [0.2, 0.3, 0.4]}
    found = assess(HERE / "paper_table2.csv", given, advice=False)
    easiest = found.rows.filter(pl.col("name") == "EE")
    assert easiest["inference"].to_list() == [3]
    assert found.level == 4
    lenient = {**given, "matrices": {"inference": [0.6, 0.7, 0.8]}}
    assert assess(HERE / "paper_table2.csv", lenient, advice=False).highest == 2


def test_a_rate_on_a_bound_belongs_to_the_level_above_it() -> None:
    plan = {
        "columns": {
            "age": {"role": "quasi-identifier", "exposure": "EE"},
            "ill": {"role": "sensitive", "moral": 4},
        },
        "matrices": {"inference": [0.1, 0.2, 0.3]},
    }
    # classes of ten: identity is a tenth, and shares of 7/10 and 1/10 against 4/10: a gain of .3
    people = pl.DataFrame(
        {
            "age": ["a"] * 10 + ["b"] * 10,
            "ill": ["x"] * 7 + ["y"] * 3 + ["x"] + ["y"] * 9,
        }
    )
    rows = assess(people, plan, advice=False).records
    assert rows.filter(pl.col("gain") > 0)["exploitability"].unique().to_list() == [4]


@pytest.mark.parametrize("bounds", [[0.5], [0.5, 0.25, 0.75], [0, 0.5, 0.75], "wide", [1, 2, 3]])
def test_bounds_that_are_none_are_refused_in_a_sentence(bounds: Any) -> None:
    with pytest.raises(SingleoutError, match="three rates that rise"):
        Plan.of(
            {"columns": {"age": {"role": "quasi-identifier"}}, "matrices": {"inference": bounds}}
        )


def test_a_csv_over_the_data_is_refused(plan: Path) -> None:
    done = singleout("assess", ORIGINAL, "--plan", plan, "--csv", ORIGINAL, "--force")
    assert "is the data itself" in refused(done)
