"""Anonymity sets in an assessment: of all quasi-identifiers together, always."""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING, Any

from singleout.core.text import in_figures
from singleout.methods.method import Context, Measured, Method
from singleout.report.content import Facts, Paragraph, Part, Section, Table, TableColumn
from singleout.report.schema import COUNT, SHARE, TEXTS, record
from singleout.report.sentences import Sentences
from singleout.report.words import count, figures, percent

if TYPE_CHECKING:
    from singleout.methods.anonymity.result import AnonymitySets

__all__ = ["METHOD"]


class _Anonymity(Method):
    """How many records share the values of all quasi-identifiers."""

    name = "anonymity"
    title = "Anonymity sets"
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

    def measure(self, context: Context) -> Measured:
        """Count the sets of all quasi-identifiers."""
        from singleout.methods.anonymity.function import anonymity_sets

        return Measured(anonymity_sets(context.table, context.known, weight=context.weights))

    def section(self, measured: Measured, options: Any, said: Sentences) -> Section:  # noqa: ARG002
        """Return how many records share the values of all quasi-identifiers."""
        sets: AnonymitySets = measured.result
        parts: list[Part] = [Paragraph(_in_words(sets, said)), _small_sets(sets, said)]
        if sets.has_sets and sets.records:
            parts += [Facts(_facts(sets, said)), *figures(sets.plot(), self.name)]
        else:
            parts.append(Paragraph(said.no_sets))
        return Section(self.name, said.anonymity, tuple(parts))

    def terms(self, said: Sentences) -> tuple[tuple[str, str], ...]:
        """Return what anonymity sets are."""
        return (said.anonymity_explained,)

    def sources(self, said: Sentences) -> tuple[str, ...]:
        """Return where it was published."""
        return (said.anonymity_source,)


METHOD = _Anonymity()


def _in_words(sets: AnonymitySets, said: Sentences) -> str:
    sentence = said.anonymity_unique if sets.unique else said.anonymity_says
    columns = len(sets.quasi_identifiers)
    taken = said.one_column if columns == 1 else said.all_columns.format(columns=count(columns))
    return sentence.format(
        taken=taken,
        unique=count(sets.unique),
        records=count(sets.records),
        share=percent(sets.unique_share),
        others=count(max(sets.k - 1, 0)),
    )


def _small_sets(sets: AnonymitySets, said: Sentences) -> Table:
    from singleout.methods.anonymity.result import THRESHOLDS

    return Table(
        said.anonymity_caption,
        (
            TableColumn(said.set_size, "number"),
            TableColumn(said.record_count, "number"),
            TableColumn(said.share_of_records, "number"),
        ),
        tuple(
            (count(k), count(sets.at_most(k)), percent(sets.at_most(k) / max(1, sets.records)))
            for k in THRESHOLDS
        ),
    )


def _facts(sets: AnonymitySets, said: Sentences) -> tuple[tuple[str, str], ...]:
    sizes = (sets.minimum, *sets.quartiles, sets.maximum)
    facts = [
        (said.number_of_sets, count(sets.sets)),
        (said.quartiles, ", ".join(in_figures(size, 7) for size in sizes)),
        (
            said.entropy,
            said.bits.format(
                bits=f"{sets.shannon_entropy:.2f}",
                most=f"{log2(sets.records):.2f}",
                records=count(sets.records),
            ),
        ),
    ]
    if sets.weighted_minimum is not None:
        facts.append((said.weighted, in_figures(sets.weighted_minimum, 6)))
    return tuple(facts)
