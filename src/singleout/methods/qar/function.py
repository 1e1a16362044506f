"""The risk of any data: read, count every combination of columns, fit the tail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, overload

import numpy as np

from singleout.core.frame_kinds import framed
from singleout.engines.open import open_data
from singleout.errors import BadChoice
from singleout.methods.qar.question import check_shares, risk_question
from singleout.methods.qar.result import DatasetRisk
from singleout.methods.selection import named_columns

__all__ = ["qar"]


@overload
def qar(
    data: Any,
    columns: Sequence[str] | str | None = None,
    size: int = 3,
    alpha: float = 0.01,
    tail: float = 0.05,
    estimator: str = "plotting",
    missing: str | None = None,
    *,
    engine: Any = None,
    where: Any = None,
    count: str | None = None,
) -> DatasetRisk: ...
@overload
def qar(
    data: Any,
    columns: Sequence[str] | str | None = None,
    size: int = 3,
    *,
    alpha: Sequence[float],
    tail: float = 0.05,
    estimator: str = "plotting",
    missing: str | None = None,
    engine: Any = None,
    where: Any = None,
    count: str | None = None,
) -> list[DatasetRisk]: ...
@framed
def qar(
    data: Any,
    columns: Sequence[str] | str | None = None,
    size: int = 3,
    alpha: float | Sequence[float] = 0.01,
    tail: float = 0.05,
    estimator: str = "plotting",
    missing: str | None = None,
    *,
    engine: Any = None,
    where: Any = None,
    count: str | None = None,
) -> DatasetRisk | list[DatasetRisk]:
    """Measure the risk of a table: how far its riskiest combinations of columns tell people apart.

    A combination of columns that takes H different values on L records has the risk H / L. The risk
    of the table is what a share ``alpha`` of all combinations of ``size`` columns exceed, estimated
    from the riskiest of them by extreme-value theory: the QaR method of Béra et al. (2023).

    Parameters
    ----------
    data
        A path, a data frame or a `Table`; or data that is elsewhere, see `read`.
    columns
        The columns to combine. If not given, all but those whose role is direct identifier, weight
        or household.
    size
        How many columns a combination has.
    alpha
        The share of the combinations that exceed the risk, at most ``tail``; or several: then a
        list of results, for which the combinations are counted once.
    tail
        The share of the combinations that the distribution is fitted to.
    estimator
        How it is fitted, by probability-weighted moments: with ``plotting`` positions, or
        ``unbiased``.
    missing
        What a missing value means: ``value`` (a value like another) or ``drop`` (records with a
        missing value are left out, and counted). If not given, the policy of the table, ``value``
        unless it says otherwise.
    engine
        What counts: ``local``, ``database``, ``spark``, a `Database` or a `Spark`; chosen by the
        data if not given. Data that is elsewhere is counted there: nothing but one number for each
        combination of columns comes back.
    where
        The condition that records must meet, as text: ``"age >= 18 and region = 'north'"``.
    count
        The column that says how many records a row stands for, in a table of counts; if not given,
        each row is one record.

    Returns
    -------
    DatasetRisk or list of DatasetRisk
        One result for one alpha, a list for several.

    Examples
    --------
    >>> import singleout as so
    >>> found = so.qar(so.demo(), ["PUMA", "AGEP", "SEX", "MSP", "HISP", "RAC1P", "EDU"], size=2)
    >>> round(found.risk, 4), found.combinations, found.worst
    (0.0969, 21, ('AGEP', 'EDU'))
    """
    several = isinstance(alpha, Sequence | np.ndarray) and not isinstance(alpha, str)
    alphas = _checked(alpha if several else [alpha], tail)
    named = named_columns(columns, "columns")
    with open_data(data, engine, where, named or None, count=count) as counter:
        asked = risk_question(
            counter, columns=named, size=size, tail=tail, estimator=estimator, missing=missing
        )
        distinct = counter.distinct_counts(asked.columns, asked.size, drop=asked.dropped > 0)
        notes = (*counter.notes, *asked.notes)  # how it was counted is known only now
    question, error = replace(asked, notes=notes), distinct.relative_error
    # an estimate may lie beyond what is possible
    counts = np.clip(distinct.counts, 1, asked.records) if error else distinct.counts
    answers = [question.answer(counts, each, error) for each in alphas]
    return answers if several else answers[0]


def _checked(alphas: Any, tail: float) -> list[float]:
    checked = [check_shares(alpha, tail) for alpha in alphas]
    if not checked:
        raise BadChoice("No alpha was given; give a share between 0 and 1, or several.")
    return checked
