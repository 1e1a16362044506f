"""Compare two versions of a table by what analysts compute: distributions, tables, regressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from singleout.core.arrays import F64, sums
from singleout.core.frame_kinds import framed
from singleout.core.progress import working_on
from singleout.core.table import Table
from singleout.core.text import names_in_text, printable
from singleout.engines.local import counting as local
from singleout.engines.reading import read
from singleout.errors import BadChoice
from singleout.io.names import pick
from singleout.report.say import say
from singleout.treatment.covered.compatible import match_columns
from singleout.treatment.hierarchies.hierarchy import Hierarchy
from singleout.treatment.losses import losses
from singleout.treatment.utility.common import GROUPS, Common, common_coding
from singleout.treatment.utility.margins import ColumnUtility, column_utility
from singleout.treatment.utility.pairs import (
    CATEGORIES,
    MOST_COLUMNS,
    correlations,
    pair_changes,
)
from singleout.treatment.utility.propensity import MOST_RECORDS, propensity
from singleout.treatment.utility.regression import MOST_PREDICTORS, Regression, regression
from singleout.treatment.utility.result import Bar, Utility

__all__ = ["utility"]

_BARS = 12  # in the picture of a column


@dataclass(frozen=True, eq=False)
class _Question:
    """Both tables, and the columns of them that are compared."""

    before: Table
    after: Table
    columns: tuple[Common, ...]
    weights: tuple[F64, F64]
    aligned: bool


@framed
def utility(
    original: Any,
    treated: Any,
    *,
    columns: Sequence[str] | str | None = None,
    weights: str | None = None,
    outcome: str | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    rng: np.random.Generator | int | None = None,
    engine: Any = None,
) -> Utility:
    """Compare a treated table with the original by what an analyst asks of it.

    Published intervals and sets are compared on the coarsest coding that both tables have; a number
    that is published as an interval counts by the middle of its values.

    Parameters
    ----------
    original, treated
        The data before and after: paths, data frames or tables; or data that is elsewhere, which is
        fetched, see `read`. Records may have been removed.
    columns
        The columns to compare; those that both have if not given.
    weights
        The column of weights of records; each counts once if not given.
    outcome
        The column that a regression explains by the others: linear for numbers, logistic for two
        values. If not given, the first sensitive column of the original, if it has one.
    hierarchies
        For columns whose labels cannot be read, the hierarchies that they come from.
    rng
        The source of chance, or a seed, for the records that pMSE looks at in large tables; if not
        given, the same for every call.
    engine
        What fetches data that is elsewhere; chosen by the data if not given.

    Returns
    -------
    Utility
        Columns, pairs, correlations, a regression, pMSE and losses, before and after.

    Examples
    --------
    >>> from singleout.treatment.utility.function import utility
    >>> original = {"age": [21, 24, 35, 38], "sex": ["f", "m", "f", "m"]}
    >>> found = utility(original, {"age": ["20-29", "20-29", "30-39", "30-39"],
    ...                            "sex": ["f", "m", "f", None]})
    >>> [(one.name, one.categories, one.total_variation) for one in found.columns]
    [('age', 2, 0.0), ('sex', 3, 0.25)]
    >>> found.columns[0].after.mean
    29.5
    """
    before, after = read(original, engine=engine), read(treated, engine=engine)
    chance = np.random.default_rng(0 if rng is None else rng)
    question, notes = _question(before, after, columns, weights, hierarchies)
    if outcome is not None and outcome not in {column.name for column in question.columns}:
        pick([outcome], [column.name for column in question.columns])
    # a result that is too large to compute with is refused when it is looked at
    with np.errstate(over="ignore", invalid="ignore"):
        return _compared(question, outcome, chance, notes)


def _compared(
    question: _Question, outcome: str | None, rng: np.random.Generator, notes: Sequence[str]
) -> Utility:
    working_on(say("utility.progress"))
    by_column = [column_utility(column, question.weights) for column in question.columns]
    chosen = _most_changed(question.columns, by_column)
    pairs = pair_changes(chosen, question.weights)
    model, more = _regression(question, by_column, outcome)
    names = [column.name for column in question.columns]
    before, after = question.before, question.after
    return Utility(
        records_before=before.rows,
        records_after=after.rows,
        columns=tuple(by_column),
        pairs=tuple(pairs),
        compared_pairs=comb(len(chosen), 2),
        correlations=tuple(correlations(question.columns, question.weights)),
        regression=model,
        propensity=propensity(question.columns, rng, aligned=question.aligned),
        losses=losses(before, after, names) if question.aligned else None,
        bars={column.name: _bars(column, question.weights) for column in question.columns},
        notes=(*notes, *_noted(question, chosen), *more),
    )


def _question(
    before: Table,
    after: Table,
    asked: Sequence[str] | str | None,
    weights: str | None,
    hierarchies: Mapping[str, Hierarchy] | None,
) -> tuple[_Question, list[str]]:
    both = [name for name in before.columns if name in set(after.columns)]
    if not both:
        raise BadChoice(
            f"The two tables have no column in common: {list(before.columns)} and "
            f"{list(after.columns)}; give tables with the same names of columns."
        )
    names = both if asked is None else pick(asked, before.columns)
    after.require(names)
    names = [name for name in names if name != weights] or names
    notes = []
    lost = [name for name in before.columns if name not in both and name != weights]
    if asked is None and lost:
        notes.append(say("utility.left_out", columns=names_in_text(lost)))
    matches, aligned = match_columns(before, after, names, hierarchies)
    if before.rows == after.rows and not aligned:
        notes.append(say("utility.not_aligned"))
    common = tuple(
        common_coding(before[match.name], after[match.name], match, aligned=aligned)
        for match in matches
    )
    found = _weights(before, after, weights, aligned=aligned)
    return _Question(before, after, common, found, aligned), notes


def _weights(before: Table, after: Table, name: str | None, *, aligned: bool) -> tuple[F64, F64]:
    if name is None:
        return np.ones(before.rows), np.ones(after.rows)
    first = local.weights(before, name)
    if name in after.columns:
        return first, local.weights(after, name)
    if not aligned:
        raise BadChoice(
            f"The treated table has no column {name!r}, and not the same records in the same "
            "order; give it the weights, or leave weights out."
        )
    return first, first


def _most_changed(columns: Sequence[Common], found: Sequence[ColumnUtility]) -> list[Common]:
    """Return the columns whose pairs are compared: all, or those that changed most."""
    if len(columns) <= MOST_COLUMNS:
        return list(columns)
    order = sorted(
        range(len(columns)),
        key=lambda j: (not columns[j].changed, -found[j].total_variation, j),
    )
    return [columns[j] for j in sorted(order[:MOST_COLUMNS])]


def _regression(
    question: _Question, found: Sequence[ColumnUtility], outcome: str | None
) -> tuple[Regression | None, list[str]]:
    by_name = {column.name: column for column in question.columns}
    sensitive = [name for name in question.before.with_role("sensitive") if name in by_name]
    name = outcome if outcome is not None else next(iter(sensitive), None)
    if name is None:
        return None, [say("utility.no_outcome")]
    others = [j for j, column in enumerate(question.columns) if column.name != name]
    others.sort(key=lambda j: (not question.columns[j].changed, -found[j].total_variation, j))
    used = [question.columns[j] for j in sorted(others[:MOST_PREDICTORS])]
    model = regression(by_name[name], used, question.weights)
    if model is None:
        return None, [say("utility.no_regression", outcome=printable(name))]
    if len(others) > MOST_PREDICTORS:
        return model, [say("utility.some_predictors", n=MOST_PREDICTORS, columns=len(others))]
    return model, []


def _noted(question: _Question, compared: Sequence[Common]) -> list[str]:
    """Return what a reader should know of how it was compared."""
    columns = question.columns
    notes = _codings(columns)
    if len(compared) < len(columns):
        notes.append(say("utility.some_pairs", n=len(compared), columns=len(columns)))
    if any(column.size > CATEGORIES for column in compared):
        notes.append(say("utility.grouped", n=CATEGORIES))
    if max(question.before.rows, question.after.rows) > MOST_RECORDS:
        notes.append(say("utility.drawn", n=MOST_RECORDS))
    if not question.aligned:
        notes.append(say("utility.no_losses"))
    return notes


def _codings(columns: Sequence[Common]) -> list[str]:
    """Return which columns were compared in another way than value by value."""
    whole = [column for column in columns if not column.grouped]
    told = {
        "utility.midpoints": [column for column in columns if column.midpoints],
        "utility.coarser": [column for column in whole if column.coarser],
        "utility.new_numbers": [column for column in columns if column.grouped],
        "utility.unknown": [column for column in whole if len(column.match.unknown)],
    }
    return [
        say(key, n=GROUPS, columns=names_in_text(column.name for column in some))
        for key, some in told.items()
        if some
    ]


def _bars(column: Common, weights: tuple[F64, F64]) -> tuple[Bar, ...]:
    """Return the categories of a column for a picture: the most frequent, and all others."""
    before = sums(column.coded_before(), weights[0], column.size) / weights[0].sum()
    after = sums(column.coded_after(), weights[1], column.size) / weights[1].sum()
    shown = np.sort(np.argsort(-(before + after), kind="stable")[:_BARS])
    bars = [
        Bar(
            say("utility.chart.blank") if at == column.blank else column.label(at),
            float(before[at]),
            float(after[at]),
        )
        for at in shown.tolist()
        if before[at] or after[at]
    ]
    if column.size > _BARS:
        rest = [max(float(1 - side[shown].sum()), 0.0) for side in (before, after)]
        bars.append(Bar(say("utility.chart.others"), *rest))
    return tuple(bars)
