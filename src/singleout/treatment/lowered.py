"""A table of counts of which people were taken: its counts fall, and empty rows go."""

from __future__ import annotations

import numpy as np

from singleout.core.arrays import I64
from singleout.core.table import Column, Table, smallest_codes

__all__ = ["lowered"]


def lowered(table: Table, count: str, taken: I64) -> Table:
    """Return the table with so many people fewer in each row, without rows that have nobody left.

    Rows that stood for nobody before go too: they are empty cells.
    """
    table.require([count])
    left = np.round(table[count].numbers()).astype(np.int64) - taken
    kept = left > 0
    values, codes = np.unique(left[kept], return_inverse=True)
    old = table[count]
    column = Column(
        count,
        smallest_codes(codes, len(values)),
        tuple(values.tolist()),
        role=old.role,
        description=old.description,
    )
    rest = table.take(kept)
    columns = [column if one.name == count else one for one in rest]
    return Table(columns, missing=table.missing, source=table.source, notes=table.notes)
