"""Slow twins of SUDA, written from Elliot et al. (2005) and the verified rules: never fast.

A missing cell is None. Records and columns are numbered from 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import factorial
from typing import Any

Record = Sequence[Any]
Columns = tuple[int, ...]


def is_unique(
    records: Sequence[Record], place: int, columns: Columns, *, never: bool = False
) -> bool:
    """Whether no other record has the same values; with never, and none of them is missing."""
    mine = [records[place][c] for c in columns]
    if never and None in mine:
        return False
    return not any(
        [other[c] for c in columns] == mine
        for number, other in enumerate(records)
        if number != place
    )


def minimal_uniques(
    records: Sequence[Record], max_size: int | None = None, *, never: bool = False
) -> list[tuple[int, Columns]]:
    """All (record, columns) that are unique while no set with one column less is."""
    width = len(records[0])
    found = []
    for size in range(1, (max_size or width) + 1):
        for columns in combinations(range(width), size):
            for place in range(len(records)):
                smaller = combinations(columns, size - 1) if size > 1 else ()
                if is_unique(records, place, columns, never=never) and not any(
                    is_unique(records, place, part, never=never) for part in smaller
                ):
                    found.append((place, columns))
    return found


def counts_by_variable(
    uniques: Sequence[tuple[int, Columns]], records: int, width: int, max_size: int
) -> list[list[list[int]]]:
    """For each size, record and column how many of the uniques of that size hold the column."""
    counts = [[[0] * width for _ in range(records)] for _ in range(max_size)]
    for place, columns in uniques:
        for column in columns:
            counts[len(columns) - 1][place][column] += 1
    return counts


def counts_by_size(
    uniques: Sequence[tuple[int, Columns]], records: int, max_size: int
) -> list[list[int]]:
    counts = [[0] * max_size for _ in range(records)]
    for place, columns in uniques:
        counts[place][len(columns) - 1] += 1
    return counts


def paths(size: int, variables: int, lowest: int) -> int:
    """Ways down the lattice from a set of a size, one more variable at each step.

    The lattice is cut below the sets of size ``lowest``: a path ends one step further down.
    """
    if size > lowest or size == variables:
        return 1
    return (variables - size) * paths(size + 1, variables, lowest)


def subsets_above(size: int, variables: int) -> int:
    """How many sets hold a given set of that size and at least one variable more."""
    rest = range(variables - size)
    return sum(1 for more in range(1, len(rest) + 1) for _ in combinations(rest, more))


def weight(size: int, variables: int, max_size: int, scoring: str) -> Fraction:
    if scoring == "lattice":
        return Fraction(paths(size, variables, variables))
    if scoring == "normalised":
        return Fraction(paths(size, variables, max_size))
    of_that_size = sum(1 for _ in combinations(range(variables), size))
    return Fraction(subsets_above(size, variables), of_that_size)


def scores(
    uniques: Sequence[tuple[int, Columns]],
    records: int,
    variables: int,
    max_size: int,
    scoring: str = "lattice",
) -> list[Fraction]:
    total = [Fraction(0)] * records
    for place, columns in uniques:
        total[place] += weight(len(columns), variables, max_size, scoring)
    return total


def proportions_of_lattice(
    uniques: Sequence[tuple[int, Columns]], records: int, variables: int
) -> list[Fraction]:
    found = scores(uniques, records, variables, variables)
    return [score / factorial(variables) for score in found]


def of_variables(
    uniques: Sequence[tuple[int, Columns]],
    records: int,
    variables: int,
    max_size: int,
    scoring: str = "lattice",
) -> list[list[Fraction]]:
    """For each record and variable the weight of the uniques that hold the variable."""
    total = [[Fraction(0)] * variables for _ in range(records)]
    for place, columns in uniques:
        for column in columns:
            total[place][column] += weight(len(columns), variables, max_size, scoring)
    return total


def contributions(*question: Any) -> list[list[Fraction]]:
    """The same as a share of the record's score; 0 where that is 0."""
    return [
        [part / score if score else Fraction(0) for part in parts]
        for parts, score in zip(of_variables(*question), scores(*question), strict=True)
    ]


def variable_contributions(*question: Any) -> list[Fraction]:
    """T_A / T_S for each variable; 0 where T_S is 0."""
    total = sum(scores(*question))
    parts = of_variables(*question)
    return [
        sum(column, Fraction(0)) / total if total else Fraction(0)
        for column in zip(*parts, strict=True)
    ]


def value_contributions(records: Sequence[Record], *question: Any) -> dict[tuple[int, Any], Any]:
    """T_V / T_S for each column and value."""
    total = sum(scores(*question))
    found: dict[tuple[int, Any], Fraction] = {}
    for record, parts in zip(records, of_variables(*question), strict=True):
        for column, (value, part) in enumerate(zip(record, parts, strict=True)):
            share = part / total if total else Fraction(0)
            found[column, value] = found.get((column, value), Fraction(0)) + share
    return found


def unique_and_in_pairs(records: Sequence[Record]) -> tuple[int, int]:
    """U and P: records alone in their class, and records in classes of two."""
    classes = Counter(tuple(record) for record in records).values()
    return sum(n == 1 for n in classes), 2 * sum(n == 2 for n in classes)


def dis(unique: int, in_pairs: int, fraction: float) -> float:
    return unique * fraction / (unique * fraction + in_pairs * (1 - fraction)) if unique else 0.0


def dis_scores(
    found: Sequence[float], variables: int, unique: int, in_pairs: int, fraction: float
) -> list[float]:
    """DIS-SUDA as it was first written: the file's odds of a wrong match, spread over records.

    The odds against a right match are P (1 - f) / (U f) on average; record i gets U S^-Q / sum of
    S^-Q of the other side, so that U cancels.
    """
    exponent = 1 + (8 - variables) / 20
    scored = [float(score) for score in found if score > 0]
    answer = []
    for score in found:
        if score == 0:
            answer.append(0.0)
            continue
        spread = float(score) ** exponent * sum(other**-exponent for other in scored)
        odds = in_pairs * (1 - fraction) / (unique * fraction) * unique / spread
        answer.append(1 / (1 + odds))
    return answer


def kinds(
    records: Sequence[Record], max_size: int, *, never: bool = False
) -> list[tuple[bool, str | None, int | None]]:
    """For each record whether it is unique on all columns, its kind, and its smallest unique set.

    A missing cell is a value for the first; a smaller set is looked for up to ``max_size``.
    """
    width = len(records[0])
    everything = tuple(range(width))
    answer: list[tuple[bool, str | None, int | None]] = []
    for place in range(len(records)):
        alone = is_unique(records, place, everything)
        smallest = next(
            (
                size
                for size in range(1, max_size + 1)
                for columns in combinations(everything, size)
                if is_unique(records, place, columns, never=never)
            ),
            None,
        )
        if not alone:
            kind = None
        elif smallest is None:
            kind = "undecided" if max_size < width else "by-missing"
        else:
            kind = "special" if smallest < width else "random"
        answer.append((alone, kind, smallest))
    return answer


def set_contributions(
    uniques: Sequence[tuple[int, Columns]],
    records: int,
    variables: int,
    max_size: int,
    scoring: str = "lattice",
) -> dict[Columns, tuple[int, Fraction]]:
    """For each set of columns how many records have it as a minimal unique, and its share."""
    total = sum(scores(uniques, records, variables, max_size, scoring))
    held = Counter(columns for _, columns in uniques)
    return {
        columns: (n, n * weight(len(columns), variables, max_size, scoring) / (total or 1))
        for columns, n in held.items()
    }


def people_alike(sample: Sequence[Record], people: Sequence[Record]) -> list[int]:
    """For each record of a sample how many people of the population have its values."""
    return [sum(tuple(person) == tuple(record) for person in people) for record in sample]
