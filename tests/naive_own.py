"""One person's own risk, from a list of people: every group of them is drawn and looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import comb


def own(people: Sequence[tuple], mine: tuple) -> dict:
    """The answers of somebody who is one of the people."""
    sets = Counter(people)
    total = len(people)
    return {
        "members": sets[mine],
        "left": [
            sum(each[: index + 1] == mine[: index + 1] for each in people)
            for index in range(len(mine))
        ],
        "without": [
            sum(_but(each, index) == _but(mine, index) for each in people)
            for index in range(len(mine))
        ],
        "average_unique": Fraction(sum(size == 1 for size in sets.values()), total),
        "average_match": sum(Fraction(1, sets[each]) for each in people) / total,
        "average_set": Fraction(sum(sets[each] for each in people), total),
        "as_small": Fraction(sum(sets[each] <= sets[mine] for each in people), total),
    }


def drawn(people: Sequence[tuple], mine: tuple, k: int) -> dict:
    """The same if k of the people are drawn, and she among them: the mean over all draws."""
    her = people.index(mine)
    others = [each for index, each in enumerate(people) if index != her]
    ways = comb(len(others), k - 1)
    groups = [[mine, *group] for group in combinations(others, k - 1)]
    sizes = [group.count(mine) for group in groups]
    anybody = list(combinations(people, k))
    return {
        "unique": Fraction(sum(size == 1 for size in sizes), ways),
        "expected_set": Fraction(sum(sizes), ways),
        "match": sum(Fraction(1, size) for size in sizes) / ways,
        "average_unique": _mean([_alone(group) for group in anybody]),
        "average_match": _mean([Fraction(len(set(group)), k) for group in anybody]),
        "average_set": _mean(
            [Fraction(sum(group.count(each) for each in group), k) for group in anybody]
        ),
    }


def _but(values: tuple, index: int) -> tuple:
    return values[:index] + values[index + 1 :]


def _alone(group: Sequence[tuple]) -> Fraction:
    return Fraction(sum(group.count(each) == 1 for each in group), len(group))


def _mean(numbers: Sequence[Fraction]) -> Fraction:
    return sum(numbers, Fraction(0)) / len(numbers)
