"""An assessment as the plain content of a report: verdict, evidence, what to do, the plan.

Values of single records are left out unless they are asked for; those of direct identifiers never
appear.
"""

from __future__ import annotations

import hashlib
import os
import platform
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING

from singleout.assessment.rating.scales import EXPOSURES, RISKS, SEVERITIES, Exposure
from singleout.assessment.report.comparison import comparison_section
from singleout.assessment.report.ratings import actions_section, matrix_section, rows_section
from singleout.assessment.report.records import distribution_section
from singleout.core.progress import working_on
from singleout.core.wording import count, percent
from singleout.errors import BadChoice
from singleout.methods.registry import in_report, results
from singleout.report.content import (
    Cell,
    Code,
    Definitions,
    Facts,
    Heading,
    Level,
    Message,
    Paragraph,
    Part,
    Report,
    Section,
    Table,
    TableColumn,
    Verdict,
)
from singleout.report.say import language, say, term, words
from singleout.report.words import first_of, messages, shortened

if TYPE_CHECKING:
    from singleout.assessment.comparison.result import Comparison
    from singleout.assessment.result import Assessment

__all__ = ["report_of", "time_of_report"]

_COLUMNS_SHOWN = 200
_COUNTING = ("numpy", "numba", "polars")  # what else the numbers rest on


def report_of(
    assessment: Assessment,
    *,
    show_records: bool = False,
    when: datetime | None = None,
    comparison: Comparison | None = None,
) -> Report:
    """Return what the report of an assessment holds.

    Parameters
    ----------
    assessment
        The assessment.
    show_records
        Whether to show single records with their values.
    when
        The time to put on it; now, or that of SOURCE_DATE_EPOCH, if not given.
    comparison
        With a version before, for a section that compares the two.
    """
    from singleout import __version__

    working_on("Writing the report")
    time = time_of_report(when)
    source = shortened(assessment.facts.source)
    return Report(
        language=language(),
        title=assessment.plan.title or say("report.untitled", source=source),
        above=say("report.kind_of_document"),
        below=say(
            "report.below_title",
            records=count(assessment.facts.rows),
            source=source,
            day=f"{time:%Y-%m-%d}",
        ),
        verdict=_verdict(assessment),
        sections=(
            _measured(assessment, time),
            matrix_section(assessment),
            *_of_methods(assessment),
            rows_section(assessment),
            distribution_section(assessment, show_records=show_records),
            actions_section(assessment),
            *(() if comparison is None else (comparison_section(comparison),)),
            _methods(assessment),
            _plan(assessment),
        ),
        words={"skip": say("report.skip"), "contents": say("report.contents")},
        colophon=say("report.colophon", version=__version__),
    )


def time_of_report(when: datetime | None = None) -> datetime:
    """Return the time to put on a report, in UTC and to the second.

    Parameters
    ----------
    when
        The time; if not given, that of the variable SOURCE_DATE_EPOCH (seconds since 1970), so that
        a report can be made again byte by byte, otherwise now.

    Examples
    --------
    >>> time_of_report(datetime(2026, 3, 1, 12, tzinfo=UTC)).isoformat()
    '2026-03-01T12:00:00+00:00'
    """
    if when is not None:
        return when.astimezone(UTC).replace(microsecond=0)
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if not given:
        return datetime.now(UTC).replace(microsecond=0)
    try:
        return datetime.fromtimestamp(int(given), UTC)
    except (ValueError, OverflowError, OSError):
        raise BadChoice(
            f"SOURCE_DATE_EPOCH is {given!r}; give the seconds since 1970 as a whole number, or "
            "remove it."
        ) from None


# ---- the verdict


def _verdict(assessment: Assessment) -> Verdict:
    parts: list[Part] = [_policy(assessment)]
    if assessment.guessed:
        parts.append(Message(say("report.warnings"), (say("report.guessed"),), urgent=True))
    if assessment.warnings:
        parts.append(messages(say("report.warnings"), assessment.warnings, urgent=True))
    parts.append(Facts(_figures(assessment), large=True))
    level = Level(assessment.level, RISKS[assessment.level - 1])
    return Verdict(say("report.verdict"), level, RISKS, assessment.verdict, tuple(parts))


def _policy(assessment: Assessment) -> Part:
    if assessment.met is None:
        return Paragraph(say("report.no_policy"))
    if assessment.met:
        return Paragraph(say("report.policy_met"))
    return Message(say("report.policy_not_met"), assessment.failures, urgent=True)


def _figures(assessment: Assessment) -> tuple[tuple[str, str], ...]:
    sets, risks = assessment.anonymity, assessment.record_risks
    figures = [
        (say("report.figure_k"), count(sets.k)),
        (say("report.figure_unique"), _of_whole(sets.unique, sets.records)),
        (say("report.figure_at_risk"), _of_whole(risks.at_risk, len(risks.record))),
    ]
    for method, result in results(assessment.measured, in_report()):
        figures += method.headline(result)
    figures.append((say("report.figure_first"), _first_to_do(assessment)))
    return tuple(figures)


def _first_to_do(assessment: Assessment) -> str:
    if not assessment.actions:
        return say("report.nothing_to_do")
    first = assessment.actions[0]
    if first.before is None or first.after is None:
        return first.what
    before, after = first.before.level, first.after.level
    key = "report.first_stays" if before == after else "report.first_lowers"
    return f"{first.what} {say(key, before=before, after=after)}"


def _of_whole(part: int, whole: int) -> str:
    share = percent(part / whole if whole else 0.0)
    return say("report.of_records", part=count(part), whole=count(whole), share=share)


# ---- what was measured


def _measured(assessment: Assessment, time: datetime) -> Section:
    from singleout import __version__

    facts, plan = assessment.facts, assessment.plan
    rated = len(assessment.record_risks.record)
    records = count(facts.rows)
    if facts.dropped:
        dropped = say("report.records_dropped", rated=count(rated), dropped=count(facts.dropped))
        records = f"{records}: {dropped}"
    plan_hash = hashlib.sha256(plan.to_yaml().encode()).hexdigest()
    others = ", ".join(f"{name} {version(name)}" for name in _COUNTING)
    parts: list[Part] = [
        Facts(
            (
                (say("report.data"), facts.source),
                (say("report.sha256"), facts.sha256 or say("report.no_file")),
                (say("report.records"), records),
                (say("report.columns"), _columns_by_role(assessment)),
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
                (say("report.time"), f"{time:%Y-%m-%d %H:%M:%S} UTC"),
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


def _columns_by_role(assessment: Assessment) -> str:
    names = assessment.facts.columns
    found = Counter(_role(assessment, name) for name in names)
    roles = ", ".join(
        f"{word} {count(found[role])}"
        for role, word in words("report.roles").items()
        if found[role]
    )
    return say("report.columns_by_role", columns=count(len(names)), roles=roles)


def _columns(assessment: Assessment) -> Table:
    order = list(words("report.roles"))
    names = sorted(assessment.facts.columns, key=lambda name: order.index(_role(assessment, name)))
    shown, below = first_of(names, _COLUMNS_SHOWN)
    return Table(
        say("report.columns_caption"),
        (
            TableColumn(say("report.column")),
            TableColumn(say("report.role")),
            TableColumn(say("report.exposure"), "step"),
            TableColumn(say("report.severity"), "step"),
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
        exposure = Level(int(level), f"{Exposure(level).name}: {EXPOSURES[level - 1]}")
    if role != "none":
        given = assessment.plan.columns[name].severity
        severity = say("report.not_said") if given is None else Level(given, SEVERITIES[given - 1])
    return shortened(name), say(f"report.roles.{role}"), exposure, severity


# ---- the methods


def _of_methods(assessment: Assessment) -> Iterator[Section]:
    for method in in_report():
        if method.name in assessment.measured:
            options = assessment.plan.options_of(method)
            section = method.section(assessment.measured[method.name], options)
            if section is not None:
                yield section


# ---- the end


def _methods(assessment: Assessment) -> Section:
    variant = assessment.plan.methods.discrimination.variant
    terms = [term for method in in_report() for term in method.terms()]
    sources = [source for method in in_report() for source in method.sources()]
    return Section(
        "methods",
        say("report.methods"),
        (
            Definitions((*_terms(variant), *terms, *_last_terms())),
            Heading(say("report.sources_title")),
            *(Paragraph(source) for source in (say("report.rating_source"), *sources)),
        ),
    )


def _terms(variant: str) -> Iterator[tuple[str, str]]:
    """Yield the terms of every report with their meaning, the rate as the plan reads it."""
    rate = say(f"report.rates_explained.{variant}")
    for name in words("report.terms"):
        yield term(f"report.terms.{name}", rate=rate, levels=say("report.levels_explained"))


def _last_terms() -> Iterator[tuple[str, str]]:
    return (term(f"report.last_terms.{name}") for name in words("report.last_terms"))


def _plan(assessment: Assessment) -> Section:
    return Section(
        "plan",
        say("report.plan"),
        (
            Paragraph(say("report.plan_says")),
            Code(say("report.plan_title"), assessment.plan.to_yaml()),
        ),
    )
