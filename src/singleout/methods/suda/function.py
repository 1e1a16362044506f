"""Special uniques of any data: read, find the minimal uniques of every record, score them."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.choices import MissingPolicy, choose
from singleout.core.counts import SizeProfile
from singleout.core.table import Table
from singleout.engines.local import counting as local
from singleout.engines.open import opened
from singleout.engines.reading import fetched, read
from singleout.errors import BadChoice
from singleout.kernels.uniques.search import (
    MAX_VARIABLES,
    MinimalUniques,
    minimal_uniques,
    run_task,
    tasks,
)
from singleout.methods.selection import (
    columns_to_combine,
    kept_records,
    left_out_note,
    named_columns,
)
from singleout.methods.suda.measure import MOST_VARIABLES_OF_DIS_SCORES, Scoring
from singleout.methods.suda.result import MissingCells, Suda, never_codes
from singleout.methods.suda.tasks import Search, search_elsewhere

if TYPE_CHECKING:
    from singleout.engines.counter import Counter

__all__ = ["suda"]

_NO_GROUPS = (
    "nobody is unique or shared for certain; let missing be a value (value), keep missing cells "
    "out of the search (never) or leave such records out (drop)."
)


def suda(
    data: Any,
    quasi_identifiers: Sequence[str] | str | None = None,
    max_size: int | None = 3,
    sampling_fraction: float | None = None,
    scoring: str = "lattice",
    missing: str | None = None,
    list_uniques: bool = False,
    *,
    engine: Any = None,
    where: Any = None,
) -> Suda:
    """Find the special uniques of a table: records that a few of their values single out.

    A minimal sample unique (MSU) of a record is a set of columns in which no other record has its
    values, while every smaller part of the set is shared. The smaller the sets and the more of
    them, the higher the score: SUDA, Elliot, Manning, Mayes, Gurd and Bane (2005).

    Parameters
    ----------
    data
        A path, a data frame or a `Table`; or data that is elsewhere, see `read`.
    quasi_identifiers
        The columns to combine, at most 64. If not given, all but those whose role is direct
        identifier, weight or household.
    max_size
        M: the largest size of a set to search; None for all sizes, which can take long.
    sampling_fraction
        Which share of the population is in the data, above 0 and at most 1; DIS and DIS-SUDA need
        it.
    scoring
        What an MSU of size k weighs among m columns: ``lattice``, (m - k)!, the form of the paper
        without a limit on sizes, so that scores for different M can be compared; ``normalised``,
        its form with the limit M, (m - k) (m - k - 1) … (m - M), which is the same but for a
        constant factor; ``ihsn``, (2^(m - k) - 1) / C(m, k), the convention of the International
        Household Survey Network, where an MSU of all columns weighs nothing.
    missing
        What a missing value means: ``value`` (a value like another), ``never`` (a missing cell is
        never part of an MSU) or ``drop`` (records with a missing value are left out, and counted).
        If not given, the policy of the table, ``value`` unless it says otherwise.
    list_uniques
        Whether to keep all MSUs for ``uniques``; there can be very many.
    engine
        What searches: ``local``, ``database``, ``spark``, a `Database` or a `Spark`; chosen by the
        data if not given. The columns are fetched, for every record is compared; Spark then
        spreads the search over its workers, unless the MSUs are to be listed.
    where
        The condition that records must meet, as text: ``"age >= 18 and region = 'north'"``.

    Returns
    -------
    Suda
        Scores and MSUs of each record, and what columns and values contribute.

    Examples
    --------
    >>> import singleout as so
    >>> found = so.suda(so.demo(), ["AGEP", "SEX", "MSP", "RAC1P", "EDU"])
    >>> len(found.special_uniques), found.counts_by_size.sum(axis=0).tolist()
    (1072, [1, 250, 1299])
    >>> found.risky(2)["because"].to_list()[1]
    'RAC1P=American Indian or Alaska Native, tribe specified or not specified alone identifies...'
    """
    size = _checked_size(max_size)
    fraction = _checked_fraction(sampling_fraction)
    chosen = choose(Scoring, scoring, "known scoring")
    named = named_columns(quasi_identifiers, "quasi_identifiers")
    with opened(data, engine, where) as counter:
        if counter is None:
            needed = None if isinstance(data, Table) else named or None
            given = read(data, needed, engine=engine, where=where)
        else:
            given = fetched(counter, named, where)
        rule = _rule(given, missing)
        names, notes = _columns(given, named)
        kept = kept_records(
            given, names, rule or MissingPolicy.WILDCARD, purpose="compare", wildcards=_NO_GROUPS
        )
        table = given.select(names)
        if not kept.all():
            table = table.take(kept)
        largest = len(names) if size is None else min(size, len(names))
        never = never_codes(table) if rule == MissingCells.NEVER else None
        found = _search(table, largest, never, keep=bool(list_uniques), counter=counter)
    unique, in_pairs = _unique_and_in_pairs(local.profile(table, names))
    notes += _notes(given.rows, table, size, fraction)
    return Suda(
        table,
        np.flatnonzero(kept) + 1,
        found,
        largest,
        unique,
        in_pairs,
        scoring=chosen,
        missing=rule or MissingCells.VALUE,  # nothing is missing where wildcards pass
        sampling_fraction=fraction,
        listed=bool(list_uniques),
        dropped=given.rows - table.rows,
        notes=(*given.notes, *notes),
    )


def _search(
    table: Table, largest: int, never: list[int] | None, *, keep: bool, counter: Counter | None
) -> MinimalUniques:
    """Search here, or by tasks where the engine has workers for them."""
    codes, levels = [column.codes for column in table], [column.levels for column in table]
    # what is to be listed stays in one piece
    if counter is not None and not keep and getattr(counter, "spreads_tasks", False):
        return search_elsewhere(counter, Search(codes, levels, largest, never))
    return minimal_uniques(codes, levels, largest, never=never, keep=keep)


# For other schedulers: the parts of a search, and what runs one of them from nothing but the table.
suda.tasks = tasks  # type: ignore[attr-defined]
suda.run_task = run_task  # type: ignore[attr-defined]


# ---- the choices


def _checked_size(given: int | None) -> int | None:
    if given is None:
        return None
    try:
        size = operator.index(given)
    except TypeError:
        size = 0
    if size < 1 or isinstance(given, bool):
        raise BadChoice(
            f"max_size must be a whole number of columns, 1 or more, or None for all sizes, not "
            f"{given!r}."
        )
    return size


def _checked_fraction(given: float | None) -> float | None:
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, float | int | np.number):
        raise BadChoice(f"sampling_fraction must be a number above 0 and at most 1, not {given!r}.")
    if not 0 < given <= 1:
        raise BadChoice(
            f"sampling_fraction must lie above 0 and be at most 1, not {given}: the share of the "
            "population that is in the data, 0.05 for one person in twenty."
        )
    return float(given)


def _rule(table: Table, given: str | None) -> MissingCells | None:
    """Return what a missing value means; None where it would have to match everything."""
    word = str(table.missing if given is None else given)
    if word == MissingPolicy.WILDCARD:
        return None
    return choose(MissingCells, word, "way to treat missing values")


# ---- the columns


def _columns(table: Table, named: list[str] | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns to combine, and notes on those that are not."""
    names, notes = columns_to_combine(table) if named is None else (table.require(named), ())
    if not names:
        raise BadChoice(
            "There is no column to combine: name the columns that others could know about a "
            f"person. The table has: {list(table.columns)}."
        )
    if len(names) > MAX_VARIABLES:
        raise BadChoice(
            f"{len(names)} columns are more than the {MAX_VARIABLES} that can be combined; name "
            "the columns that others could know about a person."
        )
    return names, notes


def _unique_and_in_pairs(profile: SizeProfile) -> tuple[int, int]:
    """Return how many records are alone in their group, and how many are in groups of two."""
    sets = dict(zip(profile.sizes.tolist(), profile.sets.tolist(), strict=True))
    return sets.get(1, 0), 2 * sets.get(2, 0)


# ---- what a reader should know


def _notes(rows: int, table: Table, size: int | None, fraction: float | None) -> tuple[str, ...]:
    notes = list(left_out_note(rows, table.rows))
    width = len(table.columns)
    if size is not None and size > width:
        notes.append(
            f"max_size is {size}, larger than the number of columns, {width}: sets of all sizes "
            "were searched."
        )
    if fraction is not None and width > MOST_VARIABLES_OF_DIS_SCORES:
        notes.append(
            f"DIS-SUDA is not given: it is defined for at most {MOST_VARIABLES_OF_DIS_SCORES} "
            f"columns, not {width}; rank records by score."
        )
    return tuple(notes)
