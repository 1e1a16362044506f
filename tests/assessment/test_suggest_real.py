"""Suggestions for real tables: policies reached, confirmed on written files; recorded optima."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import singleout as so
from lattices import ADULT, CENSUS, SHARED
from singleout.assessment.plan.demo import demo_plan
from suggest_cases import Score, measured

METRICS = {"loss_arith": "loss", "nue_sum": "entropy"}
EIGHT = [name for name in ADULT if name != "salary-class"]


def hierarchies(real_data: Path, prefix: str, names: list[str]) -> dict[str, Path]:
    folder = real_data / "hierarchies"
    return {name: folder / f"{prefix}_hierarchy_{name}.csv" for name in names}


@pytest.fixture(scope="module")
def adult(real_data: Path) -> so.Table:
    return so.read(real_data / "adult.csv")


@pytest.fixture(scope="module")
def adult_text(real_data: Path) -> pl.DataFrame:
    return pl.read_csv(real_data / "adult.csv", separator=";", infer_schema=False)


def confirmed(suggestion: so.Suggestion, path: Path) -> so.Treated:
    """Whether a written file is what a suggestion says it will be."""
    assert suggestion.reached, suggestion.unmet
    treated = suggestion.apply()
    out = treated.write(path)
    after = suggestion.after
    assert measured(out, suggestion.plan) == {
        "records": after.records,
        "k": after.k,
        "unique_share": after.unique_share,
        "highest_risk": after.highest_risk,
    }
    return treated


# ---- full-domain: the recorded optima of ARX


def recorded() -> list[dict[str, str]]:
    path = SHARED / "goldens" / "arx_adult_optimal.csv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as text:
        lines = [line for line in csv.DictReader(text) if line["metric"] in METRICS]
    chosen = {("loss_arith", "5", limit) for limit in ("0", "0.02", "1")}
    chosen |= {("loss_arith", "20", "0.05"), ("nue_sum", "5", "0"), ("nue_sum", "5", "0.02")}
    return [
        line for line in lines if (line["metric"], line["k"], line["suppression_limit"]) in chosen
    ]


@pytest.mark.parametrize(
    "line", recorded(), ids=lambda line: f"{line['metric']}-{line['k']}-{line['suppression_limit']}"
)
def test_full_domain_suggestions_are_the_optima_of_arx(
    line: dict[str, str], adult: so.Table, real_data: Path
) -> None:
    suggestion = so.suggest(
        adult,
        quasi_identifiers=ADULT,
        k=int(line["k"]),
        hierarchies=hierarchies(real_data, "adult", ADULT),
        method="full-domain",
        max_suppressed=float(line["suppression_limit"]),
        metric=METRICS[line["metric"]],
    )
    assert "".join(str(suggestion.levels[name]) for name in ADULT) == line["levels"]
    assert suggestion.suppressed == int(line["suppressed"])
    assert suggestion.reached
    if line["metric"] == "loss_arith":
        assert suggestion.loss == pytest.approx(float(line["score"]), rel=1e-9)


def test_the_recorded_optima_are_there() -> None:
    if not SHARED.is_dir():
        pytest.skip("needs the recorded answers in ../shared/goldens")
    assert len(recorded()) == 6


# ---- local recoding: targets, by a score that reads the written file


@pytest.mark.parametrize(("k", "target"), [(3, 0.036), (5, 0.0530), (10, 0.078), (20, 0.107)])
def test_local_recoding_of_adult_loses_at_most_the_target(
    k: int,
    target: float,
    adult: so.Table,
    adult_text: pl.DataFrame,
    real_data: Path,
    tmp_path: Path,
) -> None:
    files = hierarchies(real_data, "adult", ADULT)
    suggestion = so.suggest(adult, quasi_identifiers=ADULT, k=k, hierarchies=files)
    out = suggestion.apply().write(tmp_path / "out.csv")
    score = Score(out, adult_text, files)
    assert score.loss <= target
    assert score.loss == pytest.approx(suggestion.loss, abs=1e-12)
    assert score.by_column == pytest.approx(suggestion.loss_by_column, abs=1e-12)
    assert score.smallest == suggestion.after.k == k
    assert score.uncovered == 0
    assert len(score.published) == adult.rows
    assert suggestion.suppressed == 0
    if k == 5:  # other columns are as they were
        assert pl.read_csv(out, infer_schema=False).columns == list(adult.columns)


def test_a_high_salary_stays_below_its_cap_in_every_class(
    adult: so.Table, adult_text: pl.DataFrame, real_data: Path, tmp_path: Path
) -> None:
    files = hierarchies(real_data, "adult", EIGHT)
    plan = {
        "columns": {
            **{name: {"role": "quasi-identifier", "exposure": "EE"} for name in EIGHT},
            "salary-class": {"role": "sensitive", "values": {">50K": 4, "<=50K": 1}},
        },
        "policy": {"k": 5, "highest_risk": 2},
    }
    suggestion = so.suggest(adult, plan, hierarchies=files)
    treated = confirmed(suggestion, tmp_path / "confirmed.csv")
    score = Score(tmp_path / "confirmed.csv", adult_text, files, also=["salary-class"])
    assert score.loss <= 0.132
    assert score.loss == pytest.approx(suggestion.loss, abs=1e-12)
    assert score.smallest >= 5
    assert score.uncovered == 0
    assert suggestion.suppressed == treated.removed == 0
    high = pl.col("salary-class") == ">50K"
    share = score.published.select(high.mean()).item()
    shares = score.published.group_by(EIGHT).agg(high.mean().alias("high"))["high"]
    assert shares.max() < share + 0.25


@pytest.fixture(scope="module")
def census(real_data: Path) -> so.Table:
    return so.read(real_data / "census_income_kdd_299285.csv.gz")


def test_census_loses_at_most_the_target(census: so.Table, real_data: Path, tmp_path: Path) -> None:
    files = hierarchies(real_data, "census", CENSUS)
    known = census.select([*CENSUS, "INCOME"])
    suggestion = so.suggest(known, quasi_identifiers=CENSUS, k=5, hierarchies=files)
    out = suggestion.apply().write(tmp_path / "out.csv")
    text = pl.read_csv(
        real_data / "census_income_kdd_299285.csv.gz", infer_schema=False, columns=CENSUS
    ).with_columns(pl.all().fill_null("").str.strip_chars().str.replace_all(";", ",", literal=True))
    score = Score(out, text, files)
    assert score.loss <= 0.0219
    assert score.loss == pytest.approx(suggestion.loss, abs=1e-9)
    assert score.smallest == suggestion.after.k == 5
    assert score.uncovered == 0


def test_census_reaches_level_two(census: so.Table, real_data: Path, tmp_path: Path) -> None:
    known = census.select([*CENSUS, "INCOME"])
    suggestion = so.suggest(
        known,
        quasi_identifiers=CENSUS,
        sensitive="INCOME",
        hierarchies=hierarchies(real_data, "census", CENSUS),
        k=5,
        highest_risk=2,
    )
    assert suggestion.before.highest_risk == 4
    assert suggestion.suppressed == 0
    confirmed(suggestion, tmp_path / "out.parquet")


# ---- tables for which nobody wrote a hierarchy


def test_adult_reaches_its_policy_without_a_hierarchy(adult: so.Table, tmp_path: Path) -> None:
    plan = {
        "columns": {
            **{name: {"role": "quasi-identifier", "exposure": "EE"} for name in EIGHT},
            "salary-class": {"role": "sensitive", "material": 3},
        },
        "policy": {"k": 5, "highest_risk": 2, "records_at_risk": 0.0, "unique_share": 0.0},
    }
    suggestion = so.suggest(adult, plan)
    treated = confirmed(suggestion, tmp_path / "out.csv")
    covered = so.covered(adult, treated.table, EIGHT, k=5)
    assert covered.below == covered.single == 0
    assert suggestion.loss < 0.2


def test_weighted_microdata_reach_their_policy(real_data: Path, tmp_path: Path) -> None:
    known = ["PUMA", "AGEP", "SEX", "RAC1P"]
    plan: dict[str, Any] = {
        "columns": {
            **{name: {"role": "quasi-identifier", "exposure": "EE"} for name in known},
            "DREM": {"role": "sensitive", "moral": 4},
            "PWGTP": {"role": "weight"},
        },
        "policy": {"k": 5, "highest_risk": 2},
    }
    data = real_data / "ma2019.csv"
    suggestion = so.suggest(data, plan, population_uniqueness=0.0001)
    assert suggestion.before.highest_risk == 4
    assert suggestion.before.population_uniqueness is not None
    assert suggestion.before.population_uniqueness > 0.0001
    treated = confirmed(suggestion, tmp_path / "out.csv")
    original, written = (
        pl.read_csv(file, infer_schema=False) for file in (data, tmp_path / "out.csv")
    )
    untouched = [name for name in original.columns if name not in known]
    assert written.select(untouched).equals(original.select(untouched))
    assert so.covered(data, treated.table, known, k=5).below == 0


def test_household_microdata_reach_their_policy(real_data: Path, tmp_path: Path) -> None:
    known = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
    plan: dict[str, Any] = {
        "columns": {
            **{name: {"role": "quasi-identifier", "exposure": "EE"} for name in known},
            "income": {"role": "sensitive", "material": 3},
            "sampling_weight": {"role": "weight"},
        },
        "policy": {"k": 5, "highest_risk": 2},
    }
    data = real_data / "sdcmicro_testdata.csv"
    suggestion = so.suggest(data, plan)
    treated = confirmed(suggestion, tmp_path / "out.csv")
    covered = so.covered(data, treated.table, known, k=5)
    assert covered.below == covered.single == covered.unsafe == 0
    assert suggestion.loss < 0.02


def test_the_demo_goes_from_severe_to_significant(tmp_path: Path) -> None:
    suggestion = so.suggest(so.demo(), demo_plan())
    assert suggestion.before.highest_risk == 3
    treated = confirmed(suggestion, tmp_path / "out.csv")
    assert np.isclose(suggestion.loss, 0.129, atol=0.02)
    assert treated.loss is not None
    assert treated.loss.loss == pytest.approx(suggestion.loss)
