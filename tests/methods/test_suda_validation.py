"""How right the scores of a sample are, where the population is known or is drawn from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import naive_suda
import singleout as so
from singleout.cli.main import app
from singleout.errors import BadChoice
from singleout.methods.suda.validation import Validation, correlation

NAMES = ["a", "b", "c"]
Rows = list[tuple[Any, ...]]


def frame(rows: Rows) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict.fromkeys(NAMES, pl.Int64), orient="row")


@pytest.fixture(scope="module")
def drawn() -> Validation:
    names = ["PUMA", "AGEP", "SEX", "MSP", "RAC1P", "INDP_CAT", "EDU"]
    truth = so.suda(so.demo(), names, sampling_fraction=0.1, simulate=10, seed=3).validation
    assert truth is not None
    return truth


@given(
    st.lists(st.tuples(*[st.one_of(st.none(), st.integers(0, 2))] * 3), min_size=4, max_size=20),
    st.integers(1, 4),
)
def test_every_unique_record_is_compared_with_the_people_who_have_its_values(
    people: Rows, step: int
) -> None:
    sample = people[::step]
    found = so.suda(frame(sample), NAMES, population=frame(people))
    truth = found.validation
    assert truth is not None
    expected = naive_suda.people_alike(sample, people)
    assert truth.people_alike.tolist() == [
        n for n, alone in zip(expected, found.is_unique, strict=True) if alone
    ]
    assert found.sampling_fraction == len(sample) / len(people)
    assert truth.not_found == 0
    shares = dict(truth.by_kind.select("kind", "population_unique").rows())
    for kind, share in shares.items():
        alike = [
            n
            for n, each in zip(expected, found.kind.tolist(), strict=True)
            if each and kind in (each, "all unique records")
        ]
        assert share == pytest.approx(sum(n == 1 for n in alike) / len(alike))


def test_values_are_matched_as_text_and_people_who_are_not_there_are_counted() -> None:
    sample = {"a": [1.0, 2.0, 7.0], "b": ["x", "x", "y"]}
    census = pl.DataFrame({"a": ["1", "1", "2", "3"], "b": ["x", "x", "x", "y"]})
    truth = so.suda(sample, ["a", "b"], sampling_fraction=0.5, population=census).validation
    assert truth is not None
    assert truth.people_alike.tolist() == [2, 1, 0]
    assert truth.not_found == 1
    assert truth.to_dict()["by_kind"][-1]["right"] == pytest.approx((1 / 2 + 1 + 0) / 3)


def test_the_population_is_counted_in_a_database(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    rows = [(1, 1, 1), (1, 1, 1), (1, 2, 1), (2, 2, 2)]
    frame(rows).write_parquet(tmp_path / "census.parquet")
    here = so.suda(frame(rows[1:]), NAMES, population=frame(rows)).validation
    there = so.suda(frame(rows[1:]), NAMES, population=tmp_path / "census.parquet").validation
    assert here is not None
    assert there is not None
    assert there.people_alike.tolist() == here.people_alike.tolist() == [2, 1, 1]


def test_samples_are_drawn_and_their_scores_go_with_the_truth(drawn: Validation) -> None:
    assert (drawn.samples, drawn.simulated, drawn.people) == (10, True, 7634)
    assert drawn.calibration["records"].sum() == drawn.records
    assert drawn.correlation["pearson"] == pytest.approx(0.46, abs=0.05)
    by_bin = drawn.calibration.filter(pl.col("records") > 200)
    assert by_bin["right"][0] < by_bin["right"][-1]  # who is predicted to be found is found
    shares = drawn.by_kind["population_unique"].to_list()
    assert all(0 < share < 1 for share in shares)
    assert json.loads(drawn.to_json())["assumption"].startswith("Zero data divergence")


def test_the_same_seed_draws_the_same_samples() -> None:
    rows = np.random.default_rng(1).integers(0, 4, (200, 3)).tolist()

    def alike(seed: int) -> list[int]:
        found = so.suda(frame(rows), NAMES, sampling_fraction=0.3, simulate=3, seed=seed)
        assert found.validation is not None
        return found.validation.people_alike.tolist()

    assert alike(5) == alike(5)
    assert alike(5) != alike(6)


def test_a_simulated_sample_has_the_people_of_the_population_in_proportion() -> None:
    # 900 people alike and 100 alone: a tenth of the unique people is in each sample
    rows = [(0, 0, 0)] * 900 + [(1, n, 0) for n in range(100)]
    found = so.suda(frame(rows), NAMES, sampling_fraction=0.1, simulate=30)
    assert found.validation is not None
    assert found.validation.records == pytest.approx(300, abs=60)
    assert set(found.validation.people_alike.tolist()) == {1}


def test_what_cannot_be_compared_is_refused() -> None:
    data = {"a": [1, 2, 3], "b": [1, 1, 1]}
    with pytest.raises(BadChoice, match="fewer than the 3 records"):
        so.suda(data, ["a"], population={"a": [1, 2]})
    with pytest.raises(BadChoice, match="give sampling_fraction"):
        so.suda(data, ["a"], simulate=3)
    with pytest.raises(BadChoice, match="would have 0 records"):
        so.suda(data, ["a"], sampling_fraction=0.01, simulate=3)
    with pytest.raises(BadChoice, match="simulate must be a whole number"):
        so.suda(data, ["a"], sampling_fraction=0.5, simulate=0)


def test_correlations_are_those_of_the_textbook() -> None:
    assert correlation([1, 2, 3, 4], [1, 3, 2, 5]) == pytest.approx(0.8315218)
    assert correlation([1, 1], [1, 2]) is None
    same = Validation(
        1, False, 0.1, 9, np.array(["special"] * 3), np.array([0.1, 0.5, 0.9]), np.array([9, 3, 1])
    )
    assert same.correlation["spearman"] == pytest.approx(1)


def test_the_pictures_show_kinds_and_calibration(drawn: Validation) -> None:
    panels = drawn.plot().to_dict()["vconcat"]
    assert [panel["title"]["text"] for panel in panels] == [
        "Which unique records are unique in the population",
        "How often a match is right, by DIS-SUDA",
    ]


def test_the_command_line_validates_too(tmp_path: Path) -> None:
    census, sample = tmp_path / "census.csv", tmp_path / "sample.csv"
    rows = frame(np.random.default_rng(2).integers(0, 5, (300, 3)).tolist())
    rows.write_csv(census)
    rows[:60].write_csv(sample)
    picture = tmp_path / "truth.svg"
    words = ["suda", str(sample), "--population", str(census), "--plot", str(picture)]
    said = CliRunner().invoke(app, words)
    assert said.exit_code == 0, said.output
    assert "Validation: unique records by kind" in said.stdout
    assert "Zero data divergence is assumed" in said.stdout
    assert "How often a match is right" in picture.read_text()
    words = ["suda", str(census), "--sampling-fraction", "0.2", "--simulate", "2", "--json"]
    answer = json.loads(CliRunner().invoke(app, words).stdout)["results"][0]["validation"]
    assert (answer["samples"], answer["people"]) == (2, 300)
