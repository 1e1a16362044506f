"""`so.individual_risk`: how likely each record of any data is re-identified, by its weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.arrays import F64
from singleout.core.choices import MissingPolicy, Role
from singleout.core.frame_kinds import framed
from singleout.core.progress import working_on
from singleout.engines.open import open_data
from singleout.errors import BadChoice
from singleout.io.names import pick
from singleout.methods.classes import Classes, classes_of
from singleout.methods.groups import by_group, group_labels, grouping_columns
from singleout.methods.individual.households import Households, households_of
from singleout.methods.individual.measure import RiskSpread, individual_risks
from singleout.methods.individual.records import RiskOfRecords
from singleout.methods.individual.result import IndividualRisk
from singleout.methods.rows import Rows
from singleout.methods.selection import (
    known_columns,
    left_out_note,
    named_columns,
    only_with_role,
    policy_of,
)
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.engines.counter import Counter

__all__ = ["individual_risk"]

Names = tuple[str, ...]


@framed
def individual_risk(
    data: Any,
    quasi_identifiers: Sequence[str] | str | None = None,
    weights: str | None = None,
    household: str | None = None,
    by: Sequence[str] | str | None = None,
    missing: str | None = None,
    *,
    engine: Any = None,
    where: Any = None,
    count: str | None = None,
) -> IndividualRisk:
    """Estimate how likely each record of a sample is re-identified.

    Somebody who knows the quasi-identifiers of a person guesses among the people of the population
    who share them. How many they are is estimated from the weights of the records that share them
    (Benedetti and Franconi). The risk of a record is the expected value of one over that number.

    Parameters
    ----------
    data
        A path, a data frame or a `Table`; or data that is elsewhere, see `read`.
    quasi_identifiers
        The columns that somebody knows, together. If not given, the columns of the table that have
        this role.
    weights
        The column that says how many people of the population each record stands for. If not
        given, the column that has this role.
    household
        The column that says which records are of one household. If not given, the column that has
        this role, if there is one. A record without a value there is a household of its own.
    by
        A column, or several, to give the same for each group of records by itself.
    missing
        What a missing value means: ``value`` (a value like another), ``wildcard`` (it matches
        everything) or ``drop`` (records with a missing quasi-identifier are left out, and
        counted). If not given, the policy of the table, ``value`` unless it says otherwise.
    engine
        What counts: ``local``, ``database``, ``spark``, a `Database` or a `Spark`; chosen by the
        data if not given. Data that is elsewhere is counted there: nothing but counts comes back,
        and the values of ``by``.
    where
        The condition that records must meet, as text: ``"age >= 18 and region = 'north'"``.
    count
        The column that says how many records a row stands for, in a table of counts; if not given,
        each row is one record.

    Returns
    -------
    IndividualRisk
        The risk of each record and household, the global risk, and how many re-identifications
        are expected.

    Examples
    --------
    >>> import singleout as so
    >>> sample = {"age": [30, 30, 41], "weight": [60.0, 40.0, 17.0], "home": ["a", "b", "b"]}
    >>> found = so.individual_risk(sample, "age", "weight", "home")
    >>> found.risk.round(4).tolist(), found.household.round(4).tolist()
    ([0.0188, 0.0188, 0.1771], [0.0188, 0.1925, 0.1925])
    >>> round(found.global_risk, 4), round(found.expected, 4)
    (0.0715, 0.2146)
    """
    named = named_columns(quasi_identifiers, "quasi_identifiers")
    groups = grouping_columns(by)
    more = [
        _named(name, argument)
        for name, argument in ((weights, "weights"), (household, "household"))
        if name is not None
    ]
    needed = None if named is None or weights is None else [*named, *groups, *more]
    with open_data(data, engine, where, needed, count=count) as counter:
        names = known_columns(counter, named)
        if groups or more:
            pick([*groups, *more], counter.columns)
        weight = _column(counter, weights, Role.WEIGHT)
        if weight is None:
            raise BadChoice(
                "The individual risk needs weights: name with weights= the column that says how "
                "many people of the population each record stands for. The table has: "
                f"{list(counter.columns)}."
            )
        question = _RiskQuestion(
            names,
            weight,
            _column(counter, household, Role.HOUSEHOLD),
            groups,
            policy_of(counter, missing),
        )
        working_on(say("progress.individual"))
        return question.answer(counter)


def _named(name: Any, argument: str) -> str:
    if isinstance(name, str):
        return name
    raise BadChoice(f"{argument} must be the name of a column, not {type(name).__name__}.")


def _column(counter: Counter, name: str | None, role: Role) -> str | None:
    """Return the column that was named, or else the one that has a role."""
    if name is not None:
        return str(name)
    return only_with_role(counter, role)


@dataclass(frozen=True)
class _RiskQuestion:
    """What to measure, wherever the data is."""

    names: Names
    weight: str
    household: str | None
    by: Names
    missing: MissingPolicy

    def answer(self, counter: Counter) -> IndividualRisk:
        """Count once, and return the risks of all records and of each group."""
        homes = () if self.household is None else (self.household,)
        columns = tuple(dict.fromkeys([*self.names, *homes, *self.by]))
        rows = Rows.of(counter, columns, weight=self.weight, values=bool(self.by))
        whole = self._risks(rows)
        groups, left_out = by_group(rows, self.by, self.names, self.missing, self._risks)
        return replace(
            whole,
            by=self.by,
            groups=groups,
            group_labels=group_labels(counter, self.by) if self.by else {},
            notes=(*counter.notes, *whole.notes, *left_out),
        )

    def _risks(self, rows: Rows) -> IndividualRisk:
        classes = classes_of(rows, self.names, self.missing)
        assert classes.weights is not None
        risks = individual_risks(classes.matches, classes.weights)
        homes = None if self.household is None else _homes(rows, classes, risks, self.household)
        return IndividualRisk(
            self.names,
            self.weight,
            RiskSpread(risks, classes.records),
            missing=self.missing,
            dropped=classes.dropped,
            household_column=self.household,
            household_spread=None if homes is None else homes.spread,
            notes=_notes(rows, classes),
            _records=RiskOfRecords(classes, risks, homes) if rows.are_records else None,
        )


def _homes(rows: Rows, classes: Classes, risks: F64, household: str) -> Households:
    column, sizes = rows.table[household], rows.sizes
    if classes.counted is not None:
        column = column.take(np.flatnonzero(classes.counted))
        sizes = None if sizes is None else sizes[classes.counted]
    return households_of(column, risks[classes.ids], sizes)


def _notes(rows: Rows, classes: Classes) -> tuple[str, ...]:
    """Return what a reader should know of records left out and of weights."""
    notes = left_out_note(rows.records, classes.counted_records)
    assert classes.weights is not None
    few = int(classes.records[classes.weights < classes.matches].sum())
    if few:
        notes += (say("individual.small_weights", n=few, records=classes.counted_records),)
    return notes
