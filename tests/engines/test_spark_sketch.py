"""Sketched counts: their stated error holds, missing is a value, and T has an interval."""

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from singleout.engines.spark import sketch as spark_sketch
from singleout.engines.spark.engine import Spark
from singleout.engines.spark.sketch import FINEST, error_of, registers
from singleout.errors import BadChoice, MissingDependency
from singleout.io.read import read
from singleout.kernels.distinct.count import distinct_counts
from singleout.kernels.sketches.sketch import FEWEST_REGISTERS
from singleout.methods.qar.measure import FEW_EXCEEDANCES, fit, risk_of
from singleout.methods.qar.sketched import sketch_interval


@pytest.fixture(scope="module")
def people(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, pl.DataFrame]:
    """A table whose pairs of columns have from dozens to thousands of combinations."""
    rng = np.random.default_rng(8)
    levels = (900, 700, 400, 300, 200, 150, 120, 90, 60)
    columns = {
        f"q{i}": pl.Series(rng.integers(0, n, 8000)).set(pl.Series(rng.random(8000) < 0.1), None)
        for i, n in enumerate(levels)
    }
    frame = pl.DataFrame(columns)
    path: Path = tmp_path_factory.mktemp("sketch") / "people.parquet"
    frame.write_parquet(path)
    return spark.read.parquet(str(path)).repartition(3), frame


def test_the_stated_error_holds(people: tuple[Any, pl.DataFrame]) -> None:
    spark_frame, frame = people
    counter = Spark(approximate=0.05).counter(spark_frame)
    found = counter.distinct_counts(frame.columns, 2)
    exact = [frame.select(pair).n_unique() for pair in combinations(frame.columns, 2)]
    off = found.counts / np.array(exact) - 1
    assert found.relative_error == error_of(9) <= 0.05
    # 36 errors of this size: their mean square is within 1.6 of the stated one 99.9 % of the time
    assert 0 < np.sqrt((off**2).mean()) < 1.6 * found.relative_error
    assert abs(off.mean()) < 0.6 * found.relative_error
    assert "relative standard error of 4.6 %" in counter.notes[0]


def test_a_missing_value_is_a_value(spark: Any) -> None:
    frame = spark.createDataFrame(
        [(None, 1), (1, None), (None, None), (1, 1), (0, None), (None, 0)], "a int, b int"
    )
    counter = Spark(approximate=0.01).counter(frame)
    assert counter.distinct_counts(["a", "b"], 2).counts.tolist() == [6]
    assert counter.distinct_counts(["a", "b"], 1).counts.tolist() == [3, 3]
    assert counter.distinct_counts(["a", "b"], 2, drop=True).counts.tolist() == [1]


def test_columns_that_look_alike_do_not_err_together(spark: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    frame = pl.DataFrame({f"q{i}": rng.integers(0, 60, 6000) for i in range(12)})
    frame.write_parquet(tmp_path / "alike.parquet")
    counter = Spark(approximate=0.2).counter(spark.read.parquet(str(tmp_path)))
    found = counter.distinct_counts(frame.columns, 2)
    exact = [frame.select(pair).n_unique() for pair in combinations(frame.columns, 2)]
    off = found.counts / np.array(exact) - 1
    assert found.relative_error is not None
    assert abs(off.mean()) < 4 * found.relative_error / np.sqrt(len(off))
    assert off.std() > found.relative_error / 2


def test_large_kinds_of_bytes_and_several_passes_make_no_difference(
    people: tuple[Any, pl.DataFrame], spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    spark_frame, frame = people
    expected = Spark(approximate=0.05).counter(spark_frame).distinct_counts(frame.columns, 2)
    monkeypatch.setattr(spark_sketch, "_IN_A_TASK", 5 << 9)  # five sets in a pass
    monkeypatch.setattr(spark_sketch, "_TOGETHER", 1 << 13)
    spark.conf.set("spark.sql.execution.arrow.useLargeVarTypes", "true")
    try:
        found = Spark(approximate=0.05).counter(spark_frame).distinct_counts(frame.columns, 2)
    finally:
        spark.conf.unset("spark.sql.execution.arrow.useLargeVarTypes")
    assert found.counts.tolist() == expected.counts.tolist()


def test_workers_with_another_version_get_a_sentence(
    people: tuple[Any, pl.DataFrame], monkeypatch: pytest.MonkeyPatch
) -> None:
    spark_frame, frame = people
    monkeypatch.setattr("singleout.__version__", "99.1")  # of this process, not of the workers
    with pytest.raises(MissingDependency, match=r"have singleout .*, and 99\.1 asks; install the"):
        Spark(approximate=0.05).counter(spark_frame).distinct_counts(frame.columns, 2)


def test_an_estimate_is_never_beyond_the_records(spark: Any) -> None:
    frame = spark.range(3000).selectExpr("id AS a", "id AS b")
    found = Spark(approximate=0.3).counter(frame).distinct_counts(["a", "b"], 1)
    assert found.counts.max() <= 3000


def test_more_registers_for_a_smaller_error() -> None:
    for wanted in (FINEST, 0.002, 0.01, 0.0325, 0.05, 0.2, 0.9):
        power = registers(wanted)
        assert error_of(power) <= wanted
        assert power == FEWEST_REGISTERS or error_of(power - 1) > wanted
    for wrong in (0.0, 1.0, -0.1, FINEST / 2, float("nan")):
        with pytest.raises(BadChoice, match="approximate must be a relative error"):
            registers(wrong)


# ---- the interval of T


def noisy(counts: Any, error: float, records: int, rng: np.random.Generator) -> Any:
    """Counts as sketches give them: nearer where there are fewer than registers."""
    few = counts < (1.04 / error) ** 2
    drawn = counts * (1 + error * np.where(few, 0.7, 1) * rng.standard_normal(len(counts)))
    return np.clip(np.rint(drawn), 1, records).astype(np.int64)


@pytest.mark.parametrize("values", [6, 15, 30, 60])
@pytest.mark.parametrize("error", [0.005, 0.05])
def test_the_interval_holds_the_risk_of_exact_counts(error: float, values: int) -> None:
    # from tables where nobody is alone to such where nearly everybody is
    rng = np.random.default_rng(values)
    held = trials = 0
    for _ in range(8):
        width, records = int(rng.integers(14, 18)), int(rng.integers(300, 4000))
        levels = rng.integers(2, values, width)
        table = read({f"q{i}": rng.integers(0, n, records) for i, n in enumerate(levels)})
        exact = distinct_counts([c.codes for c in table], [c.levels for c in table], 3)
        fitted = fit(exact, records)
        if fitted.shape is not None and fitted.exceedances < FEW_EXCEEDANCES:
            continue  # then the risk of exact counts means little itself, as a note says
        risk = fitted.risk
        for _ in range(4):
            seen = noisy(exact, error, records, rng)
            low, high = sketch_interval(seen, error, records, repeats=40, rng=rng)
            assert 0 <= low <= risk_of(seen, records) <= high <= 1
            held += low <= risk <= high
            trials += 1
    assert trials >= 12
    assert held >= 0.9 * trials  # 95 % is asked for


def test_exact_counts_leave_no_doubt() -> None:
    counts = np.arange(100, 300)
    risk = risk_of(counts, 400)
    assert sketch_interval(counts, 0.0, 400) == (risk, risk)


def test_a_larger_error_leaves_more_doubt() -> None:
    counts = np.arange(100, 300)
    widths = [np.diff(sketch_interval(counts, error, 400))[0] for error in (0.001, 0.01, 0.1)]
    assert widths[0] < widths[1] < widths[2]


def test_the_interval_is_the_same_for_the_same_seed() -> None:
    counts = np.arange(100, 300)
    assert sketch_interval(counts, 0.02, 400) == sketch_interval(counts, 0.02, 400, rng=0)
    own = np.random.default_rng(0)
    assert sketch_interval(counts, 0.02, 400) == sketch_interval(counts, 0.02, 400, rng=own)


def test_counts_beyond_the_records_are_cut() -> None:
    low, high = sketch_interval([400] * 50 + [410] * 50, 0.01, 400)
    assert low <= 1.0 == high


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"relative_error": -0.1}, "relative_error must lie"),
        ({"relative_error": 1.0}, "relative_error must lie"),
        ({"level": 1.0}, "level must lie"),
        ({"repeats": 0}, "repeats must be"),
    ],
)
def test_choices_without_a_meaning(options: dict[str, Any], words: str) -> None:
    with pytest.raises(BadChoice, match=words):
        sketch_interval([1, 2, 3], **{"relative_error": 0.01, "records": 10} | options)
