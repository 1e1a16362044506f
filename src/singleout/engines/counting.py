"""Counts of any data: the distinct combinations of some columns and how many records share each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from singleout.core.counts import Counts
from singleout.engines.open import open_data
from singleout.errors import BadChoice

__all__ = ["count"]


def count(
    data: Any,
    columns: Sequence[str],
    *,
    engine: Any = None,
    where: Any = None,
    count: str | None = None,
) -> Counts:
    """Count how many records share each combination of some columns; missing is a value.

    The counts of parts of a table merge into the counts of the whole, so that a table too large for
    memory can be counted in pieces.

    Parameters
    ----------
    data
        A path, a data frame or a `Table`; or data that is elsewhere, see `read`.
    columns
        The columns to combine, at least one.
    engine
        What counts: ``local``, ``database``, ``spark``, a `Database` or a `Spark`; chosen by the
        data if not given. Data that is elsewhere is counted there, and each combination comes back
        once.
    where
        The condition that records must meet, as text: ``"age >= 18 and region = 'north'"``.
    count
        The column that says how many records a row stands for, in a table of counts; if not given,
        each row is one record.

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
    with open_data(data, engine, where, names, count=count) as counter:
        return counter.counts(names)
