"""Anonymity sets in an assessment: of all quasi-identifiers together, always."""

from __future__ import annotations

from collections.abc import Iterator
from math import log2
from typing import TYPE_CHECKING, Any

from singleout.core.wording import count, figure, in_figures, percent
from singleout.methods.method import Context, Measured, Method
from singleout.report.content import Facts, Figure, Paragraph, Part, ReportTable, Section
from singleout.report.say import say, term
from singleout.report.schema import COUNT, SHARE, TEXTS, record
from singleout.report.words import figures, table

if TYPE_CHECKING:
    from singleout.methods.anonymity.result import AnonymitySets

__all__ = ["METHOD"]


class _Anonymity(Method):
    """How many records share the values of all quasi-identifiers."""

    name = "anonymity"
    report_order = 1
    schema = record(
        {
            "quasi_identifiers": TEXTS,
            "records": COUNT,
            "k": COUNT,
            "unique": COUNT,
            "unique_share": SHARE,
        },
        description="How many records share the values of all quasi-identifiers.",
    )

    counts_people = True

    def measure(self, context: Context) -> Measured:
        """Count the sets of all quasi-identifiers."""
        from singleout.methods.anonymity.function import anonymity_sets

        if context.unit is not None:
            missing = str(context.table.missing)
            sets = anonymity_sets(context.table, context.known, missing=missing, unit=context.unit)
            return Measured(sets)
        return Measured(anonymity_sets(context.table, context.known, weight=context.weights))

    def section(self, measured: Measured, options: Any) -> Section:  # noqa: ARG002
        """Return how many records share the values of all quasi-identifiers."""
        sets: AnonymitySets = measured.result
        parts: list[Part] = [Paragraph(_in_words(sets)), _small_sets(sets)]
        if sets.has_sets and sets.records:
            parts += [Facts(_facts(sets)), *_pictures(sets)]
        elif sets.unit is not None:
            parts.append(Paragraph(" ".join(sets.notes)))
        else:
            parts.append(Paragraph(say("anonymity.no_sets")))
        return Section(self.name, say("anonymity.title"), tuple(parts))

    def terms(self) -> tuple[tuple[str, str], ...]:
        """Return what anonymity sets are."""
        return (term("anonymity.explained"),)

    def sources(self) -> tuple[str, ...]:
        """Return where it was published."""
        return (say("anonymity.source"),)


METHOD = _Anonymity()


def _in_words(sets: AnonymitySets) -> str:
    key = "anonymity.unique" if sets.unique else "anonymity.says"
    return say(
        key if sets.unit is None else f"{key}_people",
        taken=say("anonymity.taken", n=len(sets.quasi_identifiers)),
        unique=count(sets.unique),
        records=count(sets.records),
        share=percent(sets.unique_share),
        n=max(sets.k - 1, 0),  # others in the smallest set
    )


def _small_sets(sets: AnonymitySets) -> ReportTable:
    from singleout.methods.anonymity.result import THRESHOLDS

    heads = ["anonymity.set_size", "anonymity.record_count", "report.share_of_records"]
    if sets.unit is not None:
        heads = ["anonymity.set_size", "report.people_count", "report.share_of_people"]
    return table(
        "anonymity.caption" if sets.unit is None else "anonymity.caption_people",
        dict.fromkeys(heads, "number"),
        (
            (count(k), count(sets.at_most(k)), percent(sets.at_most(k) / max(1, sets.records)))
            for k in THRESHOLDS
        ),
    )


def _pictures(sets: AnonymitySets) -> Iterator[Figure]:
    """Return the pictures that show more than one bar; the facts say the rest."""
    from singleout.methods.anonymity.chart import size_bands

    if sets.minimum < sets.maximum:
        shown = 2 if len(size_bands(sets.histogram)) > 1 else 1
        yield from figures(sets.plot, METHOD.name, slice(0, shown))


def _facts(sets: AnonymitySets) -> tuple[tuple[str, str], ...]:
    sizes = (sets.minimum, *sets.quartiles, sets.maximum)
    facts = [
        (say("anonymity.number_of_sets"), count(sets.sets)),
        (say("anonymity.quartiles"), ", ".join(in_figures(size, 7) for size in sizes)),
        (
            say("anonymity.entropy"),
            say(
                "anonymity.bits",
                bits=figure(sets.shannon_entropy, ".2f"),
                most=figure(log2(sets.records), ".2f"),
                records=count(sets.records),
            ),
        ),
    ]
    if sets.weighted_minimum is not None:
        facts.append((say("anonymity.weighted"), in_figures(sets.weighted_minimum, 6)))
    return tuple(facts)
