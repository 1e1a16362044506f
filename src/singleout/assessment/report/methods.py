"""The other measures in a report: anonymity sets, special uniques, and the risk of the table."""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

from singleout.assessment.report.words import count, figures, percent, shortened
from singleout.core.text import in_figures
from singleout.methods.anonymity.result import THRESHOLDS, AnonymitySets
from singleout.methods.qar.result import DatasetRisk
from singleout.methods.qar.result import percent as in_percent
from singleout.methods.suda.result import Suda
from singleout.methods.suda.words import in_percent as rounded
from singleout.report.content import (
    Facts,
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

__all__ = ["anonymity_section", "qar_section", "suda_section"]

_WORST = 10


def _about(assessment: Assessment, method: str) -> tuple[str, ...]:
    """Return the notes that speak of a method."""
    return tuple(note for note in assessment.notes if method in note)


def _without(assessment: Assessment, method: str, said: Sentences, *, enabled: bool) -> Part:
    """Return why there is nothing to show of a method."""
    if not enabled:
        return Paragraph(said.method_off.format(method=method))
    reasons = _about(assessment, method) or (said.method_left_out.format(method=method),)
    return Paragraph(" ".join(reasons))


# ---- anonymity sets


def anonymity_section(assessment: Assessment, said: Sentences) -> Section:
    """Return how many records share the values of all quasi-identifiers.

    Parameters
    ----------
    assessment
        The assessment.
    said
        The words.
    """
    sets = assessment.anonymity
    sentence = said.anonymity_unique if sets.unique else said.anonymity_says
    columns = len(sets.quasi_identifiers)
    taken = said.one_column if columns == 1 else said.all_columns.format(columns=count(columns))
    words = sentence.format(
        taken=taken,
        unique=count(sets.unique),
        records=count(sets.records),
        share=percent(sets.unique_share),
        others=count(max(sets.k - 1, 0)),
    )
    parts: list[Part] = [Paragraph(words), _small_sets(sets, said)]
    if sets.has_sets and sets.records:
        parts += [Facts(_facts_of_sets(sets, said)), *figures(sets.plot(), "anonymity")]
    else:
        parts.append(Paragraph(said.no_sets))
    return Section("anonymity", said.anonymity, tuple(parts))


def _small_sets(sets: AnonymitySets, said: Sentences) -> Table:
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


def _facts_of_sets(sets: AnonymitySets, said: Sentences) -> tuple[tuple[str, str], ...]:
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


# ---- special uniques


def suda_section(assessment: Assessment, said: Sentences) -> Section:
    """Return what special uniques there are, or why they were not searched.

    Parameters
    ----------
    assessment
        The assessment.
    said
        The words.
    """
    found = assessment.suda
    if found is None:
        enabled = assessment.plan.methods.suda.enabled
        parts: list[Part] = [_without(assessment, "SUDA", said, enabled=enabled)]
    else:
        parts = _special_uniques(found, said)
        if _about(assessment, "SUDA"):
            parts.append(Message(said.notes, _about(assessment, "SUDA")))
    return Section("suda", said.suda, tuple(parts))


def _special_uniques(found: Suda, said: Sentences) -> list[Part]:
    words = said.suda_says.format(
        with_uniques=count(found.with_uniques),
        records=count(found.records),
        share=percent(found.with_uniques / found.records),
        size=count(found.max_size),
        columns=count(len(found.columns)),
        special=count(len(found.special_uniques)),
    )
    parts: list[Part] = [Paragraph(words)]
    if found.sampling_fraction is not None:
        parts.append(
            Paragraph(
                said.suda_dis.format(
                    fraction=rounded(found.sampling_fraction), dis=percent(found.dis)
                )
            )
        )
    if not found.with_uniques:
        return parts
    # the last panel repeats in numbers what the tables say
    return [
        *parts,
        _by_size(found, said),
        _by_column(found, said),
        *figures(found.plot(), "suda", slice(0, 2)),
    ]


def _by_size(found: Suda, said: Sentences) -> Table:
    return Table(
        said.suda_sizes_caption,
        (TableColumn(said.suda_size, "number"), TableColumn(said.suda_count, "number")),
        tuple((size, count(n)) for size, n in found.summary["uniques_by_size"].items()),
    )


def _by_column(found: Suda, said: Sentences) -> Table:
    shares = found.variable_contributions.sort("share", descending=True, maintain_order=True)
    name = shares.columns[0]
    return Table(
        said.suda_columns_caption,
        (TableColumn(said.column), TableColumn(said.suda_share, "number")),
        tuple(
            (shortened(row[name]), percent(row["share"])) for row in shares.head(_WORST).to_dicts()
        ),
    )


# ---- the risk of the table


def qar_section(assessment: Assessment, said: Sentences) -> Section:
    """Return the risk of the table with its fit, or why it was not measured.

    Parameters
    ----------
    assessment
        The assessment.
    said
        The words.
    """
    found = assessment.qar
    if found is None:
        enabled = assessment.plan.methods.qar.enabled
        parts: list[Part] = [_without(assessment, "QaR", said, enabled=enabled)]
        return Section("qar", said.qar, tuple(parts))
    sentence = said.qar_says if found.risk < 1 else said.qar_all
    words = sentence.format(
        risk=f"{found.risk:.4f}",
        alpha=in_percent(found.alpha),
        combinations=count(found.combinations),
        size=count(found.size),
        groups=f"{100 * found.risk:.1f}",
    )
    parts = [Paragraph(words)]
    if found.warnings:
        parts.append(Message(said.warnings, found.warnings, urgent=True))
    if _about(assessment, "QaR"):
        parts.append(Message(said.notes, _about(assessment, "QaR")))
    parts += [_fit(found, said), _worst_combinations(found, said), *figures(found.plot(), "qar")]
    return Section("qar", said.qar, tuple(parts))


def _fit(found: DatasetRisk, said: Sentences) -> Table:
    nothing = said.qar_nothing_fitted
    interval = nothing
    if found.interval is not None:
        interval = " – ".join(f"{limit:.4f}" for limit in found.interval)
    rows = (
        (said.qar_interval, interval),
        (said.qar_empirical, f"{found.empirical:.4f}"),
        (said.qar_threshold, f"{found.threshold:.4f}"),
        (said.qar_exceedances, count(found.exceedances)),
        (said.qar_shape, nothing if found.shape is None else f"{found.shape:.4f}"),
        (said.qar_scale, nothing if found.scale is None else f"{found.scale:.4f}"),
        (said.qar_estimator, str(found.fit.estimator)),
    )
    return Table(
        said.qar_caption,
        (TableColumn(said.quantity), TableColumn(said.value, "number")),
        rows,
    )


def _worst_combinations(found: DatasetRisk, said: Sentences) -> Table:
    return Table(
        said.qar_worst_caption,
        (
            TableColumn(said.combination),
            TableColumn(said.distinct, "number"),
            TableColumn(said.theta, "number"),
        ),
        tuple(
            (shortened(row["columns"]), count(row["distinct"]), f"{row['theta']:.4f}")
            for row in found.quasi_identifiers.head(_WORST).to_dicts()
        ),
    )
