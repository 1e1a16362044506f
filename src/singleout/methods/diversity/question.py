"""Diversity from counted rows: the classes, and the pairs of a class and a sensitive value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from singleout.core.arrays import F64, I64, Flags
from singleout.core.choices import MissingPolicy
from singleout.core.table import Column, Table
from singleout.engines.local import counting as local
from singleout.errors import UnusableTable
from singleout.kernels.grouping.group import group_records
from singleout.kernels.grouping.match import matching
from singleout.methods.classes import Classes, classes_of
from singleout.methods.diversity.columns import ColumnDiversity
from singleout.methods.diversity.pairs import Pairs, pairs_of, sorted_pairs
from singleout.methods.diversity.result import ClassList, Diversity
from singleout.methods.diversity.scales import Scale, ranked
from singleout.methods.rows import Rows
from singleout.methods.selection import left_out_note
from singleout.methods.unit_classes import ClassedPeople
from singleout.report.say import say

__all__ = ["DiversityQuestion", "notes_on"]

Names = tuple[str, ...]


@dataclass(frozen=True)
class DiversityQuestion:
    """What to measure, whatever the rows."""

    known: Names
    scales: Mapping[str, Scale]  # of each sensitive column
    policy: MissingPolicy
    c: float
    has_values: bool  # whether the rows have values, and not ranks only
    unit: str | None = None  # the column that says which records are of one person

    def answer(self, rows: Rows, **more: Any) -> Diversity:
        """Return the diversity of some rows."""
        kept = self._kept(rows)
        counted = rows if kept is None else rows.take(kept)
        policy = MissingPolicy.VALUE if self.policy == MissingPolicy.DROP else self.policy
        classes = classes_of(counted, self.known, policy)
        person = None
        if self.unit is not None:
            owners = ClassedPeople.of(counted, classes, self.unit)
            classes, person = owners.classes, owners.row_person
        targets = {name: ranked(counted.table[name], scale) for name, scale in self.scales.items()}
        overlap = policy == MissingPolicy.WILDCARD and bool(
            (classes.matches > classes.records).any()
        )
        columns = {
            name: ColumnDiversity(
                name,
                self.scales[name],
                self.c,
                _matched_pairs(counted, classes, target, self.known)
                if overlap
                else _pairs(counted, classes, target, person),
                classes.records,
            )
            for name, target in targets.items()
        }
        dropped = rows.records - counted.records
        return Diversity(
            self.known,
            columns,
            c=self.c,
            missing=self.policy,
            dropped=dropped,
            unit=self.unit,
            _classes=self._listed(counted, classes, kept),
            **more,
        )

    def _kept(self, rows: Rows) -> Flags | None:
        """Return which rows are counted; None for all."""
        if self.policy != MissingPolicy.DROP:
            return None
        complete = local.complete_records(rows.table, (*self.known, *self.scales))
        if not complete.any():
            raise UnusableTable(
                "Every record lacks a value in one of the columns, so none is left to compare; "
                "let missing be a value, or choose other columns."
            )
        return None if complete.all() else complete

    def _listed(self, rows: Rows, classes: Classes, kept: Flags | None) -> ClassList:
        known = [rows.table[name].take(classes.first) for name in self.known]
        return ClassList(
            classes.records,
            classes.matches,
            known if self.has_values else None,
            classes.ids if rows.are_records else None,
            kept,
        )


def notes_on(question: DiversityQuestion, table: Table, records: int, kept: int) -> tuple[str, ...]:
    """Return what a reader should know: records left out, and missing values with no rank."""
    notes = list(left_out_note(records, kept))
    if question.policy != MissingPolicy.DROP:
        notes += [
            say("diversity.missing_last", column=name)
            for name, scale in question.scales.items()
            if scale == Scale.ORDINAL and table[name].is_missing.any()
        ]
    return tuple(notes)


def _pairs(rows: Rows, classes: Classes, target: Column, person: I64 | None = None) -> Pairs:
    """Return the pairs; each person once in each of theirs, where people are counted."""
    if person is not None:
        levels = [len(classes.records), target.levels, int(person.max()) + 1]
        once = group_records([classes.ids, target.codes, person], levels).first
        return pairs_of(classes.ids[once], target.codes[once], levels[0], levels[1])
    return pairs_of(classes.ids, target.codes, len(classes.records), target.levels, rows.sizes)


def _matched_pairs(rows: Rows, classes: Classes, target: Column, known: Names) -> Pairs:
    """Return the pairs where a missing value matches everything: of all that match a class.

    Classes then overlap. The records that match each class are counted for one value of the
    sensitive column after the other.
    """
    count, levels = len(classes.records), target.levels
    own = _pairs(rows, classes, target)
    columns = [rows.table[name] for name in known]
    codes = [column.codes[classes.first] for column in columns]
    sizes = [column.levels for column in columns]
    missing = [column.missing_code for column in columns]
    held: list[F64] = []
    for value in range(len(own.of_value)):
        amounts = np.zeros(count)
        of_value = own.values == value
        amounts[own.classes[of_value]] = own.sizes[of_value]
        held.append(matching(codes, sizes, missing, amounts))
    # sums of whole numbers below 2**53 are exact
    totals: I64 = np.stack(held, axis=1).astype(np.int64)
    found, values = np.nonzero(totals)
    return sorted_pairs(found, values, totals[found, values], levels, own.of_value)
