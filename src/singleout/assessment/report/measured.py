"""What was measured, and on what: the facts in a report that let others repeat it."""

from __future__ import annotations

import hashlib
import platform
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from importlib.metadata import version
from typing import TYPE_CHECKING

from singleout.assessment.rating.scales import Exposure
from singleout.core.wording import count, day
from singleout.methods.levels import level_name
from singleout.report.content import Cell, Facts, Level, Part, ReportTable, Section
from singleout.report.say import say, words
from singleout.report.words import first_of, head, messages, shortened

if TYPE_CHECKING:
    from singleout.assessment.result import Assessment

__all__ = ["columns_by_role", "measured_section", "records_in_words"]

_COLUMNS_SHOWN = 200
_COUNTING = ("numpy", "numba", "polars")  # what else the numbers rest on


def measured_section(assessment: Assessment, time: datetime) -> Section:
    """Return what was assessed, with which plan and by which software."""
    from singleout import __version__

    facts, plan = assessment.facts, assessment.plan
    plan_hash = hashlib.sha256(plan.to_yaml().encode()).hexdigest()
    others = ", ".join(f"{name} {version(name)}" for name in _COUNTING)
    parts: list[Part] = [
        Facts(
            (
                (say("report.data"), facts.source),
                (say("report.sha256"), facts.sha256 or say("report.no_file")),
                (say("report.records"), records_in_words(assessment)),
                (say("report.columns"), columns_by_role(assessment)),
                (
                    say("report.plan_from"),
                    say("report.plan_guessed") if assessment.guessed else say("report.plan_given"),
                ),
                (say("report.plan_hash"), plan_hash),
                (say("report.missing"), say(f"report.missing_values.{plan.missing!s}")),
                (say("report.variant"), plan.methods.discrimination.variant),
                (say("report.reading"), _reading(facts.reading)),
                (
                    say("report.software"),
                    f"singleout {__version__}, Python {platform.python_version()}, {others}",
                ),
                (say("report.time"), f"{day(time)} {time:%H:%M:%S} UTC"),
            )
        )
    ]
    if assessment.notes:
        parts.append(messages(say("report.notes"), assessment.notes, urgent=False))
    parts.append(_columns(assessment))
    return Section("measured", say("report.measured"), tuple(parts))


def _reading(options: Mapping[str, str]) -> str:
    return "; ".join(f"{name}: {value}" for name, value in options.items()) or say(
        "report.plain_reading"
    )


def _role(assessment: Assessment, name: str) -> str:
    column = assessment.plan.columns.get(name)
    return "none" if column is None else str(column.role)


def records_in_words(assessment: Assessment) -> str:
    """Return how many records there are, and how many of them were left out."""
    facts = assessment.facts
    if assessment.unit is not None and not facts.dropped:
        people = count(assessment.record_risks.rated)
        return say("report.rows_of_people", rows=count(facts.rows), people=people)
    if not facts.dropped:
        return count(facts.rows)
    rated = count(len(assessment.record_risks.record))
    dropped = say("report.records_dropped", rated=rated, dropped=count(facts.dropped))
    return say("report.value_of", column=count(facts.rows), value=dropped)


def columns_by_role(assessment: Assessment) -> str:
    """Return how many columns there are, and how many of each role."""
    names = assessment.facts.columns
    found = Counter(_role(assessment, name) for name in names)
    roles = ", ".join(
        f"{word} {count(found[role])}"
        for role, word in words("report.roles").items()
        if found[role]
    )
    return say("report.columns_by_role", columns=count(len(names)), roles=roles)


def _columns(assessment: Assessment) -> ReportTable:
    order = list(words("report.roles"))
    names = sorted(assessment.facts.columns, key=lambda name: order.index(_role(assessment, name)))
    shown, below = first_of(names, _COLUMNS_SHOWN)
    return ReportTable(
        say("report.columns_caption"),
        (
            head("report.column"),
            head("report.role"),
            head("report.exposure", "step"),
            head("report.severity", "step"),
        ),
        tuple(_column(assessment, name) for name in shown),
        below=below,
    )


def _column(assessment: Assessment, name: str) -> tuple[Cell, ...]:
    role = _role(assessment, name)
    exposure: Cell = say("report.not_said")
    severity: Cell = say("report.not_said")
    if role == "quasi-identifier":
        level = assessment.plan.exposure_of(name)
        exposure = Level(
            int(level),
            say(
                "report.value_of", column=Exposure(level).name, value=level_name("exposure", level)
            ),
        )
    if role != "none":
        given = assessment.plan.columns[name].severity
        severity = (
            say("report.not_said") if given is None else Level(given, level_name("severity", given))
        )
    return shortened(name), say(f"report.roles.{role}"), exposure, severity
