"""The QQ check before a normal law is assumed: Koot (2012), 6.3.2."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from run_command import refused, singleout
from singleout import predict
from singleout.errors import BadChoice, UnusableColumn


def test_heights_and_weights_of_the_thesis_are_normal(real_data: Path) -> None:
    file = str(real_data / "socr_height_weight.csv")
    height = predict.qq(file, "Height(Inches)", width=1 / 2.54, people=20)
    assert height.sd * 2.54 == pytest.approx(4.830, abs=5e-4)
    assert height.correlation > 0.999
    assert height.will_do is True
    weight = predict.qq(file, "Weight")
    assert weight.sd * 0.45359237 == pytest.approx(5.289, abs=5e-4)
    assert weight.will_do is None


def test_ages_are_not_normal(real_data: Path) -> None:
    file = str(real_data / "be_municipality_age.csv")
    found = predict.qq(file, "age", width=1, people=120, counts="number")
    assert 11_400_000 < found.people < 11_500_000
    assert found.will_do is False


@given(st.lists(st.integers(-20, 20), min_size=3, max_size=40).filter(lambda v: len(set(v)) > 2))
def test_the_numbers_are_those_of_scipy(values: list[int]) -> None:
    found = predict.qq({"x": values}, "x")
    assert found.mean == pytest.approx(np.mean(values), abs=1e-9)
    assert found.sd == pytest.approx(np.std(values, ddof=1))
    law = stats.norm(found.mean, found.sd)
    assert found.distance == pytest.approx(stats.kstest(values, law.cdf).statistic, abs=1e-9)
    ranks = stats.rankdata(values)  # equal values share their mean rank
    normal = stats.norm.ppf((ranks - 0.375) / (len(values) + 0.25))
    assert found.correlation == pytest.approx(np.corrcoef(values, normal)[0, 1])


def test_counts_stand_for_people_and_missing_values_are_counted() -> None:
    counted = predict.qq({"x": [1, 2, 4, None], "n": [3, 5, 2, 7]}, "x", counts="n")
    each = predict.qq({"x": [1] * 3 + [2] * 5 + [4] * 2}, "x")
    assert (counted.mean, counted.sd, counted.correlation) == pytest.approx(
        (each.mean, each.sd, each.correlation)
    )
    assert counted.notes == ("7 people have no value and were left out.",)


def test_what_cannot_be_checked_is_refused() -> None:
    with pytest.raises(UnusableColumn, match="no column of numbers"):
        predict.qq({"x": ["a", "b", "c"]}, "x")
    with pytest.raises(UnusableColumn, match="fewer than 3 different values"):
        predict.qq({"x": [1, 2, 2]}, "x")
    with pytest.raises(BadChoice, match="go together"):
        predict.qq({"x": [1, 2, 3]}, "x", width=1)
    with pytest.raises(BadChoice, match="positive number"):
        predict.qq({"x": [1, 2, 3]}, "x", width=0, people=3)


def test_the_command_says_whether_it_will_do(tmp_path: Path) -> None:
    path = tmp_path / "heights.csv"
    pl.DataFrame({"h": stats.norm(170, 9).ppf((np.arange(400) + 0.5) / 400)}).write_csv(path)
    words = ["predict", "qq", path, "--qi", "h"]
    done = singleout(*words, "--width", 2, "-k", 20, "--plot", tmp_path / "q.svg")
    assert (done.returncode, done.stderr) == (0, "")
    assert "it will do" in done.stdout
    assert "Is h normal?" in (tmp_path / "q.svg").read_text()
    answer = json.loads(singleout(*words, "--json").stdout)["normal"]
    assert answer["sd"] == pytest.approx(9, abs=0.1)
    assert len(answer["quantiles"]) == 200
    assert "--qi" in refused(singleout("predict", "qq", path))
    assert "Did you mean 'h'" in refused(singleout(*words[:4], "hh"))
