"""A hierarchy as a tree that can be edited: its nodes with counts, and what can be done to them.

A hierarchy is a row for each value, from the value to the top. A node is a label on a level; the
label above it is the same in all its rows, and every change keeps it so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from singleout.errors import BadChoice
from singleout.report.say import say
from singleout.web.answering import Held
from singleout.web.treating.distributions import refuse_names
from singleout.web.treating.measuring import treated_of

if TYPE_CHECKING:
    from singleout.core.table import Column
    from singleout.treatment.hierarchies.hierarchy import Hierarchy

__all__ = ["apart", "edited", "grouped", "renamed", "rows_of", "text_of", "tree", "without_level"]

_NODES = 400  # that are shown on the lowest level
_VALUES = 20_000  # of a column whose tree can be edited

Rows = list[list[str]]


# ---- what can be asked


def tree(held: Held, column: str, rows: Rows | None) -> dict[str, Any]:
    """Return the tree of a column with the records and values at each node."""
    of = _column(held, column)
    hierarchy, sentence = _hierarchy(of, rows)
    spelled = _spelled(hierarchy)
    records = _records(hierarchy, of)
    levels = _levels(spelled, records)
    lowest = next(level for level, one in enumerate(levels) if one["labels"] <= _NODES)
    return {
        "column": column,
        "sentence": sentence,
        "levels": levels,
        "lowest": lowest,
        "top": len(levels) - 1,
        "records": len(of),
        "nodes": _nodes(spelled, records, lowest, len(levels) - 2, range(len(spelled))),
    }


def edited(held: Held, column: str, rows: Rows | None, change: dict[str, Any]) -> Rows:
    """Return the rows of a tree after a change, or as they are (``keep``)."""
    of = _column(held, column)
    now = _spelled(_hierarchy(of, rows)[0])
    kind = change["do"]
    if kind == "keep":
        return now
    if kind == "group":
        now = grouped(now, change["level"], change["labels"], change["name"])
    elif kind == "rename":
        now = renamed(now, change["level"], change["labels"], change["name"])
    elif kind == "apart":
        now = apart(now, change["level"], change["labels"])
    elif kind == "level":
        now = without_level(now, change["level"])
    else:
        raise BadChoice(say("web.treat.errors.no_change"))
    _fitted(column, of, now)
    return now


def rows_of(held: Held, column: str, text: str) -> Rows:
    """Return the rows of a tree that somebody has written as lines."""
    from singleout.treatment.hierarchies.read import read_hierarchy

    of = _column(held, column)
    path = held.workspace.file("hierarchy.csv")
    path.write_text(text, encoding="utf-8", errors="replace")
    try:
        rows = _spelled(read_hierarchy(path, column))
    finally:
        path.unlink(missing_ok=True)
    _fitted(column, of, rows)
    return rows


def text_of(held: Held, column: str, rows: Rows | None) -> str:
    """Return the tree of a column as lines, each from the value to the top."""
    from singleout.treatment.hierarchies.write import hierarchy_text

    return hierarchy_text(_hierarchy(_column(held, column), rows)[0])


def _column(held: Held, name: str) -> Column:
    original = treated_of(held, {"steps": []}).original
    if name not in original.columns:
        raise BadChoice(say("web.treat.errors.no_column"))
    refuse_names(held, [name])
    column = original[name]
    if len(column.values) > _VALUES:
        raise BadChoice(say("web.treat.errors.many_values", n=len(column.values), most=_VALUES))
    return column


def _hierarchy(column: Column, rows: Rows | None) -> tuple[Hierarchy, str]:
    from singleout.treatment.hierarchies.propose import proposal

    if rows is not None:
        return _fitted(column.name, column, rows), str(say("web.treat.tree.edited"))
    found = proposal(column)
    return found.hierarchy.by_spelling(), found.sentence


def _fitted(name: str, column: Column, rows: Rows) -> Hierarchy:
    from singleout.treatment.hierarchies.read import read_hierarchy

    hierarchy = read_hierarchy(rows, name)
    hierarchy.fit(column)
    return hierarchy


def _spelled(hierarchy: Hierarchy) -> Rows:
    from singleout.treatment.hierarchies.hierarchy import spelling

    return [list(map(spelling, row)) for row in hierarchy.rows]


def _records(hierarchy: Hierarchy, column: Column) -> list[int]:
    """Return how many records have the value of each row."""
    import numpy as np

    fitted = hierarchy.fit(column)
    own = len(hierarchy.labels[0])
    counts = np.bincount(fitted.maps[0], weights=column.sizes, minlength=own)
    by_label = dict(enumerate(counts.tolist()))
    return [int(by_label[int(label)]) for label in hierarchy.maps[0]]


def _levels(rows: Rows, records: Sequence[int]) -> list[dict[str, Any]]:
    found = []
    for level in range(len(rows[0])):
        sizes: dict[str, int] = {}
        for row, size in zip(rows, records, strict=True):
            sizes[row[level]] = sizes.get(row[level], 0) + size
        held = [size for size in sizes.values() if size]
        found.append({"level": level, "labels": len(sizes), "smallest": min(held, default=0)})
    return found


def _nodes(
    rows: Rows, records: Sequence[int], lowest: int, level: int, members: Sequence[int]
) -> list[dict[str, Any]]:
    """Return the nodes of a level that some rows are below, with those under each."""
    if level < lowest:
        return []
    below: dict[str, list[int]] = {}
    for index in members:
        below.setdefault(rows[index][level], []).append(index)
    return [
        {
            "level": level,
            "label": label,
            "records": sum(records[index] for index in some),
            "values": len(some),
            "children": _nodes(rows, records, lowest, level - 1, some),
        }
        for label, some in below.items()
    ]


# ---- what can be done


def grouped(rows: Rows, level: int, labels: Sequence[str], name: str) -> Rows:
    """Return the tree with some nodes of a level under one on the next.

    If that one is there already they move to it; otherwise it is new, and stands where the first
    of them did. Where the next level is the top, a level comes between.

    >>> grouped([["a", "*"], ["b", "*"], ["c", "*"]], 0, ["a", "b"], "vowels")
    [['a', 'vowels', '*'], ['b', 'vowels', '*'], ['c', 'c', '*']]
    """
    _check_level(rows, level, range(len(rows[0]) - 1))
    _check_labels(rows, level, labels)
    _check_name(name)
    found = [list(row) for row in rows]
    if level + 1 == len(found[0]) - 1:
        found = [[*row[: level + 1], row[level], *row[level + 1 :]] for row in found]
    chosen = set(labels)
    others = (row for row in found if row[level] not in chosen and row[level + 1] == name)
    first = next(others, None) or next(row for row in found if row[level] in chosen)
    above = first[level + 2 :]
    return [[*row[: level + 1], name, *above] if row[level] in chosen else row for row in found]


def renamed(rows: Rows, level: int, labels: Sequence[str], name: str) -> Rows:
    """Return the tree with another name for a node; one with the name of another joins it.

    >>> renamed([["1", "low", "*"], ["2", "high", "*"]], 1, ["low"], "small")
    [['1', 'small', '*'], ['2', 'high', '*']]
    """
    _check_level(rows, level, range(1, len(rows[0])))
    _check_labels(rows, level, labels)
    _check_name(name)
    chosen = set(labels)
    joined = next((row for row in rows if row[level] == name and name not in chosen), None)
    first = joined or next(row for row in rows if row[level] in chosen)
    above = first[level + 1 :]
    return [[*row[:level], name, *above] if row[level] in chosen else list(row) for row in rows]


def apart(rows: Rows, level: int, labels: Sequence[str]) -> Rows:
    """Return the tree with what is under some nodes standing alone on their level.

    >>> apart([["a", "x", "*"], ["b", "x", "*"]], 1, ["x"])
    [['a', 'a', '*'], ['b', 'b', '*']]
    """
    _check_level(rows, level, range(1, len(rows[0]) - 1))
    _check_labels(rows, level, labels)
    chosen = set(labels)
    taken = {row[level] for row in rows} - chosen
    under = {row[level - 1] for row in rows if row[level] in chosen}
    if taken & under:
        raise BadChoice(say("web.treat.errors.name_taken"))
    return [
        [*row[:level], row[level - 1], *row[level + 1 :]] if row[level] in chosen else list(row)
        for row in rows
    ]


def without_level(rows: Rows, level: int) -> Rows:
    """Return the tree without a level between the values and the top.

    >>> without_level([["a", "x", "*"], ["b", "x", "*"]], 1)
    [['a', '*'], ['b', '*']]
    """
    _check_level(rows, level, range(1, len(rows[0]) - 1))
    return [[*row[:level], *row[level + 1 :]] for row in rows]


def _check_level(rows: Rows, level: int, allowed: range) -> None:
    if level not in allowed or not rows:
        raise BadChoice(say("web.treat.errors.level"))


def _check_labels(rows: Rows, level: int, labels: Sequence[str]) -> None:
    there = {row[level] for row in rows}
    if not labels or any(label not in there for label in labels):
        raise BadChoice(say("web.treat.errors.tick"))


def _check_name(name: str) -> None:
    if not name.strip():
        raise BadChoice(say("web.treat.errors.name"))
