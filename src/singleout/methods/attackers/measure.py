"""Three attackers, by the sizes of classes in the file (f) and in the population (F).

A prosecutor knows that the person is in the file, a journalist does not, and a marketer wants as
many right matches as possible. K. El Emam, Guide to the De-Identification of Personal Health
Information (2013), as ARX states them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from singleout.core.arrays import F64, I64

__all__ = ["Attacker", "above", "attackers_of"]


@dataclass(frozen=True)
class Attacker:
    """What an attacker can expect.

    Parameters
    ----------
    at_risk
        The share of the records whose risk is above the threshold; None for a marketer, who does
        not choose a person.
    highest
        The highest risk of any record; None for a marketer.
    success
        The share of records that are matched with the right person, if all are tried.
    """

    at_risk: float | None
    highest: float | None
    success: float


def attackers_of(
    records: I64, matches: I64, people: F64, threshold: float
) -> tuple[Attacker, Attacker, Attacker]:
    """Return prosecutor, journalist and marketer.

    Each class has so many ``records`` (of people who have several, those who are found by it and by
    no rarer one), so many records that match it (the same unless missing values are wildcards), and
    so many ``people`` in the population.
    """
    total = records.sum()
    marketed = float((records / people).sum() / total)
    prosecutor = Attacker(
        float(records[1 / matches > threshold].sum() / total),
        float(1 / matches.min()),
        float((records / matches).sum() / total),
    )
    # each class of the population is met once: a class of the file that has F people
    met = float((records / matches).sum() / (records / matches * people).sum())
    journalist = Attacker(
        float(records[1 / people > threshold].sum() / total),
        float(1 / people[records > 0].min()),
        max(met, marketed),
    )
    return prosecutor, journalist, Attacker(None, None, marketed)


def above(records: I64, sizes: F64 | I64, thresholds: F64) -> F64:
    """Return which share of the records has a risk 1/size above each threshold."""
    order = np.argsort(1 / sizes)
    risks = 1 / sizes[order]
    below = np.concatenate([[0], np.cumsum(records[order])])
    share: F64 = 1 - below[np.searchsorted(risks, thresholds, side="right")] / records.sum()
    return share
