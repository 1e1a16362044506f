"""Assess any data: read, rate what could be known, measure, and say what to do first."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.assessment.advice.action import Action
from singleout.assessment.advice.actions import find_actions
from singleout.assessment.advice.effect import effect_of, highest
from singleout.assessment.advice.gauge import Gauge
from singleout.assessment.advice.sequence import Remedy, find_remedy
from singleout.assessment.facts import TableFacts
from singleout.assessment.guess.values import Look
from singleout.assessment.guess.warnings import (
    missed_by_plan,
    ordered_columns,
    scale_notes,
    taken_as_codes,
)
from singleout.assessment.insiders import counted_insiders, if_insiders_know
from singleout.assessment.measures import measure_all
from singleout.assessment.opened import Opened, opened_with
from singleout.assessment.plan.plan import Plan
from singleout.assessment.rating.question import RatingQuestion, question_of
from singleout.assessment.rating.records import RecordRisks, certain_risks, record_risks
from singleout.assessment.rating.rows import (
    RatingCache,
    Row,
    rate_by_certainty,
    rate_rows,
    set_sizes,
)
from singleout.assessment.result import Assessment
from singleout.assessment.words import on_the_rate
from singleout.core.choices import MissingPolicy, Role
from singleout.core.frame_kinds import framed
from singleout.core.language import preferring
from singleout.core.memory import require_memory
from singleout.core.table import Table
from singleout.core.wording import percent
from singleout.engines.counter import Counter
from singleout.engines.local import counting as local
from singleout.engines.local.counter import LocalCounter
from singleout.engines.open import agreed_count, condition_of, open_data
from singleout.engines.sql.urls import is_database_url
from singleout.engines.suspected import taken_as_said
from singleout.errors import BadChoice, UnusableTable
from singleout.io.fingerprint import fingerprint
from singleout.io.names import pick
from singleout.methods.anonymity.people import sets_of_people
from singleout.methods.anonymity.result import AnonymitySets
from singleout.methods.groups import group_labels, group_name, grouping_columns
from singleout.methods.sampling import Population
from singleout.methods.selection import kept_records
from singleout.report.say import say

__all__ = ["assess", "named_file", "rated_alone"]


@framed
def assess(
    data: Any = None,
    plan: Plan | str | os.PathLike[str] | Mapping[str, Any] | None = None,
    *,
    rating: str | None = None,
    advice: bool = True,
    by: Sequence[str] | str | None = None,
    engine: Any = None,
    where: Any = None,
    count: str | None = None,
    unit: str | None = None,
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
    rating
        How records are rated: ``certainty``, by how sure an attacker can be of a person and of what
        is true of them, or ``paper``, by the discrimination rate; as the plan says if not given.
    advice
        Whether to try out what would lower the risk, and to look for changes that reach the policy.
    by
        A column, or several, to rate each group of records alone besides; of the other measures
        only anonymity sets are taken there.
    engine
        What counts data that is elsewhere: ``database``, ``spark``, a `Database` or a `Spark`;
        chosen by the data if not given. No record is fetched, also where a plan is guessed.
    where
        The condition that records must meet, as text: ``"age >= 18 and region = 'north'"``.
    count
        The column that says how many records a row stands for, in a table of counts; if not given,
        the one that has this role in the plan, and otherwise each row is one record.
    unit
        The column that says which records are of one person, such as the visits of a patient; that
        of the plan if not given. Levels, shares and k then count people, each by the worst of their
        records, and the verdict says so. The rating ``paper`` counts records all the same; a
        warning says how many people are alone there.

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
    >>> found.shares
    {1: 0.0, 2: 0.8333333333333334, 3: 0.0, 4: 0.16666666666666666}
    """
    given = _plan(data, plan)
    source = named_file(given) if data is None and given is not None else data
    if source is None:
        raise BadChoice(
            "There are no data to assess: give a path, a data frame or a table, or a plan that "
            "names the data file."
        )
    groups = grouping_columns(by)
    parsing = {} if given is None else given.reading.options_for(source)
    count = agreed_count(count, None if given is None else given.count)
    with preferring(None if given is None else given.language), taken_as_said():
        with open_data(source, engine, where, count=count, **parsing) as counter:
            opened = opened_with(
                counter, given, rating, pick(groups, counter.columns) if groups else (), unit
            )
            people = _people(counter, opened)
            held = counter.held
        reading = {} if where is None else {"where": str(condition_of(where))}
        how = _How(fingerprint(source), reading, guessed=plan is None)
        found = _of_opened(opened, how, advice=advice)
        found = replace(found, _read=None if held is None else (source, held))
        if people is not None:
            found = replace(found, people=people)
            if not found.by_certainty:
                warning = _on_people(people, opened.table.rows)
                found = replace(found, warnings=(*found.warnings, warning))
        return _with_groups(found, opened, how, groups) if groups else found


def _people(counter: Counter, opened: Opened) -> AnonymitySets | None:
    """Return the anonymity sets of people; None without a unit."""
    plan = opened.plan
    if plan.unit is None or not plan.quasi_identifiers:
        return None
    return sets_of_people(counter, plan.quasi_identifiers, plan.unit, plan.missing)


def _on_people(people: AnonymitySets, rows: int) -> str:
    return say(
        "assessment.rows_are_counted",
        unit=repr(people.unit),
        rows=rows,
        n=people.records,
        k=people.k,
        unique=people.unique,
        share=percent(people.unique_share),
    )


@dataclass(frozen=True)
class _How:
    """How data came here, the same for all of its groups."""

    sha256: str | None
    reading: Mapping[str, str]
    guessed: bool


def _of_opened(
    opened: Opened, how: _How, *, advice: bool, only: Sequence[str] | None = None
) -> Assessment:
    """Return the assessment of a table; of the methods all or ``only`` some."""
    table, given = opened.table, opened.plan
    notes = [*opened.notes, *scale_notes(table, given)]
    roles = {name: role for name, role in given.roles.items() if name in table.columns}
    whole = table.with_roles(roles).with_missing(given.missing)
    kept = _kept(whole, given)
    rated = whole if kept is None else whole.take(kept)
    notes += _on_missing(whole, given)
    question, left_open = question_of(rated, given)
    facts = TableFacts(
        table.source,
        how.sha256,
        table.rows,
        opened.columns,
        dropped=table.rows - rated.rows,
        direct_identifiers=_personal(whole, given, opened.columns),
        reading=how.reading,
    )
    record = np.arange(1, table.rows + 1) if kept is None else np.flatnonzero(kept) + 1
    found = _assessed(
        question,
        rated,
        given,
        record,
        facts,
        [*notes, *left_open],
        guessed=how.guessed,
        advice=advice,
        looks=opened.looks,
        only=only,
    )
    if opened.counted:
        found = replace(found, counted=True, _rated=None)
    if not found.by_certainty or not opened.unexplained:
        return found
    if opened.insiders is not None:
        possible = members = counted_insiders(question, opened.insiders)
    else:
        possible, members = if_insiders_know(rated, given, opened.unexplained)
    return replace(
        found,
        unexplained=opened.unexplained,
        _possible=possible,
        _possible_of_members=members,
    )


def rated_alone(table: Table, plan: Plan, unexplained: Sequence[str] = ()) -> Assessment:
    """Return the ratings of a table in memory and its anonymity sets, and nothing else.

    ``unexplained`` are columns whose role nobody has stated: they leave a range of the risk open.
    """
    opened = Opened(table, table.columns, plan, tuple(unexplained), [])
    return _of_opened(opened, _How(None, {}, guessed=False), advice=False, only=_OF_GROUPS)


# ---- by group

_OF_GROUPS = ("anonymity",)  # methods; the verdict needs no other


def _with_groups(found: Assessment, opened: Opened, how: _How, by: tuple[str, ...]) -> Assessment:
    """Return the assessment with those of its groups; the share of the population is the same."""
    table, plan = opened.table, opened.plan
    roles = {name: role for name, role in plan.roles.items() if name in table.columns}
    counter = LocalCounter(table.with_roles(roles))
    labels = group_labels(counter, by)
    stated = plan.population
    if stated.size is not None:
        stated = Population(sampling_fraction=min(1.0, table.rows / stated.size))
        plan = plan.model_copy(update={"population": stated})
    notes = [say("assessment.population_of_groups")] if stated.table is not None else []
    parts = {}
    for key, rows in counter.members(by):
        value = key if len(by) > 1 else key[0]
        part = replace(
            opened,
            table=table.take(rows),
            plan=plan,
            notes=[],
            unexplained=() if opened.insiders is not None else opened.unexplained,
            insiders=None,
        )
        try:
            parts[value] = _of_opened(part, how, advice=False, only=_OF_GROUPS)
        except UnusableTable:  # no record has all values
            notes.append(say("methods.group_left_out", group=group_name(value, labels)))
    return replace(found, by=by, groups=parts, group_labels=labels, notes=(*found.notes, *notes))


def _personal(table: Table, plan: Plan, names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that identify people directly, also those that were not counted."""
    found = {*table.with_role(Role.DIRECT_IDENTIFIER), *plan.with_role(Role.DIRECT_IDENTIFIER)}
    return tuple(name for name in names if name in found)


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
    question: RatingQuestion,
    table: Table,
    plan: Plan,
    record: NDArray[np.int64],
    facts: TableFacts,
    notes: list[str],
    *,
    guessed: bool,
    advice: bool,
    looks: Mapping[str, Look] | None,
    only: Sequence[str] | None,
) -> Assessment:
    levels = len(set(question.exposures.values()))
    require_memory(
        table.rows * (16 * levels * len(question.targets) + 64),
        f"Rating {table.rows:,} records",
    )
    cache = RatingCache()
    sizes = set_sizes(question)
    members = None
    if plan.methods.rating == "paper":
        rows = rate_rows(question, cache, keep=True)
        risks = record_risks(question, rows, record, sizes)
    else:
        ratings = rate_by_certainty(question, cache, keep=True)
        rows = ratings.rows
        risks = certain_risks(question, [stated for stated, _ in ratings.pairs], record, sizes)
        if question.population.stated:
            members = certain_risks(question, [one for _, one in ratings.pairs], record)
    personal = facts.direct_identifiers
    actions: tuple[Action, ...] = ()
    untried: tuple[str, ...] = ()
    remedy = None
    if advice:
        actions, untried, remedy = _advice(question, plan, rows, risks, cache, personal, table)
    measured = measure_all(table, question.known, plan, only)
    about_methods = [note for found in measured.values() for note in found.notes]
    named = bool(personal) and plan.methods.rating != "paper"
    if members is not None and named:
        members = members.named(question)
    return Assessment(
        tuple(rows),
        risks.named(question) if named else risks,
        actions,
        plan,
        facts,
        measured,
        remedy=remedy,
        advised=advice,
        guessed=guessed,
        notes=tuple(
            dict.fromkeys([*notes, *on_the_rate(rows, question.variant), *untried, *about_methods])
        ),
        warnings=(*_warnings(facts), *missed_by_plan(table, plan, looks)),
        _rated=question.table,
        _compared=question.table,
        _without_names=risks.by_level if named else (),
        _of_members=None if members is None else members.by_level,
    )


def _advice(
    question: RatingQuestion,
    plan: Plan,
    rows: Sequence[Row],
    risks: RecordRisks,
    cache: RatingCache,
    personal: Sequence[str],
    table: Table,
) -> tuple[tuple[Action, ...], tuple[str, ...], Remedy | None]:
    """Return what to do, notes on what was not tried, and a sequence that reaches the policy."""
    before = effect_of(question, risks, None if question.by_certainty else highest(rows))
    ordinal = ordered_columns(table, plan)
    gauge = Gauge(question, cache, before.unique_share)
    actions, untried = find_actions(
        question, before, risks, gauge, rows=rows, personal=personal, ordinal=ordinal
    )
    codes = taken_as_codes(table, plan)
    if codes:
        names = ", ".join(map(repr, codes))
        untried.append(say("advice.as_codes", columns=names, n=len(codes)))
    weights = None if plan.weights is None else table[plan.weights]
    remedy = find_remedy(
        question, plan.policy, before, rows, gauge, frozenset(ordinal), risks.record, weights
    )
    return tuple(actions), tuple(untried), remedy


def _warnings(facts: TableFacts) -> Iterator[str]:
    for name in facts.direct_identifiers:
        yield say("assessment.identifier", column=repr(name))
    if facts.dropped:
        yield say("assessment.dropped", n=facts.dropped, rows=facts.rows)


# ---- records


def _compared(table: Table, plan: Plan) -> list[str]:
    """Return the columns in which a missing value matters."""
    roles = (Role.QUASI_IDENTIFIER, Role.SENSITIVE)
    return [
        name
        for name, column in plan.columns.items()
        if column.role in roles and name in table.columns
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
    return [say("assessment.wildcard")]
