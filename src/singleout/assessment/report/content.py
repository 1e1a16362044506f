"""An assessment as the plain content of a report: a summary, the evidence, and an appendix.

Values of single records are left out unless they are asked for; those of direct identifiers never
appear.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from singleout.assessment.report.comparison import comparison_section
from singleout.assessment.report.impacts import impacts_section
from singleout.assessment.report.measured import measured_section
from singleout.assessment.report.ratings import actions_section, matrix_section, rows_section
from singleout.assessment.report.records import distribution_section, groups_section
from singleout.assessment.report.regulators import regulators_section
from singleout.assessment.report.summary import glossary, summary
from singleout.assessment.report.told import told_section
from singleout.core.progress import working_on
from singleout.core.wording import count, day, figure, stated_percent
from singleout.errors import BadChoice
from singleout.methods.registry import in_report
from singleout.report.content import (
    Bars,
    Code,
    Definitions,
    Heading,
    Paragraph,
    Part,
    Report,
    ReportTable,
    Section,
)
from singleout.report.say import language, say, term, words
from singleout.report.words import head, shortened

if TYPE_CHECKING:
    from singleout.assessment.comparison.result import Comparison
    from singleout.assessment.result import Assessment

__all__ = ["report_of", "time_of_report"]


def report_of(
    assessment: Assessment,
    *,
    show_records: bool = False,
    when: datetime | None = None,
    comparison: Comparison | None = None,
    treatment: Section | None = None,
) -> Report:
    """Return what the report of an assessment holds.

    With ``show_records`` it holds single records with their values, with a ``comparison`` a section
    that compares two versions, and with a ``treatment`` what was done to the table; ``when`` as in
    `time_of_report`.
    """
    from singleout import __version__

    working_on(say("progress.report"))
    time = time_of_report(when)
    source = shortened(assessment.facts.source)
    verdict = summary(assessment)
    evidence = (
        *(() if treatment is None else (treatment,)),
        rows_section(assessment),
        distribution_section(assessment, show_records=show_records),
        *told_section(assessment, show_records=show_records),
        *((groups_section(assessment),) if assessment.groups else ()),
        actions_section(assessment),
        *(() if comparison is None else (comparison_section(comparison),)),
        *_of_methods(assessment),
        *_decisions(assessment),
        *impacts_section(assessment),
        regulators_section(assessment),
        measured_section(assessment, time),
        matrix_section(assessment),
    )
    shown = (*verdict.parts, *(part for section in evidence for part in section.parts))
    return Report(
        language=language(),
        title=assessment.plan.title or say("report.untitled", source=source),
        above=say("report.kind_of_document"),
        below=say(
            "report.below_title",
            records=count(assessment.facts.rows),
            source=source,
            day=day(time),
        ),
        verdict=verdict,
        sections=(*evidence, _methods(assessment, shown), _plan(assessment)),
        words={word: say(f"report.{word}") for word in ("skip", "contents", "appendix")},
        colophon=say("report.colophon", version=__version__),
    )


def time_of_report(when: datetime | None = None) -> datetime:
    """Return the time to put on a report, in UTC and to the second.

    If it is not given, it is that of the variable SOURCE_DATE_EPOCH (seconds since 1970), so that a
    report can be made again byte by byte; otherwise now.

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


# ---- the methods


def _of_methods(assessment: Assessment) -> Iterator[Section]:
    for method in in_report():
        if method.name in assessment.measured:
            options = assessment.plan.options_of(method)
            section = method.section(assessment.measured[method.name], options)
            if section is not None:
                yield section


# ---- what was decided before there was data


def _decisions(assessment: Assessment) -> Iterator[Section]:
    decisions = assessment.plan.decisions
    if not decisions:
        return
    rows = tuple(
        (each.subject, each.says or each.action, each.hash or say("report.not_said"))
        for each in decisions
    )
    names = ("subject", "decided", "hash")
    heads = tuple(head(f"report.decisions.{name}") for name in names)
    table = ReportTable(say("report.decisions.table"), heads, rows)
    title = say("report.decisions.title")
    yield Section("decisions", title, (Paragraph(say("report.decisions.before")), table))


# ---- the end


def _methods(assessment: Assessment, tables: Iterable[Part]) -> Section:
    terms = [term for method in in_report() for term in method.terms()]
    sources = [source for method in in_report() for source in method.sources()]
    return Section(
        "methods",
        say("report.methods"),
        (
            Definitions((*glossary(), *_terms(assessment), *terms, *_last_terms())),
            *_heads(tables),
            Heading(say("report.sources_title")),
            *(Paragraph(source) for source in (say("report.rating_source"), *sources)),
        ),
        appendix=True,
    )


def _heads(parts: Iterable[Part]) -> Iterator[Part]:
    """Yield what the heads of these tables mean: on paper there is nothing to open."""
    meanings: dict[str, str] = {}
    for part in parts:
        columns = part.columns if isinstance(part, ReportTable) else ()
        heads = part.heads if isinstance(part, Bars) else columns
        meanings |= {head.title: head.meaning for head in heads if head.meaning}
    if meanings:
        yield Heading(say("report.heads_title"))
        yield Definitions(tuple(meanings.items()))


def _terms(assessment: Assessment) -> Iterator[tuple[str, str]]:
    """Yield the terms of every report with their meaning, as the rating of the plan has them."""
    by = "certainty" if assessment.by_certainty else "paper"
    filled = {
        "rate": say(f"report.rates_explained.{assessment.plan.methods.discrimination.variant}"),
        "levels": say("report.levels_explained", **_bounds(assessment)),
        "information": say("report.information_explained"),
        "tolerated": stated_percent(assessment.plan.policy.tolerated),
    }
    for name in words("report.terms"):
        yield term(f"report.terms.{name}")
    for name in words(f"report.rated_by.{by}"):
        yield term(f"report.rated_by.{by}.{name}", **filled)


def _bounds(assessment: Assessment) -> dict[str, str]:
    names = ("moderate", "severe", "critical")
    bounds = assessment.plan.matrices.inference
    return {name: figure(bound, "g") for name, bound in zip(names, bounds, strict=True)}


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
        appendix=True,
    )
