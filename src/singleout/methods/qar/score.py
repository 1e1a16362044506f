"""A score of the user's own for each record, to compare with contributions or to remove by."""

from __future__ import annotations

from typing import Any

import numpy as np

from singleout.core.arrays import F64
from singleout.errors import BadChoice
from singleout.methods.qar.question import RecordQuestion

__all__ = ["checked_score"]


def checked_score(score: Any, question: RecordQuestion) -> F64:
    """Return the score of each record that is counted, from one for each record of the data.

    Where a condition chooses records, the scores may be those of all, or of the chosen ones.
    """
    try:
        numbers = np.asarray(score, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadChoice("score must hold numbers, one for each record of the data.") from None
    read = question.in_source
    if read is not None and numbers.shape == read.shape:
        numbers = numbers[read]
    if numbers.shape != (question.lines,):
        given = f"{len(numbers):,} numbers" if numbers.ndim == 1 else f"the shape {numbers.shape}"
        what = "records" if question.people is None else "rows"
        raise BadChoice(
            f"score has {given}, and the data have {question.lines:,} {what}; give one number for "
            f"each {what[:-1]}, in the order of the data."
        )
    kept: F64 = numbers[question.number - 1]
    without = int((~np.isfinite(kept)).sum())
    if without:
        raise BadChoice(
            f"score is missing or infinite for {without:,} of {len(kept):,} records; give a "
            "number for each."
        )
    return kept
