"""Special uniques in an assessment: options in a plan, how far they are searched, the report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field, PlainSerializer, WithJsonSchema, WrapValidator

from singleout.core.wording import count, in_figures, percent, stated_percent
from singleout.methods.effort import affordable, limited, most_telling, unless_too_large
from singleout.methods.method import Context, Measured, Method, Number
from singleout.methods.options import Count
from singleout.methods.options import Part as Options
from singleout.methods.suda.measure import Scoring
from singleout.methods.suda.size import AUTO
from singleout.report.content import Figure, Message, Paragraph, Part, ReportTable, Section
from singleout.report.say import say, term
from singleout.report.schema import COUNT, SHARE, TEXTS, array, or_none, record
from singleout.report.words import figures, shortened, table

if TYPE_CHECKING:
    from singleout.methods.suda.result import Suda

__all__ = ["METHOD"]

_MOST_FOR_SUDA = 3_000_000_000  # records x combinations: about ten seconds on two cores
_USUAL_SIZE = 3  # columns are left out where this is too much; larger sets only where quick
_WORST = 10  # columns in a table
_SETS = 100  # sets of columns in the JSON


def _size(value: Any, check: Callable[[Any], Any]) -> Any:
    return value if value == AUTO else check(None if value == "all" else value)


if TYPE_CHECKING:
    _SetSize = int | str | None
else:
    _SetSize = Annotated[
        Count | None,
        WrapValidator(_size),
        PlainSerializer(lambda size: "all" if size is None else size, when_used="json"),
        WithJsonSchema(
            {"anyOf": [{"type": "integer", "minimum": 1}, {"enum": [AUTO, "all", None]}]},
            mode="validation",
        ),
    ]


class SudaPlan(Options):
    """How special uniques are searched."""

    enabled: bool = Field(default=True, description="Whether to search them.")
    max_size: _SetSize = Field(
        default=AUTO,
        description="The largest set of columns to search, or all; auto searches all sizes where "
        "that is quick, otherwise the largest that is.",
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
    example = "{max_size: auto, scoring: lattice}"
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
                "undecided_uniques": COUNT,
                "highest_score": {"type": "number", "minimum": 0},
                "set_contributions": array(
                    record({"columns": TEXTS, "size": COUNT, "records": COUNT, "share": SHARE}),
                    description="The sets of columns that carry the scores, the most first.",
                ),
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
        by_set = result.set_contributions.head(_SETS).to_dicts()
        return {
            **result.summary,
            "variable_contributions": by_column,
            "set_contributions": by_set,
        }

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
    largest = _USUAL_SIZE if isinstance(asked.max_size, str) else asked.max_size
    if largest is None or largest > _USUAL_SIZE:
        return names, notes
    size = min(largest, len(names))
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
        special=result.special_in_words,
    )
    parts: list[Part] = [Paragraph(words)]
    if result.sampling_fraction is not None:
        fraction = stated_percent(result.sampling_fraction)
        parts.append(Paragraph(say("suda.dis", fraction=fraction, dis=percent(result.dis))))
    if not result.with_uniques:
        return parts
    return [
        *parts,
        *_one_score(result),
        _by_kind(result),
        _by_size(result),
        _by_column(result),
        *_by_set(result),
        *_by_dis(result),
        *_pictures(result),
    ]


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
    drawn = cache(result.plot)
    if first < last:
        yield from figures(drawn, METHOD.name, slice(first, last))
    if _larger_sets(result):
        yield from figures(drawn, f"{METHOD.name}-sets", slice(3, 4))


def _by_size(result: Suda) -> ReportTable:
    rows = [(size, count(n)) for size, n in result.summary["uniques_by_size"].items()]
    return table("suda.sizes_caption", {"suda.size": "number", "suda.count": "number"}, rows)


def _by_kind(result: Suda) -> ReportTable:
    rows = [
        (say(f"suda.kinds.{kind}"), count(n), percent(n / result.records))
        for kind, n in result.records_by_kind.items()
    ]
    heads = {"suda.kind": "text", "report.records": "number", "suda.kind_share": "number"}
    return table("suda.kinds_caption", heads, rows)


def _larger_sets(result: Suda) -> list[dict[str, Any]]:
    """Return the sets of several columns that contribute most: single columns have a table."""
    sets = result.set_contributions
    return sets.filter(sets["size"] > 1).head(_WORST).to_dicts()


def _by_set(result: Suda) -> Iterator[ReportTable]:
    rows = [
        (shortened(row["set"]), count(row["records"]), percent(row["share"]))
        for row in _larger_sets(result)
    ]
    heads = {"suda.set": "text", "suda.set_records": "number", "suda.set_share": "number"}
    if rows:
        yield table("suda.sets_caption", heads, rows)


def _by_dis(result: Suda) -> Iterator[ReportTable]:
    if result.has_dis_score:
        rows = [(name, count(n)) for name, n in result.dis_intervals.rows()]
        heads = {"suda.interval": "text", "report.records": "number"}
        yield table("suda.intervals_caption", heads, rows)


def _by_column(result: Suda) -> ReportTable:
    shares = result.variable_contributions.sort("share", descending=True, maintain_order=True)
    rows = [
        (shortened(row["variable"]), percent(row["share"]))
        for row in shares.head(_WORST).to_dicts()
    ]
    return table("suda.columns_caption", {"report.column": "text", "suda.share": "number"}, rows)
