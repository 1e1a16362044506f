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

from singleout.assessment.comparison.attributes import AttributeChange, attributes_frame
from singleout.assessment.comparison.cells import CellChanges
from singleout.assessment.comparison.changes import (
    Change,
    Unit,
    changes_between,
    different_assumptions,
)
from singleout.assessment.result import Assessment
from singleout.core.frame_kinds import Frame
from singleout.core.results import Result
from singleout.core.text import printable
from singleout.core.wording import percent
from singleout.methods.levels import level_name
from singleout.report.say import say

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
    attributes
        Each attribute against each sensitive one, with its levels before and after.
    """

    before: Assessment = field(repr=False)
    after: Assessment = field(repr=False)
    cells: CellChanges | None
    notes: tuple[str, ...] = ()
    attributes: tuple[AttributeChange, ...] = field(default=(), repr=False)

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
    def not_worth_degrading(self) -> tuple[str, ...]:
        """Attributes that were made coarser or left out, though that lowers nothing."""
        return tuple(dict.fromkeys(one.attribute for one in self.attributes if one.pays is False))

    @property
    def on_attributes(self) -> str:
        """Which attributes are not worth degrading, and how that was found; empty if none."""
        names = self.not_worth_degrading
        if not names:
            return ""
        tried = all(one.tried for one in self.attributes if one.pays is False)
        key = "not_worth_tried" if tried else "not_worth_by_levels"
        return say(f"comparison.attributes.{key}", columns=", ".join(names), n=len(names))

    @property
    def verdict(self) -> str:
        """What the change brought, in a sentence."""
        one, other = self.before.anonymity, self.after.anonymity
        unique = _from_to(one.unique_share, other.unique_share)
        parts = [*self._risk, say("comparison.sets", unique=unique, before=one.k, after=other.k)]
        return f"{'; '.join([*parts, *self._gone, *self._price])}."

    @property
    def _risk(self) -> list[str]:
        """Where the risk goes; the levels under the assumption that both versions share."""
        one, other = self.before.findings, self.after.findings
        if different_assumptions(self.before, self.after):
            levels = self.before.if_member, self.after.if_member
            return [_levels(say("comparison.risk_if_member"), *levels)]
        at_risk = _from_to(one.at_risk_share, other.at_risk_share)
        risk = _levels(say("comparison.risk"), one.level, other.level)
        return [risk, say("comparison.at_risk", shares=at_risk)]

    @property
    def identifiers_removed(self) -> tuple[str, ...]:
        """Columns that identify people directly and are in the version before only."""
        lost = set(self.columns_lost)
        return tuple(name for name in self.before.facts.direct_identifiers if name in lost)

    @property
    def _gone(self) -> list[str]:
        """What no longer names people."""
        columns = len(self.identifiers_removed)
        return [say("comparison.names_removed", n=columns)] if columns else []

    @property
    def _price(self) -> list[str]:
        """What was given up."""
        had = self.before.facts.rows
        records = had - self.after.facts.rows
        lost = [
            _many("records", records, share=percent(records / had)),
            _many("columns", len(self.columns_lost) - len(self.identifiers_removed)),
            _many("values", self.cells.suppressed if self.cells else 0),
        ]
        gone = say("comparison.and").join(part for part in lost if part)
        changed = _many("values", self.cells.changed if self.cells else 0)
        parts = [say("comparison.lost", things=gone)] if gone else []
        parts += [say("comparison.changed", things=changed)] if changed else []
        return [", ".join(parts)] if parts else []

    # ---- ways to look at it

    def to_frame(self) -> Frame:
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

    def attributes_frame(self) -> pl.DataFrame:
        """Return one row for each attribute and sensitive one: rate and levels before and after."""
        return attributes_frame(self.attributes)

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
            "attributes": [change.to_dict() for change in self.attributes],
            "not_worth_degrading": list(self.not_worth_degrading),
            "notes": list(self.notes),
        }

    def plot(self) -> alt.LayerChart | alt.FacetChart:
        """Return the picture: the shares before and after, each on one line."""
        from singleout.assessment.comparison.chart import before_and_after

        return before_and_after(
            [
                {"name": printable(change.name), "before": change.before, "after": change.after}
                for change in self.changes
                if change.unit == Unit.SHARE and change.change is not None and not change.note
            ],
            title=say("comparison.chart_title"),
        )

    def plot_attributes(self) -> alt.LayerChart | alt.FacetChart:
        """Return the picture of the attributes: the rate of each alone, before and after."""
        from singleout.assessment.comparison.chart import before_and_after

        several = len({one.sensitive for one in self.attributes}) > 1
        return before_and_after(
            [
                {"name": printable(name), "before": one.before.rate, "after": one.after.rate}
                for one in self.attributes
                if one.before is not None and one.after is not None
                for name in (f"{one.attribute} → {one.sensitive}" if several else one.attribute,)
            ],
            title=say("comparison.attributes.chart_title"),
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


def _many(things: str, number: int, **values: str) -> str:
    """Return a number of things; nothing if there are none, or if there are more than before."""
    return "" if number <= 0 else say(f"comparison.things.{things}", n=number, **values)


def _from_to(before: float, after: float) -> str:
    """Return two shares with as many decimals as tell them apart."""
    return say(
        "comparison.from_to",
        before=percent(before, beside=after),
        after=percent(after, beside=before),
    )


def _levels(what: str, before: int, after: int) -> str:
    """Return where the risk goes."""
    names = {"risk_before": level_name("risk", before), "risk_after": level_name("risk", after)}
    verb = "stays" if before == after else "falls" if after < before else "rises"
    return say(f"comparison.{verb}", what=what, before=before, after=after, **names)


def _side(found: Assessment) -> dict[str, Any]:
    return {
        "table": found.facts.to_dict(),
        "level": found.level,
        "level_name": found.level_name,
        "if_member": found.if_member,
        "highest": found.highest,
        "range": list(found.range),
        "range_if_member": list(found.range_if_member),
        "shares": {str(level): share for level, share in found.shares.items()},
        "verdict": found.verdict,
        "met": found.met,
        "failures": list(found.failures),
    }
