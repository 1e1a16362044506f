"""Levels of risk in a report: always the number with its word."""

from __future__ import annotations

from singleout.methods.levels import level_name
from singleout.report.say import say

__all__ = ["LOW_RISK", "level_change", "risk_in_words", "risk_range"]

LOW_RISK = 2  # the risk level that is aimed at where there is no policy


def risk_in_words(level: int) -> str:
    """Return a level of risk as its number and its word.

    >>> risk_in_words(2)
    '2 Significant'
    """
    return f"{level} {level_name('risk', level)}"


def risk_range(low: int, high: int) -> str:
    """Return the levels of risk that are left open; only one if they are the same.

    >>> risk_range(2, 4), risk_range(2, 2)
    ('2 Significant to 4 Critical', '2 Significant')
    """
    if low == high:
        return risk_in_words(low)
    return say("report.level_range", low=risk_in_words(low), high=risk_in_words(high))


def level_change(before: int, after: int) -> str:
    """Return what a change makes of the level of risk, as a sentence.

    >>> level_change(4, 3)
    'Risk level 4 Critical → 3 Severe.'
    """
    key = "report.first_stays" if before == after else "report.first_lowers"
    return say(key, before=risk_in_words(before), after=risk_in_words(after))
