"""People with several records, counted slowly: decision 0017."""

from __future__ import annotations

from collections.abc import Sequence


def rarest(rows: Sequence[tuple[object, ...]], people: Sequence[object]) -> list[int]:
    """Return for each person how many people share the rarest combination they have, sorted."""
    owners = {
        row: {who for other, who in zip(rows, people, strict=True) if other == row} for row in rows
    }
    return sorted(
        min(len(owners[row]) for row, who in zip(rows, people, strict=True) if who == person)
        for person in set(people)
    )
