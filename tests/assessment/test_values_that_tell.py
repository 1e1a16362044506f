"""Values that give someone away: what is inferred, how severe it is, and what is masked."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from run_command import singleout
from singleout.assessment.assess import assess
from singleout.assessment.report.content import report_of
from singleout.methods.discrimination.function import discrimination_rate
from singleout.report.page import page

HERE = Path(__file__).parent
SEVERITIES = {"Colds": 1, "Flu": 1, "Diabetes": 3, "HIV": 4, "Cancer": 4}


def test_group_1_of_table_2_tells_colds_for_certain() -> None:
    found = discrimination_rate(HERE / "paper_table2.csv", "Age", "Disease")
    first = found.told(SEVERITIES).row(0, named=True)
    assert (first["value"], first["records"], first["rate"]) == ("2*", 3, 1.0)
    assert (first["inferred"], first["share"], first["severity"]) == ("Colds", 1.0, 1)


@pytest.mark.parametrize("engine", ["local", "database"])
def test_all_men_of_table_1_have_colds(engine: str) -> None:
    found = discrimination_rate(HERE / "paper_table1.csv", "Gender", "Disease", engine=engine)
    rows = found.told(SEVERITIES).rows(named=True)
    assert [(row["value"], row["inferred"]) for row in rows] == [("M", "Colds"), ("F", "Flu")]
    assert rows[0]["rate"] == 1.0


@pytest.mark.parametrize("engine", ["local", "database"])
def test_rare_values_are_masked_and_counted_unless_records_may_be_shown(engine: str) -> None:
    file = HERE / "paper_table1.csv"
    found = discrimination_rate(file, ["Age", "Gender"], "Disease", engine=engine)
    masked = found.told(SEVERITIES)
    assert set(masked["value"].to_list()) == {"(rare)"}
    assert masked["records"].sum() == 12
    assert masked["values"].sum() == 10
    # rate 1 first, and of these the most severe
    first = masked.row(0, named=True)
    # two people of twelve have HIV, so that it is not named either
    assert (first["rate"], first["inferred"], first["severity"]) == (1.0, "(rare)", 4)
    shown = found.told(SEVERITIES, show_records=True)
    assert "37, F" in shown["value"].to_list()
    assert shown["rate"].to_list() == sorted(shown["rate"].to_list(), reverse=True)


def test_of_equally_common_values_the_most_severe_is_inferred() -> None:
    people = pl.DataFrame({"age": ["a"] * 4 + ["b"] * 4, "ill": ["flu", "HIV"] * 2 + ["flu"] * 4})
    people = pl.concat([people, people])
    found = discrimination_rate(people, "age", "ill")
    assert found.told({"flu": 1, "HIV": 4})["inferred"].to_list() == ["flu", "HIV"]
    assert found.told()["severity"].to_list() == [None, None]


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from("abcd")), min_size=1, max_size=25))
def test_what_is_inferred_is_the_commonest_then_the_most_severe_then_the_first(
    people: list[tuple[int, str]],
) -> None:
    severities = {"a": 1, "b": 4, "c": 4}
    frame = pl.DataFrame(people, schema=["age", "ill"], orient="row")
    found = discrimination_rate(frame, "age", "ill").told(severities, show_records=True)
    for row in found.rows(named=True):
        held = Counter(ill for age, ill in people if str(age) == row["value"])
        naive = min(held, key=lambda ill: (-held[ill], -severities.get(ill, 0), ill))
        assert row["inferred"] == naive
        assert row["share"] == held[naive] / held.total()


@pytest.mark.parametrize("command", ["discriminate", "discrimination"])
def test_both_names_are_one_command_and_mask(command: str, tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "columns:\n  Age: {role: quasi-identifier}\n"
        "  Disease: {role: sensitive, values: {Colds: 1, Flu: 1, Diabetes: 3, HIV: 4, Cancer: 4}}\n"
    )
    out, picture = tmp_path / "told.csv", tmp_path / "told.svg"
    words = [command, HERE / "paper_table1.csv", "--qi", "Age,Gender", "--sensitive", "Disease"]
    done = singleout(*words, "--plan", plan, "--csv", out, "--plot", picture)
    assert done.returncode == 0, done.stderr
    assert "4-Maximum" in done.stdout
    for text in (done.stdout, out.read_text(), picture.read_text()):
        assert "37, F" not in text
        assert "(rare)" in text
    (answer,) = json.loads(singleout(*words, "--json").stdout)["results"]
    assert answer["values"] == []
    assert {row["value"] for row in answer["told"]} == {"(rare)"}
    shown = singleout(*words, "--plan", plan, "--show-records").stdout
    assert "37, F" in shown


PLAN = {
    "columns": {
        "Age": {"role": "quasi-identifier", "exposure": "EE"},
        "Gender": {"role": "quasi-identifier", "exposure": "EE"},
        "Disease": {"role": "sensitive", "values": SEVERITIES},
    }
}


@pytest.mark.parametrize("engine", [None, "database"])
def test_an_assessment_tells_them_and_masks_rare_ones(engine: str | None) -> None:
    found = assess(HERE / "paper_table1.csv", PLAN, advice=False, engine=engine)
    told = found.told()
    men = told.filter((pl.col("known") == "Gender") & (pl.col("value") == "M")).row(0, named=True)
    assert (men["records"], men["rate"], men["inferred"], men["severity"]) == (3, 1.0, "Colds", 1)
    assert "37" not in told["value"].to_list()
    assert "37" in found.told(show_records=True)["value"].to_list()
    html = page(report_of(found))
    assert "Values that give someone away" in html
    assert "(rare)" in html


def of_income(income: list[int | None], **stated: object) -> pl.DataFrame:
    people = pl.DataFrame({"age": ["a"] * 30 + ["b"] * (len(income) - 30), "income": income})
    columns = {
        "age": {"role": "quasi-identifier"},
        "income": {"role": "sensitive", "moral": 2, **stated},
    }
    return assess(people, {"columns": columns}, advice=False).told()


def test_a_number_is_given_away_in_the_bands_it_is_guessed_in() -> None:
    told = of_income([*range(1, 4), *[5] * 27, *range(100, 169), None])
    by_value = {row["value"]: row for row in told.rows(named=True)}
    assert (by_value["a"]["inferred"], by_value["a"]["share"]) == ("up to 5", 1)
    # 99 incomes in bands of a tenth: 30 lie below 100, and 40 below 110, where the next begins
    assert (by_value["b"]["inferred"], by_value["b"]["share"]) == ("100 to 109", 10 / 70)
    assert by_value["b"]["severity"] == 2


def test_bands_name_neither_the_lowest_nor_the_highest_number() -> None:
    told = of_income([*range(1, 31), *range(500, 570)])
    words = " ".join(told["inferred"].to_list())
    assert "up to 10" in words
    assert "569" not in words


def test_bands_of_the_plan_are_named_by_its_cuts() -> None:
    told = of_income([7] * 30 + [1500] * 30, cuts=[10, 1000, 2000])
    assert sorted(told["inferred"].to_list()) == ["1,000 to below 2,000", "below 10"]
