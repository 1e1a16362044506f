import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_qar
from ess_like import ess_like
from singleout.core.table import smallest_codes
from singleout.kernels.entropy import record as entropy
from singleout.kernels.entropy.record import record_entropy

# E(0) to E(4) of the 400 x 12 table of the verified values, size 3
GOLDEN = [2.432048567324, 2.359174089783, 2.583379822905, 2.438525311959, 2.402615312663]


@st.composite
def ordinal_tables(draw: st.DrawFn) -> tuple[list[tuple[int, ...]], int]:
    """Tie-heavy tables of any shape, columns with gaps or constant, and a size that fits."""
    width = draw(st.integers(1, 5))
    top = draw(st.lists(st.sampled_from([0, 1, 2, 5, 300]), min_size=width, max_size=width))
    record = st.tuples(*(st.integers(0, largest) for largest in top))
    records = draw(st.lists(record, min_size=1, max_size=30))
    return records, draw(st.integers(1, width))


def columns_of(records: list[tuple[int, ...]]) -> list[np.ndarray]:
    return [smallest_codes(np.array(column), 301) for column in zip(*records, strict=True)]


@given(ordinal_tables())
def test_entropy_is_that_of_the_naive_twin(table: tuple[list[tuple[int, ...]], int]) -> None:
    records, size = table
    entropies = record_entropy(columns_of(records), size)
    np.testing.assert_allclose(entropies, naive_qar.entropy(records, size), atol=1e-12)


@given(ordinal_tables())
def test_entropy_without_cubes_is_that_of_the_naive_twin(
    table: tuple[list[tuple[int, ...]], int],
) -> None:
    records, size = table
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entropy, "_CELLS_AT_MOST", 0)
        entropies = record_entropy(columns_of(records), size)
    np.testing.assert_allclose(entropies, naive_qar.entropy(records, size), atol=1e-12)


def test_the_verified_values() -> None:
    columns = columns_of(naive_qar.golden_records())
    np.testing.assert_allclose(record_entropy(columns, 3)[:5], GOLDEN, rtol=0, atol=1e-12)


@pytest.mark.parametrize("size", [2, 3, 4])
def test_all_ways_to_rank_agree_on_many_records(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = list(ess_like(1_000)[:, [0, 5, 9, 16, 17]].T)
    by_cube = record_entropy(columns, size)
    monkeypatch.setattr(entropy, "_CELLS_AT_MOST", 0)
    assert np.array_equal(record_entropy(columns, size), by_cube)
    monkeypatch.setattr(entropy._Ranks, "_by_merging", entropy._Ranks._by_bits)
    assert np.array_equal(record_entropy(columns, size), by_cube)


def test_columns_with_a_value_for_almost_every_record() -> None:
    rng = np.random.default_rng(5)
    records = [tuple(row) for row in rng.integers(0, 10**6, (150, 4)).tolist()]
    columns = [np.array(column) for column in zip(*records, strict=True)]
    np.testing.assert_allclose(
        record_entropy(columns, 3), naive_qar.entropy(records, 3), atol=1e-12
    )


def test_entropy_does_not_depend_on_threads_or_on_the_order_of_columns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    columns = list(ess_like(500)[:, :9].T)
    answers = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("SINGLEOUT_THREADS", threads)
        answers.append(record_entropy(columns, 3))
    answers.append(record_entropy(columns[::-1], 3))
    for answer in answers[1:]:
        assert np.array_equal(answer, answers[0])


def test_one_record_and_one_column_have_no_entropy() -> None:
    assert record_entropy([np.array([3])] * 4, 2).tolist() == [0.0]
    assert record_entropy([np.array([1, 2, 2])], 1).tolist() == [0.0, 0.0, 0.0]
