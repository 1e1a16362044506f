"""Attribute by attribute: its levels before and after a change, and whether the change pays.

Sondeck and Laurent compare two anonymised tables so (their Tables 10 and 11), in order "to avoid
degrading attributes that have little impact on the re-identification risk". Where the records of
both versions are matched this is tried out: an attribute gets its original values back, and the
table is rated again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from singleout.assessment.assess import rated_alone
from singleout.assessment.comparison.cells import CellChanges
from singleout.assessment.plan.plan import Plan
from singleout.assessment.rating.attackers import Kind
from singleout.assessment.rating.rows import Row
from singleout.assessment.result import Assessment
from singleout.core.choices import Role
from singleout.core.progress import track
from singleout.core.results import ResultPart
from singleout.core.table import Table
from singleout.methods.levels import level_names
from singleout.report.say import say

if TYPE_CHECKING:
    import polars as pl

__all__ = ["AttributeChange", "attribute_changes", "attributes_frame"]

_MOST_TRIED = 20  # attributes that get their values back, each with a rating of the whole table
_MOST_CELLS = 20_000_000  # records times such attributes
_COMPARED = ("rate", "inference", "exploitability", "severity", "risk")


@dataclass(frozen=True)
class AttributeChange(ResultPart):
    """One attribute against one sensitive attribute, before and after a change.

    Parameters
    ----------
    attribute
        The quasi-identifier.
    sensitive
        What it tells about; None if it is the identity alone.
    exposure
        How easily the attribute is found elsewhere, 1 to 4.
    before, after
        How it is rated alone; None in the version that lacks it.
    degraded
        Whether its values are not what they were, or it was left out.
    pays
        Whether that lowers anything: tried out by giving the values back where the records of both
        versions are matched, otherwise by the levels of all who know the attribute. None where it
        was not degraded, or the version after has other attributes.
    tried
        Whether it was tried out.
    """

    attribute: str
    sensitive: str | None
    exposure: int
    before: Row | None
    after: Row | None
    degraded: bool = False
    pays: bool | None = None
    tried: bool = False

    def level(self, name: str) -> tuple[int | None, int | None]:
        """Return a level before and after: ``inference``, ``exploitability``, ``risk``."""
        before, after = (
            None if row is None else int(getattr(row, name)) for row in (self.before, self.after)
        )
        return before, after

    @property
    def values(self) -> tuple[int | None, int | None]:
        """How many different values it has, before and after."""
        before, after = (
            None if row is None else row.measured.combinations for row in (self.before, self.after)
        )
        return before, after

    def to_dict(self) -> dict[str, Any]:
        """Return the attribute as plain values that JSON can hold."""
        levels = {
            f"{name}_{when}": None if row is None else getattr(row, name)
            for name in _COMPARED
            for when, row in (("before", self.before), ("after", self.after))
        }
        return {
            "attribute": self.attribute,
            "sensitive": self.sensitive,
            "exposure": self.exposure,
            "values_before": self.values[0],
            "values_after": self.values[1],
            **levels,
            "degraded": self.degraded,
            "pays": self.pays,
            "tried": self.tried,
        }

    def __str__(self) -> str:
        inference = _words(self.level("inference"), level_names("inference"))
        exploitability = _words(self.level("exploitability"), level_names("exploitability"))
        return f"{self.attribute}: {inference}, {exploitability}"


def _words(levels: tuple[int | None, int | None], names: Sequence[str]) -> str:
    before, after = (
        say("comparison.attributes.none") if level is None else names[level - 1] for level in levels
    )
    return before if before == after else say("comparison.from_to", before=before, after=after)


def attributes_frame(changes: Sequence[AttributeChange]) -> pl.DataFrame:
    """Return the attributes as a polars frame."""
    from singleout.core.frames import pl

    kinds: dict[str, Any] = {
        "attribute": pl.String,
        "sensitive": pl.String,
        "exposure": pl.Int64,
        "values_before": pl.Int64,
        "values_after": pl.Int64,
    }
    for name in _COMPARED:
        for when in ("before", "after"):
            kinds[f"{name}_{when}"] = pl.Float64 if name == "rate" else pl.Int64
    kinds |= dict.fromkeys(("degraded", "pays", "tried"), pl.Boolean)
    return pl.DataFrame([change.to_dict() for change in changes], schema=kinds)


# ---- finding them


def attribute_changes(
    sides: Sequence[Assessment], tables: Sequence[Table], plan: Plan, cells: CellChanges | None
) -> tuple[AttributeChange, ...]:
    """Return each attribute before and after, and whether degrading it pays."""
    found = list(_side_by_side(sides[0], sides[1]))
    names = tuple(dict.fromkeys(change.attribute for change in found))
    degraded = [name for name in names if _is_degraded(name, tables[0], tables[1], cells)]
    pays, tried = _judged(degraded, sides, tables, plan, cells)
    return tuple(
        replace(
            change,
            degraded=change.attribute in degraded,
            pays=pays.get(change.attribute),
            tried=tried and change.attribute in pays,
        )
        for change in found
    )


def _side_by_side(before: Assessment, after: Assessment) -> Iterator[AttributeChange]:
    one, other = (_alone(side) for side in (before, after))
    for name, sensitive in dict.fromkeys([*one, *other]):
        rows = one.get((name, sensitive)), other.get((name, sensitive))
        exposure = next(row.combination.exposure for row in rows if row is not None)
        yield AttributeChange(name, sensitive, exposure, *rows)


def _alone(side: Assessment) -> dict[tuple[str, str | None], Row]:
    return {
        (row.combination.name, row.sensitive): row
        for row in side.ratings
        if row.combination.kind == Kind.ATTRIBUTE
    }


def _is_degraded(name: str, before: Table, after: Table, cells: CellChanges | None) -> bool:
    """Whether an attribute of the version before is not what it was."""
    if name not in before.columns:
        return False
    if name not in after.columns:
        return True
    if cells is not None:
        return cells.by_column.get(name, 0) > 0
    had, has = ({str(value) for value in table[name].values} for table in (before, after))
    return not has <= had


# ---- whether it pays


def _judged(
    degraded: Sequence[str],
    sides: Sequence[Assessment],
    tables: Sequence[Table],
    plan: Plan,
    cells: CellChanges | None,
) -> tuple[Mapping[str, bool], bool]:
    """Return for each degraded attribute whether that lowers anything, and whether it was tried."""
    few = len(degraded) <= _MOST_TRIED and len(degraded) * tables[1].rows <= _MOST_CELLS
    if not degraded or (cells is not None and few):
        return _tried(degraded, tables[0], tables[1], plan, cells), True
    both = {name for name in degraded if name in tables[1].columns}
    return {name: _any_falls(name, sides[0], sides[1]) for name in degraded if name in both}, False


def _tried(
    degraded: Sequence[str], before: Table, after: Table, plan: Plan, cells: CellChanges | None
) -> dict[str, bool]:
    if cells is None or not degraded:
        return {}
    now = _without_names(after, plan)
    state = rated_alone(now, plan.within(now.columns))
    found = {}
    for name in track(list(degraded), say("progress.given_back")):
        restored = before[name].take(cells.rows)
        columns = [restored if column.name == name else column for column in now]
        if name not in now.columns:
            columns.append(restored)
        table = Table(columns, missing=now.missing, source=now.source, notes=now.notes)
        found[name] = _is_worse(rated_alone(table, plan.within(table.columns)), state)
    return found


def _without_names(table: Table, plan: Plan) -> Table:
    """Return a table without what identifies people directly, beside which nothing else counts."""
    personal = {*plan.with_role(Role.DIRECT_IDENTIFIER), *table.with_role(Role.DIRECT_IDENTIFIER)}
    return table.select([name for name in table.columns if name not in personal])


def _is_worse(one: Assessment, other: Assessment) -> bool:
    """Whether more records reach some level, the table a higher one, or the policy less."""
    risks = one.record_risks.by_level, other.record_risks.by_level
    more = any(sum(risks[0][level:]) > sum(risks[1][level:]) for level in range(1, 4))
    return more or one.level > other.level or len(one.failures) > len(other.failures)


def _any_falls(name: str, before: Assessment, after: Assessment) -> bool:
    """Whether anybody who knows an attribute finds it harder, or fewer people at risk."""
    had = {_key(row): row for row in before.ratings}
    knowing = [row for row in after.ratings if name in row.combination.columns]
    return any(_falls(had[_key(row)], row) for row in knowing if _key(row) in had)


def _key(row: Row) -> tuple[Any, ...]:
    return row.combination.kind, row.combination.title, row.sensitive


def _falls(before: Row, after: Row) -> bool:
    if any(getattr(after, name) < getattr(before, name) for name in ("exploitability", "risk")):
        return True
    shares = [row.reaching(3) / sum(row.by_risk) if row.by_risk else 0.0 for row in (before, after)]
    return shares[1] < shares[0]
