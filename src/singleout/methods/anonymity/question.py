"""Anonymity sets from counts of counts. Koot (2012), chapter 3."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import I64
from singleout.core.choices import MissingPolicy
from singleout.core.counts import Counts, SizeProfile
from singleout.core.progress import working_on
from singleout.core.table import Table
from singleout.engines.counter import WeightTotals
from singleout.engines.group_keys import members_by_group
from singleout.engines.local import counting as local
from singleout.engines.local.counter import LocalCounter
from singleout.kernels.grouping.group import group_records
from singleout.kernels.grouping.match import matching
from singleout.methods.anonymity.result import AnonymitySets
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.engines.counter import Counter

__all__ = ["SetQuestion"]

Names = tuple[str, ...]
Key = tuple[Any, ...]
TableOf = Callable[[], Table]

_WHOLE: Key = ()


@dataclass(frozen=True)
class _Part:
    """What was counted of all records, or of one group of them."""

    rows: int  # those dropped included
    profile: SizeProfile  # counts of counts; of records where there are no sets
    has_sets: bool = True
    weights: WeightTotals | None = None


@dataclass(frozen=True, eq=False)
class _Members:
    """Records in memory by their groups; they are grouped when first needed."""

    table: Table
    by: Names

    def whole(self) -> Table:
        """Return all records."""
        return self.table

    def of(self, key: Key) -> Table:
        """Return the records of a group."""
        return self.table.take(self._rows[key])

    @cached_property
    def _rows(self) -> dict[Key, I64]:
        return dict(LocalCounter(self.table).members(self.by))


@dataclass(frozen=True)
class SetQuestion:
    """What to measure, whatever the quasi-identifier and wherever the data is."""

    counter: Counter
    columns: Names  # all that take part, those of ``by`` and the weight aside
    by: Names
    missing: MissingPolicy
    weight: str | None
    cells: int | None = None  # stated to be possible

    def answers(self, wanted: Sequence[Names]) -> list[AnonymitySets]:
        """Return the anonymity sets for each quasi-identifier."""
        working_on(say("progress.anonymity_sets"))
        wholes = self._wholes(wanted)
        held = self.counter.held
        table = None if held is None else _Members(held.table, ()).whole
        return [
            self._answer(names, whole, self._groups(names), table)
            for names, whole in zip(wanted, wholes, strict=True)
        ]

    @cached_property
    def _lacking(self) -> dict[str, int]:
        """For each column how many records lack a value."""
        return self.counter.missing(self.columns)

    def _policy_for(self, names: Names) -> MissingPolicy:
        """Return the missing-value policy for some columns: ``value`` if no value is missing."""
        if self.missing == MissingPolicy.VALUE:
            return self.missing
        lacking = any(self._lacking[name] for name in names)
        return self.missing if lacking else MissingPolicy.VALUE

    # ---- all records

    def _wholes(self, wanted: Sequence[Names]) -> list[_Part]:
        """Count all quasi-identifiers in as few passes over the data as possible."""
        parts: dict[Names, _Part] = {}
        for policy in MissingPolicy:
            chosen = [names for names in wanted if self._policy_for(names) == policy]
            if not chosen:
                continue
            if policy == MissingPolicy.WILDCARD:
                parts |= {names: self._matched(names, ())[_WHOLE] for names in chosen}
                continue
            drop = policy == MissingPolicy.DROP
            profiles = self.counter.profiles(chosen, drop=drop)
            for names, profile in zip(chosen, profiles, strict=True):
                weights = self._weights(names, (), drop=drop).get(_WHOLE)
                parts[names] = _Part(self.counter.rows, profile, weights=weights)
        return [parts[names] for names in wanted]

    def _weights(self, names: Names, by: Names, *, drop: bool) -> dict[Key, WeightTotals]:
        if self.weight is None:
            return {}
        return self.counter.weight_totals(names, self.weight, by, drop=drop)

    # ---- by group

    def _groups(self, names: Names) -> dict[Any, AnonymitySets]:
        """Return the same for the records of each group."""
        if not self.by:
            return {}
        policy = self._policy_for(names)
        if policy == MissingPolicy.WILDCARD:
            parts = self._matched(names, self.by)
        else:
            parts = self._grouped(names, drop=policy == MissingPolicy.DROP)
        members = self._members
        return {
            (key if len(key) > 1 else key[0]): self._answer(
                names, parts[key], {}, None if members is None else partial(members.of, key)
            )
            for key in parts
        }

    @cached_property
    def _members(self) -> _Members | None:
        """The records of each group, if they are in this process's memory."""
        held = self.counter.held
        if held is None:
            return None
        needed = dict.fromkeys([*self.columns, *self.by, *filter(None, [self.weight])])
        return _Members(held.table.select(needed), self.by)

    def _grouped(self, names: Names, *, drop: bool) -> dict[Key, _Part]:
        profiles = self.counter.grouped_profiles(names, self.by, drop=drop)
        rows = {key: profile.records for key, profile in profiles.items()}
        if drop:
            rows = self.counter.group_rows(self.by)
        weights = self._weights(names, self.by, drop=drop)
        return {
            key: _Part(rows[key], profile, weights=weights.get(key))
            for key, profile in profiles.items()
        }

    # ---- where a missing value matches everything

    def _matched(self, names: Names, by: Names) -> dict[Key, _Part]:
        """Match the combinations of all records, or of each group.

        Ranks are enough, except for groups, whose names are values: then each combination is
        fetched once with its values.
        """
        needed = tuple(dict.fromkeys([*names, *by]))
        ranked = not by and self.counter.held is None
        count = self.counter.ranked_counts if ranked else self.counter.counts
        counts = count(needed, self.weight)
        if not by:
            return {_WHOLE: _matched_part(counts, names, slice(None))}
        members = members_by_group(
            [_column(counts, name) for name in by],
            [_levels(counts, name) for name in by],
            lambda at, code: _value(counts, by[at], code),
        )
        return {key: _matched_part(counts, names, rows) for key, rows in members}

    # ---- the result

    def _answer(
        self, names: Names, part: _Part, groups: dict[Any, AnonymitySets], table: TableOf | None
    ) -> AnonymitySets:
        policy = self._policy_for(names)
        dropped = part.rows - part.profile.records if policy == MissingPolicy.DROP else 0
        empty = {name for name in names if self._lacking[name] == self.counter.rows}
        weights = part.weights
        return AnonymitySets(
            names,
            part.profile,
            missing=self.missing,
            has_sets=part.has_sets,
            dropped=dropped,
            by=self.by if groups else (),
            groups=groups,
            group_labels=self._group_labels if groups else {},
            notes=(*self.counter.notes, *_notes(names, empty, part.rows, dropped)),
            weighted_total=None if weights is None else weights.total,
            weighted_least=None if weights is None else weights.minimum,
            _per_record=None if table is None else partial(_of_records, table, names, policy),
            _weighted=None
            if table is None or self.weight is None
            else partial(_of_records, table, names, policy, self.weight),
            cells=self.cells,
        )

    @cached_property
    def _group_labels(self) -> Mapping[Any, str]:
        """What values of the grouping column mean in words."""
        return self.counter.facts(self.by[0]).labels if len(self.by) == 1 else {}


def _of_records(
    table_of: TableOf, names: Names, missing: MissingPolicy, weight: str | None = None
) -> NDArray[Any]:
    """Return for each record how many share its combination, or the sum of their weights."""
    table = table_of()
    amounts = None if weight is None else local.weights(table, weight)
    if missing == MissingPolicy.WILDCARD:
        return local.match_totals(table, names, amounts)
    if missing == MissingPolicy.VALUE:
        return local.set_totals(table, names, amounts)
    complete = local.complete_records(table, names)
    totals = np.zeros(table.rows, dtype=np.int64 if amounts is None else np.float64)
    if complete.any():
        part = None if amounts is None else amounts[complete]
        totals[complete] = local.set_totals(table.take(complete), names, part)
    return totals


def _notes(names: Names, empty: set[str], rows: int, dropped: int) -> list[str]:
    """Return what a reader should know, ``empty`` being the columns without any value."""
    notes = [say("anonymity.empty_column", column=name) for name in names if name in empty]
    if rows == 1:
        notes.append(say("anonymity.one_record"))
    if dropped:
        notes.append(say("anonymity.records_left_out", left_out=dropped, rows=rows))
    return notes


# ---- matching


def _column(counts: Counts, name: str) -> NDArray[Any]:
    return counts.codes[counts.columns.index(name)]


def _values(counts: Counts, name: str) -> Sequence[Any]:
    return counts.values[counts.columns.index(name)]


def _value(counts: Counts, name: str, code: int) -> Any:
    """Return what a code of a column stands for; None if it is missing."""
    values = _values(counts, name)
    return None if code == len(values) else values[code]


def _levels(counts: Counts, name: str) -> int:
    return len(_values(counts, name)) + 1


def _matched_part(counts: Counts, names: Names, members: slice | NDArray[Any]) -> _Part:
    """Return how many records each record matches, for the records of some combinations."""
    codes = [_column(counts, name)[members] for name in names]
    levels = [_levels(counts, name) for name in names]
    records = counts.sizes[members]
    groups = group_records(codes, levels)
    sizes = _summed(groups.ids, records)
    first = [column[groups.first] for column in codes]
    lacking = [
        bool((column == level - 1).any()) for column, level in zip(codes, levels, strict=True)
    ]
    if not any(lacking):
        profile, has_sets, totals_of = SizeProfile.of(sizes.astype(np.int64)), True, None
    else:
        missing = [level - 1 for level in levels]
        # sums of whole numbers below 2**53 are exact
        totals = matching(first, levels, missing, sizes).astype(np.int64)
        matched, indexes = np.unique(totals, return_inverse=True)
        profile = SizeProfile(matched, np.bincount(indexes, sizes).astype(np.int64))
        has_sets, totals_of = False, missing
    weights = None
    if counts.weights is not None:
        sums = _summed(groups.ids, counts.weights[members])
        least = sums if totals_of is None else matching(first, levels, totals_of, sums)
        weights = WeightTotals(float(sums.sum()), float(least.min()))
    return _Part(int(records.sum()), profile, has_sets, weights)


def _summed(ids: NDArray[Any], amounts: NDArray[Any]) -> NDArray[np.float64]:
    return np.asarray(np.bincount(ids, amounts), dtype=np.float64)
