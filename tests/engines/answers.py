"""Compare what an engine answers with what the local one does."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import singleout as so


def plain(result: Any) -> dict[str, Any]:
    """Return a result as plain values without its notes, which may name the engine."""
    return _without_notes(result.to_dict())


def _without_notes(answer: Any) -> Any:
    if isinstance(answer, Mapping):
        return {key: _without_notes(value) for key, value in answer.items() if key != "notes"}
    if isinstance(answer, list):
        return [_without_notes(value) for value in answer]
    return answer


def as_text(value: Any) -> str | None:
    """Return a value as text, since SQLite has few types: None for NaN, 0 for -0.0."""
    if value is None or value != value:  # noqa: PLR0124 - NaN is the value unequal to itself
        return None
    if isinstance(value, str):
        return value.removesuffix(".000000")
    if isinstance(value, int):
        return str(int(value))
    return f"{float(value) + 0.0:.17g}" if hasattr(value, "__float__") else str(value)


def rows_as_text(rows: Iterable[tuple[Any, ...]]) -> Counter[tuple[str | None, ...]]:
    """Return how often each row occurs: a database has no order."""
    return Counter(tuple(map(as_text, row)) for row in rows)


def rows_of(table: so.Table) -> list[tuple[Any, ...]]:
    """Return the records of an encoded table as values."""
    columns = [[column.value(code) for code in column.codes.tolist()] for column in table]
    return list(zip(*columns, strict=True))
