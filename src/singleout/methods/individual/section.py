"""Individual risk in an assessment: where a plan has weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import Field

from singleout.core.wording import count, in_figures, percent, stated_percent
from singleout.methods.method import Context, Measured, Method, Number
from singleout.methods.options import Part as Options
from singleout.methods.options import Share
from singleout.report.content import Message, Paragraph, Part, ReportTable, Section
from singleout.report.say import say, term
from singleout.report.schema import COUNT, SHARE, TEXT, TEXTS, or_none, record
from singleout.report.words import figures, table

if TYPE_CHECKING:
    from singleout.methods.individual.result import IndividualRisk

__all__ = ["METHOD", "IndividualPlan"]

_EXPECTED = {"type": "number", "minimum": 0}


class IndividualPlan(Options):
    """Which global risk is wanted."""

    enabled: bool = Field(
        default=True, description="Whether to estimate it, where there are weights."
    )
    wanted: Annotated[Share, Field(gt=0, le=1)] | None = Field(
        default=None,
        description="The global risk that is wanted: expected re-identifications / records. The "
        "report says above which risk records must be treated.",
    )


class _Individual(Method):
    """How likely each record is re-identified, by the weights."""

    name = "individual"
    options = IndividualPlan
    about = "Individual risk, where there are weights."
    example = "{enabled: true}   # and wanted: 1 %, if a global risk is wanted"
    plan_order = 6
    report_order = 4
    schema = or_none(
        record(
            {
                "quasi_identifiers": TEXTS,
                "weights": TEXT,
                "records": COUNT,
                "global_risk": SHARE,
                "expected": _EXPECTED,
                "highest": SHARE,
                "household": or_none(
                    record({"global_risk": SHARE, "expected": _EXPECTED, "highest": SHARE}),
                    "The same for households; null if no column tells them apart.",
                ),
            }
        ),
        "Individual risk; null if it was not estimated: it needs weights.",
    )

    def applies(self, context: Context) -> bool:
        """Whether there are weights."""
        return context.weights is not None and super().applies(context)

    def measure(self, context: Context) -> Measured:
        """Estimate it for all quasi-identifiers together, if the plan has weights."""
        from singleout.methods.individual.function import individual_risk

        asked: IndividualPlan = context.options[self.name]
        if not asked.enabled or context.weights is None:
            return Measured()
        found = individual_risk(context.table, context.known, context.weights, context.household)
        return Measured(found, found.notes)

    def section(self, measured: Measured, options: Any) -> Section | None:
        """Return what it found; nothing where there are no weights."""
        title = say("individual.title")
        if measured.result is not None:
            return Section(self.name, title, tuple(_parts(measured, options.wanted)))
        if options.enabled:
            return None
        return Section(self.name, title, (self.nothing(measured, options),))

    def single_records(self, result: IndividualRisk, most: int) -> list[Part]:
        """Return the records with the highest risk."""
        return [_riskiest(result, most)]

    def terms(self) -> tuple[tuple[str, str], ...]:
        """Return what individual risk is."""
        return (term("individual.explained"),)

    def sources(self) -> tuple[str, ...]:
        """Return where it was published."""
        return say("individual.source"), say("individual.source_threshold")

    def sentences(self, result: IndividualRisk) -> tuple[str, ...]:
        """Return how many records are expected to be re-identified."""
        return (
            say(
                "individual.sentence",
                expected=in_figures(result.expected),
                records=count(result.records),
                share=percent(result.global_risk),
                highest=percent(result.highest),
            ),
        )

    def numbers(self, result: IndividualRisk) -> tuple[Number, ...]:
        """Return the global risk and the highest."""
        return (
            Number(
                "individual_expected", say("individual.expected_number"), "number", result.expected
            ),
            Number(
                "individual_global", say("individual.global_number"), "share", result.global_risk
            ),
            Number("individual_highest", say("individual.highest_number"), "share", result.highest),
        )


METHOD = _Individual()


def _parts(measured: Measured, wanted: float | None) -> list[Part]:
    result: IndividualRisk = measured.result
    parts: list[Part] = [
        Paragraph(_in_words(result)),
        Paragraph(
            f"{say('individual.weights', column=result.weights)} {say('individual.verdict')}"
        ),
        _high_risks(result),
        *figures(result.plot, METHOD.name),
    ]
    if wanted is not None:
        parts.insert(1, Paragraph(_treated(result, wanted)))
    if measured.notes:
        parts.append(Message(say("report.notes"), measured.notes))
    return parts


def _in_words(result: IndividualRisk) -> str:
    words = say(
        "individual.says",
        records=count(result.records),
        expected=in_figures(result.expected),
        share=percent(result.global_risk),
        highest=percent(result.highest),
    )
    homes = result.household_spread
    if homes is None:
        return words
    expected, share = in_figures(homes.expected), percent(homes.mean)
    return f"{words} {say('individual.household', expected=expected, share=share)}"


def _treated(result: IndividualRisk, wanted: float) -> str:
    found = result.threshold(wanted)
    if not found.records:
        return say("individual.wanted_met", wanted=stated_percent(wanted))
    return say(
        "individual.wanted",
        n=found.records,
        wanted=stated_percent(wanted),
        risk=percent(found.risk),
    )


def _high_risks(result: IndividualRisk) -> ReportTable:
    from singleout.methods.individual.result import LEVELS

    heads = ("individual.level", "anonymity.record_count", "report.share_of_records")
    rows = (
        (percent(level), count(above), percent(above / max(1, result.records)))
        for level, above in ((level, result.above(level)) for level in LEVELS)
    )
    return table("individual.caption", dict.fromkeys(heads, "number"), rows)


def _riskiest(result: IndividualRisk, most: int) -> ReportTable:
    heads = ["report.record", "individual.risk", "individual.matches", "individual.people"]
    columns = [result.risk, result.matches, result.people]
    if result.household is not None:
        heads.append("individual.household_risk")
        columns.append(result.household)
    # highest first, then in the order of the table; those left out are last
    worst = np.argsort(-result.risk, kind="stable")[:most].tolist()
    rows = []
    for at in (at for at in worst if not np.isnan(result.risk[at])):
        risk, matches, people, *home = (column[at].item() for column in columns)
        cells = [count(at + 1), percent(risk), count(matches), in_figures(people, 6)]
        rows.append((*cells, *map(percent, home)))
    return table("individual.risky_caption", dict.fromkeys(heads, "number"), rows)
