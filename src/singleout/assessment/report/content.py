"""An assessment as the plain content of a report: verdict, evidence, what to do, the plan.

Values of single records are left out unless they are asked for; those of direct identifiers never
appear.
"""

from __future__ import annotations

import hashlib
import os
import platform
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING

from singleout.assessment.rating.scales import EXPOSURES, RISKS, SEVERITIES, Exposure
from singleout.assessment.report.comparison import comparison_section
from singleout.assessment.report.methods import anonymity_section, qar_section, suda_section
from singleout.assessment.report.ratings import actions_section, matrix_section, rows_section
from singleout.assessment.report.records import distribution_section
from singleout.assessment.report.words import count, first_of, messages, percent, shortened
from singleout.core.progress import working_on
from singleout.errors import BadChoice
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
from singleout.report.sentences import ENGLISH, Sentences

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
    sentences: Sentences = ENGLISH,
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
    sentences
        The words, in one language.
    """
    from singleout import __version__

    working_on("Writing the report")
    said = sentences
    time = time_of_report(when)
    source = shortened(assessment.facts.source)
    return Report(
        language=said.language,
        title=assessment.plan.title or said.untitled.format(source=source),
        above=said.kind_of_document,
        below=said.below_title.format(
            records=count(assessment.facts.rows), source=source, day=f"{time:%Y-%m-%d}"
        ),
        verdict=_verdict(assessment, said),
        sections=(
            _measured(assessment, said, time),
            matrix_section(assessment, said),
            anonymity_section(assessment, said),
            suda_section(assessment, said),
            qar_section(assessment, said),
            rows_section(assessment, said),
            distribution_section(assessment, said, show_records=show_records),
            actions_section(assessment, said),
            *(() if comparison is None else (comparison_section(comparison, said),)),
            _methods(assessment, said),
            _plan(assessment, said),
        ),
        words=said.of_the_page,
        colophon=said.colophon.format(version=__version__),
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


def _verdict(assessment: Assessment, said: Sentences) -> Verdict:
    parts: list[Part] = [_policy(assessment, said)]
    if assessment.guessed:
        parts.append(Message(said.warnings, (said.guessed,), urgent=True))
    if assessment.warnings:
        parts.append(messages(said.warnings, assessment.warnings, said, urgent=True))
    parts.append(Facts(_figures(assessment, said), large=True))
    level = Level(assessment.level, RISKS[assessment.level - 1])
    return Verdict(said.verdict, level, RISKS, assessment.verdict, tuple(parts))


def _policy(assessment: Assessment, said: Sentences) -> Part:
    if assessment.met is None:
        return Paragraph(said.no_policy)
    if assessment.met:
        return Paragraph(said.policy_met)
    return Message(said.policy_not_met, assessment.failures, urgent=True)


def _figures(assessment: Assessment, said: Sentences) -> tuple[tuple[str, str], ...]:
    sets, risks = assessment.anonymity, assessment.record_risks
    figures = [
        (said.figure_k, count(sets.k)),
        (said.figure_unique, _of_whole(sets.unique, sets.records, said)),
        (said.figure_at_risk, _of_whole(risks.at_risk, len(risks.record), said)),
    ]
    qar = assessment.qar
    # a fit that its own warning says not to rely on is no number to remember; T = 1 is no fit
    if qar is not None and (qar.risk == 1 or not qar.warnings):
        figures.append((said.figure_qar, f"T = {qar.risk:.4f}"))
    figures.append((said.figure_first, _first_to_do(assessment, said)))
    return tuple(figures)


def _first_to_do(assessment: Assessment, said: Sentences) -> str:
    if not assessment.actions:
        return said.nothing_to_do
    first = assessment.actions[0]
    if first.before is None or first.after is None:
        return first.what
    before, after = first.before.level, first.after.level
    sentence = said.first_stays if before == after else said.first_lowers
    return f"{first.what} {sentence.format(before=before, after=after)}"


def _of_whole(part: int, whole: int, said: Sentences) -> str:
    share = percent(part / whole if whole else 0.0)
    return said.of_records.format(part=count(part), whole=count(whole), share=share)


# ---- what was measured


def _measured(assessment: Assessment, said: Sentences, time: datetime) -> Section:
    from singleout import __version__

    facts, plan = assessment.facts, assessment.plan
    rated = len(assessment.record_risks.record)
    records = count(facts.rows)
    if facts.dropped:
        dropped = said.records_dropped.format(rated=count(rated), dropped=count(facts.dropped))
        records = f"{records}: {dropped}"
    plan_hash = hashlib.sha256(plan.to_yaml().encode()).hexdigest()
    others = ", ".join(f"{name} {version(name)}" for name in _COUNTING)
    parts: list[Part] = [
        Facts(
            (
                (said.data, facts.source),
                (said.sha256, facts.sha256 or said.no_file),
                (said.records, records),
                (said.columns, _columns_by_role(assessment, said)),
                (said.plan_from, said.plan_guessed if assessment.guessed else said.plan_given),
                (said.plan_hash, plan_hash),
                (said.missing, said.missing_values[str(plan.missing)]),
                (said.variant, plan.methods.discrimination.variant),
                (said.reading, _reading(facts.reading, said)),
                (
                    said.software,
                    f"singleout {__version__}, Python {platform.python_version()}, {others}",
                ),
                (said.time, f"{time:%Y-%m-%d %H:%M:%S} UTC"),
            )
        )
    ]
    if assessment.notes:
        parts.append(messages(said.notes, assessment.notes, said, urgent=False))
    parts.append(_columns(assessment, said))
    return Section("measured", said.measured, tuple(parts))


def _reading(options: Mapping[str, str], said: Sentences) -> str:
    return "; ".join(f"{name}: {value}" for name, value in options.items()) or said.plain_reading


def _role(assessment: Assessment, name: str) -> str:
    column = assessment.plan.columns.get(name)
    return "" if column is None else str(column.role)


def _columns_by_role(assessment: Assessment, said: Sentences) -> str:
    names = assessment.facts.columns
    found = Counter(_role(assessment, name) for name in names)
    roles = ", ".join(
        f"{word} {count(found[role])}" for role, word in said.roles.items() if found[role]
    )
    return said.columns_by_role.format(columns=count(len(names)), roles=roles)


def _columns(assessment: Assessment, said: Sentences) -> Table:
    order = list(said.roles)
    names = sorted(assessment.facts.columns, key=lambda name: order.index(_role(assessment, name)))
    shown, below = first_of(names, _COLUMNS_SHOWN, said)
    return Table(
        said.columns_caption,
        (
            TableColumn(said.column),
            TableColumn(said.role),
            TableColumn(said.exposure, "step"),
            TableColumn(said.severity, "step"),
        ),
        tuple(_column(assessment, name, said) for name in shown),
        below=below,
    )


def _column(assessment: Assessment, name: str, said: Sentences) -> tuple[Cell, ...]:
    role = _role(assessment, name)
    exposure: Cell = said.not_said
    severity: Cell = said.not_said
    if role == "quasi-identifier":
        level = assessment.plan.exposure_of(name)
        exposure = Level(int(level), f"{Exposure(level).name}: {EXPOSURES[level - 1]}")
    if role:
        given = assessment.plan.columns[name].severity
        severity = said.not_said if given is None else Level(given, SEVERITIES[given - 1])
    return shortened(name), said.roles[role], exposure, severity


# ---- the end


def _methods(assessment: Assessment, said: Sentences) -> Section:
    return Section(
        "methods",
        said.methods,
        (
            Definitions(said.terms(assessment.plan.methods.discrimination.variant)),
            Heading(said.sources_title),
            *(Paragraph(source) for source in said.sources),
        ),
    )


def _plan(assessment: Assessment, said: Sentences) -> Section:
    return Section(
        "plan",
        said.plan,
        (Paragraph(said.plan_says), Code(said.plan_title, assessment.plan.to_yaml())),
    )
