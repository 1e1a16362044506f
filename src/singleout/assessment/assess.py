"""Assess any data: read, rate what could be known, measure, and say what to do first."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.assessment.advice.actions import find_actions
from singleout.assessment.guess.counts import refuse_counts
from singleout.assessment.guess.guess import guessed_plan
from singleout.assessment.guess.warnings import missed_by_plan, ordered_columns, scale_notes
from singleout.assessment.measures import measure_all
from singleout.assessment.plan.plan import Plan
from singleout.assessment.rating.question import Question, question_of
from singleout.assessment.rating.records import record_risks
from singleout.assessment.rating.rows import Meter, rate_rows, sizes_of_records
from singleout.assessment.result import Assessment, TableFacts
from singleout.assessment.words import on_the_rate
from singleout.core.choices import MissingPolicy, Role
from singleout.core.memory import require_memory
from singleout.core.table import Table
from singleout.engines.local import counting as local
from singleout.engines.open import condition_of
from singleout.engines.reading import read
from singleout.engines.sql.urls import is_database_url
from singleout.errors import BadChoice
from singleout.io.fingerprint import fingerprint
from singleout.methods.selection import kept_records

__all__ = ["assess", "named_file"]


def assess(
    data: Any = None,
    plan: Plan | str | os.PathLike[str] | Mapping[str, Any] | None = None,
    *,
    engine: Any = None,
    where: Any = None,
) -> Assessment:
    """Assess how severe and how likely disclosure is, and what to do first.

    Rates what others could know about the people in the data against what it would tell them
    (Sondeck and Laurent), gives the risk of every record, tries out what would lower it, and takes
    the other measures beside: anonymity sets, QaR, contributions and special uniques.

    Parameters
    ----------
    data
        A path, a data frame or a `Table`; or data that is elsewhere, see `read`. If not given, the
        file that the plan names.
    plan
        What the columns mean, how exposed and how severe they are, and what is accepted: a `Plan`,
        the path of a YAML file or a mapping. If not given, it is guessed from names and values.
    engine
        What fetches data that is elsewhere: ``database``, ``spark``, a `Database` or a `Spark`;
        chosen by the data if not given. All columns are fetched.
    where
        The condition that records must meet, as text: ``"age >= 18 and region = 'north'"``.

    Returns
    -------
    Assessment
        The level from 1 to 4, the verdict, all ratings, the risk of records and what to do.

    Examples
    --------
    >>> import singleout as so
    >>> patients = {
    ...     "age": ["2*", "2*", "2*", "3*", "3*", "3*"],
    ...     "disease": ["colds", "colds", "colds", "colds", "flu", "HIV"],
    ... }
    >>> found = so.assess(patients, {
    ...     "columns": {
    ...         "age": {"role": "quasi-identifier", "exposure": "EE"},
    ...         "disease": {"role": "sensitive", "moral": 4, "values": {"colds": 1, "flu": 1}},
    ...     },
    ... })
    >>> found.level, found.records["risk"].to_list()
    (4, [2, 2, 2, 2, 2, 4])
    """
    given = _plan(data, plan)
    source = named_file(given) if data is None and given is not None else data
    if source is None:
        raise BadChoice(
            "There are no data to assess: give a path, a data frame or a table, or a plan that "
            "names the data file."
        )
    table = read(source, engine=engine, where=where)
    notes = list(table.notes)
    if given is None:
        given = guessed_plan(table).plan
        notes.append(
            "There was no plan: what columns are for, how exposed and how severe they are was "
            "guessed from their names and values; check the plan before you rely on this."
        )
    refuse_counts(table, given.roles)
    notes += [*given.check(table), *scale_notes(table, given)]
    whole = table.with_roles(given.roles).with_missing(given.missing)
    kept = _kept(whole, given)
    rated = whole if kept is None else whole.take(kept)
    notes += _on_missing(whole, given)
    question, said = question_of(rated, given)
    facts = TableFacts(
        table.source,
        fingerprint(source),
        table.rows,
        table.columns,
        dropped=table.rows - rated.rows,
        direct_identifiers=whole.with_role(Role.DIRECT_IDENTIFIER),
        reading={} if where is None else {"where": str(condition_of(where))},
    )
    record = np.arange(1, table.rows + 1) if kept is None else np.flatnonzero(kept) + 1
    return _assessed(question, rated, given, record, facts, [*notes, *said], guessed=plan is None)


def named_file(plan: Plan) -> Path | None:
    """Return the file that a plan names; an address, which may hold a password, is refused."""
    if is_database_url(plan.data):
        raise BadChoice(
            "The plan names a table in a database as its data; a plan names files only, so leave "
            "data out of it, and give the address of the table beside the plan."
        )
    return plan.data_file


def _plan(data: Any, plan: Any) -> Plan | None:
    if plan is None and data is None:
        raise BadChoice(
            "There is nothing to assess: give data, or a plan that names the data file."
        )
    return None if plan is None else Plan.of(plan)


def _assessed(
    question: Question,
    table: Table,
    plan: Plan,
    record: NDArray[np.int64],
    facts: TableFacts,
    notes: list[str],
    *,
    guessed: bool,
) -> Assessment:
    levels = len(set(question.exposures.values()))
    require_memory(
        table.rows * (16 * levels * len(question.targets) + 64),
        f"Rating {table.rows:,} records",
    )
    meter = Meter()
    rows = rate_rows(question, meter, keep=True)
    sizes = sizes_of_records(question.table, question.known)
    risks = record_risks(question, rows, record, sizes)
    personal = facts.direct_identifiers
    actions, untried = find_actions(
        question, rows, risks, meter, personal=personal, ordinal=ordered_columns(table, plan)
    )
    measured = measure_all(table, question.known, plan)
    about_methods = [note for found in measured.values() for note in found.notes]
    return Assessment(
        tuple(rows),
        risks,
        tuple(actions),
        plan,
        facts,
        measured,
        guessed=guessed,
        notes=tuple(
            dict.fromkeys([*notes, *on_the_rate(rows, question.variant), *untried, *about_methods])
        ),
        warnings=(*_warnings(facts), *missed_by_plan(table, plan)),
        _rated=question.table,
    )


def _warnings(facts: TableFacts) -> Iterator[str]:
    for name in facts.direct_identifiers:
        yield f"Column {name!r} identifies people directly and is still in the data."
    if facts.dropped:
        yield (
            f"{facts.dropped:,} of {facts.rows:,} records lack a value in one of the columns and "
            "were left out: nothing here speaks of them."
        )


# ---- records


def _compared(table: Table, plan: Plan) -> list[str]:
    """Return the columns in which a missing value matters."""
    roles = (Role.QUASI_IDENTIFIER, Role.SENSITIVE)
    return [
        name for name, said in plan.columns.items() if said.role in roles and name in table.columns
    ]


def _kept(table: Table, plan: Plan) -> NDArray[np.bool_] | None:
    """Return which records are rated; None if all are."""
    if plan.missing != MissingPolicy.DROP:
        return None
    kept = kept_records(table, _compared(table, plan), plan.missing, purpose="assess")
    return None if kept.all() else kept


def _on_missing(whole: Table, plan: Plan) -> list[str]:
    if plan.missing != MissingPolicy.WILDCARD:
        return []
    if local.complete_records(whole, _compared(whole, plan)).all():
        return []
    return [
        "Where a missing value matches everything, records do not fall into groups: the rates, and "
        "the numbers of combinations, take missing as a value like another; k, unique records and "
        "the records with the same values do not."
    ]
