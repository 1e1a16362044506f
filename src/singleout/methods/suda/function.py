"""Special uniques of any data: read, find the minimal uniques of every record, score them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.arguments import share
from singleout.core.choices import MissingPolicy, choose
from singleout.core.frame_kinds import framed
from singleout.core.table import Table
from singleout.engines.local.counting import complete_records
from singleout.engines.open import open_data
from singleout.errors import BadChoice
from singleout.kernels.uniques.search import (
    MAX_VARIABLES,
    run_task,
    tasks,
)
from singleout.methods.groups import group_labels, group_name, grouping_columns
from singleout.methods.selection import (
    columns_to_combine,
    named_columns,
)
from singleout.methods.suda.identifiers import without_identifiers
from singleout.methods.suda.measure import MOST_VARIABLES_OF_DIS_SCORES, Scoring
from singleout.methods.suda.missing import MissingCells
from singleout.methods.suda.notes import threshold_asked
from singleout.methods.suda.parts import (
    SudaPart,
    part_asked,
)
from singleout.methods.suda.question import COPIES, SudaQuestion
from singleout.methods.suda.result import Suda
from singleout.methods.suda.scenarios import search_scenarios
from singleout.methods.suda.size import AUTO, size_asked
from singleout.methods.suda.validate import (
    counted_population,
    fraction_of,
    samples_asked,
    validated,
)
from singleout.methods.suda.weights import fraction_by_weights, weights_asked
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.engines.counter import Records

__all__ = ["suda"]

_FRACTION = "the share of the population that is in the data, 0.05 for one person in twenty"


@framed
def suda(
    data: Any,
    quasi_identifiers: Sequence[str] | str | None = None,
    max_size: int | str | None = "auto",
    sampling_fraction: float | None = None,
    scoring: str = "lattice",
    missing: str | None = None,
    list_uniques: bool = False,
    by: Sequence[str] | str | None = None,
    *,
    weights: str | None = None,
    threshold: float | None = None,
    population: Any = None,
    simulate: int | None = None,
    seed: int = 0,
    checkpoint: str | os.PathLike[str] | None = None,
    merge: bool = False,
    engine: Any = None,
    where: Any = None,
    count: str | None = None,
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
        M: the largest size of a set to search. ``auto`` searches all sizes where that is quick,
        which is estimated from the number of columns and of different records, and otherwise the
        largest that is, at least 3, with a note. None searches all sizes, which can take long.
    sampling_fraction
        Which share of the population is in the data, above 0 and at most 1: adds DIS and DIS-SUDA.
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
    by
        A column, or several, to search each group of records alone besides: who is unique within
        it.
    weights
        The column that says how many people a record stands for: adds DIS and DIS-SUDA by the
        share of the records among all these people. If nothing is said of the population, the
        column of a `Table` that has the role weight.
    threshold
        The DIS-SUDA above which a record is too risky, from 0 to 1; such records are marked.
    population
        Everybody, with the same columns, where that is known: a census that the data is a sample
        of. ``validation`` then says how right the scores are. It is only counted, where it is. If
        no sampling fraction is given, it is that of the records to the people.
    simulate
        Draw so many samples of the sampling fraction, from the population, or else from the data
        as if it were one, and say in ``validation`` how right the scores of their records are.
    seed
        Where the chance of the samples starts; the same seed gives the same samples.
    checkpoint
        A folder that keeps finished parts of the search, so that one that was interrupted goes on
        from there, and that `suda.part` on several machines can fill. With Spark it is an option of
        `Spark`.
    merge
        Whether only to put together what `suda.part` left in the checkpoint; what is missing is
        then refused, not searched.
    engine
        What searches: ``local``, ``database``, ``spark``, a `Database` or a `Spark`; chosen by the
        data if not given. The columns are fetched, for every record is compared; Spark then
        spreads the search over its workers, unless the MSUs are to be listed.
    where
        The condition that records must meet, as text: ``"age >= 18 and region = 'north'"``.
    count
        The column that says how many records a row stands for, in a table of counts; if not given,
        each row is one record.

    Returns
    -------
    Suda
        Scores and MSUs of each record, and what columns and values contribute.

    Examples
    --------
    >>> import singleout as so
    >>> found = so.suda(so.demo(), ["AGEP", "SEX", "MSP", "RAC1P", "EDU"])
    >>> len(found.special_uniques), found.counts_by_size.sum(axis=0).tolist()
    (1500, [1, 250, 1299, 580, 32])
    >>> found.risky(2)["because"].to_list()[1]
    'RAC1P=American Indian or Alaska Native, tribe specified or not specified alone identifies...'
    """
    size, fraction = size_asked(max_size), None
    if sampling_fraction is not None:
        fraction = share(sampling_fraction, "sampling_fraction", one=True, meaning=_FRACTION)
    weight = weights_asked(data, weights, fraction, population, count)
    basis = weight if population is None else population
    limit = threshold_asked(threshold, fraction, basis)
    draws = samples_asked(simulate, fraction, basis)
    chosen = choose(Scoring, scoring, "known scoring")
    named = named_columns(quasi_identifiers, "quasi_identifiers")
    groups = grouping_columns(by)
    beside = [] if weight is None else [weight]
    needed = list(dict.fromkeys([*named, *groups, *beside])) if named else None
    with open_data(data, engine, where, needed, count=count) as counter:
        records = counter.repeated(needed, COPIES)
        read = records.table
        rule = _rule(read, missing)
        names, notes = _columns(records, named, [*groups, *beside])
        if weight is not None:
            fraction, said = fraction_by_weights(read, weight, names, required=limit is not None)
            notes = (*notes, *said)
        _check_threshold(limit, names)
        census = None if population is None else counted_population(population, names)
        if fraction is None and census is not None:
            everybody = read.rows if records.people is None else int(records.people.sum())
            fraction = fraction_of(everybody, census)
        question = SudaQuestion(
            records, names, size, fraction, chosen, rule, limit, bool(list_uniques),
            _folder(checkpoint, records, merge=merge), merge,
        )  # fmt: skip
        whole_table = question.answer(read, np.arange(read.rows))
        truth = validated(whole_table, census, draws, seed, question.of_sample)
        parts, labels, left_out = _by_group(question, read, groups)
    return replace(
        whole_table,
        by=groups,
        groups=parts,
        group_labels=labels,
        validation=truth,
        notes=(*read.notes, *notes, *whole_table.notes, *left_out),
    )


def _by_group(
    question: SudaQuestion, read: Table, by: Sequence[str]
) -> tuple[dict[Any, Suda], Mapping[Any, str], tuple[str, ...]]:
    """Return the special uniques within each group, labels of groups, notes on those left out."""
    parts: dict[Any, Suda] = {}
    if not by:
        return parts, {}, ()
    notes = []
    labels = group_labels(question.records, read.require(by))
    for key, rows in question.records.members(by):
        value, part = key if len(by) > 1 else key[0], read.take(rows)
        if question.rule == MissingCells.DROP and not complete_records(part, question.names).any():
            notes.append(say("methods.group_left_out", group=group_name(value, labels)))
        else:
            parts[value] = question.answer(part, rows)
    return parts, labels, tuple(notes)


# For other schedulers: the parts of a search, and what runs one of them from nothing but the table.
suda.tasks = tasks  # type: ignore[attr-defined]
suda.run_task = run_task  # type: ignore[attr-defined]


@framed
def _part(
    data: Any,
    quasi_identifiers: Sequence[str] | str | None,
    part: str | tuple[int, int],
    checkpoint: str | os.PathLike[str],
    *,
    max_size: int | str | None = AUTO,
    missing: str | None = None,
    engine: Any = None,
    where: Any = None,
    count: str | None = None,
) -> SudaPart:
    """Search one part of several, and keep what is found in a folder that all parts share.

    `suda` with the same data, columns, ``max_size``, ``missing`` and ``checkpoint`` then puts the
    parts together.

    Parameters
    ----------
    data, quasi_identifiers, max_size, missing, engine, where
        As for `suda`.
    part
        Which part of how many: ``"2/5"`` or ``(2, 5)``.
    checkpoint
        The folder.
    """
    which, size = part_asked(part), size_asked(max_size)
    named = named_columns(quasi_identifiers, "quasi_identifiers")
    with open_data(data, engine, where, named, count=count) as counter:
        records = counter.repeated(named, COPIES)
        rule = _rule(records.table, missing)
        names, _ = _columns(records, named, ())
        folder = _folder(checkpoint, records, merge=False)
        question = SudaQuestion(
            records, names, size, None, Scoring.LATTICE, rule, None, keep=False, checkpoint=folder
        )
        return question.part(records.table, which)


suda.part = _part  # type: ignore[attr-defined]
# Several keys in one run.
suda.scenarios = framed(partial(search_scenarios, suda))  # type: ignore[attr-defined]


def _rule(table: Table, missing: str | None) -> MissingCells | None:
    """Return what a missing value means; None where it would have to match everything."""
    word = str(table.missing if missing is None else missing)
    if word == MissingPolicy.WILDCARD:
        return None
    return choose(MissingCells, word, "way to treat missing values")


def _columns(
    records: Records, named: list[str] | None, by: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns to combine, and notes on those that are not."""
    table = records.table
    names, notes = columns_to_combine(records) if named is None else (table.require(named), ())
    if named is None:
        names = tuple(name for name in names if name not in by)
    names, more = without_identifiers(table, names, named=named is not None)
    notes = (*notes, *more)
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


def _folder(
    checkpoint: str | os.PathLike[str] | None, records: Records, *, merge: bool
) -> str | os.PathLike[str] | None:
    """Check the folder of a checkpoint, which Spark has for itself."""
    if checkpoint is None and merge:
        raise BadChoice("To merge parts, give the checkpoint folder that they are in.")
    if checkpoint is not None and records.spreads_tasks:
        raise BadChoice("With Spark the checkpoint is given to it: so.Spark(checkpoint=...).")
    return checkpoint


def _check_threshold(threshold: float | None, names: Sequence[str]) -> None:
    """Refuse a threshold of a DIS-SUDA that is not defined."""
    if threshold is not None and len(names) > MOST_VARIABLES_OF_DIS_SCORES:
        raise BadChoice(
            f"A threshold is compared with DIS-SUDA, which is defined for at most "
            f"{MOST_VARIABLES_OF_DIS_SCORES} columns, not {len(names)}; choose fewer columns, or "
            "leave the threshold out."
        )
