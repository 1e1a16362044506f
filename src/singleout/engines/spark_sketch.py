"""Distinct counts by sketches: a pass over the data counts many column sets, nearly exactly.

HyperLogLog in the form of Apache DataSketches: a set of columns is hashed to 64 bits, and a sketch
of 2^k registers estimates how many hashes there are, with a relative standard error of at most
1.04 / 2^(k/2); sets with few combinations are counted exactly or nearly so. A missing value is a
value like another, which the hash alone would not see.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.progress import track
from singleout.engines.spark_session import stopped_by_ctrl_c
from singleout.errors import BadChoice

__all__ = ["FINEST", "error_of", "registers", "sketched_counts", "sketched_levels"]

I64 = NDArray[np.int64]

_SPREAD = 1.04  # of one register, Flajolet et al. (2007)
_FEWEST, _MOST = 4, 21  # what DataSketches offers, as powers of two
FINEST = _SPREAD / 2 ** (_MOST / 2)
_AT_ONCE = 40  # sketches in a statement: with more, Spark cannot compile it and becomes slow
_ROUGH = 9  # for how many values a column has about: 5 % will do


def registers(relative_error: float) -> int:
    """Return how many registers, as a power of two, keep the error below what is asked for.

    >>> registers(0.01), registers(0.05)
    (14, 9)
    """
    if not FINEST <= relative_error < 1:
        raise BadChoice(
            f"approximate must be a relative error from {FINEST:.4f} to below 1, such as 0.01 for "
            f"one per cent, or None for exact counts; not {relative_error!r}."
        )
    return max(_FEWEST, math.ceil(2 * math.log2(_SPREAD / relative_error)))


def error_of(power: int) -> float:
    """Return the relative standard error of a sketch.

    >>> round(error_of(14), 6)
    0.008125
    """
    return _SPREAD / 2 ** (power / 2)


def sketched_counts(frame: Any, column_sets: Sequence[Sequence[str]], power: int) -> I64:
    """Return about how many distinct combinations each column set has.

    Parameters
    ----------
    frame
        The Spark frame.
    column_sets
        The columns of each set, by their names in the frame.
    power
        How many registers a sketch has, as a power of two.
    """
    found: list[int] = []
    batches = [column_sets[at : at + _AT_ONCE] for at in range(0, len(column_sets), _AT_ONCE)]
    for batch in track(batches, "Counting combinations by sketches"):
        found += _sketched(frame, batch, power)
    return np.array(found, dtype=np.int64)


def sketched_levels(frame: Any, columns: Sequence[str]) -> list[int]:
    """Return about how many values each column has, within some per cent."""
    return [int(count) for count in sketched_counts(frame, [[name] for name in columns], _ROUGH)]


def _sketched(frame: Any, column_sets: Sequence[Sequence[str]], power: int) -> list[int]:
    from pyspark.sql import functions

    used = dict.fromkeys(chain.from_iterable(column_sets))
    # of each value once; the hash of a NULL would be the hash of nothing at all
    hashed = frame.select(
        *[functions.xxhash64(functions.col(c), functions.isnull(c)).alias(c) for c in used]
    )
    sketches = [
        functions.hll_sketch_agg(functions.xxhash64(*names), power) for names in column_sets
    ]
    estimates = [functions.hll_sketch_estimate(sketch) for sketch in sketches]
    with stopped_by_ctrl_c(frame.sparkSession):
        (row,) = hashed.agg(
            *[estimate.alias(f"s{place}") for place, estimate in enumerate(estimates)]
        ).collect()
    return [int(count or 0) for count in row]
