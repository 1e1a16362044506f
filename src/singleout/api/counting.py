"""Counts of any data: the distinct combinations of some columns and how many records share each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from singleout.core.counts import Counts
from singleout.engines import local
from singleout.errors import BadChoice
from singleout.io.read import read

__all__ = ["count"]


def count(data: Any, columns: Sequence[str]) -> Counts:
    """Count how many records share each combination of some columns; missing is a value.

    The counts of parts of a table merge into the counts of the whole, so that a table too large for
    memory can be counted in pieces.

    Parameters
    ----------
    data
        A path, a data frame or a `Table`.
    columns
        The columns to combine, at least one.

    Examples
    --------
    >>> import singleout as so
    >>> part = so.count({"sex": ["f", "m"]}, ["sex"])
    >>> rest = so.count({"sex": ["f", None]}, ["sex"])
    >>> sorted(part.merge(rest), key=str)
    [(('f',), 2), (('m',), 1), ((None,), 1)]
    """
    names = list(dict.fromkeys(columns))
    if not names:
        raise BadChoice("No columns were given to count; name at least one.")
    return local.counts(read(data, columns=names), names)
