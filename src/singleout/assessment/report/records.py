"""The records in a report: how the risk spreads over them, and single ones if asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from singleout.assessment.rating.scales import Exposure
from singleout.assessment.report.levels import risk_range
from singleout.core.wording import count, figure, percent
from singleout.methods.levels import level_name, level_names
from singleout.methods.registry import in_report, results
from singleout.report.content import (
    Bars,
    Level,
    Message,
    Paragraph,
    Part,
    ReportTable,
    Section,
    TableColumn,
)
from singleout.report.say import in_a_row, say
from singleout.report.words import first_of, head, listed, shortened, table

if TYPE_CHECKING:
    from singleout.assessment.result import Assessment

__all__ = ["bars_by_risk", "distribution_section", "groups_section"]

_RECORDS = 25  # shown
_GROUPS = 40  # shown


def distribution_section(assessment: Assessment, *, show_records: bool) -> Section:
    """Return how the risk spreads over the records, and the riskiest of them if asked for."""
    risks = assessment.record_risks
    records, people = risks.rated, assessment.unit is not None
    by_severity = np.bincount(risks.counted.severity, minlength=5)[1:].tolist()
    parts: list[Part] = [
        Paragraph(
            say(
                "report.distribution_says_people" if people else "report.distribution_says",
                at_risk=count(risks.at_risk),
                records=count(records),
                share=percent(risks.at_risk / records),
            )
        ),
        bars_by_risk(
            assessment, say("report.by_risk_people" if people else "report.by_risk_caption")
        ),
        _bars(
            say("report.by_severity_people" if people else "report.by_severity_caption"),
            "report.severity",
            level_names("severity"),
            by_severity,
            people=people,
        ),
    ]
    for method, result in results(assessment.measured, in_report()):
        parts += method.spread(result)
    if show_records:
        parts += _single_records(assessment)
    else:
        parts.append(Paragraph(say("report.records_hidden")))
    return Section("distribution", say("report.distribution"), tuple(parts))


def groups_section(assessment: Assessment) -> Section:
    """Return the verdict on each group of records alone, the riskiest first."""
    frame = assessment.groups_frame.sort(
        "level", "at_risk_share", "group", descending=[True, True, False]
    )
    shown, more = first_of(frame.to_dicts(), _GROUPS)
    heads = {
        "report.group": "text",
        "report.people_count" if assessment.unit else "anonymity.record_count": "number",
        "report.risk": "text",
        "report.at_risk_share": "number",
        "report.smallest_set": "number",
        "attributes.unique": "number",
    }
    rows = (
        (
            shortened(row["group"]),
            count(row["records"]),
            _open_level(row["level"], row["possible_level"]),
            percent(row["at_risk_share"]),
            count(row["k"]),
            percent(row["unique_share"]),
        )
        for row in shown
    )
    by = listed(assessment.by)
    parts: list[Part] = [Paragraph(say("report.groups_say", by=by, n=frame.height))]
    parts.append(table("report.groups_caption", heads, rows))
    if more:
        parts.append(Paragraph(more))
    return Section("groups", say("report.groups", by=by), tuple(parts))


def _open_level(low: int, high: int) -> Level | str:
    return Level(low, level_name("risk", low)) if low == high else risk_range(low, high)


def bars_by_risk(assessment: Assessment, caption: str) -> Bars:
    """Return how many records have each level of risk, or how many people."""
    by_level, people = assessment.record_risks.by_level, assessment.unit is not None
    return _bars(caption, "report.risk", level_names("risk"), by_level, people=people)


def _bars(
    caption: str, what: str, words: Sequence[str], counts: Sequence[int], *, people: bool
) -> Bars:
    whole = max(1, sum(counts))
    bars = [
        (Level(level, word), number, number / whole)
        for level, (word, number) in enumerate(zip(words, counts, strict=True), start=1)
    ]
    return Bars(
        caption,
        (
            head(what),
            head("report.people_count" if people else "anonymity.record_count", "number"),
            head("report.share_of_people" if people else "report.share_of_records"),
        ),
        tuple(bars[::-1]),
    )


def _single_records(assessment: Assessment) -> list[Part]:
    parts: list[Part] = [
        Message(say("report.warnings"), (say("report.records_shown"),), urgent=True),
        _riskiest(assessment),
        _values(assessment),
    ]
    for method, result in results(assessment.measured, in_report()):
        parts += method.single_records(result, _RECORDS)
    return parts


def _riskiest(assessment: Assessment) -> ReportTable:
    rates = _rates(assessment)
    return ReportTable(
        say("report.riskiest_caption"),
        (
            head("report.record", "number"),
            head("report.learnt"),
            *rates.values(),
            head("report.same_values", "number"),
            head("report.exploitability", "step"),
            head("report.severity", "step"),
            head("report.risk", "level"),
        ),
        tuple(
            (
                count(row["record"]),
                say("report.identity") if row["sensitive"] is None else shortened(row["sensitive"]),
                *(figure(row[name], ".3f") for name in rates),
                count(row["set_size"]),
                Level(row["exploitability"], level_name("exploitability", row["exploitability"])),
                Level(row["severity"], level_name("severity", row["severity"])),
                Level(row["risk"], level_name("risk", row["risk"])),
            )
            for row in assessment.riskiest(_RECORDS).to_dicts()
        ),
    )


def _rates(assessment: Assessment) -> dict[str, TableColumn]:
    """Return the columns of the records that they were rated by, and their heads."""
    if assessment.by_certainty:
        return {
            "identity": head("report.identity_of", "number"),
            "gain": head("report.gain_of", "number"),
        }
    names = [Exposure(level).name for level in sorted(assessment.record_risks.rates, reverse=True)]
    return {f"rate_{name}": head("report.rate_of", "number", exposure=name) for name in names}


def _values(assessment: Assessment) -> ReportTable:
    """Return the values of the riskiest records in the columns that were rated."""
    numbers = assessment.riskiest(_RECORDS)["record"].to_list()
    return ReportTable(
        say("report.values_caption"),
        (head("report.record", "number"), head("report.values_of_record")),
        tuple(
            (count(number), _said_by(values))
            for number, values in zip(numbers, assessment.values_of(numbers), strict=True)
        ),
    )


def _said_by(values: Mapping[str, str]) -> str:
    """Return what a record says, column by column."""
    return in_a_row(
        say("report.value_of", column=shortened(name), value=shortened(value))
        for name, value in values.items()
    )
