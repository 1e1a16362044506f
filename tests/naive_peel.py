"""Local recoding from its definition, with dictionaries; slow, for small tables.

A tree is a list of rows, each from a value to ``*``; a combination is a tuple of row numbers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from math import exp, log

Rows = Sequence[Sequence[str]]
Combination = tuple[int, ...]


def label(tree: Rows, level: int, value: int) -> tuple[str, ...]:
    """Return the label of a value with all that is above it, so that equal words stay apart."""
    return tuple(tree[value][level:])


def peel(
    trees: Sequence[Rows], counts: dict[Combination, int], nodes: Iterable[Sequence[int]], k: int
) -> set[frozenset[Combination]]:
    """Return the classes that are taken off at nodes in their order."""
    remaining, classes = dict(counts), set()
    for node in nodes:
        if sum(remaining.values()) < k:
            break
        found = defaultdict(list)
        for row in remaining:
            found[tuple(map(label, trees, node, row))].append(row)
        for members in found.values():
            if sum(remaining[row] for row in members) >= k:
                classes.add(frozenset(members))
                for row in members:
                    del remaining[row]
    return classes


def tight_levels(trees: Sequence[Rows], members: Sequence[Combination]) -> list[int]:
    """Return the lowest level of each column where all members have one label."""
    return [
        next(
            level for level in range(len(tree[0]))
            if len({label(tree, level, row[j]) for row in members}) == 1
        )
        for j, tree in enumerate(trees)
    ]  # fmt: skip


def loss(trees: Sequence[Rows], classes: Iterable[Sequence[tuple[Combination, int]]]) -> float:
    """Return the arithmetic loss of classes of combinations with their counts."""
    total, records = 0.0, 0
    for members in classes:
        rows = [row for row, _ in members]
        size = sum(count for _, count in members)
        records += size
        for j, level in enumerate(tight_levels(trees, rows)):
            values = len(trees[j])
            mine = label(trees[j], level, rows[0][j])
            leaves = sum(label(trees[j], level, value) == mine for value in range(values))
            if values > 1:
                total += size * (leaves - 1) / (values - 1) / len(trees)
    return total / records


def can_be_less_general(
    trees: Sequence[Rows],
    members: Sequence[Combination],
    holds: Callable[[list[Combination]], bool],
) -> bool:
    """Whether the labels one level lower in a column split a class into parts that all hold."""
    for j, level in enumerate(tight_levels(trees, members)):
        if level == 0:
            continue
        parts = defaultdict(list)
        for row in members:
            parts[label(trees[j], level - 1, row[j])].append(row)
        if all(map(holds, parts.values())):
            return True
    return False


def holds_caps(counts: Counter[int], caps: Sequence[float]) -> bool:
    size = counts.total()
    return all(counts[value] <= cap * size + 1e-9 for value, cap in enumerate(caps))


def holds_entropy(counts: Counter[int], least: float) -> bool:
    size = counts.total()
    return exp(-sum(c / size * log(c / size) for c in counts.values() if c)) >= least - 1e-6


def holds_recursive(counts: Counter[int], c: float, l: int) -> bool:  # noqa: E741
    falling = sorted(counts.values(), reverse=True)
    return falling[0] < c * sum(falling[l - 1 :])


def distance(counts: Counter[int], table: Counter[int], *, ordered: bool) -> float:
    values = sorted(table)
    apart = [counts[v] / counts.total() - table[v] / table.total() for v in values]
    if not ordered:
        return sum(map(abs, apart)) / 2
    moved = [abs(sum(apart[: i + 1])) for i in range(len(apart))]
    return sum(moved) / max(len(values) - 1, 1)
