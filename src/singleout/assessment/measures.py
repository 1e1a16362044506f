"""The other measures of an assessment: which apply to a table, and on how much of it they run.

QaR, contributions and SUDA look at every combination of a few columns, so their time grows with
records times combinations. Where that is more than people wait for, they run on the columns that
carry most information, and a note says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import comb
from typing import TYPE_CHECKING, Any, TypeVar

from singleout.assessment.advice.coarsen import information
from singleout.core.choices import MissingPolicy
from singleout.core.table import Table
from singleout.engines.local import counting as local
from singleout.errors import UnusableTable
from singleout.kernels.uniques.search import MAX_VARIABLES
from singleout.methods.qar.contribution_result import RecordContributions
from singleout.methods.qar.contributions import contributions
from singleout.methods.qar.function import qar
from singleout.methods.qar.question import MAX_COMBINATIONS
from singleout.methods.qar.result import DatasetRisk
from singleout.methods.suda.function import suda
from singleout.methods.suda.result import Suda

if TYPE_CHECKING:
    from singleout.assessment.plan.plan import Plan

__all__ = ["OtherMeasures", "other_measures"]

# records x combinations: about ten seconds each on two cores
_MOST_FOR_QAR = 4_000_000_000
_MOST_FOR_CONTRIBUTIONS = 600_000_000
_MOST_FOR_SUDA = 3_000_000_000
_USUAL_SIZE = 3  # larger sets are searched only where a plan asks for them

_Answer = TypeVar("_Answer")


@dataclass
class OtherMeasures:
    """What was measured besides the ratings, and what a reader should know about it.

    Parameters
    ----------
    qar, contributions, suda
        The results; None where a method is switched off or does not apply.
    notes
        What was limited or left out, one sentence each.
    """

    qar: DatasetRisk | None = None
    contributions: RecordContributions | None = None
    suda: Suda | None = None
    notes: list[str] = field(default_factory=list)


def other_measures(table: Table, known: Sequence[str], plan: Plan) -> OtherMeasures:
    """Measure what applies to a table.

    Parameters
    ----------
    table
        The records, with the missing-value policy of the plan.
    known
        The quasi-identifiers.
    plan
        Which methods to run, and how.
    """
    found = OtherMeasures()
    gaps = not local.complete_records(table, known).all()
    without_groups = table.missing == MissingPolicy.WILDCARD and gaps
    _risk_of_table(found, table, known, plan, without_groups)
    _special_uniques(found, table, known, plan, without_groups)
    return found


def _risk_of_table(
    found: OtherMeasures, table: Table, known: Sequence[str], plan: Plan, without_groups: bool
) -> None:
    asked = plan.methods.qar
    if not (asked.enabled or plan.methods.contributions.enabled):
        return
    if without_groups:
        found.notes.append(
            "QaR and contributions were left out: where a missing value matches everything, "
            "records do not fall into groups."
        )
        return
    if len(known) < asked.size:
        there_are = f"are {len(known)} quasi-identifiers"
        if len(known) == 1:
            there_are = "is one quasi-identifier"
        found.notes.append(
            f"QaR and contributions were left out: they combine {asked.size} columns, and there "
            f"{there_are}."
        )
        return
    options: dict[str, Any] = {
        "size": asked.size,
        "alpha": asked.alpha,
        "tail": asked.tail,
        "estimator": str(asked.estimator),
    }
    if plan.methods.contributions.enabled:
        names = _affordable(
            found, table, known, "Contributions", _MOST_FOR_CONTRIBUTIONS, asked.size
        )
        found.contributions = _unless_too_large(
            found, "Contributions", lambda: contributions(table, names, **options)
        )
    if asked.enabled:
        names = _affordable(found, table, known, "QaR", _MOST_FOR_QAR, asked.size)
        counted = found.contributions
        if counted is not None and counted.dataset.columns == tuple(names):
            found.qar = counted.dataset
        else:
            found.qar = _unless_too_large(found, "QaR", lambda: qar(table, names, **options))


def _special_uniques(
    found: OtherMeasures, table: Table, known: Sequence[str], plan: Plan, without_groups: bool
) -> None:
    asked = plan.methods.suda
    if not asked.enabled:
        return
    if without_groups and asked.missing is None:
        found.notes.append(
            "SUDA was left out: where a missing value matches everything, nobody is unique or "
            "shared for certain; set its own rule for missing values to have it."
        )
        return
    names = list(known)
    if len(names) > MAX_VARIABLES:
        names = _most_telling(table, names, MAX_VARIABLES)
        found.notes.append(_limited("SUDA", len(names), len(known)))
    if asked.max_size is not None and asked.max_size <= _USUAL_SIZE:
        size = min(asked.max_size, len(names))
        names = _affordable(found, table, names, "SUDA", _MOST_FOR_SUDA, size)
    fraction = _sampling_fraction(found, table, plan)
    found.suda = _unless_too_large(
        found,
        "SUDA",
        lambda: suda(
            table,
            names,
            max_size=asked.max_size,
            sampling_fraction=fraction,
            scoring=str(asked.scoring),
            missing=asked.missing,
        ),
    )


def _sampling_fraction(found: OtherMeasures, table: Table, plan: Plan) -> float | None:
    people = plan.population
    if people.sampling_fraction is not None:
        return people.sampling_fraction
    size: float | None = people.size
    if size is None and plan.weights is not None:
        size = float(local.weights(table, plan.weights).sum())
    if size is None:
        return None
    if size < table.rows:
        found.notes.append(
            f"The population has {size:,.0f} people by the plan, fewer than the {table.rows:,} "
            "records, so no sampling fraction was used."
        )
        return None
    return table.rows / size


# ---- how much of it


def _affordable(
    found: OtherMeasures, table: Table, known: Sequence[str], what: str, most: int, size: int
) -> list[str]:
    """Return as many columns as can be combined in reasonable time, the most telling ones."""
    width = len(known)
    allowed = min(most // table.rows, MAX_COMBINATIONS)
    while width > size and comb(width, size) > allowed:
        width -= 1
    if width == len(known):
        return list(known)
    found.notes.append(_limited(what, width, len(known)))
    return _most_telling(table, known, width)


def _most_telling(table: Table, names: Sequence[str], width: int) -> list[str]:
    best = sorted(names, key=lambda name: -information(table[name]))[:width]
    return [name for name in names if name in set(best)]


def _limited(what: str, width: int, of: int) -> str:
    return (
        f"{what} {_was(what)} limited to {width} of {of} quasi-identifiers, those with most "
        "information, so that it takes reasonable time."
    )


def _was(what: str) -> str:
    return "were" if what == "Contributions" else "was"


def _unless_too_large(
    found: OtherMeasures, what: str, run: Callable[[], _Answer]
) -> _Answer | None:
    """Return what a method answers, or a note where the table has no room for it."""
    try:
        return run()
    except UnusableTable as error:
        found.notes.append(f"{what} {_was(what)} left out: {error}")
        return None
