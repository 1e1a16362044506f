"""The loss of a treatment, measured from what published values cover."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from singleout.core.table import Column, Table
from singleout.treatment.losses import Losses, losses

if TYPE_CHECKING:
    from singleout.assessment.treated.treated import Treated

__all__ = ["measured_loss"]


def measured_loss(treated: Treated) -> Losses | None:
    """Return all measures of loss; None if there is no column that counts.

    A column that was left out has lost everything.
    """
    names = treated.counted
    if not names:
        return None
    # in the order of the original, as what is compared with it
    order = np.argsort(treated.applied.rows, kind="stable")
    gone = np.ones(treated.original.rows, dtype=np.bool_)
    gone[treated.applied.rows] = treated.applied.suppressed(treated.original, names)
    kept = [name for name in names if name in treated.table.columns]
    return losses(
        treated.original,
        _with_blank(treated.table.take(order), names),
        list(names),
        shares={name: treated.shares(name)[order] for name in kept},
        leaves={name: treated.applied.values[name] for name in kept},
        suppressed=gone,
        kept=treated.applied.kept,
    )


def _with_blank(table: Table, names: Sequence[str]) -> Table:
    """Return a table with an empty column for each that it lacks."""
    nothing = np.zeros(table.rows, dtype=np.uint8)
    lost = [Column(name, nothing, [], True) for name in names if name not in table.columns]
    return Table([*table, *lost], missing=table.missing, source=table.source)
