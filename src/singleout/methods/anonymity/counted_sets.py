"""Anonymity sets of data that is counted where it is: from counts of counts, nothing is fetched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.choices import MissingPolicy
from singleout.core.counts import Counts, SizeProfile
from singleout.core.progress import working_on
from singleout.engines.counter import WeightTotals
from singleout.engines.group_keys import different_keys
from singleout.errors import UnusableColumn
from singleout.io.read import read
from singleout.kernels.grouping.group import group_records
from singleout.kernels.grouping.match import matching
from singleout.methods.anonymity.result import AnonymitySets

if TYPE_CHECKING:
    from singleout.engines.counter import Counter

__all__ = ["CountedSets", "notes_on"]

I64 = NDArray[np.int64]
Names = tuple[str, ...]
Key = tuple[Any, ...]

_WHOLE: Key = ()


@dataclass(frozen=True)
class _Part:
    """What was counted of all records, or of one group of them.

    Parameters
    ----------
    rows
        How many records there are, those dropped included.
    profile
        Counts of counts; of records where there are no sets.
    has_sets
        Whether records fall into sets.
    weights
        Sums of weights, if there are weights.
    """

    rows: int
    profile: SizeProfile
    has_sets: bool = True
    weights: WeightTotals | None = None


@dataclass(frozen=True)
class CountedSets:
    """What to measure on data that is elsewhere, whatever the quasi-identifier.

    Parameters
    ----------
    counter
        What counts.
    columns
        All columns that take part, those of ``by`` and the weight aside.
    by, missing, weight
        As in `anonymity_sets`.
    """

    counter: Counter
    columns: Names
    by: Names
    missing: MissingPolicy
    weight: str | None

    def answers(self, wanted: Sequence[Names]) -> list[AnonymitySets]:
        """Return the anonymity sets for each quasi-identifier."""
        working_on("Counting anonymity sets")
        wholes = self._wholes(wanted)
        return [
            self._answer(names, whole, self._groups(names))
            for names, whole in zip(wanted, wholes, strict=True)
        ]

    @cached_property
    def _lacking(self) -> dict[str, int]:
        """For each column how many records lack a value."""
        return self.counter.missing(self.columns)

    def _policy_for(self, names: Names) -> MissingPolicy:
        """Return what matters for some columns: nothing but ``value`` if none lacks a value."""
        lacking = any(self._lacking[name] for name in names)
        return self.missing if lacking else MissingPolicy.VALUE

    # ---- all records

    def _wholes(self, wanted: Sequence[Names]) -> list[_Part]:
        """Count all quasi-identifiers at once, so that passes over the data are shared."""
        found: dict[Names, _Part] = {}
        for policy in MissingPolicy:
            chosen = [names for names in wanted if self._policy_for(names) == policy]
            if not chosen:
                continue
            if policy == MissingPolicy.WILDCARD:
                found |= {names: self._matched(names, ())[_WHOLE] for names in chosen}
                continue
            drop = policy == MissingPolicy.DROP
            profiles = self.counter.profiles(chosen, drop=drop)
            for names, profile in zip(chosen, profiles, strict=True):
                weights = self._weights(names, (), drop=drop).get(_WHOLE)
                found[names] = _Part(self.counter.rows, profile, weights=weights)
        return [found[names] for names in wanted]

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
        keys = _in_order(self.by, list(parts))
        return {
            (key if len(key) > 1 else key[0]): self._answer(names, parts[key], {}) for key in keys
        }

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

        Ranks are enough, but for groups: they are told by their values, so all values are asked
        for, each combination once.
        """
        weight = [self.weight] if self.weight is not None else []
        needed = tuple(dict.fromkeys([*names, *by, *weight]))
        counts = self.counter.counts(needed) if by else self.counter.ranked_counts(needed)
        amounts = None if self.weight is None else self._amounts(counts, ranked=not by)
        if not by:
            return {_WHOLE: _matched_part(counts, names, slice(None), amounts)}
        groups = _grouped_by(counts, by)
        ends = np.cumsum(groups.sizes)
        alike = np.argsort(groups.ids, kind="stable")
        order = np.lexsort([_column(counts, name)[groups.first] for name in by[::-1]]).tolist()
        keys = different_keys(
            tuple(_value(counts, name, int(groups.first[group])) for name in by) for group in order
        )
        found = {}
        for key, group in zip(keys, order, strict=True):
            members = alike[ends[group] - groups.sizes[group] : ends[group]]
            found[key] = _matched_part(counts, names, members, amounts)
        return found

    def _amounts(self, counts: Counts, *, ranked: bool) -> NDArray[np.float64]:
        """Return the weight of one record of each combination."""
        assert self.weight is not None
        # checks that all are numbers, none missing and none negative
        self.counter.weight_totals(self.columns[:1], self.weight)
        if not ranked:
            book = np.array([float(value) for value in _values(counts, self.weight)])
            return np.asarray(book[_column(counts, self.weight)], dtype=np.float64)
        values = self.counter.counts((self.weight,)).values[0]
        if any(isinstance(value, str) for value in values):
            raise UnusableColumn(
                f"Column {self.weight!r} holds text, so it cannot be the weight where a missing "
                "value matches everything; give a column of numbers, or let missing be a value."
            )
        ranks = np.sort(np.array([float(value) for value in values]))
        return np.asarray(ranks[_column(counts, self.weight)], dtype=np.float64)

    # ---- the result

    def _answer(self, names: Names, part: _Part, groups: dict[Any, AnonymitySets]) -> AnonymitySets:
        policy = self._policy_for(names)
        dropped = part.rows - part.profile.records if policy == MissingPolicy.DROP else 0
        empty = {name for name in names if self._lacking[name] == self.counter.rows}
        by = self.by if groups else ()
        return AnonymitySets(
            names,
            part.profile,
            missing=self.missing,
            has_sets=part.has_sets,
            dropped=dropped,
            by=by,
            groups=groups,
            notes=(*self.counter.notes, *notes_on(names, empty, part.rows, dropped)),
            weighted_total=None if part.weights is None else part.weights.total,
            weighted_least=None if part.weights is None else part.weights.minimum,
        )


def notes_on(names: Names, empty: set[str], rows: int, dropped: int) -> list[str]:
    """Return what a reader should know about anonymity sets.

    Parameters
    ----------
    names, empty
        The columns that were combined, and those that no record has a value in.
    rows, dropped
        How many records there are, and how many of them were left out.
    """
    notes = [
        f"Column {name!r} is missing in every record, so it tells nobody apart."
        for name in names
        if name in empty
    ]
    if rows == 1:
        notes.append("There is only one record, and it is unique whatever the columns.")
    if dropped:
        notes.append(f"{dropped:,} of {rows:,} records lack a quasi-identifier and were left out.")
    return notes


def _in_order(by: Names, keys: list[Key]) -> list[Key]:
    """Return groups in the order in which a table in memory has them, whatever the engine's."""
    if len(keys) < 2:
        return keys
    values = read({name: [key[place] for key in keys] for place, name in enumerate(by)})
    return [keys[place] for place in np.lexsort([c.codes for c in values][::-1]).tolist()]


# ---- matching


def _column(counts: Counts, name: str) -> NDArray[Any]:
    return counts.codes[counts.columns.index(name)]


def _values(counts: Counts, name: str) -> Sequence[Any]:
    return counts.values[counts.columns.index(name)]


def _value(counts: Counts, name: str, place: int) -> Any:
    """Return the value of a combination in one column; None if it is missing."""
    values, code = _values(counts, name), int(_column(counts, name)[place])
    return None if code == len(values) else values[code]


def _levels(counts: Counts, name: str) -> int:
    return len(_values(counts, name)) + 1


def _grouped_by(counts: Counts, names: Names) -> Any:
    return group_records([_column(counts, n) for n in names], [_levels(counts, n) for n in names])


def _matched_part(
    counts: Counts,
    names: Names,
    members: slice | NDArray[Any],
    amounts: NDArray[np.float64] | None,
) -> _Part:
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
        found, places = np.unique(totals, return_inverse=True)
        profile = SizeProfile(found, np.bincount(places, sizes).astype(np.int64))
        has_sets, totals_of = False, missing
    weights = None
    if amounts is not None:
        held = _summed(groups.ids, amounts[members] * records)
        least = held if totals_of is None else matching(first, levels, totals_of, held)
        weights = WeightTotals(float(held.sum()), float(least.min()))
    return _Part(int(records.sum()), profile, has_sets, weights)


def _summed(ids: NDArray[Any], amounts: NDArray[Any]) -> NDArray[np.float64]:
    return np.asarray(np.bincount(ids, amounts), dtype=np.float64)
