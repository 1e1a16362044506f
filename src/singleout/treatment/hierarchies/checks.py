"""Whether rows are a tree: one sentence names the line and the value of the first that is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from singleout.errors import BadChoice
from singleout.treatment.hierarchies.hierarchy import EVERYTHING, spelling

__all__ = ["check_tree"]


def check_tree(rows: Sequence[Sequence[Any]], numbers: Sequence[int], where: str) -> None:
    """Refuse rows that are no tree.

    Parameters
    ----------
    rows
        The labels of each value, from itself to the last level.
    numbers
        The line that each row starts in.
    where
        What a line is called in messages, such as ``age.csv, line``.
    """
    _check_lengths(rows, numbers, where)
    _check_blanks(rows, numbers, where)
    _check_root(rows, numbers, where)
    _check_parents(rows, numbers, where)
    _check_cycles(rows, numbers, where)


def _check_lengths(rows: Sequence[Sequence[Any]], numbers: Sequence[int], where: str) -> None:
    wanted = len(rows[0])
    for row, number in zip(rows, numbers, strict=True):
        if len(row) != wanted:
            value = spelling(row[0]) if len(row) else ""
            raise BadChoice(
                f"{where} {number}: {value!r} has {len(row)} columns, but {_word(where)} "
                f"{numbers[0]} has {wanted}; every {_word(where)} must have the same number."
            )
    if wanted < 2:
        raise BadChoice(
            f"{where} {numbers[0]}: there is one column only; it goes from the value to "
            f"{EVERYTHING!r}."
        )


def _check_blanks(rows: Sequence[Sequence[Any]], numbers: Sequence[int], where: str) -> None:
    for row, number in zip(rows, numbers, strict=True):
        blank = next((level for level, label in enumerate(row) if spelling(label) == ""), None)
        if blank is not None and (blank > 0 or spelling(row[-1]) == ""):
            raise BadChoice(
                f"{where} {number}: {spelling(row[0])!r} has no label on level "
                f"{blank or len(row) - 1}; only a missing value may stay without one, up to the "
                "last level."
            )


def _check_root(rows: Sequence[Sequence[Any]], numbers: Sequence[int], where: str) -> None:
    root = rows[-1][-1]
    for row, number in zip(rows, numbers, strict=True):
        if row[-1] != root:
            heading = number == numbers[0] and len({row[-1] for row in rows[1:]}) == 1
            raise BadChoice(
                f"{where} {number}: {spelling(row[0])!r} ends in {row[-1]!r}, but "
                f"{spelling(rows[-1][0])!r} in {_word(where)} {numbers[-1]} ends in {root!r}; all "
                f"values must end in the same label, such as {EVERYTHING!r}"
                + (", and a hierarchy has no headings." if heading else ".")
            )


def _check_parents(rows: Sequence[Sequence[Any]], numbers: Sequence[int], where: str) -> None:
    first: list[dict[str, tuple[Any, int]]] = [{} for _ in rows[0]]
    word = _word(where)
    for row, number in zip(rows, numbers, strict=True):
        for level, (label, parent) in enumerate(pairwise(row)):
            before, line = first[level].setdefault(spelling(label), (parent, number))
            if before == parent:
                continue
            if level == 0:
                raise BadChoice(
                    f"{where} {number}: the value {spelling(label)!r} stands in {word} {line} "
                    f"already, below {before!r} and not {parent!r}; give each value one {word}."
                )
            raise BadChoice(
                f"{where} {number}: {label!r} is below {parent!r}, but in {word} {line} it is "
                f"below {before!r}; each label has one label above it."
            )


def _word(where: str) -> str:
    """Return what a line is called: line or row."""
    return where.rpartition(" ")[2]


def _check_cycles(rows: Sequence[Sequence[Any]], numbers: Sequence[int], where: str) -> None:
    above: dict[str, dict[str, int]] = {}
    for row, number in zip(rows, numbers, strict=True):
        labels = [spelling(label) for label in row]
        for lower, upper in pairwise(labels):
            if lower != upper and EVERYTHING not in (lower, upper):
                above.setdefault(lower, {}).setdefault(upper, number)
    found = _back_edge(above)
    if found is not None:
        lower, upper = found
        raise BadChoice(
            f"{where} {above[lower][upper]}: {upper!r} is above {lower!r}, and also below it; "
            "a label cannot be above itself."
        )


def _back_edge(above: Mapping[str, Mapping[str, int]]) -> tuple[str, str] | None:
    """Return a label and one above it that leads back to it; None if there is no cycle."""
    done: set[str] = set()
    for start in above:
        path: dict[str, Any] = {start: iter(above[start])} if start not in done else {}
        while path:
            label = next(reversed(path))
            upper = next(path[label], None)
            if upper is None:
                done.add(label)
                del path[label]
            elif upper in path:
                return label, upper
            elif upper not in done:
                path[upper] = iter(above.get(upper, {}))
    return None
