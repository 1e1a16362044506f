"""The ways to treat a table: local recoding, or one level for each column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from singleout.assessment.advice.as_steps import rule_of
from singleout.assessment.suggest.dilution import Dilution
from singleout.assessment.suggest.goal import Goal
from singleout.assessment.suggest.rules import rules_of
from singleout.assessment.suggest.search import Treatment
from singleout.core.arrays import Flags
from singleout.core.table import Column, Table
from singleout.treatment.full_domain import SensitiveCaps, search
from singleout.treatment.hierarchies.hierarchy import Hierarchy, Tree
from singleout.treatment.hierarchies.order import ORDERED, Scale
from singleout.treatment.hierarchies.propose import propose
from singleout.treatment.lattice import Lattice, lattice_of
from singleout.treatment.losses import losses
from singleout.treatment.steps.apply import Applied, apply_steps
from singleout.treatment.steps.models import (
    Drop,
    Generalise,
    Recode,
    SensitiveRule,
    Step,
    SuppressCells,
    SuppressRecords,
)
from singleout.treatment.steps.others import caps_of, hierarchy_of, sensitive_codes
from singleout.treatment.steps.steps import Steps

__all__ = ["CellsWay", "Constraints", "FullDomainWay", "LocalWay"]

_MOST_WORK = 650_000_000  # groups to go through in all searches: about 20 s
_ROUNDING = 1e-12  # of a loss: sums of shares that all are 1/D


@dataclass(frozen=True, eq=False)
class Constraints:
    """What a treatment may do, besides reaching its goal.

    Parameters
    ----------
    columns
        The quasi-identifiers, which are treated.
    sensitive
        The columns whose values must not become certain.
    dropped
        The columns that name people, which are left out.
    hierarchies
        The hierarchies that were given: paths or rows.
    highest
        The highest level that some columns may be published on; 0 never touches them.
    scales
        Whether the values of columns have an order, where that is stated.
    importance
        The weights of columns in the loss; 1 if not given.
    max_suppressed
        The share of the records that may be suppressed.
    max_cells
        The share of the cells that may be blanked.
    metric
        What the search for one level a column makes small.
    """

    columns: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    hierarchies: Mapping[str, Any] = field(default_factory=dict)
    highest: Mapping[str, int] = field(default_factory=dict)
    scales: Mapping[str, Scale] = field(default_factory=dict)
    importance: Mapping[str, float] = field(default_factory=dict)
    max_suppressed: float = 0.0
    max_cells: float = 1.0
    metric: str = "loss"


@dataclass(eq=False)
class _Way:
    table: Table
    goal: Goal
    constraints: Constraints

    def __call__(self, k: int, dilution: Dilution) -> Treatment:
        """Return the treatment whose classes have k records and keep the dilution."""
        raise NotImplementedError

    def nothing(self) -> Treatment:
        """Return the treatment that leaves out columns that name people, and does no more."""
        return self.treated(Steps.of(self._first()))

    def everything(self) -> Treatment:
        """Return the treatment with one class of all records."""
        return self(self.table.rows, Dilution())

    @property
    def _columns(self) -> tuple[str, ...]:
        return self.constraints.columns

    @property
    def _dropped(self) -> dict[str, None]:
        return dict.fromkeys(self.constraints.dropped)

    def _first(self) -> list[Step]:
        return [Drop(drop=list(self._dropped))] if self._dropped else []

    def _rules(self, dilution: Dilution) -> dict[str, SensitiveRule]:
        return rules_of(self.table, self.constraints.sensitive, self.goal, dilution)

    def _removes(self, suppressed: int, k: int) -> bool:
        """Whether suppressed records are removed rather than blanked.

        Fewer than k blank records would be a class of their own that is too small, and a blank
        would touch a column that is to stay as it is.
        """
        few = suppressed < k or 0 in self.constraints.highest.values()
        return few and 0 < suppressed < self.table.rows

    def treated(self, steps: Steps, **known: Any) -> Treatment:
        """Return what steps make of the table."""
        applied = apply_steps(self.table, steps)
        lost = {name: self._loss(applied, name) for name in self._columns}
        suppressed = self._suppressed(applied)
        blanked = self._blanked(applied)
        return Treatment(steps, applied, self._mean(lost), lost, suppressed, blanked, **known)

    def _blanked(self, applied: Applied) -> float:
        """Return the share of the cells that were blanked, or removed."""
        blank = sum(
            int((applied.table[name].is_missing & ~self.table[name].is_missing[applied.rows]).sum())
            for name in self._columns
        )
        removed = (self.table.rows - applied.table.rows) * len(self._columns)
        return (blank + removed) / (self.table.rows * len(self._columns))

    def loss_after(self, before: Applied, after: Applied) -> float:
        """Return the loss after more steps, applied to what some have made of the table."""
        lost = {}
        rows = before.rows[after.rows]
        kept = None
        if len(rows) < self.table.rows:
            kept = np.zeros(self.table.rows, dtype=np.bool_)
            kept[rows] = True
        for name in self._columns:
            known = name in after.table.columns and name in before.table.columns
            if not known:
                lost[name] = 1.0
                continue
            if after.table[name] is before.table[name]:
                lost[name] = self._loss(before, name)
            else:
                # a published value covers what records with it had
                lost[name] = losses(self.table, after.table, [name], kept=kept).columns[0].loss
        return self._mean(lost)

    def _mean(self, lost: Mapping[str, float]) -> float:
        weights = np.array([self.constraints.importance.get(name, 1.0) for name in lost])
        return float(np.array(list(lost.values())) @ weights / weights.sum())

    def _suppressed(self, applied: Applied) -> int:
        """Return how many records say nothing, or were removed."""
        gone = applied.suppressed(self.table, self._columns)
        return int(gone.sum()) + self.table.rows - applied.table.rows

    def _loss(self, applied: Applied, name: str) -> float:
        """Return what a column lost: (sum of shares - n/D) / (n - n/D), all if it is gone."""
        if name not in applied.table.columns:
            return 1.0
        gone = applied.suppressed(self.table, self._columns)
        shares = float(applied.shares_of_records(self.table, name, gone).sum())
        records = self.table.rows
        return _normalised(shares + records - applied.table.rows, applied.values[name], records)

    def _blank(self, table: Table) -> Flags:
        """Return the records that say nothing."""
        blank: Flags = np.all([table[name].is_missing for name in self._columns], axis=0)
        return blank


def _normalised(shares: float, size: int, records: int) -> float:
    if size <= 1:
        return 0.0
    lost = (shares - records / size) / (records - records / size)
    return lost if lost > _ROUNDING else 0.0


class LocalWay(_Way):
    """Local recoding: every class has levels of its own."""

    def __call__(self, k: int, dilution: Dilution) -> Treatment:
        """Return the treatment whose classes have k records and keep the dilution."""
        rules = self._rules(dilution)
        if k < 2 and not rules:
            return self.nothing()
        chosen = self.constraints
        step = Generalise(
            generalise=list(self._columns),
            k=max(k, 2),
            hierarchies=dict(chosen.hierarchies),
            sensitive=rules,
            importance=dict(chosen.importance),
            max_suppressed=chosen.max_suppressed,
            highest=dict(chosen.highest),
            scales=dict(chosen.scales),
            narrow=True,
        )
        treatment = self.treated(Steps.of([*self._first(), step]))
        # records that were blank before are a class of their own, if there are enough of them
        kept = int(self._blank(self.table).sum()) >= k
        nothing_left = not kept and bool(self._blank(treatment.applied.table).all())
        if nothing_left and 0 in self.constraints.highest.values() and treatment.loss < 1:
            return self.nothing()  # a blank would touch a column that is to stay as it is
        if nothing_left or not self._removes(treatment.suppressed, k):
            return treatment
        step = step.model_copy(update={"rows": "remove"})
        return self.treated(Steps.of([*self._first(), step]))


class CellsWay(_Way):
    """Local suppression: single cells are blanked, and no value becomes another."""

    def __call__(self, k: int, dilution: Dilution) -> Treatment:  # noqa: ARG002
        """Return the treatment whose classes have k records; sensitive values wait for larger k."""
        if k < 2:
            return self.nothing()
        step = SuppressCells(
            suppress="cells",
            columns=list(self._columns),
            k=min(k, self.table.rows),
            importance=dict(self.constraints.importance),
        )
        treatment = self.treated(Steps.of([*self._first(), step]))
        if not self._removes(treatment.suppressed, k):
            return treatment
        small = SuppressRecords(suppress="records", k=k, columns=list(self._columns), rows="remove")
        return self.treated(Steps.of([*self._first(), step, small]))


class FullDomainWay(_Way):
    """Full-domain generalisation: each column has one level, and few records are suppressed."""

    _left: int = _MOST_WORK  # groups that searches may go through

    def __call__(self, k: int, dilution: Dilution) -> Treatment:
        """Return the treatment whose classes have k records and keep the dilution."""
        # the search knows caps; other rules are reached by larger classes
        rules = rules_of(self.table, self.constraints.sensitive, Goal(), dilution)
        limit = int(self.constraints.max_suppressed * self.table.rows + 1e-9)
        found = search(
            self._lattice,
            k,
            limit,
            self.constraints.metric,
            self._caps(rules),
            fixed=self._fixed,
            work=self._work(),
        )
        levels = dict(zip(self._columns, found.levels, strict=True))
        steps = self._first()
        steps += [
            self._recode(tree.name, level)
            for tree, level in zip(self._lattice.trees, found.levels, strict=True)
            if level or _merges(tree, self.table[tree.name])
        ]
        if found.suppressed:
            steps.append(
                SuppressRecords(
                    suppress="records",
                    k=max(k, 2),
                    columns=list(self._columns),
                    sensitive=rules,
                    rows="remove" if self._removes(found.suppressed, k) else "blank",
                )
            )
        return self.treated(
            Steps.of(steps),
            levels=levels,
            complete=found.complete,
            checked=found.checked,
            interrupted=found.interrupted,
        )

    def _work(self) -> int:
        """Return what the next search may do: most of what is left, so that some always is."""
        share = max(self._left * 3 // 4, 1)
        self._left -= share
        return share

    @cached_property
    def _hierarchies(self) -> dict[str, Hierarchy]:
        given = self.constraints.hierarchies
        return {
            name: hierarchy_of(given[name], self.table[name])
            if name in given
            # a step names values by their spelling
            else propose(self.table[name], ORDERED[self.constraints.scales.get(name)]).by_spelling()
            for name in self._columns
        }

    @cached_property
    def _lattice(self) -> Lattice:
        trees: list[Tree] = [
            self._tree(name, hierarchy) for name, hierarchy in self._hierarchies.items()
        ]
        return lattice_of(self.table, trees, self.constraints.importance)

    def _tree(self, name: str, hierarchy: Hierarchy) -> Tree:
        tree = hierarchy.fit(self.table[name])
        stays = self.constraints.highest.get(name) == 0
        return Tree.flat(self.table[name]) if stays and _merges(tree, self.table[name]) else tree

    @property
    def _fixed(self) -> list[int]:
        """The highest level of each column."""
        return [
            self.constraints.highest.get(tree.name, tree.levels - 1) for tree in self._lattice.trees
        ]

    def _caps(self, rules: Mapping[str, SensitiveRule]) -> SensitiveCaps | None:
        columns = [
            (sensitive_codes(self.table[name], rule), caps_of(self.table[name], rule))
            for name, rule in rules.items()
        ]
        # a share that is equal to a cap keeps it in a step, and breaks it in the search
        capped = [(codes, np.nextafter(caps, np.inf)) for codes, caps in columns]
        return SensitiveCaps.of_records(self._lattice, capped) if capped else None

    def _recode(self, name: str, level: int) -> Recode:
        given = self.constraints.hierarchies.get(name)
        if given is not None:
            return Recode(recode=name, hierarchy=given, level=level)
        if (name, level) not in self._recodes:
            proposed = self._hierarchies[name]
            rule = rule_of(self.table[name], proposed, level)
            by_rows = Recode(recode=name, hierarchy=proposed.rows, level=level)
            self._recodes[name, level] = rule or by_rows
        return self._recodes[name, level]

    @cached_property
    def _recodes(self) -> dict[tuple[str, int], Recode]:
        return {}


def _merges(tree: Tree, column: Column) -> bool:
    """Whether values that are spelled alike are one on the lowest level already."""
    there = tree.maps[0][column.sizes > 0]
    return len(np.unique(there)) < len(there)
