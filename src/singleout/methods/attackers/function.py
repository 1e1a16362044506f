"""`so.attacker_risk`: prosecutor, journalist and marketer on any data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from singleout.core.arguments import share
from singleout.core.arrays import F64
from singleout.core.choices import MissingPolicy
from singleout.core.frame_kinds import framed
from singleout.core.progress import working_on
from singleout.core.wording import figure
from singleout.engines.open import open_data
from singleout.io.names import pick
from singleout.methods.attackers.result import AttackerRisk, ClassSizes
from singleout.methods.classes import Classes, classes_of
from singleout.methods.groups import by_group, group_labels, grouping_columns
from singleout.methods.people import PeopleOfClasses
from singleout.methods.rows import Rows
from singleout.methods.sampling import as_population, population_of
from singleout.methods.selection import known_columns, left_out_note, named_columns, policy_of
from singleout.methods.unit_classes import (
    ClassedPeople,
    people_of_rows,
    refuse_counts_of_people,
)
from singleout.methods.units import require_units
from singleout.report.say import say

__all__ = ["attacker_risk"]


@framed
def attacker_risk(
    data: Any,
    quasi_identifiers: Sequence[str] | str | None = None,
    population: Any = None,
    threshold: float = 0.2,
    by: Sequence[str] | str | None = None,
    missing: str | None = None,
    *,
    engine: Any = None,
    where: Any = None,
    count: str | None = None,
    unit: str | None = None,
) -> AttackerRisk:
    """Measure how likely a prosecutor, a journalist and a marketer are to find the right person.

    A prosecutor knows that the person is in the file: the chance is 1/f for f records that look the
    same. A journalist does not know: it is 1/F for the F people of the population who look the
    same. A marketer matches all records and counts how many are right.

    Parameters
    ----------
    data
        A path, a data frame or a `Table`; or data that is elsewhere, see `read`.
    quasi_identifiers
        The columns that an attacker knows. If not given, the columns of the table that have this
        role.
    population
        How many people the records stand for: their number, or a `Population` by size, sampling
        fraction, weights or a table of counts. If not given, the column that has the role weight
        says it; if there is none, the three attackers have the same chances.
    threshold
        A record is at risk if the chance is above this.
    by
        A column, or several, to give the same measures for each group of records.
    missing
        What a missing value means: ``value`` (a value like another), ``wildcard`` (it matches
        everything) or ``drop`` (records with a missing quasi-identifier are left out, and
        counted). If not given, the policy of the table.
    engine
        What counts: ``local``, ``database``, ``spark``, a `Database` or a `Spark`; chosen by the
        data if not given. Data that is elsewhere is counted there: ranks and counts come back, and
        values only for ``by`` and a table of the population.
    where
        The condition that records must meet, as text: ``"age >= 18 and region = 'north'"``.
    count
        The column that says how many records a row stands for, in a table of counts; if not given,
        each row is one record.
    unit
        The column that says which records are of one person, such as the visits of a patient: f
        counts people then, and each person has the risk of the rarest of their records.

    Returns
    -------
    AttackerRisk
        Records at risk, the highest risk and the rate of success for each attacker.

    Examples
    --------
    >>> import singleout as so
    >>> people = {"age": [30, 30, 41, 41, 41], "sex": ["f", "f", "m", "m", "f"]}
    >>> risk = so.attacker_risk(people, ["age", "sex"], population=50)
    >>> risk.prosecutor.highest, risk.journalist.highest
    (1.0, 0.1)
    """
    named = named_columns(quasi_identifiers, "quasi_identifiers")
    at_most = share(threshold, "threshold", zero=True, one=True)
    groups = grouping_columns(by)
    stated = as_population(population)
    weight = [] if stated.weights is None else [stated.weights]
    refuse_counts_of_people(unit, count)
    whose = [] if unit is None else [unit]
    needed = None if named is None or population is None else [*named, *groups, *weight, *whose]
    with open_data(data, engine, where, needed, count=count) as counter:
        names = known_columns(counter, named)
        labels = group_labels(counter, known_columns(counter, groups)) if groups else {}
        stated = population_of(population, counter)
        policy = policy_of(counter, missing)
        if unit is not None:
            (unit,) = pick([unit], counter.columns)
            require_units(unit, names, policy)
        working_on(say("progress.classes"))
        keys = tuple(dict.fromkeys([*names, *groups]))
        rows = Rows.of(
            counter,
            [*keys, *whose],
            weight=stated.weights,
            values=bool(groups) or stated.table is not None,
        )
        everybody = rows.records
        if unit is not None:
            everybody = int(people_of_rows(rows, unit).max(initial=-1)) + 1
        people = PeopleOfClasses.stated(stated, everybody, keys)
        notes = (*counter.notes, *_notes(people))
        if unit is not None:
            notes = (*notes, say("anonymity.people", unit=repr(unit), rows=rows.records))

        whole = _measured(rows, names, names, people, at_most, policy, unit)
        parts, left_out = by_group(
            rows,
            groups,
            names,
            policy,
            # of the population, too, only the people of the group
            lambda part: _measured(part, names, keys, people, at_most, policy, unit),
        )
        return replace(
            whole,
            by=groups,
            groups=parts,
            group_labels=labels,
            notes=(*notes, *whole.notes, *left_out),
        )


def _measured(
    rows: Rows,
    names: tuple[str, ...],
    columns: Sequence[str],
    people: PeopleOfClasses,
    threshold: float,
    policy: MissingPolicy,
    unit: str | None,
) -> AttackerRisk:
    """Return the risks of some rows; a table of the population is matched by ``columns``."""
    classes = classes_of(rows, names, policy)
    owners = None if unit is None else ClassedPeople.of(rows, classes, unit)
    if owners is not None:
        classes = owners.classes
    stated = people.of(rows, classes, columns, policy)
    too_few: tuple[str, ...] = ()
    if stated is not None:
        too_few = _too_few(stated, classes)
        stated = np.maximum(stated, classes.matches)
    if owners is not None:
        return _of_people(
            rows, owners, stated, names, threshold, policy, people, too_few, owners.unit
        )
    return AttackerRisk(
        names,
        ClassSizes(classes.records, classes.matches, stated),
        threshold,
        population=people.population.basis,
        missing=policy,
        dropped=classes.dropped,
        notes=(*left_out_note(rows.records, classes.counted_records), *too_few),
        _per_row=classes.per_row if rows.are_records else None,
    )


def _of_people(
    rows: Rows,
    owners: ClassedPeople,
    stated: F64 | None,
    names: tuple[str, ...],
    threshold: float,
    policy: MissingPolicy,
    people: PeopleOfClasses,
    too_few: tuple[str, ...],
    unit: str,
) -> AttackerRisk:
    """Return the risks of people, each by the rarest of their classes.

    The rarest in the file is taken for the rarest in the population too.
    """
    classes = owners.classes
    sizes = classes.matches.astype(np.float64)
    # of equally rare classes in the file the one that fewer people of the population have
    order = sizes if stated is None else sizes + stated / (stated.max() + 1) / 2
    rarest = owners.rarest(order)
    of_class = np.bincount(rarest[np.unique(owners.person)], minlength=len(sizes))
    return AttackerRisk(
        names,
        ClassSizes(of_class, classes.matches, stated),
        threshold,
        population=people.population.basis,
        missing=policy,
        dropped=classes.dropped,
        unit=unit,
        notes=(*left_out_note(rows.records, rows.records - classes.dropped), *too_few),
        _per_row=replace(classes, ids=rarest[owners.row_person]).per_row
        if rows.are_records
        else None,
    )


def _too_few(people: F64, classes: Classes) -> tuple[str, ...]:
    """Return a sentence if the population has fewer people of a class than there are records."""
    short = int(classes.records[people < classes.matches * (1 - 1e-9)].sum())
    records = classes.counted_records
    return (say("attackers.too_few", n=short, records=records),) if short else ()


def _notes(people: PeopleOfClasses) -> tuple[str, ...]:
    basis = people.population.basis
    if basis is None:
        return (*people.notes, say("attackers.coincide"))
    if people.fraction is not None:
        return (*people.notes, say("attackers.expanded", times=figure(1 / people.fraction, ",.4g")))
    return people.notes
