"""Values that give someone away, in a report: the originality of Sondeck and Laurent's method."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from singleout.assessment.findings import worst_first
from singleout.assessment.rating.attackers import Kind
from singleout.assessment.rating.bands import band_names
from singleout.assessment.rating.question import as_guessed
from singleout.core.progress import working_on
from singleout.core.table import Column, Table
from singleout.core.wording import count, figure, percent
from singleout.engines.local import counting as local
from singleout.methods.discrimination.function import combinations_of_groups
from singleout.methods.discrimination.told import RARE, Severities, told_frame
from singleout.methods.levels import level_name
from singleout.report.content import Cell, Level, Paragraph, Part, ReportTable, Section
from singleout.report.say import say
from singleout.report.words import first_of, head, shortened

if TYPE_CHECKING:
    import polars as pl

    from singleout.assessment.result import Assessment

__all__ = ["told_by_values", "told_section"]

_SHOWN = 25
_LOOKED_AT = 30  # attackers and attributes, the worst first


def told_by_values(
    assessment: Assessment, table: Table | None, *, show_records: bool
) -> pl.DataFrame:
    """Return what the values of attributes, and of attackers' combinations, give away."""
    from singleout.core.frames import pl

    frames = []
    if table is not None:
        variant = assessment.plan.methods.discrimination.variant
        working_on(say("progress.pairs_of_values"))
        asked = list(islice(_asked(assessment), _LOOKED_AT))
        learnt = dict.fromkeys(sensitive for _, sensitive in asked)
        guessed = {name: _as_guessed(assessment, table[name]) for name in learnt}
        by_columns: dict[tuple[str, ...], list[str]] = {}
        for columns, sensitive in asked:
            by_columns.setdefault(columns, []).append(sensitive)
        found = {}
        for columns, aims in by_columns.items():  # their records are grouped once for all aims
            groups = local.group(table, columns)
            first = [table[name].take(groups.first) for name in columns]
            for sensitive in aims:
                target, severities = guessed[sensitive]
                pairs = combinations_of_groups(first, groups, target)
                told = told_frame(
                    pairs,
                    pairs.inference.value_rates(variant),
                    severities=severities,
                    show_records=show_records,
                    rare=RARE,
                )
                found[columns, sensitive] = told.select(
                    pl.lit(", ".join(columns)).alias("known"),
                    pl.lit(sensitive).alias("sensitive"),
                    pl.all(),
                )
        frames = [found[one] for one in asked]
    kinds: dict[str, Any] = {
        "known": pl.String, "sensitive": pl.String, "value": pl.String, "values": pl.Int64,
        "records": pl.Int64, "rate": pl.Float64, "inferred": pl.String, "share": pl.Float64,
        "severity": pl.Int64, "level": pl.Int64,
    }  # fmt: skip
    whole = pl.concat([pl.DataFrame(schema=kinds), *frames])
    return whole.sort(
        "rate", "severity", "records", descending=True, nulls_last=True, maintain_order=True
    )


def _asked(assessment: Assessment) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield what is known and what is learnt of it, each once."""
    seen = set()
    for row in worst_first(assessment.ratings):
        if row.sensitive is None or not (row.decides or row.combination.kind == Kind.ATTRIBUTE):
            continue
        asked = row.combination.columns, row.sensitive
        if asked not in seen:
            seen.add(asked)
            yield asked


def _as_guessed(assessment: Assessment, column: Column) -> tuple[Column, Severities]:
    """Return a sensitive column, in bands if it has them, and how severe its values are."""
    stated = assessment.plan.columns[column.name]
    by_code, bands = as_guessed(column, stated, paper=not assessment.by_certainty)
    if bands is None:
        return column, stated.severity_of
    names = dict(enumerate(band_names(column, bands, stated.cuts)))
    level = dict(zip(map(str, bands.tolist()), by_code.tolist(), strict=True))
    banded = Column(column.name, bands[column.codes], list(names), labels=names)
    return banded, lambda band, _: level[band]


def told_section(assessment: Assessment, *, show_records: bool) -> Iterator[Section]:
    """Yield the values that give someone away; nothing where there is nothing to infer."""
    told = assessment.told(show_records=show_records)
    if told.is_empty():
        return
    _, below = first_of(range(len(told)), _SHOWN)
    shown = told.head(_SHOWN).to_dicts()
    heads = {
        "report.known": "text",
        "report.told.value": "text",
        "report.told.values": "number",
        "anonymity.record_count": "number",
        "report.told.rate": "number",
        "report.told.inferred": "text",
        "report.told.share": "number",
        "report.severity": "step",
    }
    certain = told.filter(told["rate"] >= 1)
    parts: list[Part] = [
        Paragraph(say("report.told.says", n=int(certain["values"].sum()))),
        ReportTable(
            say("report.told.caption"),
            tuple(head(key, kind) for key, kind in heads.items()),
            tuple(_row(row) for row in shown),
            below=below,
        ),
    ]
    if not show_records:
        parts.append(Paragraph(say("report.told.masked")))
    yield Section("told", say("report.told.title"), tuple(parts))


def _row(row: dict[str, Any]) -> tuple[Cell, ...]:
    level = row["severity"]
    learnt = {"column": shortened(row["sensitive"]), "value": shortened(row["inferred"])}
    return (
        shortened(row["known"]),
        shortened(row["value"]),
        count(row["values"]),
        count(row["records"]),
        figure(row["rate"], ".3f"),
        say("report.value_of", **learnt),
        percent(row["share"]),
        say("report.not_said") if level is None else Level(level, level_name("severity", level)),
    )
