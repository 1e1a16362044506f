"""Special uniques in an assessment: options in a plan, how far they are searched, the report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field

from singleout.core.wording import count, in_figures, percent, stated_percent
from singleout.methods.effort import affordable, limited, most_telling, unless_too_large
from singleout.methods.method import Context, Measured, Method, Number
from singleout.methods.options import Part as Options
from singleout.methods.options import SetSize
from singleout.methods.suda.measure import Scoring
from singleout.report.content import Figure, Message, Paragraph, Part, ReportTable, Section
from singleout.report.say import say, term
from singleout.report.schema import COUNT, TEXTS, or_none, record
from singleout.report.words import figures, shortened, table

if TYPE_CHECKING:
    from singleout.methods.suda.result import Suda

__all__ = ["METHOD"]

_MOST_FOR_SUDA = 3_000_000_000  # records x combinations: about ten seconds on two cores
_USUAL_SIZE = 3  # larger sets are searched only where a plan asks for them
_WORST = 10  # columns in a table


class SudaPlan(Options):
    """How special uniques are searched."""

    enabled: bool = Field(default=True, description="Whether to search them.")
    max_size: SetSize = Field(
        default=3, description="The largest set of columns to search, or all."
    )
    scoring: Scoring = Field(default=Scoring.LATTICE, description="What a set weighs by its size.")
    missing: Literal["value", "never", "drop"] | None = Field(
        default=None, description="What a missing value means here, if not the plan's own policy."
    )


class _Suda(Method):
    """Special uniques."""

    name = "suda"
    options = SudaPlan
    about = "Special uniques."
    example = "{max_size: 3, scoring: lattice}"
    plan_order = 2
    report_order = 2
    schema = or_none(
        record(
            {
                "records": COUNT,
                "columns": TEXTS,
                "max_size": COUNT,
                "records_with_uniques": COUNT,
                "special_uniques": COUNT,
                "highest_score": {"type": "number", "minimum": 0},
            }
        ),
        "Special uniques; null if they were not searched.",
    )

    def measure(self, context: Context) -> Measured:
        """Search as far as the plan says, or as can be done in reasonable time."""
        from singleout.methods.suda.function import suda

        asked: SudaPlan = context.options[self.name]
        if not asked.enabled:
            return Measured()
        if not context.has_groups and asked.missing is None:
            return Measured(None, (say("suda.no_groups"),))
        names, notes = _searched(context, asked)
        fraction, more_notes = context.fraction
        return unless_too_large(
            self.name,
            (*notes, *more_notes),
            lambda: suda(
                context.table,
                names,
                max_size=asked.max_size,
                sampling_fraction=fraction,
                scoring=str(asked.scoring),
                missing=asked.missing,
            ),
        )

    def section(self, measured: Measured, options: Any) -> Section:
        """Return what special uniques there are, or why they were not searched."""
        if measured.result is None:
            return Section(self.name, say("suda.title"), (self.nothing(measured, options),))
        parts = _special_uniques(measured.result)
        if measured.notes:
            parts.append(Message(say("report.notes"), measured.notes))
        return Section(self.name, say("suda.title"), tuple(parts))

    def single_records(self, result: Suda, most: int) -> list[Part]:
        """Return the records with the highest scores, and what singles them out."""
        if not result.with_uniques:
            return []
        heads = {"report.record": "number", "report.score": "number", "report.because": "text"}
        rows = [
            (count(row["record"]), in_figures(row["score"]), row["because"])
            for row in result.risky(most).to_dicts()
        ]
        return [table("suda.risky_caption", heads, rows)]

    def terms(self) -> tuple[tuple[str, str], ...]:
        """Return what special uniques are."""
        return (term("suda.explained"),)

    def sources(self) -> tuple[str, ...]:
        """Return where it was published."""
        return (say("suda.source"),)

    def sentences(self, result: Suda) -> tuple[str, ...]:
        """Return how many records are singled out."""
        return (f"{result}.",)

    def to_json(self, result: Suda) -> dict[str, Any]:
        """Return what holds of the table: no values of single records."""
        by_column = result.variable_contributions.to_dicts()
        return {**result.summary, "variable_contributions": by_column}

    def numbers(self, result: Suda) -> tuple[Number, ...]:
        """Return how many records are singled out, and how easily the worst."""
        found, records = result.with_uniques, result.records
        share = found / records if records else 0.0
        return (
            Number("suda_records", say("suda.records_number"), "count", found, records=records),
            Number("suda_share", say("suda.share_number"), "share", share),
            Number("suda_highest", say("suda.highest_number"), "number", float(result.score.max())),
        )

    def columns(self, result: Suda) -> tuple[str, ...]:
        """Return the columns that were searched."""
        return result.columns


METHOD = _Suda()


def _searched(context: Context, asked: SudaPlan) -> tuple[list[str], tuple[str, ...]]:
    """Return the columns to search, and notes if they are not all."""
    from singleout.kernels.uniques.search import MAX_VARIABLES

    names = list(context.known)
    notes: tuple[str, ...] = ()
    if len(names) > MAX_VARIABLES:
        names = most_telling(context.table, names, MAX_VARIABLES)
        notes = (limited(METHOD.name, len(names), len(context.known)),)
    if asked.max_size is None or asked.max_size > _USUAL_SIZE:
        return names, notes
    size = min(asked.max_size, len(names))
    most = _MOST_FOR_SUDA // context.table.rows
    names, more_notes = affordable(context.table, names, METHOD.name, size, most=most)
    return names, (*notes, *more_notes)


# ---- the section


def _special_uniques(result: Suda) -> list[Part]:
    words = say(
        "suda.says",
        with_uniques=count(result.with_uniques),
        records=count(result.records),
        share=percent(result.with_uniques / result.records),
        size=count(result.max_size),
        columns=count(len(result.columns)),
        special=count(len(result.special_uniques)),
    )
    parts: list[Part] = [Paragraph(words)]
    if result.sampling_fraction is not None:
        fraction = stated_percent(result.sampling_fraction)
        parts.append(Paragraph(say("suda.dis", fraction=fraction, dis=percent(result.dis))))
    if not result.with_uniques:
        return parts
    return [*parts, *_one_score(result), _by_size(result), _by_column(result), *_pictures(result)]


def _scores(result: Suda) -> list[float]:
    """Return the different scores above 0."""
    return sorted({float(score) for score in np.unique(result.score) if score > 0})


def _one_score(result: Suda) -> Iterator[Part]:
    """Yield the score where all have the same: a chart would have one bar."""
    scores = _scores(result)
    if len(scores) == 1:
        score = in_figures(scores[0])
        yield Paragraph(say("suda.one_score", n=result.with_uniques, score=score))


def _pictures(result: Suda) -> Iterator[Figure]:
    """Yield the pictures that show more than one bar."""
    # the last panel repeats in numbers what the tables say
    first = 0 if len(_scores(result)) > 1 else 1
    last = 2 if len(result.columns) > 1 else 1
    if first < last:
        yield from figures(result.plot(), METHOD.name, slice(first, last))


def _by_size(result: Suda) -> ReportTable:
    rows = [(size, count(n)) for size, n in result.summary["uniques_by_size"].items()]
    return table("suda.sizes_caption", {"suda.size": "number", "suda.count": "number"}, rows)


def _by_column(result: Suda) -> ReportTable:
    shares = result.variable_contributions.sort("share", descending=True, maintain_order=True)
    rows = [
        (shortened(row["variable"]), percent(row["share"]))
        for row in shares.head(_WORST).to_dicts()
    ]
    return table("suda.columns_caption", {"report.column": "text", "suda.share": "number"}, rows)
