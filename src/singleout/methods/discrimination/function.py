"""`so.discrimination_rate`: the discrimination rate of any data, from counts of pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import Flags
from singleout.core.choices import MissingPolicy, Role, choose
from singleout.core.frame_kinds import framed
from singleout.core.progress import working_on
from singleout.core.table import Column, Table
from singleout.engines.counter import with_role
from singleout.engines.local import counting as local
from singleout.engines.open import open_data
from singleout.errors import BadChoice
from singleout.io.names import pick
from singleout.kernels.grouping.group import Groups, group_records
from singleout.methods.classes import classes_of
from singleout.methods.discrimination.measure import Inference, Variant, inference_of
from singleout.methods.discrimination.result import Combinations, DiscriminationRate
from singleout.methods.groups import by_group, group_labels, grouping_columns
from singleout.methods.rows import Rows
from singleout.methods.selection import (
    kept_rows,
    known_columns,
    left_out_note,
    named_columns,
    policy_of,
    refuse_personal,
)
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.engines.counter import Counter

__all__ = ["combinations_of_groups", "discrimination_rate"]

_NO_GROUPS = (
    "there is no discrimination rate; let missing be a value (value) or leave such records out "
    "(drop)."
)


@framed
def discrimination_rate(
    data: Any,
    quasi_identifiers: Sequence[str] | str | None = None,
    sensitive: str | None = None,
    variant: str = "paper",
    missing: str | None = None,
    by: Sequence[str] | str | None = None,
    *,
    engine: Any = None,
    where: Any = None,
    count: str | None = None,
) -> DiscriminationRate:
    """Measure how far some columns tell the value of a sensitive one.

    The discrimination rate of Sondeck and Laurent is 1 where knowing the quasi-identifiers is
    enough to know the sensitive value. Where it helps nobody to guess, the mutual information and
    the rate of the worst value are 0; the paper's own reading is then 1 - 1/c for c different
    combinations of values, so that only tables with as many of them can be compared by it.

    Parameters
    ----------
    data
        A path, a data frame or a `Table`.
    quasi_identifiers
        The columns that an attacker knows, taken together. If not given, the columns of the table
        that have this role.
    sensitive
        The column that they want to know. If not given, the one that has this role.
    variant
        ``paper``: the mean of 1 - p(y) H(X|y) / H(X) over the values y; ``mutual-information``:
        1 - H(X|Y) / H(X); ``worst-value``: the largest 1 - H(X|y) / H(X).
    missing
        What a missing value means: ``value`` (a value like another) or ``drop`` (records with a
        missing value are left out, and counted). If not given, the policy of the table, ``value``
        unless it says otherwise.
    by
        A column, or several, to give the same measures for each group of records.
    engine
        What counts: ``local``, ``database``, ``spark``, a `Database` or a `Spark`; chosen by the
        data if not given. Data that is elsewhere is counted there, and only counts come back.
    where
        The condition that records must meet, as text: ``"age >= 18 and region = 'north'"``.
    count
        The column that says how many records a row stands for, in a table of counts; if not given,
        each row is one record.

    Returns
    -------
    DiscriminationRate
        The rate, its level from 1 to 4, and the rates of values and of records.

    Examples
    --------
    >>> import singleout as so
    >>> people = {"age": ["2*", "2*", "3*", "3*"], "disease": ["flu", "flu", "flu", "cancer"]}
    >>> found = so.discrimination_rate(people, "age", "disease")
    >>> round(found.rate, 3), found.level
    (0.692, 3)
    >>> found.values["age"].to_list()  # worst first
    ['2*', '3*']
    """
    chosen = choose(Variant, variant, "variant of the discrimination rate")
    named = named_columns(quasi_identifiers, "quasi_identifiers")
    groups = grouping_columns(by)
    needed = [*named, str(sensitive), *groups] if named and sensitive is not None else None
    with open_data(data, engine, where, needed, count=count) as counter:
        names = _known(counter, named)
        wanted = _wanted(counter, sensitive, names)
        policy = policy_of(counter, missing)
        both = (*names, wanted)
        kept = kept_rows(counter, both, policy, purpose="count", wildcards=_NO_GROUPS)
        drop = kept < counter.rows
        working_on(say("progress.pairs_of_values"))
        counts = counter.joint_counts(names, wanted, drop=drop)
        inference = inference_of(
            counts.sizes, counts.joint_sizes, counts.parents, counts.of_sensitive
        )
        held = counter.held
        again = partial(open_data, data, engine, where, both, count=count)
        labels, parts, left_out = _by_group(counter, groups, both, policy, chosen)
        return DiscriminationRate(
            names,
            wanted,
            inference,
            variant=chosen,
            missing=policy,
            dropped=counter.rows - kept,
            by=groups,
            groups=parts,
            group_labels=labels,
            notes=(
                *counter.notes,
                *_notes(counter.rows, kept, wanted, inference.entropy),
                *left_out,
            ),
            # a closure: what holds the address of a database can be neither shown nor pickled
            _combinations=(lambda: _combinations(again, both, drop=drop))
            if held is None
            else partial(_held_combinations, held.table, both, inference, drop=drop),
            _groups=None if held is None else partial(_groups, held.table, both, drop=drop),
        )


def _known(counter: Counter, named: list[str] | None) -> tuple[str, ...]:
    names = known_columns(counter, named)
    refuse_personal(counter, names, "rates")
    return names


def _wanted(counter: Counter, sensitive: str | None, names: tuple[str, ...]) -> str:
    if sensitive is None:
        roles = with_role(counter, Role.SENSITIVE)
        if len(roles) != 1:
            has = f"has {list(roles)}" if roles else "has none"
            raise BadChoice(
                f"Name the sensitive column: of columns with this role the table {has}."
            )
        (wanted,) = roles
    else:
        (wanted,) = pick([str(sensitive)], counter.columns)
    if wanted in names:
        raise BadChoice(
            f"{wanted!r} is both a quasi-identifier and the sensitive column; who knows it has "
            "nothing left to guess, so choose another one."
        )
    refuse_personal(counter, [wanted], "rates")
    return wanted


def _notes(rows: int, kept: int, sensitive: str, entropy: float) -> list[str]:
    notes = list(left_out_note(rows, kept))
    if entropy == 0:
        notes.append(say("discrimination.one_value", column=sensitive))
    return notes


# ---- by group


def _by_group(
    counter: Counter,
    by: Sequence[str],
    columns: tuple[str, ...],
    policy: MissingPolicy,
    variant: Variant,
) -> tuple[Mapping[Any, str], dict[Any, DiscriminationRate], tuple[str, ...]]:
    """Return labels of groups, the rate within each, and notes on those left out."""
    if not by:
        return {}, {}, ()
    labels = group_labels(counter, pick(by, counter.columns))
    rows = Rows.of(counter, [*columns, *by], values=True)
    parts, notes = by_group(
        rows, by, columns, policy, lambda part: _of_rows(part, columns, policy, variant)
    )
    return labels, parts, notes


def _of_rows(
    rows: Rows, columns: tuple[str, ...], policy: MissingPolicy, variant: Variant
) -> DiscriminationRate:
    """Return the rate within some rows."""
    *names, sensitive = columns
    complete = local.complete_records(rows.table, columns)
    part = rows.take(complete) if policy == MissingPolicy.DROP else rows
    known = classes_of(part, names, MissingPolicy.VALUE)
    target = part.table[sensitive]
    pairs = group_records([known.ids, target.codes], [len(known.records), target.levels])
    of_sensitive = part.sums(target.codes, target.levels)
    inference = inference_of(
        known.records,
        part.sums(pairs.ids, len(pairs.sizes)),
        known.ids[pairs.first],
        of_sensitive[of_sensitive > 0],
    )
    first = [part.table[name].take(known.first) for name in names]
    return DiscriminationRate(
        tuple(names),
        sensitive,
        inference,
        variant=variant,
        missing=policy,
        dropped=rows.records - part.records,
        notes=tuple(_notes(rows.records, part.records, sensitive, inference.entropy)),
        _combinations=lambda: Combinations(
            first,
            inference,
            target.take(pairs.first),
            known.ids[pairs.first].astype(np.int64),
            part.sums(pairs.ids, len(pairs.sizes)),
        ),
        _groups=(lambda: (known.ids, complete if policy == MissingPolicy.DROP else None))
        if rows.are_records
        else None,
    )


# ---- the combinations with their values, when they are looked at


def _groups(
    table: Table, columns: tuple[str, ...], *, drop: bool
) -> tuple[NDArray[Any], Flags | None]:
    """Return the combination of each record, and which records were counted, None for all."""
    counted = local.complete_records(table, columns) if drop else None
    part = table if counted is None else table.take(counted)
    return local.group(part, columns[:-1]).ids, counted


def _held_combinations(
    table: Table, columns: tuple[str, ...], inference: Inference, *, drop: bool
) -> Combinations:
    """Return the combinations of records that are in memory, in the order of their counts."""
    part = table.take(local.complete_records(table, columns)) if drop else table
    *known, sensitive = columns
    groups, target = local.group(part, known), part[sensitive]
    pairs = group_records([groups.ids, target.codes], [len(groups.sizes), target.levels])
    first = [part[name].take(groups.first) for name in known]
    return _paired(first, groups, target, pairs, inference)


def combinations_of_groups(first: Sequence[Column], groups: Groups, target: Column) -> Combinations:
    """Return the combinations of records that were grouped, and what is left to guess in each.

    ``first`` are the known columns, one entry for each group. Who asks about several sensitive
    columns groups the records once.
    """
    pairs = group_records([groups.ids, target.codes], [len(groups.sizes), target.levels])
    of_sensitive = np.bincount(target.codes)
    parents = groups.ids[pairs.first]
    inference = inference_of(groups.sizes, pairs.sizes, parents, of_sensitive)
    return _paired(first, groups, target, pairs, inference)


def _paired(
    first: Sequence[Column], groups: Groups, target: Column, pairs: Groups, inference: Inference
) -> Combinations:
    return Combinations(
        first,
        inference,
        target.take(pairs.first),
        groups.ids[pairs.first].astype(np.int64),
        pairs.sizes,
    )


def _combinations(
    again: Callable[[], Counter], columns: tuple[str, ...], *, drop: bool
) -> Combinations:
    """Ask for the values of data that is not in memory: each combination once."""
    with again() as counter:
        counts = counter.counts(columns)
    *names, sensitive = columns
    table, sizes = Table(counts.as_columns(), source="counts"), counts.sizes
    if drop:
        complete = local.complete_records(table, table.columns)
        table, sizes = table.take(complete), sizes[complete]
    groups = local.group(table, names)
    target = table[sensitive]
    inference = inference_of(
        # sums of whole numbers below 2**53 are exact
        np.bincount(groups.ids, sizes).astype(np.int64),
        sizes,
        groups.ids,
        np.bincount(target.codes, sizes).astype(np.int64),
    )
    return Combinations(
        [table[name].take(groups.first) for name in names],
        inference,
        target,
        groups.ids.astype(np.int64),
        sizes,
    )
