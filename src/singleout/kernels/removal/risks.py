"""The exact risk without each of the records that remain, again and again while records go."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, I64, U64
from singleout.kernels.removal.leave_one_out import ClosedTerms, Question

__all__ = ["RemovalRisks"]

Alive = NDArray[np.bool_]


class RemovalRisks:
    """Finds the risk without each record, with arrays that are used again at each step.

    Parameters
    ----------
    records
        How many records there were at the start.
    """

    def __init__(self, records: int) -> None:
        self._terms = ClosedTerms(records)

    def without_each(
        self,
        bits: U64,
        distinct: I64,
        alive: Alive,
        question: Question,
        refit: Callable[[I64], float],
    ) -> F64:
        """Return the risk without each record that is still there; NaN for the others.

        Parameters
        ----------
        bits
            For some column sets, among them all from the threshold on, which records are unique.
        distinct
            The distinct counts of these column sets.
        alive
            Which records are still there; at least two.
        question
            What is asked of the tail of all column sets.
        refit
            Gives the risk for lowered counts of the tail; called in cases with rules of their own.
        """
        place = question.k - (question.sets - len(distinct)) - 1
        rows = np.flatnonzero(distinct >= np.partition(distinct, place)[place])
        rows = rows[np.argsort(distinct[rows], kind="stable")]
        left = int(np.count_nonzero(alive)) - 1
        risks = self._terms.without_each(bits, rows, distinct[rows], left, question, refit)
        risks[~alive] = np.nan
        return risks
