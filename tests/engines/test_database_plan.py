"""Sets are put together into few statements, each of them once."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from singleout.engines.sql.plan import planned

NAMES = [f"c{index}" for index in range(9)]


@given(
    st.lists(
        st.frozensets(st.sampled_from(NAMES), min_size=1, max_size=5), min_size=1, unique=True
    ),
    st.lists(st.integers(1, 50), min_size=9, max_size=9),
    st.integers(0, 10**7),
    st.integers(1, 20),
)
def test_every_set_is_in_one_block_that_is_not_too_large(
    sets: list[frozenset[str]], sizes: list[int], rows: int, at_once: int
) -> None:
    levels = dict(zip(NAMES, sizes, strict=True))
    blocks = planned(sets, levels, rows, at_once=at_once)
    assert sorted(index for block in blocks for index in block.sets) == list(range(len(sets)))
    for block in blocks:
        if not block.rolled:
            assert len(block.sets) <= at_once
            continue
        room = rows / 16
        together = 1
        for name in frozenset().union(*(sets[index] for index in block.sets)):
            together *= max(levels[name], 2)
        assert together <= room


def test_three_of_twenty_columns_are_far_fewer_statements_than_sets() -> None:
    levels = {f"c{index}": [2, 5, 7, 9, 16][index % 5] for index in range(20)}
    sets = [frozenset(names) for names in combinations(levels, 3)]
    blocks = planned(sets, levels, 1_000_000, at_once=16)
    assert len(sets) == 1140
    assert len(blocks) < 1140 / 8
    assert all(block.rolled for block in blocks[:-1])


def test_without_levels_sets_are_only_put_together() -> None:
    sets = [frozenset(names) for names in combinations(NAMES, 2)]
    blocks = planned(sets, {}, 0, at_once=10)
    assert [len(block.sets) for block in blocks] == [10, 10, 10, 6]
    assert not any(block.rolled for block in blocks)


def test_more_columns_than_bits_are_not_rolled_up() -> None:
    sets = [frozenset([f"c{index}"]) for index in range(70)]
    blocks = planned(sets, {f"c{index}": 2 for index in range(70)}, 10**9, at_once=16)
    assert not any(block.rolled for block in blocks)
