"""The data of a workspace, opened as every command opens it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singleout.web.workspaces import Source

if TYPE_CHECKING:
    from singleout.core.table import Table
    from singleout.engines.counter import Counter

__all__ = ["called", "opened"]


def opened(source: Source) -> Counter:
    """Return what counts the data of a workspace; to be closed."""
    from singleout.engines.open import open_data

    if source.kind == "demo":
        from singleout.io.demo import demo

        return open_data(demo(), where=source.where)
    counter = open_data(source.data, where=source.where, **source.reading)
    if source.kind != "upload" or counter.held is None:
        return counter
    # whoever uploads a file knows it by its own name, not by ours
    table = counter.held.table
    return open_data(called(table, source))


def called(table: Table, source: Source) -> Table:
    """Return a table under the name that its user knows, also in its notes."""
    from singleout.core.table import Table

    notes = [source.named(str(note)) for note in table.notes]
    return Table(table, missing=table.missing, source=source.name, notes=notes)
