"""The outcome of suppressing cells: the treated table, which cells are blank, and who is left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.arrays import Flags
from singleout.core.frame_kinds import Frame
from singleout.core.results import Result, read_only
from singleout.core.table import Table
from singleout.report.say import say
from singleout.treatment.suppression.methods import Method

if TYPE_CHECKING:
    import altair as alt

__all__ = ["Suppressed"]


@dataclass(frozen=True, eq=False)
class Suppressed(Result):
    """A table with blanked cells.

    Parameters
    ----------
    table
        The treated table: a blanked cell is missing there, and missing is a value of its own.
    blank
        For each column and record, whether its cell was blanked.
    method, k, columns
        How cells were chosen, how many records shall be alike, and on which columns.
    left
        Records that could not be resolved: for ``peel`` and ``uniques`` those with fewer than k
        equal published rows, themselves included, for ``wildcard`` those that fewer than k rows
        match.
    in_small_classes
        Records with fewer than k equal published rows, a blank being a value of its own.
    covered_below
        People who fewer than k published rows could belong to: rows whose cells are each blank or
        the person's value.
    covered_single
        People who exactly one published row could belong to.
    cost
        The sum of the importance of the blanked cells; their number if all are as important.
    notes
        What a reader should know, one sentence each.
    """

    table: Table = field(repr=False)
    blank: Mapping[str, Flags] = field(repr=False)
    method: Method
    k: int
    columns: tuple[str, ...]
    left: int
    in_small_classes: int
    covered_below: int
    covered_single: int
    cost: float
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for flags in self.blank.values():
            read_only(flags)

    @property
    def by_column(self) -> dict[str, int]:
        """How many cells of each column were blanked."""
        return {name: int(flags.sum()) for name, flags in self.blank.items()}

    @property
    def cells(self) -> int:
        """How many cells were blanked."""
        return sum(self.by_column.values())

    @cached_property
    def records(self) -> int:
        """How many records have a blanked cell."""
        return int(np.logical_or.reduce(list(self.blank.values())).sum())

    def to_frame(self) -> Frame:
        """Return one row for each column: its blanked cells, and their share of all records."""
        from singleout.core.frames import pl

        blanked = self.by_column
        return pl.DataFrame(
            {
                "column": list(blanked),
                "blanked": list(blanked.values()),
                "share": [number / self.table.rows for number in blanked.values()],
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the table and its cells as plain values that JSON can hold."""
        return {
            "method": str(self.method),
            "k": self.k,
            "columns": list(self.columns),
            "cells": self.cells,
            "by_column": self.by_column,
            "records": self.records,
            "cost": self.cost,
            "left": self.left,
            "in_small_classes": self.in_small_classes,
            "covered_below": self.covered_below,
            "covered_single": self.covered_single,
            "notes": list(self.notes),
        }

    def plot(self) -> alt.Chart:
        """Return the picture: how many cells were blanked in each column."""
        from singleout.treatment.column_chart import by_column

        return by_column(
            self.by_column, say("suppression.chart.title"), say("suppression.chart.across"), ",d"
        )

    def __str__(self) -> str:
        return say(
            "suppression.summary",
            n=self.cells,
            share=self.cells / (self.table.rows * len(self.columns)),
            records=self.records,
            rows=self.table.rows,
            left=self.left,
            reached=say(f"suppression.reached.{self.method}", k=self.k),
        )
