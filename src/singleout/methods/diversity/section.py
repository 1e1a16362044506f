"""Diversity in an assessment: what all quasi-identifiers give away of sensitive columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field

from singleout.core.wording import count, percent
from singleout.methods.method import Context, Measured, Method, Number
from singleout.methods.options import Part as Options
from singleout.report.content import Message, Paragraph, Part, ReportTable, Section
from singleout.report.say import say, term
from singleout.report.schema import COUNT, TEXTS, or_none, record
from singleout.report.words import figures, first_of, shortened, table

if TYPE_CHECKING:
    from singleout.methods.diversity.result import Diversity

__all__ = ["METHOD"]

_COLUMNS = 25  # in a table
_ATLEAST = {"type": ["number", "null"], "minimum": 0}


class DiversityPlan(Options):
    """How diversity is measured."""

    enabled: bool = Field(default=True, description="Whether to measure it.")
    c: float = Field(
        default=2.0,
        gt=0,
        allow_inf_nan=False,
        description="The c of recursive (c, l)-diversity.",
    )


class _Diversity(Method):
    """How diverse sensitive columns are within classes."""

    name = "diversity"
    options = DiversityPlan
    about = "The diversity of sensitive columns: l, t, alpha, beta and delta."
    example = "{c: 2}"
    plan_order = 7
    report_order = 5
    schema = or_none(
        record(
            {
                "quasi_identifiers": TEXTS,
                "sensitive": TEXTS,
                "records": COUNT,
                "classes": COUNT,
                "k": COUNT,
                "distinct_l": {"type": ["integer", "null"], "minimum": 0},
                "entropy_l": _ATLEAST,
                "recursive_l": {"type": ["integer", "null"], "minimum": 0},
                "alpha": _ATLEAST,
                "t": _ATLEAST,
                "beta": _ATLEAST,
                "enhanced_beta": _ATLEAST,
                "delta": _ATLEAST,
                "columns": {"type": "object"},
            }
        ),
        "The diversity of sensitive columns; null if there is none, or if it was not measured.",
    )

    counts_people = True

    def measure(self, context: Context) -> Measured:
        """Measure all sensitive columns against all quasi-identifiers."""
        from singleout.methods.diversity.function import diversity

        asked: DiversityPlan = context.options[self.name]
        targets = tuple(name for name in context.sensitive if name not in context.known)
        if not asked.enabled:
            return Measured()
        if not targets:
            return Measured(None, (say("diversity.nothing_sensitive"),))
        scale = {name: word for name, word in context.scales.items() if name in targets}
        found = diversity(context.table, context.known, targets, asked.c, scale, unit=context.unit)
        return Measured(found)

    def section(self, measured: Measured, options: Any) -> Section:
        """Return how diverse each sensitive column is, or why that was not measured."""
        title = say("diversity.title")
        if measured.result is None:
            return Section(self.name, title, (self.nothing(measured, options),))
        result: Diversity = measured.result
        parts: list[Part] = [
            Paragraph(_in_words(result)),
            _by_column(result),
            *_undefined(result),
            *figures(lambda: result.plot(_worst(result)), self.name),
        ]
        if result.notes:
            parts.append(Message(say("report.notes"), result.notes))
        return Section(self.name, title, tuple(parts))

    def terms(self) -> tuple[tuple[str, str], ...]:
        """Return what the measures are."""
        return tuple(term(f"diversity.explained.{name}") for name in ("l", "t", "beta"))

    def sources(self) -> tuple[str, ...]:
        """Return where they were published."""
        return tuple(
            say(f"diversity.sources.{name}") for name in ("l", "alpha", "t", "beta", "delta")
        )

    def sentences(self, result: Diversity) -> tuple[str, ...]:
        """Return how many records are in a class with one value only, for the worst column."""
        return (_sentence("diversity.sentence", result),)

    def numbers(self, result: Diversity) -> tuple[Number, ...]:
        """Return what is compared before and after a change."""
        found = []
        if result.distinct_l is not None and result.t is not None:
            found = [
                Number(
                    "diversity_distinct_l",
                    say("diversity.distinct_number"),
                    "number",
                    float(result.distinct_l),
                    lower_is_better=False,
                ),
                Number("diversity_t", say("diversity.t_number"), "number", result.t),
            ]
        share = max(column.certain_share for column in result.columns.values())
        return (
            *found,
            Number("diversity_certain", say("diversity.certain_number"), "share", share),
        )

    def columns(self, result: Diversity) -> tuple[str, ...]:
        """Return the columns that were looked at."""
        return (*result.quasi_identifiers, *result.sensitive)


METHOD = _Diversity()


def _worst(result: Diversity) -> str:
    """Return the column of which most is certain."""
    return max(result.sensitive, key=lambda name: result.columns[name].certain)


def _in_words(result: Diversity) -> str:
    certain = result.columns[_worst(result)].certain
    return _sentence("diversity.certain" if certain else "diversity.none_certain", result)


def _sentence(key: str, result: Diversity) -> str:
    """Return a sentence about the column of which most is certain."""
    from singleout.methods.diversity.listing import figure

    column = result.columns[_worst(result)]
    return say(
        key if result.unit is None else f"{key}_people",
        classes=count(result.classes),
        records=count(result.records),
        sensitive=shortened(column.name),
        certain=count(column.certain),
        share=percent(column.certain_share),
        distinct_l=figure(column.distinct_l),
        t=figure(column.t),
    )


def _by_column(result: Diversity) -> ReportTable:
    from singleout.methods.diversity.listing import figure

    shown, _ = first_of(
        sorted(result.columns.values(), key=lambda column: -column.certain), _COLUMNS
    )
    heads = {
        "report.column": "text",
        "diversity.heads.certain": "number",
        "diversity.heads.distinct_l": "number",
        "diversity.heads.entropy_l": "number",
        "diversity.heads.recursive_l": "number",
        "diversity.heads.alpha": "number",
        "diversity.heads.t": "number",
        "diversity.heads.beta": "number",
        "diversity.heads.enhanced_beta": "number",
        "diversity.heads.delta": "number",
    }
    rows = [
        (
            shortened(column.name),
            percent(column.certain_share),
            *(figure(getattr(column, key.rpartition(".")[2])) for key in list(heads)[2:]),
        )
        for column in shown
    ]
    return table("diversity.caption", heads, rows)


def _undefined(result: Diversity) -> list[Part]:
    """Return why there are dashes in the table, if there are."""
    reasons = [
        say(f"diversity.no_{name}")
        for name in ("enhanced_beta", "delta")
        if getattr(result, name) is None
    ]
    return [Paragraph(" ".join(reasons))] if reasons else []
