"""Which original values each published value stands for, read from labels, trees and the rows.

Where both tables have the same records in the same order, the rows show what a label that cannot
be read stands for. Whether they have is checked: rows that contradict what can be read, by another
value or by an interval beside it, say that the order or the values were changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from singleout.core.arrays import I64, Flags
from singleout.core.table import Column, Table
from singleout.kernels.covered.count import Compatible
from singleout.treatment.covered.labels import Values
from singleout.treatment.hierarchies.hierarchy import Hierarchy, spelling
from singleout.treatment.published import Pairs, all_values, blank_codes, observed_pairs

__all__ = ["ColumnMatch", "match_columns", "matches_as_flat"]

_CONTRADICTED = 0.2  # from this share of the records on, the rows are not the same ones


@dataclass(frozen=True, eq=False)
class ColumnMatch:
    """What the published values of one column stand for.

    Parameters
    ----------
    name
        The column.
    blank
        For each published code, whether it stands for every value.
    members
        For each published code the original codes that it stands for; None if nothing is known.
    levels
        How many original codes there are.
    own
        For each original code the published code of the same spelling; -1 for none.
    """

    name: str
    blank: Flags = field(repr=False)
    members: tuple[I64 | None, ...] = field(repr=False)
    levels: int
    own: I64 = field(repr=False)

    @property
    def unknown(self) -> I64:
        """The published codes that stand for nothing that is known."""
        codes = [
            code
            for code, members in enumerate(self.members)
            if not self.blank[code] and (members is None or not len(members))
        ]
        return np.array(codes, dtype=np.int64)


def match_columns(
    original: Table,
    treated: Table,
    columns: Sequence[str],
    hierarchies: Mapping[str, Hierarchy] | None = None,
) -> tuple[tuple[ColumnMatch, ...], bool]:
    """Return what published values stand for in each column, and whether the rows are the same."""
    read = [_read(original[name], treated[name], (hierarchies or {}).get(name)) for name in columns]
    if original.rows != treated.rows:
        return tuple(read), False
    contradicted = np.zeros(original.rows, dtype=np.bool_)
    seen = []
    for match in read:
        before, after = original[match.name], treated[match.name]
        pairs = observed_pairs(after.codes, before.codes, before.levels)
        fits = _fits(match, pairs)
        contradicted |= _records_of(pairs, ~fits, before, after)
        seen.append(_with_observed(match, pairs, fits, before, after))
    aligned = bool(contradicted.mean() <= _CONTRADICTED)
    return tuple(seen if aligned else read), aligned


def matches_as_flat(matches: Sequence[ColumnMatch]) -> Compatible:
    """Return the columns one after the other, as flat arrays."""
    begins = np.cumsum([0, *(match.levels for match in matches)])
    none = np.empty(0, dtype=np.int64)
    members = [
        (none if codes is None or match.blank[code] else codes) + begin
        for match, begin in zip(matches, begins, strict=False)
        for code, codes in enumerate(match.members)
    ]
    starts = np.cumsum([0, *map(len, members)])
    return Compatible(
        np.concatenate([match.blank for match in matches]),
        starts.astype(np.int64),
        np.concatenate([none, *members]).astype(np.int32),
        begins.astype(np.int64),
    )


def _read(before: Column, after: Column, hierarchy: Hierarchy | None) -> ColumnMatch:
    """Return what labels stand for by the tree or, where it has none, by their spelling."""
    values = Values(all_values(before))
    tree = {} if hierarchy is None else _under_labels(hierarchy, values)
    labels = [spelling(label) for label in all_values(after)]
    members = [values.under(label) if label not in tree else tree[label] for label in labels]
    code_of = {label: code for code, label in enumerate(labels)}
    own = np.array([code_of.get(text, -1) for text in values.texts], dtype=np.int64)
    return ColumnMatch(before.name, blank_codes(after), tuple(members), before.levels, own)


def _under_labels(hierarchy: Hierarchy, values: Values) -> dict[str, I64]:
    """Return for each label of a tree, on any level, the original codes below it."""
    below: dict[str, set[int]] = {}
    for row in hierarchy.rows:
        code = values.code_of.get(spelling(row[0]))
        if code is not None:
            for label in row:
                below.setdefault(spelling(label), set()).add(code)
    return {label: np.array(sorted(codes), dtype=np.int64) for label, codes in below.items()}


def _fits(match: ColumnMatch, pairs: Pairs) -> Flags:
    """Return which observed pairs agree with what is read, or say what cannot be read.

    A value that is nowhere published as itself was merged into another, whatever that is called.
    """
    own, labels = match.own, len(match.members)
    exact = np.zeros(labels, dtype=np.bool_)
    exact[own[own >= 0]] = True
    is_own = own[pairs.original] == pairs.published
    itself = np.zeros(match.levels, dtype=np.bool_)
    itself[pairs.original[is_own]] = True
    fits: Flags = is_own | (exact[pairs.published] & ~itself[pairs.original])
    edges = np.searchsorted(pairs.published, np.arange(labels + 1))
    for code in np.unique(pairs.published[~fits]).tolist():
        here = slice(edges[code], edges[code + 1])
        members = match.members[code]
        if match.blank[code] or members is None:
            fits[here] = True
        else:
            fits[here] |= np.isin(pairs.original[here], members)
    return fits


def _records_of(pairs: Pairs, wanted: Flags, before: Column, after: Column) -> Flags:
    """Return which records have one of the wanted pairs."""
    if not wanted.any():
        return np.zeros(len(before), dtype=np.bool_)
    keys = pairs.published * before.levels + pairs.original
    of_record = after.codes.astype(np.int64) * before.levels + before.codes
    return np.asarray(wanted[np.searchsorted(keys, of_record)])


def _with_observed(
    match: ColumnMatch, pairs: Pairs, fits: Flags, before: Column, after: Column
) -> ColumnMatch:
    """Return the match with what the rows show besides."""
    edges = np.searchsorted(pairs.published, np.arange(after.levels + 1))
    blank, members = match.blank.copy(), list(match.members)
    changed = match.own[pairs.original] != pairs.published
    codes = np.union1d(np.flatnonzero(blank), pairs.published[changed])
    for code in codes.tolist():
        here = slice(edges[code], edges[code + 1])
        shown, known = pairs.original[here][fits[here]], members[code]
        if blank[code]:
            # a missing value that stayed missing is a value like another
            same = [spelling(before.value(int(v))) == spelling(after.value(code)) for v in shown]
            blank[code] = not (same and all(same))
        if known is None or match.blank[code]:
            members[code] = shown
        else:
            members[code] = np.union1d(known, shown)
    return replace(match, blank=blank, members=tuple(members))
