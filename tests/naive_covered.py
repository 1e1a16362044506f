"""Coverage from its definition: each person against each published row, cell by cell."""

from __future__ import annotations

from collections.abc import Sequence

# for each column, the original values that each published value stands for; None for all
Meanings = Sequence[dict[int, set[int] | None]]


def covering(
    people: Sequence[tuple[int, ...]], rows: Sequence[tuple[int, ...]], meanings: Meanings
) -> list[int]:
    """Return for each person how many rows have no cell that rules her out."""

    def may_be(person: tuple[int, ...], row: tuple[int, ...]) -> bool:
        for value, cell, meaning in zip(person, row, meanings, strict=True):
            meant = meaning[cell]
            if meant is not None and value not in meant:
                return False
        return True

    return [sum(may_be(person, row) for row in rows) for person in people]
