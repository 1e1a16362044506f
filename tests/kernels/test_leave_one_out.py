import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_qar
from singleout.kernels.distinct.count import distinct_counts
from singleout.kernels.distinct.prepared import prepare
from singleout.kernels.distinct.uniqueness import unique_bits
from singleout.kernels.removal import leave_one_out
from singleout.kernels.removal.leave_one_out import TailSettings, risks_without
from singleout.methods.qar.measure import ones_for_certainty, position, risk_of


def risks_of(
    columns: list[np.ndarray],
    levels: list[int],
    size: int,
    alpha: float = 0.01,
    tail: float = 0.05,
    estimator: str = "plotting",
) -> np.ndarray:
    counts = distinct_counts(columns, levels, size)
    records, sets = len(columns[0]), len(counts)
    k, g = position(sets, tail)
    order = np.argsort(counts, kind="stable")
    wanted = order[np.searchsorted(counts[order], counts[order[k - 1]]) :]
    below = counts[order[: sets - len(wanted)]]
    asked = TailSettings(
        k, g, sets, ones_for_certainty(sets, alpha), alpha, tail, estimator == "unbiased"
    )
    bits = unique_bits(prepare(columns, levels), size, wanted)
    return risks_without(
        bits,
        counts[wanted],
        records,
        asked,
        lambda top: risk_of(np.append(below, top), records - 1, alpha, tail, estimator),
    )


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[np.ndarray], list[int]]:
    records = draw(st.sampled_from([2, 3, 5, 20, 60]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    levels = draw(st.lists(st.sampled_from([1, 2, 3, 4, 9, 60, 300]), min_size=1, max_size=8))
    power = draw(st.sampled_from([0.5, 1, 3]))
    return [(k * rng.random(records) ** power).astype(np.uint32) for k in levels], levels


@given(
    tables(),
    st.sampled_from([1, 2, 3]),
    st.sampled_from(["plotting", "unbiased"]),
    st.sampled_from([(0.01, 0.05), (0.05, 0.3), (0.2, 0.5)]),
)
def test_the_risk_without_a_record_is_that_of_the_table_after_deleting_it(
    table: tuple[list[np.ndarray], list[int]],
    size: int,
    estimator: str,
    shares: tuple[float, float],
) -> None:
    columns, levels = table
    size = min(size, len(columns))
    alpha, tail = shares
    risks = risks_of(columns, levels, size, alpha, tail, estimator)
    for record, risk in enumerate(risks):
        kept = np.delete(np.arange(len(columns[0])), record)
        deleted = distinct_counts([column[kept] for column in columns], levels, size)
        expected = risk_of(deleted, len(kept), alpha, tail, estimator)
        assert risk == pytest.approx(expected, abs=1e-11)


def test_the_golden_contributions() -> None:
    records = naive_qar.golden_records()
    columns = [np.array(column) for column in zip(*records, strict=True)]
    levels = [2, 3, 4, 5, 5, 6, 7, 8, 9, 10, 11, 12]
    contributions = 0.6756883097401 - risks_of(columns, levels, 3)[:5]
    expected = [
        -3.12445592936e-5, 1.182024858614e-3, -1.260482493900e-3, -1.448995491804e-4,
        -1.690477882340e-3,
    ]  # fmt: skip
    assert contributions.tolist() == pytest.approx(expected, abs=1e-12)


def test_chunks_and_threads_do_not_change_the_risks(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(8)
    levels = [3, 9, 4, 30, 2, 7, 11, 5, 12, 6]
    columns = [(k * rng.random(300) ** 2).astype(np.uint8) for k in levels]
    whole = risks_of(columns, levels, 3)
    monkeypatch.setattr(leave_one_out, "_CHUNK", 64)
    monkeypatch.setenv("SINGLEOUT_THREADS", "3")
    assert np.array_equal(risks_of(columns, levels, 3), whole)


def test_counts_above_the_threshold_that_become_all_equal_are_fitted_anew() -> None:
    # four levels: without a record, the second may fall to the threshold and the last to the third
    rng = np.random.default_rng(0)
    tables_checked = 0
    for _ in range(400):
        levels = rng.integers(2, 6, 4).tolist()
        columns = [rng.integers(0, k, 16).astype(np.uint8) for k in levels]
        counts = np.sort(distinct_counts(columns, levels, 2))
        k, _ = position(len(counts), 0.5)
        if len(np.unique(counts[counts >= counts[k - 1]])) != 4:
            continue
        tables_checked += 1
        risks = risks_of(columns, levels, 2, 0.2, 0.5, "unbiased")
        for record, risk in enumerate(risks):
            kept = np.delete(np.arange(16), record)
            deleted = distinct_counts([column[kept] for column in columns], levels, 2)
            assert risk == pytest.approx(risk_of(deleted, 15, 0.2, 0.5, "unbiased"), abs=1e-11)
    assert tables_checked > 5
