"""Slow twins of the suppression of cells, from the definitions: brute force over all patterns.

A row is a tuple of values; None is a cell that is missing or blank.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product
from typing import Any

Row = tuple[Any, ...]


def matches(one: Row, other: Row) -> bool:
    """Whether two rows agree, a blank cell matching everything."""
    return all(a is None or b is None or a == b for a, b in zip(one, other, strict=True))


def alike(rows: Sequence[Row], k: int) -> bool:
    """Whether each row has at least k equals, a blank being a value of its own."""
    return all(list(rows).count(row) >= k for row in rows)


def matched(rows: Sequence[Row], k: int) -> bool:
    """Whether at least k rows match each row, a blank matching everything."""
    return all(sum(matches(row, other) for other in rows) >= k for row in rows)


def covering(original: Sequence[Row], published: Sequence[Row]) -> list[int]:
    """For each person, how many published rows hold nothing but blanks and the person's values."""
    return [
        sum(
            all(cell is None or cell == value for cell, value in zip(row, person, strict=True))
            for row in published
        )
        for person in original
    ]


def cells(original: Sequence[Row], published: Sequence[Row], weights: Sequence[float]) -> float:
    """What was blanked, by the weights of columns."""
    return sum(
        weight
        for before, after in zip(original, published, strict=True)
        for a, b, weight in zip(before, after, weights, strict=True)
        if a is not None and b is None
    )


def optimum(
    rows: Sequence[Row],
    k: int,
    weights: Sequence[float],
    holds: Callable[[Sequence[Row], int], bool],
) -> float:
    """The least cost of a pattern of blanks such that a condition holds; every pattern is tried."""
    choices = [
        list(product(*[[value] if value is None else [value, None] for value in row]))
        for row in rows
    ]
    return min(cells(rows, pattern, weights) for pattern in product(*choices) if holds(pattern, k))


def partitions(members: Sequence[int], k: int) -> Iterator[list[tuple[int, ...]]]:
    """All ways to cut members into parts of at least k."""
    if not members:
        yield []
        return
    first, *rest = members
    for size in range(k - 1, len(rest) + 1):
        for others in combinations(rest, size):
            remain = [m for m in rest if m not in others]
            for parts in partitions(remain, k):
                yield [(first, *others), *parts]


def optimum_of_classes(rows: Sequence[Row], k: int, weights: Sequence[float]) -> float:
    """The least cost where blanks are values: each class blanks what its members differ in."""

    def cost(part: Sequence[int]) -> float:
        members = [rows[i] for i in part]
        published = [
            tuple(v if len({m[j] for m in members}) == 1 else None for j, v in enumerate(row))
            for row in members
        ]
        return cells(members, published, weights)

    return min(sum(map(cost, parts)) for parts in partitions(range(len(rows)), k))


def columns_by_cost(
    width: int, weights: Sequence[float], values: Sequence[int]
) -> list[tuple[int, ...]]:
    """All sets of columns: the cheapest first, then those with many values."""
    sets = [some for size in range(width + 1) for some in combinations(range(width), size)]

    def rank(some: tuple[int, ...]) -> tuple[float, int, int]:
        cost = round(sum(weights[j] for j in some), 9)
        return cost, -sum(values[j] for j in some), sum(1 << j for j in some)

    return sorted(sets, key=rank)


def without(row: Row, columns: Sequence[int]) -> Row:
    """A row with some columns blank."""
    return tuple(None if j in columns else value for j, value in enumerate(row))


def peel(rows: Sequence[Row], k: int, order: Sequence[tuple[int, ...]]) -> list[Row | None]:
    """What is published of each row when classes of k or more are fixed, set by set of columns."""
    published: list[Row | None] = [None] * len(rows)
    rest = list(range(len(rows)))
    for columns in order:
        shown = {i: without(rows[i], columns) for i in rest}
        for i in rest:
            if list(shown.values()).count(shown[i]) >= k or shown[i] in published:
                published[i] = shown[i]
        rest = [i for i in rest if published[i] is None]
    return published


def greedy(rows: Sequence[Row], k: int, order: Sequence[tuple[int, ...]]) -> list[Row]:
    """Row by row, blank the first set of columns with which at least k rows match it."""
    published = list(rows)
    for i, row in enumerate(rows):
        for columns in order:
            shown = without(row, columns)
            others = sum(matches(shown, other) for j, other in enumerate(published) if j != i)
            if others + 1 >= k:
                published[i] = shown
                break
    return published


def hitting_cost(sets: Sequence[int], width: int, weights: Sequence[float]) -> float:
    """The least weight of columns that have one in common with each set; bits are columns."""
    costs = [
        sum(weights[j] for j in range(width) if mask >> j & 1)
        for mask in range(1 << width)
        if all(mask & each for each in sets)
    ]
    return min(costs)


def could_show_more(original: Sequence[Row], published: Sequence[Row], k: int) -> str:
    """How a published table could blank less and still have k rows alike; empty if it could not."""
    classes = {row: [i for i, r in enumerate(published) if r == row] for row in published}
    for row, members in classes.items():
        for j in range(len(row)):
            if _can_show(original, published, k, row, j):
                return f"{row} can show column {j}"
        cheaper = [
            other
            for i in members
            for other in classes
            if len(members) > k and _fits(original[i], other) and _costs_less(other, row)
        ]
        if cheaper:
            return f"a record of {row} can be published as {cheaper[0]}"
    return ""


def _can_show(original: Sequence[Row], published: Sequence[Row], k: int, row: Row, j: int) -> bool:
    """Whether all who are published as a row can show a blank column of theirs."""
    members = [i for i, r in enumerate(published) if r == row]
    if row[j] is not None or all(original[i][j] is None for i in members):
        return False
    shown = [(*row[:j], original[i][j], *row[j + 1 :]) for i in members]
    others = [r for r in published if r != row]
    return all((others + shown).count(r) >= k for r in shown)


def _fits(person: Row, row: Row) -> bool:
    return all(cell is None or cell == value for value, cell in zip(person, row, strict=True))


def _costs_less(one: Row, other: Row) -> bool:
    # both fit the same person, so cells that were missing are blank in both
    return one.count(None) < other.count(None)
