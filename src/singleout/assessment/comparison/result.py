"""Two versions of a table side by side: what the change brought, and what it cost.

The same measures under the same plan for an original and its anonymised version, so that nobody has
to compare two reports by eye.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singleout.assessment.comparison.cells import CellChanges
from singleout.assessment.comparison.changes import Change, Unit, changes_between
from singleout.assessment.result import Assessment
from singleout.core.results import Result
from singleout.core.text import printable

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

__all__ = ["Change", "Comparison", "Unit"]


@dataclass(frozen=True, eq=False)
class Comparison(Result):
    """The same measures for two versions of a table, and what changed.

    Parameters
    ----------
    before, after
        The assessments of the two versions.
    cells
        What happened to the cells; None if the records could not be matched.
    notes
        What a reader should know, one sentence each.
    """

    before: Assessment = field(repr=False)
    after: Assessment = field(repr=False)
    cells: CellChanges | None
    notes: tuple[str, ...] = ()

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """All measures: first what was achieved, then what it cost."""
        return changes_between(self.before, self.after, self.cells)

    @property
    def columns_lost(self) -> tuple[str, ...]:
        """Columns that the version before has and the one after lacks."""
        kept = set(self.after.facts.columns)
        return tuple(name for name in self.before.facts.columns if name not in kept)

    @property
    def columns_added(self) -> tuple[str, ...]:
        """Columns that only the version after has."""
        had = set(self.before.facts.columns)
        return tuple(name for name in self.after.facts.columns if name not in had)

    @property
    def verdict(self) -> str:
        """What the change brought, in a sentence."""
        one, other = self.before, self.after
        if other.level == one.level:
            said = f"The risk stays at {one.level}, {one.level_name}"
        else:
            verb = "falls" if other.level < one.level else "rises"
            said = (
                f"The risk {verb} from {one.level}, {one.level_name}, to {other.level}, "
                f"{other.level_name}"
            )
        shares = [f"{100 * side.anonymity.unique_share:.4g}%" for side in (one, other)]
        return (
            f"{said}; unique records {shares[0]} → {shares[1]}, k {one.anonymity.k:,} → "
            f"{other.anonymity.k:,}{self._gone}{self._price}."
        )

    @property
    def identifiers_removed(self) -> tuple[str, ...]:
        """Columns that identify people directly and are in the version before only."""
        lost = set(self.columns_lost)
        return tuple(name for name in self.before.facts.direct_identifiers if name in lost)

    @property
    def _gone(self) -> str:
        """What no longer names people, as a part of a sentence."""
        columns = _many(len(self.identifiers_removed), "column")
        verb = "identifies" if len(self.identifiers_removed) == 1 else "identify"
        return f"; {columns} that {verb} people directly removed" if columns else ""

    @property
    def _price(self) -> str:
        """What was given up, as the end of a sentence."""
        lost = [
            _many(self.before.facts.rows - self.after.facts.rows, "record"),
            _many(len(self.columns_lost) - len(self.identifiers_removed), "column"),
            _many(self.cells.suppressed if self.cells else 0, "value"),
        ]
        words = [part for part in lost if part]
        changed = _many(self.cells.changed if self.cells else 0, "value")
        parts = [f"{' and '.join(words)} lost"] if words else []
        parts += [f"{changed} changed"] if changed else []
        return f"; {', '.join(parts)}" if parts else ""

    # ---- ways to look at it

    def to_frame(self) -> pl.DataFrame:
        """Return one row for each measure: before, after, change, and better or worse."""
        from singleout.core.frames import pl

        kinds: dict[str, Any] = {
            "measure": pl.String,
            "name": pl.String,
            "unit": pl.String,
            "before": pl.Float64,
            "after": pl.Float64,
            "change": pl.Float64,
            "effect": pl.String,
            "is_cost": pl.Boolean,
        }
        return pl.DataFrame([change.to_dict() for change in self.changes], schema=kinds)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold."""
        from singleout import __version__

        return {
            "version": __version__,
            "verdict": self.verdict,
            "before": _side(self.before),
            "after": _side(self.after),
            "columns_lost": list(self.columns_lost),
            "columns_added": list(self.columns_added),
            "identifiers_removed": list(self.identifiers_removed),
            "measures": [change.to_dict() for change in self.changes],
            "notes": list(self.notes),
        }

    def plot(self) -> alt.LayerChart | alt.FacetChart:
        """Return the picture: the shares before and after, each on one line."""
        from singleout.assessment.comparison.chart import before_and_after

        return before_and_after(
            [
                {"name": printable(change.name), "before": change.before, "after": change.after}
                for change in self.changes
                if change.unit == Unit.SHARE and change.change is not None
            ],
            title="What the change brought: shares and rates before and after",
        )

    def report(self, path: str | os.PathLike[str], show_records: bool = False) -> Path:
        """Write the report of the version after, with a section that compares it.

        Parameters
        ----------
        path
            The file, whose name ends in .html; one that exists is written over.
        show_records
            Whether the riskiest records are shown with their values.
        """
        return self.after.report(path, show_records=show_records, comparison=self)

    def __str__(self) -> str:
        return self.verdict


def _many(things: int, name: str) -> str:
    """Return a number of things; nothing if there are none, or if there are more than before."""
    return "" if things <= 0 else f"{things:,} {name}{'' if things == 1 else 's'}"


def _side(found: Assessment) -> dict[str, Any]:
    return {
        "table": found.facts.to_dict(),
        "level": found.level,
        "level_name": found.level_name,
        "verdict": found.verdict,
        "met": found.met,
        "failures": list(found.failures),
    }
