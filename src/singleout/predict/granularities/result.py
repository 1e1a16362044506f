"""How identifying observed columns are at each granularity: the result."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from singleout.core.arguments import share
from singleout.core.frame_kinds import Frame
from singleout.core.results import Result
from singleout.errors import UndefinedMeasure
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt

__all__ = ["Granularity", "GranularityRow"]


@dataclass(frozen=True)
class GranularityRow:
    """One granularity, in one place, for one number of people.

    Parameters
    ----------
    place
        The value of the column that was grouped by; empty without one.
    widths
        How wide the intervals of each column are.
    people
        k: how many people there will be.
    cells
        N: how many combinations of intervals are possible, between the least and the largest value.
    kl
        The Kullback-Leibler distance of the place to uniform over them, in nats.
    unique_share
        The people expected to be unique / the k people.
    independent_share
        The same if the columns did not depend on each other; None for one column.
    """

    place: str
    widths: tuple[float, ...]
    people: int
    cells: int
    kl: float
    unique_share: float
    independent_share: float | None = None

    @property
    def singletons(self) -> float:
        """How many of the k people are expected to be unique."""
        return self.people * self.unique_share


@dataclass(frozen=True, eq=False)
class Granularity(Result):
    """How identifying observed columns are, the more or less finely they are rounded.

    Parameters
    ----------
    columns
        What is rounded.
    rows
        One for each place, granularity and number of people.
    by
        The column of the places; None without.
    notes
        What a reader should know, one sentence each.
    """

    columns: tuple[str, ...]
    rows: tuple[GranularityRow, ...]
    by: str | None = None
    notes: tuple[str, ...] = ()

    def narrowest(self, unique: float) -> GranularityRow:
        """Return the finest granularity at which at most a share of the people is unique.

        In every place, and for every number of people. The finest is that of the smallest product
        of widths; its row is that with the most unique people.

        Parameters
        ----------
        unique
            The largest expected share of unique people, between 0 and 1.
        """
        target = share(unique, "unique")
        worst: dict[tuple[float, ...], GranularityRow] = {}
        for row in self.rows:
            if row.widths not in worst or row.unique_share > worst[row.widths].unique_share:
                worst[row.widths] = row
        kept = [row for row in worst.values() if row.unique_share <= target]
        if not kept:
            least = min(row.unique_share for row in worst.values())
            raise UndefinedMeasure(
                f"At none of these widths at most {target:.2%} of the people are unique, but "
                f"{least:.2%} at least; give wider ones."
            )
        return min(kept, key=lambda row: (prod(row.widths), row.unique_share))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold."""
        return {
            "columns": list(self.columns),
            "by": self.by,
            "rows": self._polars_frame().to_dicts(),
            "notes": list(self.notes),
        }

    def to_frame(self) -> Frame:
        """Return one row for each place, granularity and number of people."""
        from singleout.core.frames import pl

        rows = []
        for row in self.rows:
            named = {"place": row.place} if self.by is not None else {}
            wide = {
                f"width of {name}": width
                for name, width in zip(self.columns, row.widths, strict=True)
            }
            numbers: dict[str, float | None] = {
                "people": row.people,
                "cells": row.cells,
                "kl_nats": row.kl,
                "singletons": row.singletons,
                "unique_share": row.unique_share,
            }
            if len(self.columns) > 1:
                numbers["unique_share_if_independent"] = row.independent_share
            rows.append({**named, **wide, **numbers})
        return pl.DataFrame(rows, infer_schema_length=None)

    def plot(self) -> alt.LayerChart | alt.FacetChart:
        """Return the picture: distances by place, or unique people by width."""
        from singleout.predict.granularities.chart import by_place, by_width

        return by_width(self) if self.by is None else by_place(self)

    def __str__(self) -> str:
        shares = [row.unique_share for row in self.rows]
        return say(
            "predict.granularity.says",
            columns=", ".join(self.columns),
            n=len({row.widths for row in self.rows}),
            least=min(shares),
            most=max(shares),
        )
