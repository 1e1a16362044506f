"""The risk of each record, from that of its class and that of its household."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from singleout.core.arrays import F64, I64
from singleout.core.results import read_only
from singleout.methods.classes import Classes
from singleout.methods.individual.households import Households

__all__ = ["RiskOfRecords"]


@dataclass(frozen=True, eq=False)
class RiskOfRecords:
    """What is known of each record; it is looked up when first asked for."""

    classes: Classes
    risks: F64  # of each class
    homes: Households | None = None

    @cached_property
    def risk(self) -> F64:
        """The risk of each record; NaN for one left out."""
        return read_only(self.classes.per_row(self.risks))

    @cached_property
    def matches(self) -> I64:
        """How many records match each, itself included; 0 for one left out."""
        return read_only(self.classes.per_row(self.classes.matches, 0))

    @cached_property
    def people(self) -> F64:
        """The sum of their weights; 0 for one left out."""
        assert self.classes.weights is not None
        return read_only(self.classes.per_row(self.classes.weights, 0.0))

    @cached_property
    def household(self) -> F64 | None:
        """The risk of each record's household, NaN for one left out; None without households."""
        if self.homes is None:
            return None
        counted = self.classes.counted
        if counted is None:
            return read_only(self.homes.per_row)
        every = np.full(len(counted), np.nan)
        every[counted] = self.homes.per_row
        return read_only(every)
