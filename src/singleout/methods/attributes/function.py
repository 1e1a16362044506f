"""`so.attribute_risk`: how far columns and their combinations tell records apart, on any data."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import TYPE_CHECKING, Any

from singleout.core.arguments import whole
from singleout.core.choices import MissingPolicy
from singleout.core.counts import SizeProfile
from singleout.core.frame_kinds import framed
from singleout.core.progress import track
from singleout.engines.open import open_data
from singleout.errors import BadChoice, UndefinedMeasure, UnusableTable
from singleout.io.names import pick
from singleout.methods.attributes.measure import Telling, column_sets, telling
from singleout.methods.attributes.result import AttributeRisk
from singleout.methods.classes import classes_of
from singleout.methods.groups import by_group, group_labels, grouping_columns
from singleout.methods.rows import Rows
from singleout.methods.selection import columns_to_combine, named_columns, policy_of
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.engines.counter import Counter

__all__ = ["MAX_COMBINATIONS", "attribute_risk"]

MAX_COMBINATIONS = 200_000


@framed
def attribute_risk(
    data: Any,
    columns: Sequence[str] | str | None = None,
    max_size: int = 3,
    by: Sequence[str] | str | None = None,
    missing: str | None = None,
    *,
    engine: Any = None,
    where: Any = None,
    count: str | None = None,
) -> AttributeRisk:
    """Measure how far each column, and each combination of columns, tells records apart.

    The distinction of a combination is the number of its different values over the number of
    records, and its separation the share of pairs of records that differ in it. A key tells all
    records apart.

    Parameters
    ----------
    data
        A path, a data frame or a `Table`; or data that is elsewhere, see `read`.
    columns
        The columns to combine. If not given, all but those whose role is direct identifier, weight
        or household.
    max_size
        How many columns a combination has at most.
    by
        A column, or several, to give the same measures for each group of records.
    missing
        What a missing value means: ``value`` (a value like another) or ``drop`` (records that lack
        a value in a combination do not count for it). If not given, the policy of the table.
    engine
        What counts: ``local``, ``database``, ``spark``, a `Database` or a `Spark`; chosen by the
        data if not given. Data that is elsewhere is counted there: counts of counts come back, and
        with ``by`` the combinations that occur.
    where
        The condition that records must meet, as text: ``"age >= 18 and region = 'north'"``.
    count
        The column that says how many records a row stands for, in a table of counts; if not given,
        each row is one record.

    Returns
    -------
    AttributeRisk
        Distinction and separation of each combination, and the minimal keys.

    Examples
    --------
    >>> import singleout as so
    >>> people = {"age": [30, 30, 41, 41], "sex": list("fmfm"), "name": ["A", "B", "C", "C"]}
    >>> risk = so.attribute_risk(people, max_size=2)
    >>> risk.keys
    (('age', 'sex'), ('sex', 'name'))
    >>> round(risk.of("name").separation, 3)
    0.833
    """
    named = named_columns(columns, "columns")
    size = whole(max_size, "max_size", of="columns")
    groups = grouping_columns(by)
    needed = None if named is None else [*named, *groups]
    with open_data(data, engine, where, needed, count=count) as counter:
        names, notes = _combined(counter, named, groups)
        policy = _policy(counter, missing, names)
        _require_few(len(names), size)
        labels = group_labels(counter, pick(groups, counter.columns)) if groups else {}
        sets = column_sets(names, size)
        drop = policy == MissingPolicy.DROP
        profiles = counter.profiles(sets, drop=drop)
        measured, left_out = _ranked(sets, profiles)
        parts: dict[Any, AttributeRisk] = {}
        unmeasured: tuple[str, ...] = ()
        if groups:
            rows = Rows.of(counter, [*names, *groups], values=True)
            parts, unmeasured = by_group(
                rows, groups, names, policy, lambda part: _of_group(part, names, size, policy)
            )
        return AttributeRisk(
            names,
            min(size, len(names)),
            measured,
            policy,
            groups,
            parts,
            labels,
            (*counter.notes, *notes, *left_out, *unmeasured),
        )


def _combined(
    counter: Counter, named: list[str] | None, groups: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns to combine, and notes on those left out."""
    if named is not None:
        return tuple(pick(named, counter.columns)), ()
    names, notes = columns_to_combine(counter)
    chosen = tuple(name for name in names if name not in groups)
    if not chosen:
        raise BadChoice("No column is left to combine; name the columns.")
    return chosen, notes


def _policy(counter: Counter, missing: str | None, names: Sequence[str]) -> MissingPolicy:
    policy = policy_of(counter, missing)
    if policy != MissingPolicy.WILDCARD:
        return policy
    if any(counter.missing(names).values()):
        raise UndefinedMeasure(
            "Where a missing value matches everything, records do not fall into groups, so columns "
            "have no distinction; let missing be a value, or drop records that lack one."
        )
    return MissingPolicy.VALUE


def _require_few(columns: int, size: int) -> None:
    many = sum(comb(columns, k) for k in range(1, min(size, columns) + 1))
    if many > MAX_COMBINATIONS:
        raise BadChoice(
            f"{columns} columns have {many:,} combinations of up to {size}; at most "
            f"{MAX_COMBINATIONS:,} are counted. Give fewer columns or a smaller max_size."
        )


def _ranked(
    sets: Sequence[tuple[str, ...]], profiles: Sequence[SizeProfile]
) -> tuple[tuple[Telling, ...], tuple[str, ...]]:
    """Return the measured column sets, highest distinction first, and a note on those left out."""
    counted = [
        telling(names, profile)
        for names, profile in zip(sets, profiles, strict=True)
        if len(profile.sizes)
    ]
    if not counted:
        raise UnusableTable(
            "Every record lacks a value in each of the columns, so none is left to count; let "
            "missing be a value, or choose other columns."
        )
    counted.sort(key=lambda one: (-one.distinction, -one.separation, len(one.columns)))
    lost = len(sets) - len(counted)
    return tuple(counted), (say("attributes.left_out", n=lost),) if lost else ()


def _of_group(
    rows: Rows, names: tuple[str, ...], size: int, policy: MissingPolicy
) -> AttributeRisk:
    """Return the same for some rows in memory."""
    sets = column_sets(names, size)
    profiles = []
    for columns in track(sets, say("progress.combinations")):
        try:
            profiles.append(SizeProfile.of(classes_of(rows, columns, policy).records))
        except UnusableTable:  # every record lacks a value in them
            profiles.append(SizeProfile.of(rows.table[columns[0]].codes[:0]))
    measured, notes = _ranked(sets, profiles)
    return AttributeRisk(names, min(size, len(names)), measured, policy, notes=notes)
