import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from singleout.kernels.grouping import match

cells = st.one_of(st.none(), st.integers(0, 2))


def distinct_combinations(width: int) -> st.SearchStrategy[list[tuple[int | None, ...]]]:
    return st.lists(st.tuples(*[cells] * width), min_size=1, max_size=60, unique=True)


def as_codes(records: list[tuple[int | None, ...]]) -> tuple[list, list[int], list[int | None]]:
    """Return columns, levels and the code for missing, as the kernel takes them."""
    columns, levels, missing = [], [], []
    for column in zip(*records, strict=True):
        has_missing = None in column
        columns.append(np.array([3 if c is None else c for c in column], dtype=np.uint8))
        levels.append(4)
        missing.append(3 if has_missing else None)
    return columns, levels, missing


@pytest.mark.parametrize("way", ["joined", "compared"])
@given(records=st.integers(1, 4).flatmap(distinct_combinations), seed=st.integers(0, 99))
def test_both_ways_to_match_give_the_naive_twins_totals(
    way: str, records: list[tuple[int | None, ...]], seed: int
) -> None:
    amounts = np.random.default_rng(seed).integers(1, 9, len(records)).astype(np.float64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(match, "_PAIR_OF_PATTERNS", -(10**12) if way == "joined" else 10**12)
        totals = match.matching(*as_codes(records), amounts)
    assert totals.tolist() == naive.matching(records, amounts.tolist())


def test_matching_is_the_same_for_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    columns = [rng.integers(0, 5, 3000).astype(np.uint8) for _ in range(6)]
    unique = np.unique(np.stack(columns, axis=1), axis=0)
    columns = [np.ascontiguousarray(column) for column in unique.T]
    amounts = rng.random(len(unique))
    monkeypatch.setattr(match, "_PAIR_OF_PATTERNS", 10**12)
    monkeypatch.setattr(match, "_CHUNK", 64)
    answers = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("SINGLEOUT_THREADS", threads)
        answers.append(match.matching(columns, [5] * 6, [None, 4, 4, 4, 4, 4], amounts))
    assert np.array_equal(answers[0], answers[1])
    assert np.array_equal(answers[0], answers[2])
