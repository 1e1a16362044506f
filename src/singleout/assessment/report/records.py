"""The records in a report: how the risk spreads over them, and single ones if asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from singleout.assessment.rating.scales import EXPLOITABILITIES, RISKS, SEVERITIES, Exposure
from singleout.assessment.report.words import count, figures, percent, shortened
from singleout.core.text import in_figures
from singleout.methods.qar.contribution_chart import boxes
from singleout.methods.qar.contribution_result import TOP_BY_UNIQUENESS, RecordContributions
from singleout.report.content import (
    Bars,
    Level,
    Message,
    Paragraph,
    Part,
    Section,
    Table,
    TableColumn,
)
from singleout.report.sentences import Sentences

if TYPE_CHECKING:
    from singleout.assessment.result import Assessment

__all__ = ["distribution_section"]

_RECORDS = 25  # shown


def distribution_section(assessment: Assessment, said: Sentences, *, show_records: bool) -> Section:
    """Return how the risk spreads over the records, and the riskiest of them if asked for.

    Parameters
    ----------
    assessment
        The assessment.
    said
        The words.
    show_records
        Whether to show single records with their values.
    """
    risks = assessment.record_risks
    records = len(risks.record)
    by_severity = np.bincount(risks.severity, minlength=5)[1:].tolist()
    parts: list[Part] = [
        Paragraph(
            said.distribution_says.format(
                at_risk=count(risks.at_risk),
                records=count(records),
                share=percent(risks.at_risk / records),
            )
        ),
        _bars(said.by_risk_caption, said.risk, RISKS, risks.by_level, said),
        _bars(said.by_severity_caption, said.severity, SEVERITIES, by_severity, said),
    ]
    added = assessment.contributions
    if added is not None:
        sentence = said.contributions_say if added.lowering else said.contributions_none
        words = sentence.format(lowering=count(added.lowering), records=count(added.records))
        parts.append(Paragraph(words))
        parts += figures(boxes(_contributions(added, said)), "contributions")
    if show_records:
        parts += _single_records(assessment, said)
    else:
        parts.append(Paragraph(said.records_hidden))
    return Section("distribution", said.distribution, tuple(parts))


def _contributions(added: RecordContributions, said: Sentences) -> dict[str, NDArray[np.float64]]:
    """Return what to draw boxes of: no single record, unlike the picture of the result."""
    top = np.argsort(-added.uniqueness_plus, kind="stable")[:TOP_BY_UNIQUENESS]
    return {
        said.most_unique.format(records=count(len(top))): added.contribution[top],
        said.every_record.format(records=count(added.records)): added.contribution,
    }


def _bars(
    caption: str, what: str, words: Sequence[str], counts: Sequence[int], said: Sentences
) -> Bars:
    whole = max(1, sum(counts))
    bars = [
        (Level(level, word), number, number / whole)
        for level, (word, number) in enumerate(zip(words, counts, strict=True), start=1)
    ]
    return Bars(caption, (what, said.record_count, said.share_of_records), tuple(bars[::-1]))


def _single_records(assessment: Assessment, said: Sentences) -> list[Part]:
    parts: list[Part] = [
        Message(said.warnings, (said.records_shown,), urgent=True),
        _riskiest(assessment, said),
        _values(assessment, said),
    ]
    if assessment.suda is not None and assessment.suda.with_uniques:
        found = assessment.suda.risky(_RECORDS)
        parts.append(
            Table(
                said.suda_risky_caption,
                (
                    TableColumn(said.record, "number"),
                    TableColumn(said.score, "number"),
                    TableColumn(said.because),
                ),
                tuple(
                    (count(row["record"]), in_figures(row["score"]), row["because"])
                    for row in found.to_dicts()
                ),
            )
        )
    added = assessment.contributions
    if added is not None and added.lowering:
        top = added.top(min(_RECORDS, added.lowering))
        parts.append(
            Table(
                said.contributions_caption,
                (
                    TableColumn(said.record, "number"),
                    TableColumn(said.contribution, "number"),
                    TableColumn(said.unique_for),
                ),
                tuple(
                    (count(row["record"]), in_figures(row["contribution"], 3), row["unique_for"])
                    for row in top.to_dicts()
                ),
            )
        )
    return parts


def _riskiest(assessment: Assessment, said: Sentences) -> Table:
    exposures = sorted(assessment.record_risks.rates, reverse=True)
    names = [Exposure(exposure).name for exposure in exposures]
    return Table(
        said.riskiest_caption,
        (
            TableColumn(said.record, "number"),
            TableColumn(said.learnt),
            *(TableColumn(said.rate_of.format(exposure=name), "number") for name in names),
            TableColumn(said.same_values, "number"),
            TableColumn(said.exploitability, "step"),
            TableColumn(said.severity, "step"),
            TableColumn(said.risk, "level"),
        ),
        tuple(
            (
                count(row["record"]),
                said.identity if row["sensitive"] is None else shortened(row["sensitive"]),
                *(f"{row[f'rate_{name}']:.3f}" for name in names),
                count(row["set_size"]),
                Level(row["exploitability"], EXPLOITABILITIES[row["exploitability"] - 1]),
                Level(row["severity"], SEVERITIES[row["severity"] - 1]),
                Level(row["risk"], RISKS[row["risk"] - 1]),
            )
            for row in assessment.riskiest(_RECORDS).to_dicts()
        ),
    )


def _values(assessment: Assessment, said: Sentences) -> Table:
    """Return the values of the riskiest records in the columns that were rated."""
    numbers = assessment.riskiest(_RECORDS)["record"].to_list()
    return Table(
        said.values_caption,
        (TableColumn(said.record, "number"), TableColumn(said.values_of_record)),
        tuple(
            (count(number), _said_by(values, said))
            for number, values in zip(numbers, assessment.values_of(numbers), strict=True)
        ),
    )


def _said_by(values: Mapping[str, str], said: Sentences) -> str:
    """Return what a record says, column by column."""
    return "; ".join(
        said.value_of.format(column=shortened(name), value=shortened(value))
        for name, value in values.items()
    )
