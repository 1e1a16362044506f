"""`so.diversity`: how much classes of any data give away about sensitive columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any

from singleout.core.choices import Role
from singleout.core.frame_kinds import framed
from singleout.core.progress import working_on
from singleout.core.table import Table
from singleout.engines.counter import with_role
from singleout.engines.open import open_data
from singleout.errors import BadChoice
from singleout.io.names import pick
from singleout.methods.diversity.question import DiversityQuestion, notes_on
from singleout.methods.diversity.result import Diversity
from singleout.methods.diversity.scales import Scale, asked_scales, scale_of
from singleout.methods.groups import by_group, group_labels, grouping_columns
from singleout.methods.rows import Rows
from singleout.methods.selection import (
    known_columns,
    named_columns,
    policy_of,
    refuse_personal,
)
from singleout.methods.unit_classes import refuse_counts_of_people
from singleout.methods.units import require_units
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.engines.counter import Counter

__all__ = ["diversity"]


@framed
def diversity(
    data: Any,
    quasi_identifiers: Sequence[str] | str | None = None,
    sensitive: Sequence[str] | str | None = None,
    c: float = 2.0,
    scale: str | Mapping[str, str] | None = None,
    by: Sequence[str] | str | None = None,
    missing: str | None = None,
    *,
    engine: Any = None,
    where: Any = None,
    count: str | None = None,
    unit: str | None = None,
) -> Diversity:
    """Measure how much records that look alike give away about sensitive columns.

    Records that are equal in the quasi-identifiers form a class. Who knows that somebody is in a
    class learns from it: everything if all have the same sensitive value, less if there are many
    values (l-diversity) or if they are spread as in the whole table (t-closeness, beta-likeness,
    delta-disclosure).

    Parameters
    ----------
    data
        A path, a data frame or a `Table`; or data that is elsewhere, see `read`.
    quasi_identifiers
        The columns that an attacker knows, taken together. If not given, the columns of the table
        that have this role.
    sensitive
        The column that they want to know, or several: each is looked at alone, and the result is
        that of the worst. If not given, the columns that have this role.
    c
        The c of recursive (c, l)-diversity, above 0: the most frequent value of a class is to be
        less than c times as frequent as the l-th and all rarer ones together.
    scale
        How far values are apart for t-closeness: ``nominal`` (any two by 1) or ``ordinal`` (by
        their ranks); one word for all sensitive columns, or a mapping. If not given, ``ordinal``
        for numbers and dates, also those that are stored as text, and ``nominal`` for the rest.
    by
        A column, or several, to give the same measures for each group of records. Each group is
        compared with itself, not with the whole table.
    missing
        What a missing value means: ``value`` (a value like another, ranked last), ``wildcard`` (a
        missing quasi-identifier matches everything, so that classes overlap) or ``drop`` (records
        with a missing value in any of the columns are left out, and counted). If not given, the
        policy of the table, ``value`` unless it says otherwise.
    engine
        What counts: ``local``, ``database``, ``spark``, a `Database` or a `Spark`; chosen by the
        data if not given. Data that is elsewhere is counted there. Counts and ranks come back, and
        the different values of a sensitive column whose ``scale`` is not given; the combinations
        come with their values if ``by`` is given, or if such values are numbers stored as text.
    where
        The condition that records must meet, as text: ``"age >= 18 and region = 'north'"``.
    count
        The column that says how many records a row stands for, in a table of counts; if not given,
        each row is one record.
    unit
        The column that says which records are of one person, such as the visits of a patient: in
        every class each person counts once, and once with each sensitive value they have there.

    Returns
    -------
    Diversity
        The measures of the worst class, of every class and of every record.

    Examples
    --------
    >>> import singleout as so
    >>> people = {"age": ["2*", "2*", "3*", "3*"], "disease": ["flu", "flu", "flu", "cancer"]}
    >>> found = so.diversity(people, "age", "disease")
    >>> found.k, found.distinct_l, found.alpha, found.t
    (2, 1, 1.0, 0.25)
    >>> found.per_record["entropy_l"].to_list()
    [1.0, 1.0, 2.0, 2.0]
    """
    bound = _checked_c(c)
    named, wanted = (
        named_columns(quasi_identifiers, "quasi_identifiers"),
        named_columns(sensitive, "sensitive"),
    )
    groups = grouping_columns(by)
    refuse_counts_of_people(unit, count)
    whose = () if unit is None else (unit,)
    needed = [*named, *wanted, *groups, *whose] if named and wanted else None
    with open_data(data, engine, where, needed, count=count) as counter:
        names, targets = known_columns(counter, named), _wanted(counter, wanted)
        refuse_personal(counter, (*names, *groups))
        _check_apart(names, targets, groups)
        if groups:
            pick(groups, counter.columns)
        policy = policy_of(counter, missing)
        if unit is not None:
            pick([unit], counter.columns)
            require_units(unit, names, policy)
        scales, needs_values = _scales(counter, targets, asked_scales(scale, targets))
        question = DiversityQuestion(
            names,
            scales,
            policy,
            bound,
            counter.held is not None or needs_values or bool(groups),
            unit,
        )
        working_on(say("progress.pairs_of_values"))
        columns = tuple(dict.fromkeys((*names, *targets, *groups, *whose)))
        rows = Rows.of(counter, columns, values=question.has_values)
        whole = _answered(question, rows, counter, groups)
        if counter.held is not None or question.has_values:
            return whole
        # a closure: what holds the address of a database can be neither shown nor pickled
        again = partial(open_data, data, engine, where, columns, count=count)
        return replace(whole, _valued=lambda: _asked_again(again, question, columns))


def _answered(
    question: DiversityQuestion, rows: Rows, counter: Counter, by: tuple[str, ...] = ()
) -> Diversity:
    whole = question.answer(rows)
    columns = (*question.known, *question.scales)
    parts, left_out = by_group(rows, by, columns, question.policy, question.answer)
    notes = notes_on(question, rows.table, rows.records, rows.records - whole.dropped)
    if question.unit is not None:
        notes += (say("diversity.people", unit=repr(question.unit), rows=rows.records),)
    return replace(
        whole,
        by=by,
        groups=parts,
        group_labels=group_labels(counter, by) if by else {},
        notes=(*counter.notes, *notes, *left_out),
    )


def _asked_again(
    again: Callable[[], Counter], question: DiversityQuestion, columns: tuple[str, ...]
) -> Diversity:
    """Ask for the values of data that is not in memory: each combination once."""
    with again() as counter:
        rows = Rows.of(counter, columns, values=True)
        return _answered(replace(question, has_values=True), rows, counter)


# ---- the columns


def _checked_c(c: Any) -> float:
    if isinstance(c, bool) or not isinstance(c, Real) or not 0 < float(c) < float("inf"):
        raise BadChoice(f"c must be a number above 0, not {c!r}.")
    return float(c)


def _wanted(counter: Counter, named: list[str] | None) -> tuple[str, ...]:
    targets = with_role(counter, Role.SENSITIVE) if named is None else tuple(named)
    if not targets:
        raise BadChoice(
            "No sensitive column was given: name the columns that nobody should learn. The table "
            f"has: {list(counter.columns)}."
        )
    pick(targets, counter.columns)
    refuse_personal(counter, targets)
    return targets


def _check_apart(names: tuple[str, ...], targets: tuple[str, ...], groups: tuple[str, ...]) -> None:
    both = [name for name in targets if name in names]
    if both:
        raise BadChoice(
            f"{both[0]!r} is both a quasi-identifier and a sensitive column; who knows it has "
            "nothing left to learn, so choose another one."
        )
    grouped = [name for name in targets if name in groups]
    if grouped:
        raise BadChoice(
            f"{grouped[0]!r} is both sensitive and what records are grouped by; within a group it "
            "has one value, so choose another one."
        )


def _scales(
    counter: Counter, targets: tuple[str, ...], asked: dict[str, Scale]
) -> tuple[dict[str, Scale], bool]:
    """Return the scale of each sensitive column, and whether ranks of the engine will not do.

    A database ranks numbers that are stored as text, and texts, in an order of its own.
    """
    held = counter.held
    scales, needs_values = {}, False
    for name in targets:
        if name in asked and (held is not None or asked[name] == Scale.NOMINAL):
            scales[name] = asked[name]
            continue
        column = (
            held.table[name]
            if held is not None
            else Table(counter.counts([name]).as_columns(), source="counts")[name]
        )
        scales[name] = asked.get(name) or scale_of(column)
        if scales[name] == Scale.ORDINAL:
            needs_values |= any(isinstance(value, str) for value in column.values)
    return scales, needs_values
