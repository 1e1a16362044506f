"""The risk if insiders know the columns that nobody has explained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from singleout.assessment.plan.plan import ColumnPlan, Plan
from singleout.assessment.rating.question import RatingQuestion, Target, question_of
from singleout.assessment.rating.records import certain_risks
from singleout.assessment.rating.rows import RatingCache, rate_by_certainty
from singleout.assessment.rating.scales import RISKS, SEVERITIES, Exposure
from singleout.core.choices import Role
from singleout.core.counts import SizeProfile
from singleout.core.table import Table
from singleout.methods.levels import inference_levels

__all__ = ["counted_insiders", "if_insiders_know"]


def counted_insiders(question: RatingQuestion, sizes: SizeProfile) -> tuple[int, ...]:
    """Return how many records have each level of risk if insiders find them by all columns.

    By identity alone, of people known to be in the file, and with the highest severity that occurs.
    """
    worst = max(target.highest(question.table) for target in question.targets)
    if question.targets[0].name is None:
        worst = len(SEVERITIES)
    inference = inference_levels(1 / sizes.sizes, question.bounds)
    exploitability = question.exploitability[inference - 1, Exposure.IE - 1]
    risk = question.risk[exploitability - 1, worst - 1]
    # of people each counts once, by the rarest combination of theirs
    members = sizes.sets if question.owners is not None else sizes.sizes * sizes.sets
    held = np.bincount(risk, members, minlength=len(RISKS) + 1)
    return tuple(held[1:].astype(np.int64).tolist())


def if_insiders_know(
    table: Table, plan: Plan, unexplained: Sequence[str]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return how many records have each level of risk if insiders know columns nobody explained.

    First with the population as it is stated, then of people who are known to be in the file.
    """
    known = ColumnPlan(role=Role.QUASI_IDENTIFIER, exposure=Exposure.IE)
    columns = plan.columns | dict.fromkeys(unexplained, known)
    question, _ = question_of(table, plan.model_copy(update={"columns": columns}))
    if not plan.sensitive:  # what such columns tell may be as severe as can be
        worst = Target(None, np.array([len(SEVERITIES)], dtype=np.int8))
        question = replace(question, targets=(worst,))
    ratings = rate_by_certainty(question, RatingCache(), only_deciding=True)
    record = np.arange(table.rows)
    stated = certain_risks(question, [one for one, _ in ratings.pairs], record).by_level
    if not question.population.stated:
        return stated, stated
    return stated, certain_risks(question, [one for _, one in ratings.pairs], record).by_level
