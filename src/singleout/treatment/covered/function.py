"""Measure the attack that a count of equal rows overlooks: which published rows may be a person's.

Counting a blank cell as equal to everything makes (1, *) and (1, 2) a pair. Who knows that A has
(1, 1) rules the second out, and has found her.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from singleout.core import arguments
from singleout.core.arrays import I32, I64
from singleout.core.frame_kinds import framed
from singleout.core.table import Table
from singleout.core.text import names_in_text, printable
from singleout.engines.local import counting as local
from singleout.engines.reading import read
from singleout.errors import BadChoice
from singleout.io.names import pick
from singleout.kernels.covered.count import covering
from singleout.kernels.grouping.group import Groups
from singleout.report.say import say
from singleout.treatment.covered.compatible import ColumnMatch, match_columns, matches_as_flat
from singleout.treatment.covered.result import Covered
from singleout.treatment.hierarchies.hierarchy import Hierarchy

__all__ = ["covered"]

_NAMED = 3  # labels that a note shows


@framed
def covered(
    original: Any,
    treated: Any,
    quasi_identifiers: Sequence[str] | str | None = None,
    k: int = 5,
    *,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    engine: Any = None,
) -> Covered:
    """Count for each original record the published rows that may be it, made by whatever tool.

    A published row is compatible with a person if each cell equals the person's value, generalises
    it, or is blank: missing, empty or ``*``. Labels are read by their spelling (``20-29``,
    ``[20, 30[``, ``<50``, ``65+``, ``12**``, ``{a, b}``, ``nurse or teacher``), by hierarchies, and
    from the rows themselves where both tables have the same records in the same order.

    Parameters
    ----------
    original, treated
        The data before and after: paths, data frames or tables; or data that is elsewhere, which is
        fetched, see `read`. Records may have been removed.
    quasi_identifiers
        What is known of a person; if not given, the columns of the original with that role or,
        where no column has it, all columns that both have.
    k
        How many rows must cover a record.
    hierarchies
        For columns whose labels cannot be read, the hierarchies that they come from.
    engine
        What fetches data that is elsewhere; chosen by the data if not given.

    Returns
    -------
    Covered
        The number of covering rows of each record; those that fewer than k cover.

    Examples
    --------
    >>> import singleout as so
    >>> original = {"a": [1, 1], "b": [1, 2]}
    >>> found = so.covered(original, {"a": [1, 1], "b": [None, 2]}, ["a", "b"], k=2)
    >>> found.counts.tolist(), found.below, found.single, found.unsafe
    ([1, 2], 1, 1, 2)
    """
    k = arguments.whole(k, "k", of="rows")
    before, after = read(original, engine=engine), read(treated, engine=engine)
    columns = _columns(before, after, quasi_identifiers)
    matches, aligned = match_columns(before, after, columns, hierarchies)
    people, rows = local.group(before, columns), local.group(after, columns)
    begins = np.cumsum([0, *(match.levels for match in matches)])
    labels = np.cumsum([0, *(len(match.members) for match in matches)])
    counts, smallest = covering(
        _codes(before, columns, people, begins),
        _codes(after, columns, rows, labels),
        rows.sizes,
        matches_as_flat(matches),
    )
    own: I64 = rows.sizes[rows.ids] if aligned else smallest[people.ids]
    of_record: I64 = counts[people.ids]
    notes = _notes(before, after, matches, aligned=aligned)
    if (of_record == 0).any():
        notes.append(say("covered.uncovered", n=int((of_record == 0).sum())))
    return Covered(of_record, own, k, tuple(columns), after.rows, aligned, tuple(notes))


def _columns(before: Table, after: Table, asked: Sequence[str] | str | None) -> list[str]:
    both = [name for name in before.columns if name in set(after.columns)]
    if asked is None:
        asked = [name for name in before.quasi_identifiers if name in both] or both
    if not asked:
        raise BadChoice(
            f"The two tables have no column in common: {list(before.columns)} and "
            f"{list(after.columns)}; give tables with the same names of columns."
        )
    names = pick(asked, before.columns)
    after.require(names)
    return names


def _codes(table: Table, columns: Sequence[str], groups: Groups, begins: Any) -> I32:
    """Return the codes of each different combination, numbered over all columns."""
    codes = [
        table[name].codes[groups.first].astype(np.int32) + np.int32(begin)
        for name, begin in zip(columns, begins, strict=False)
    ]
    return np.ascontiguousarray(np.stack(codes, axis=1))


def _notes(
    before: Table, after: Table, matches: Sequence[ColumnMatch], *, aligned: bool
) -> list[str]:
    notes = []
    if before.rows != after.rows:
        notes.append(say("covered.other_rows", before=before.rows, after=after.rows))
    elif not aligned:
        notes.append(say("covered.not_aligned"))
    for match in matches:
        unknown = match.unknown
        if len(unknown):
            some = [repr(after[match.name].value(int(code))) for code in unknown[:_NAMED]]
            notes.append(
                say(
                    "covered.unknown",
                    n=len(unknown),
                    column=printable(match.name),
                    some=names_in_text(some),
                )
            )
    return notes
