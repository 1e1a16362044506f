"""Repair: classes that do not hold the criteria merge with others until they do."""

from __future__ import annotations

import numpy as np

from singleout.core.arrays import I64
from singleout.core.progress import working_on
from singleout.kernels.peel import repair_loops
from singleout.report.say import say
from singleout.treatment.local.classes import Classes, Ground
from singleout.treatment.local.sensitive import Criteria

__all__ = ["repaired"]

_AT_ONCE = 20_000_000  # pairs of classes before the loop returns


def repaired(ground: Ground, classes: Classes, criteria: Criteria, allowance: int) -> I64:
    """Return the class of each combination after merging; -1 for suppressed ones.

    The class that lacks most comes first.
    """
    histograms = criteria.histograms(classes.of_group, len(classes))
    lack = criteria.lacks(histograms, classes.sizes)
    wanting = np.argsort(-lack, kind="stable")[: int((lack > 0).sum())]
    # columns with few steps up to the root lose much at once: most pairs are out after a look at
    # them, and a member of each class stands for it, side by side
    columns = np.argsort(ground.levels, kind="stable")
    codes = np.ascontiguousarray(ground.codes[classes.first][:, columns])
    maps, losses = ground.maps[columns], ground.losses[columns]
    levels = np.ascontiguousarray(classes.levels[:, columns])
    sizes, per_record = classes.sizes.copy(), classes.per_record.copy()
    into = np.arange(len(classes))
    alive, living, at = into.copy(), len(classes), 0
    while at < len(wanting):
        working_on(say("local_recoding.repairing"), at, len(wanting))
        at, living, allowance = repair_loops.repair(
            wanting, at, _AT_ONCE, alive, living, into, lack, codes, maps, losses,
            levels, sizes, per_record, histograms, *criteria.arrays, allowance,
        )  # fmt: skip
    return _followed(classes.of_group, into)


def _followed(of_group: I64, into: I64) -> I64:
    """Return the class that each combination ends up in."""
    into = into.copy()
    while True:
        further = np.where(into >= 0, into[np.maximum(into, 0)], into)
        if np.array_equal(further, into):
            break
        into = further
    has = of_group >= 0
    return np.where(has, np.maximum(into[np.where(has, of_group, 0)], -1), -1)
