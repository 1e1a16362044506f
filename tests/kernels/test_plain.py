from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given
from test_distinct import Coded, coded_tables, records_of, unpacked

import naive_qar
from singleout.kernels import compiling
from singleout.kernels.distinct.count import distinct_counts
from singleout.kernels.distinct.prepared import prepare
from singleout.kernels.distinct.uniqueness import unique_bits, unique_sums


@contextmanager
def nothing_compiled(small_work: int) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiling, "_is_compiled", lambda _: False)
        patch.setattr(compiling, "SMALL_WORK", small_work)
        patch.setattr(compiling, "_done", 0)
        yield


@given(coded_tables())
def test_without_compiled_loops_the_answers_are_the_naive_twins(table: Coded) -> None:
    columns, levels = table
    records = records_of(columns)
    prepared = prepare(columns, levels)
    with nothing_compiled(1 << 60):
        for size in range(1, min(len(columns), 4) + 1):
            counts = distinct_counts(columns, levels, size)
            assert counts.tolist() == naive_qar.distinct_counts(records, size)
            flags = naive_qar.unique_flags(records, size)
            weights = np.arange(1, len(flags[0]) + 1)
            sums, times = unique_sums(prepared, size, weights)
            assert times.tolist() == [sum(row) for row in flags]
            assert sums.tolist() == [int(weights[row].sum()) for row in np.array(flags)]
            wanted = np.arange(len(weights))[::-2]
            bits = unique_bits(prepared, size, wanted)
            assert unpacked(bits, len(records)) == [[row[q] for q in wanted] for row in flags]
    assert "packed" not in prepared.__dict__  # only the loops would need it


def test_loops_are_compiled_once_there_was_much_to_do() -> None:
    loop = object()
    with nothing_compiled(100):
        assert [compiling.worth_compiling(work, loop) for work in (60, 40, 1)] == [
            False, False, True,
        ]  # fmt: skip
    with nothing_compiled(100):
        assert compiling.worth_compiling(101, loop)


def test_loops_that_are_compiled_are_used_for_the_smallest_table() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiling, "_is_compiled", lambda _: True)
        patch.setattr(compiling, "SMALL_WORK", 1 << 60)
        assert compiling.worth_compiling(1, object())
