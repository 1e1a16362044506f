"""Which records are of one household, and the risk that one of them or more is re-identified."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, I64
from singleout.core.table import Column
from singleout.methods.individual.measure import RiskSpread, household_risks

__all__ = ["Households", "households_of"]

_FEW = 4  # codes for each row, up to which it is not worth sorting them


@dataclass(frozen=True, eq=False)
class Households:
    """The risks of households.

    Parameters
    ----------
    spread
        The risk of each household, and how many records it has. A row without a household stands
        for as many households as it has records.
    per_row
        The household risk of the records of each row.
    """

    spread: RiskSpread
    per_row: F64


def households_of(column: Column, risks: F64, records: I64 | None) -> Households:
    """Return the risks of households, from the risk of each row and its number of records.

    ``records`` is None where each row is a record. A record whose household is not known is a
    household of its own, since nobody can tell who belongs to it.
    """
    if records is None:
        records = np.ones(len(risks), dtype=np.int64)
    known = ~column.is_missing
    codes, levels = _dense(column.codes[known], len(column.values))
    homes = household_risks(codes, risks[known], records[known], levels)
    # sums of whole numbers below 2**53 are exact
    sizes = np.bincount(codes, records[known], minlength=levels).astype(np.int64)
    per_row = risks.copy()
    per_row[known] = homes[codes]
    occurring = sizes > 0
    spread = RiskSpread(
        np.concatenate([homes[occurring], risks[~known]]),
        np.concatenate([sizes[occurring], records[~known]]),
    )
    return Households(spread, per_row)


def _dense(codes: NDArray[Any], levels: int) -> tuple[NDArray[Any], int]:
    """Return codes without gaps where few of very many occur, as in one group of many."""
    if levels <= _FEW * len(codes):
        return codes, levels
    occurring, dense = np.unique(codes, return_inverse=True)
    return dense, len(occurring)
