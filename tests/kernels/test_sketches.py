"""Sketches: their registers follow the plain definition, and their error is the stated one."""

from itertools import combinations

import mpmath as mp
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from singleout.kernels.sketches.sketch import Sketches, estimated_counts

U64 = NDArray[np.uint64]
_WORD = (1 << 64) - 1


def _mixed(word: int) -> int:
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 & _WORD
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB & _WORD
    return word ^ (word >> 31)


def plain_registers(hashes: list[list[int]], columns: tuple[int, ...], power: int) -> list[int]:
    """HyperLogLog as it is defined: the longest run of zeros, plus one, seen by each register."""
    registers = [0] * (1 << power)
    for record in zip(*hashes, strict=True):
        word = 0
        for column in columns:
            word = _mixed((word + record[column]) & _WORD)
        rest = word >> power
        run = next((bit for bit in range(64 - power) if rest >> bit & 1), 64 - power)
        register = word % (1 << power)
        registers[register] = max(registers[register], run + 1)
    return registers


def plain_estimate(registers: list[int]) -> float:
    """The estimate as a formula: Ertl (2017), equation 11, with its two series summed."""
    many = len(registers)
    longest = 64 - (many.bit_length() - 1)
    seen = [registers.count(run) for run in range(longest + 2)]
    x, y = mp.mpf(seen[0]) / many, 1 - mp.mpf(seen[longest + 1]) / many
    if x == 1:
        return 0
    sigma = x + sum(x ** (2**k) * 2 ** (k - 1) for k in range(1, 40))
    tau = (1 - y - sum((1 - y ** (mp.mpf(2) ** -k)) ** 2 / 2**k for k in range(1, 60))) / 3
    between = sum(mp.mpf(seen[run]) / 2**run for run in range(1, longest + 1))
    total = many * sigma + between + many * tau / 2**longest
    return float(many * many / (2 * mp.log(2) * total))


@given(st.data(), st.integers(1, 4), st.integers(4, 9))
def test_registers_are_those_of_the_definition(data: st.DataObject, size: int, power: int) -> None:
    width = data.draw(st.integers(size, 5))
    # few different hashes and extreme ones, so that runs are long and registers are met again
    word = st.one_of(st.integers(0, _WORD), st.sampled_from([0, 1, _WORD, 1 << 63]))
    rows = data.draw(st.integers(1, 30))
    hashes = [data.draw(st.lists(word, min_size=rows, max_size=rows)) for _ in range(width)]
    sets = list(combinations(range(width), size))
    sketches = Sketches(np.array(sets), power)
    sketches.add([np.array(column, dtype=np.uint64) for column in hashes])
    expected = [plain_registers(hashes, columns, power) for columns in sets]
    assert sketches.registers.tolist() == expected
    estimates = estimated_counts(sketches.registers)
    assert estimates.tolist() == [round(plain_estimate(row)) for row in expected]


@given(st.lists(st.integers(0, 61), min_size=16, max_size=16))
def test_estimates_of_any_registers_are_those_of_the_formula(registers: list[int]) -> None:
    assume(min(registers) < 61)  # more than 2^60 combinations
    estimates = int(estimated_counts(np.array([registers], dtype=np.uint8))[0])
    expected = plain_estimate(registers)
    assert estimates == pytest.approx(expected, rel=1e-12, abs=0.5)


def test_nothing_seen_is_nothing() -> None:
    assert estimated_counts(np.zeros((2, 16), dtype=np.uint8)).tolist() == [0, 0]


def test_parts_of_a_table_are_put_together_by_the_larger_register() -> None:
    hashes = _hashes(5, 20_000, 300)
    sets = np.array(list(combinations(range(5), 2)))
    whole, one, other = (Sketches(sets, 8) for _ in range(3))
    whole.add(hashes)
    one.add([column[:12_345] for column in hashes])
    other.add([column[12_345:] for column in hashes])
    assert np.array_equal(whole.registers, np.maximum(one.registers, other.registers))


@pytest.mark.parametrize("power", [7, 9, 12])
@pytest.mark.parametrize("many", [20, 500, 20_000])
def test_the_error_is_the_stated_one(power: int, many: int) -> None:
    rng = np.random.default_rng(power * many)
    repeats = 400
    words = rng.integers(0, 1 << 64, (repeats, many), dtype=np.uint64)
    sketches = Sketches(np.arange(repeats)[:, None], power)
    sketches.add(list(words))
    off = estimated_counts(sketches.registers) / many - 1
    stated = 1.04 / 2 ** (power / 2)
    assert np.sqrt((off**2).mean()) < 1.15 * stated
    rounding = 0.5 / many
    assert abs(off.mean()) < 4 * stated / np.sqrt(repeats) + rounding


def test_sets_of_columns_err_independently() -> None:
    hashes = _hashes(12, 30_000, 40)
    sets = np.array(list(combinations(range(12), 3)))
    sketches = Sketches(sets, 7)
    sketches.add(hashes)
    keys = np.stack(hashes)
    exact = [len(np.unique(keys[list(columns)], axis=1).T) for columns in sets[::11]]
    off = estimated_counts(sketches.registers)[::11] / np.array(exact) - 1
    assert abs(off.mean()) < 4 * (1.04 / 2**3.5) / np.sqrt(len(off))


def _hashes(width: int, rows: int, levels: int) -> list[U64]:
    rng = np.random.default_rng(width)
    books = rng.integers(0, 1 << 64, (width, levels), dtype=np.uint64)
    return [book[rng.integers(0, levels, rows)] for book in books]
