"""Levels of risk in a report: always the number with its word."""

from __future__ import annotations

from singleout.assessment.rating.scales import RISKS
from singleout.report.say import say

__all__ = ["LOW_RISK", "level_change", "risk_in_words"]

LOW_RISK = 2  # the risk level that is aimed at where there is no policy


def risk_in_words(level: int) -> str:
    """Return a level of risk as its number and its word.

    >>> risk_in_words(2)
    '2 Significant'
    """
    return f"{level} {RISKS[level - 1]}"


def level_change(before: int, after: int) -> str:
    """Return what a change makes of the level of risk, as a sentence.

    >>> level_change(4, 3)
    'Risk level 4 Critical → 3 Severe.'
    """
    key = "report.first_stays" if before == after else "report.first_lowers"
    return say(key, before=risk_in_words(before), after=risk_in_words(after))
