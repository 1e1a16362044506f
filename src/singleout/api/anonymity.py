"""Anonymity sets of any data: read, count, measure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from singleout.core.choices import MissingPolicy, Role, choose
from singleout.core.counts import SizeProfile
from singleout.core.progress import track
from singleout.core.table import Table
from singleout.engines import local
from singleout.errors import BadChoice
from singleout.io.read import read
from singleout.measure.anonymity import AnonymitySets

__all__ = ["anonymity_sets"]


@overload
def anonymity_sets(
    data: Any,
    quasi_identifiers: Sequence[str] | str | None = None,
    by: Sequence[str] | str | None = None,
    missing: str | None = None,
    weight: str | None = None,
) -> AnonymitySets: ...
@overload
def anonymity_sets(
    data: Any,
    quasi_identifiers: Sequence[Sequence[str]],
    by: Sequence[str] | str | None = None,
    missing: str | None = None,
    weight: str | None = None,
) -> list[AnonymitySets]: ...
def anonymity_sets(
    data: Any,
    quasi_identifiers: Sequence[str] | Sequence[Sequence[str]] | str | None = None,
    by: Sequence[str] | str | None = None,
    missing: str | None = None,
    weight: str | None = None,
) -> AnonymitySets | list[AnonymitySets]:
    """Measure how many records share each combination of the quasi-identifiers.

    Parameters
    ----------
    data
        A path, a data frame or a `Table`.
    quasi_identifiers
        The columns to combine, or a list of such lists: then a list of results. If not given, the
        columns of the table that have this role.
    by
        A column, or several, to give the same measures for each group of records.
    missing
        What a missing value means: ``value`` (a value like another), ``wildcard`` (it matches
        everything) or ``drop`` (records with a missing quasi-identifier are left out, and
        counted). If not given, the policy of the table, ``value`` unless it says otherwise.
    weight
        The column of sampling weights. If not given, the column that has this role.

    Returns
    -------
    AnonymitySets or list of AnonymitySets
        One result for one quasi-identifier, a list for a list of them.

    Examples
    --------
    >>> import singleout as so
    >>> people = {"age": [30, 30, 41, 41, 41], "sex": ["f", "f", "m", "m", "f"]}
    >>> sets = so.anonymity_sets(people, ["age", "sex"])
    >>> sets.sets, sets.unique, sets.k
    (3, 1, 1)
    """
    groups = (by,) if isinstance(by, str) else tuple(by or ())
    wanted, several = _wanted(quasi_identifiers)
    table = _table(data, wanted, groups, weight)
    if quasi_identifiers is None:
        wanted = [table.quasi_identifiers]
    if not all(wanted):
        raise BadChoice(
            "No quasi-identifiers were given: name the columns that others could know about a "
            f"person. The table has: {list(table.columns)}."
        )
    personal = set(groups) & set(table.with_role(Role.DIRECT_IDENTIFIER))
    if personal:
        raise BadChoice(
            f"{sorted(personal)} identifies people directly, so results may not be given by it."
        )
    question = _Question(
        table,
        by=table.require(groups),
        missing=table.missing
        if missing is None
        else choose(MissingPolicy, missing, "missing-value policy"),
        weight=weight or table.weight,
    )
    answers = question.answers([tuple(dict.fromkeys(table.require(names))) for names in wanted])
    return answers if several else answers[0]


def _wanted(given: Any) -> tuple[list[tuple[str, ...]], bool]:
    """Return the quasi-identifiers asked for, and whether it was a list of them."""
    if given is None:
        return [()], False
    if isinstance(given, str):
        return [(given,)], False
    # a data frame may have numbers for names; as columns they are text
    members: list[Any] = [m if isinstance(m, str | Iterable) else str(m) for m in given]
    texts = [isinstance(member, str) for member in members]
    if all(texts):
        return [tuple(members)], False
    if any(texts):
        raise BadChoice(
            f"{members!r} mixes names and lists; give a list of column names, or a list of lists."
        )
    return [tuple(str(name) for name in names) for names in members], True


def _table(
    data: Any, wanted: list[tuple[str, ...]], by: tuple[str, ...], weight: str | None
) -> Table:
    """Read what is needed and no more: a file with a hundred columns may have three that count."""
    if isinstance(data, Table):
        return data
    if not all(wanted):
        return read(data)
    names = [*(name for names in wanted for name in names), *by, *([weight] if weight else [])]
    return read(data, columns=list(dict.fromkeys(names)))


@dataclass(frozen=True)
class _Question:
    """What to measure on a table, whatever the quasi-identifier."""

    table: Table
    by: tuple[str, ...]
    missing: MissingPolicy
    weight: str | None

    def answers(self, wanted: list[tuple[str, ...]]) -> list[AnonymitySets]:
        """Return the anonymity sets for each quasi-identifier."""
        plain = [names for names in wanted if not self._any_missing(names)]
        found = dict(zip(plain, local.profiles(self.table, plain), strict=True)) if plain else {}
        return [self._answer(names, found.get(names)) for names in wanted]

    def _any_missing(self, names: tuple[str, ...]) -> bool:
        """Whether the missing-value policy makes a difference."""
        if self.missing == MissingPolicy.VALUE:
            return False
        return not local.complete_records(self.table, names).all()

    def _answer(self, names: tuple[str, ...], found: SizeProfile | None) -> AnonymitySets:
        special = self.missing if found is None else MissingPolicy.VALUE
        per_record = partial(_sizes_of_records, self.table, names, special)
        profile = self._special_profile(names, per_record) if found is None else found
        dropped = self.table.rows - profile.records if special == MissingPolicy.DROP else 0
        weighted, total = None, None
        if self.weight is not None:
            amounts = local.weights(self.table, self.weight)
            weighted = partial(_sizes_of_records, self.table, names, special, amounts)
            kept = local.complete_records(self.table, names) if dropped else slice(None)
            total = float(amounts[kept].sum())
        return AnonymitySets(
            names,
            profile,
            missing=self.missing,
            has_sets=special != MissingPolicy.WILDCARD,
            dropped=dropped,
            by=self.by,
            groups=self._groups(names),
            group_labels=self._group_labels(),
            notes=(*self.table.notes, *_notes(self.table, names, dropped)),
            _per_record=per_record,
            weighted_total=total,
            _weighted=weighted,
        )

    def _special_profile(
        self, names: tuple[str, ...], per_record: Callable[[], NDArray[Any]]
    ) -> SizeProfile:
        """Return the profile where missing values are dropped or wildcards."""
        if self.missing == MissingPolicy.WILDCARD:
            return SizeProfile.of(per_record())
        kept = local.complete_records(self.table, names)
        if not kept.any():
            return SizeProfile.of(np.empty(0, dtype=np.int64))
        return local.profile(self.table.take(kept), names)

    def _groups(self, names: tuple[str, ...]) -> dict[Any, AnonymitySets]:
        """Return the same for the records of each group."""
        if not self.by:
            return {}
        groups = local.group(self.table, self.by)
        columns = [self.table[name] for name in self.by]
        needed = self.table.select(dict.fromkeys([*names, *filter(None, [self.weight])]))
        codes = [column.codes[groups.first] for column in columns]
        alike = np.argsort(groups.ids, kind="stable")
        ends = np.cumsum(groups.sizes)
        found: dict[Any, AnonymitySets] = {}
        for group in track(np.lexsort(codes[::-1]).tolist(), "Counting by group"):
            value = tuple(c.value(int(k[group])) for c, k in zip(columns, codes, strict=True))
            rows = alike[ends[group] - groups.sizes[group] : ends[group]]
            part = replace(self, table=needed.take(rows), by=())
            key = value if len(value) > 1 else value[0]
            # to Python 1, 1.0 and True are one key, though not one value
            found[repr(key) if key in found else key] = part.answers([names])[0]
        return found

    def _group_labels(self) -> dict[Any, str]:
        """Return what values of the grouping column mean in words."""
        return dict(self.table[self.by[0]].labels) if len(self.by) == 1 else {}


def _sizes_of_records(
    table: Table,
    names: tuple[str, ...],
    missing: MissingPolicy,
    amounts: NDArray[np.float64] | None = None,
) -> NDArray[Any]:
    """Return for each record how many share its combination, or the sum of their amounts."""
    if missing == MissingPolicy.WILDCARD:
        return local.match_totals(table, names, amounts)
    if missing == MissingPolicy.VALUE:
        return local.set_totals(table, names, amounts)
    kept = local.complete_records(table, names)
    totals = np.zeros(table.rows, dtype=np.int64 if amounts is None else np.float64)
    if kept.any():
        part = None if amounts is None else amounts[kept]
        totals[kept] = local.set_totals(table.take(kept), names, part)
    return totals


def _notes(table: Table, names: tuple[str, ...], dropped: int) -> list[str]:
    """Return what a reader should know about these answers."""
    notes = [
        f"Column {name!r} is missing in every record, so it tells nobody apart."
        for name in names
        if table[name].all_missing
    ]
    if table.rows == 1:
        notes.append("There is only one record, and it is unique whatever the columns.")
    if dropped:
        notes.append(
            f"{dropped:,} of {table.rows:,} records lack a quasi-identifier and were left out."
        )
    return notes
