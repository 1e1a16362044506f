"""The compiled loops behind regressions on categories: each record has few effects that are not 0.

A record is a row of slots, each the number of an effect, -1 for none, and its value. Products are
added up for the slots only, where a matrix of all effects would be almost empty.
"""

from __future__ import annotations

from singleout.core.arrays import F64, I32
from singleout.kernels.compiling import kernel

__all__ = ["add_products", "predict"]


@kernel
def add_products(
    effects: I32, values: F64, weights: F64, amounts: F64, gram: F64, slope: F64
) -> None:
    """Add X'WX to ``gram`` and X'a to ``slope`` for records with weights w and amounts a."""
    records, slots = effects.shape
    for record in range(records):
        weight, amount = weights[record], amounts[record]
        for one in range(slots):
            first = effects[record, one]
            if first < 0:
                continue
            value = values[record, one]
            slope[first] += amount * value
            for other in range(one + 1):
                second = effects[record, other]
                if second < 0:
                    continue
                product = weight * value * values[record, other]
                gram[first, second] += product
                if first != second:
                    gram[second, first] += product


@kernel
def predict(effects: I32, values: F64, coefficients: F64, answer: F64) -> None:
    """Put the sum of coefficients times values of each record into ``answer``."""
    records, slots = effects.shape
    for record in range(records):
        total = 0.0
        for slot in range(slots):
            effect = effects[record, slot]
            if effect >= 0:
                total += coefficients[effect] * values[record, slot]
        answer[record] = total
