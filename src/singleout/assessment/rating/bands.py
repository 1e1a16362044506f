"""Bands of a sensitive number: nobody learns an income to the cent by inference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import I64
from singleout.core.table import Codes, Column, smallest_codes
from singleout.report.say import say

__all__ = ["band_names", "bands_of"]

_FEW = 20  # different values up to which a number is guessed as it is
_BANDS = 10


def bands_of(
    column: Column, severities: NDArray[np.int8], cuts: Sequence[float] | None
) -> Codes | None:
    """Return the band of each code of a column; None if its values are guessed as they are.

    Missing and zero are bands of their own. The rest is in ten bands of equal frequency, or in
    those that the plan gives by their lower ends. A band also ends where the severity changes.
    """
    numbers = _numbers(column)
    if numbers is None or (cuts is None and len(numbers) <= _FEW):
        return None
    records = np.bincount(column.codes, minlength=column.levels)[: len(numbers)]
    if cuts is not None:
        bands = np.searchsorted(np.asarray(cuts), numbers, side="right")
    else:
        bands = _of_equal_frequency(numbers, np.where(numbers == 0, 0, records))
    parts = [bands, severities[: len(numbers)].astype(np.int64)]
    if cuts is None:
        parts.append((numbers == 0).astype(np.int64))
    _, numbered = np.unique(np.stack(parts), axis=1, return_inverse=True)
    found = numbered.reshape(-1)
    if column.has_missing:
        found = np.append(found, found.max() + 1)
    return smallest_codes(found, int(found.max()) + 1)


def band_names(column: Column, bands: Codes, cuts: Sequence[float] | None) -> list[str]:
    """Return each band in words: by the plan's cuts, or by the numbers between which it lies.

    The lowest and the highest number of all are not named: they may be one person's.
    """
    numbers = _numbers(column)
    assert numbers is not None  # it has bands
    names = []
    for band in range(int(bands.max()) + 1):
        held = numbers[bands[: len(numbers)] == band]
        if not len(held):
            names.append(column.label(None))
        elif cuts is not None:
            names.append(_between_cuts(np.asarray(cuts), held[0]))
        else:
            names.append(_between_numbers(numbers, held))
    return names


def _between_cuts(cuts: NDArray[Any], number: float) -> str:
    index = int(np.searchsorted(cuts, number, side="right"))
    low, high = (f"{cuts[at]:,.10g}" if 0 <= at < len(cuts) else "" for at in (index - 1, index))
    key = "below" if not low else "or_more" if not high else "to_below"
    return say(f"assessment.bands.{key}", low=low, high=high)


def _between_numbers(numbers: NDArray[np.float64], held: NDArray[np.float64]) -> str:
    low, high = held.min(), held.max()
    others = numbers[numbers != 0]  # zero is a band of its own
    if low == high:
        key = "only"
    elif low == others.min():
        key = "any" if high == others.max() else "up_to"
    else:
        key = "or_more" if high == others.max() else "to"
    return say(f"assessment.bands.{key}", low=f"{low:,.10g}", high=f"{high:,.10g}")


def _numbers(column: Column) -> NDArray[np.float64] | None:
    """Return the numbers that the codes of a column stand for; None if they are not numbers."""
    if any(isinstance(value, bool) for value in column.values):
        return None
    half = sum(value in column.labels for value in column.values)
    if 2 * half > len(column.values):  # numbers that stand for words
        return None
    try:
        numbers = np.array([float(value) for value in column.values])
    except (TypeError, ValueError):
        return None
    return numbers if len(numbers) and np.isfinite(numbers).all() else None


def _of_equal_frequency(numbers: NDArray[np.float64], records: NDArray[Any]) -> I64:
    """Return the band of each number, by how many records have a smaller one."""
    order = np.argsort(numbers, kind="stable")
    held = records[order]
    below = np.cumsum(held) - held
    bands = np.empty(len(numbers), dtype=np.int64)
    bands[order] = below * _BANDS // max(1, int(held.sum()))
    return bands
