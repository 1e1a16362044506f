"""What a goal asks of sensitive columns, as the rules of steps."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from singleout.assessment.suggest.dilution import Cap, Dilution
from singleout.assessment.suggest.goal import Goal
from singleout.core.table import Column, Table
from singleout.treatment.hierarchies.hierarchy import spelling
from singleout.treatment.steps.models import SensitiveRule

__all__ = ["rules_of"]

_FINEST = 1e6  # shares are written with six decimals


def rules_of(
    table: Table, sensitive: Sequence[str], goal: Goal, dilution: Dilution
) -> dict[str, SensitiveRule]:
    """Return for each sensitive column what every class must hold; none if nothing is asked."""
    entries: dict[str, dict[str, Any]] = {name: {} for name in sensitive}
    for name, rule in entries.items():
        if (goal.distinct_l or 1) > 1:  # every class has a value
            rule["l"] = goal.distinct_l
        if goal.t is not None:
            rule["t"] = goal.t
        caps = [cap for cap in dilution.caps if cap.column == name]
        if caps:
            rule.update(_capped(table[name], caps))
    return {name: SensitiveRule(**rule) for name, rule in entries.items() if rule}


def _capped(column: Column, caps: Sequence[Cap]) -> Mapping[str, Any]:
    if any(len(cap.codes) > 1 for cap in caps):
        return _in_bands(column, caps)
    gains = {cap.gain for cap in caps}
    if len(gains) > 1:
        return {"caps": {_spelt(column, int(cap.codes[0])): _below(cap.at_most) for cap in caps}}
    capped = {int(cap.codes[0]) for cap in caps}
    rest = [code for code in np.flatnonzero(column.sizes).tolist() if code not in capped]
    rule: dict[str, Any] = {"gain": gains.pop()}
    return rule | ({"harmless": [_spelt(column, code) for code in rest]} if rest else {})


def _spelt(column: Column, code: int) -> str:
    return spelling(column.value(code)) or column.label(None)


def _below(share: float) -> float:
    """Return the largest share with few decimals that is below another one."""
    return (math.ceil(share * _FINEST - 1e-6) - 1) / _FINEST


def _in_bands(column: Column, caps: Sequence[Cap]) -> Mapping[str, Any]:
    """Return caps on bands of a number: by where each band starts."""
    share = np.full(column.levels, np.inf)
    band = np.full(column.levels, -1)
    for index, cap in enumerate(caps):
        share[cap.codes] = cap.at_most
        band[cap.codes] = index
    numbers = [float(value) for value in column.values]
    order = np.argsort(numbers, kind="stable")
    starts = [c for b, c in pairwise(order) if band[b] != band[c]]
    bands = [order[0], *starts]
    return {
        "cuts": [numbers[code] for code in starts],
        "caps_of_bands": [_below(share[code]) if share[code] < 1 else 1.0 for code in bands],
    }
