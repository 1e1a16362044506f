"""Anonymity sets of any data: read, count, measure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from singleout.core.choices import MissingPolicy, Role, choose
from singleout.core.counts import SizeProfile
from singleout.core.progress import track
from singleout.core.table import Table
from singleout.engines.group_keys import different_keys
from singleout.engines.local import counting as local
from singleout.engines.open import opened
from singleout.engines.reading import read, require_records
from singleout.errors import BadChoice
from singleout.io.names import pick
from singleout.methods.anonymity.counted_sets import CountedSets, notes_on
from singleout.methods.anonymity.result import AnonymitySets

if TYPE_CHECKING:
    from singleout.engines.counter import Counter

__all__ = ["anonymity_sets"]


@overload
def anonymity_sets(
    data: Any,
    quasi_identifiers: Sequence[str] | str | None = None,
    by: Sequence[str] | str | None = None,
    missing: str | None = None,
    weight: str | None = None,
    *,
    engine: Any = None,
    where: Any = None,
) -> AnonymitySets: ...
@overload
def anonymity_sets(
    data: Any,
    quasi_identifiers: Sequence[Sequence[str]],
    by: Sequence[str] | str | None = None,
    missing: str | None = None,
    weight: str | None = None,
    *,
    engine: Any = None,
    where: Any = None,
) -> list[AnonymitySets]: ...
def anonymity_sets(
    data: Any,
    quasi_identifiers: Sequence[str] | Sequence[Sequence[str]] | str | None = None,
    by: Sequence[str] | str | None = None,
    missing: str | None = None,
    weight: str | None = None,
    *,
    engine: Any = None,
    where: Any = None,
) -> AnonymitySets | list[AnonymitySets]:
    """Measure how many records share each combination of the quasi-identifiers.

    Parameters
    ----------
    data
        A path, a data frame or a `Table`; or data that is elsewhere, see `read`.
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
    engine
        What counts: ``local``, ``database``, ``spark``, a `Database` or a `Spark`; chosen by the
        data if not given. Data that is elsewhere is counted there: nothing but counts comes back,
        and the values of ``by``.
    where
        The condition that records must meet, as text: ``"age >= 18 and region = 'north'"``.

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
    wanted, several = _wanted(quasi_identifiers)
    asked = _Asked(
        wanted,
        by_role=quasi_identifiers is None,
        by=(by,) if isinstance(by, str) else tuple(by or ()),
        missing=None if missing is None else choose(MissingPolicy, missing, "missing-value policy"),
        weight=weight,
    )
    with opened(data, engine, where) as counter:
        if counter is None:
            answers = _answers_here(_table(data, asked, engine=engine, where=where), asked)
        else:
            require_records(counter, where)
            answers = _answers_elsewhere(counter, asked)
    return answers if several else answers[0]


@dataclass(frozen=True)
class _Asked:
    """What was asked, before it is known which columns there are."""

    wanted: list[tuple[str, ...]]
    by_role: bool
    by: tuple[str, ...]
    missing: MissingPolicy | None
    weight: str | None

    @property
    def names(self) -> list[str]:
        """All columns that are named."""
        named = [*(name for names in self.wanted for name in names), *self.by]
        return list(dict.fromkeys([*named, *([self.weight] if self.weight else [])]))


def _answers_here(table: Table, asked: _Asked) -> list[AnonymitySets]:
    wanted = [table.quasi_identifiers] if asked.by_role else asked.wanted
    _require_names(wanted, table.columns)
    personal = set(asked.by) & set(table.with_role(Role.DIRECT_IDENTIFIER))
    if personal:
        raise BadChoice(
            f"{sorted(personal)} identifies people directly, so results may not be given by it."
        )
    question = _Question(
        table,
        by=table.require(asked.by),
        missing=asked.missing or table.missing,
        weight=asked.weight or table.weight,
    )
    return question.answers([tuple(dict.fromkeys(table.require(names))) for names in wanted])


def _answers_elsewhere(counter: Counter, asked: _Asked) -> list[AnonymitySets]:
    _require_names(asked.wanted, counter.columns)
    pick(asked.names, counter.columns)
    question = CountedSets(
        counter,
        tuple(dict.fromkeys(name for names in asked.wanted for name in names)),
        by=tuple(dict.fromkeys(asked.by)),
        missing=asked.missing or MissingPolicy.VALUE,
        weight=asked.weight,
    )
    return question.answers([tuple(dict.fromkeys(names)) for names in asked.wanted])


def _require_names(wanted: list[tuple[str, ...]], columns: Sequence[str]) -> None:
    if not all(wanted):
        raise BadChoice(
            "No quasi-identifiers were given: name the columns that others could know about a "
            f"person. The table has: {list(columns)}."
        )


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


def _table(data: Any, asked: _Asked, **choices: Any) -> Table:
    """Read what is needed and no more: a file with a hundred columns may have three that count."""
    if isinstance(data, Table) or not all(asked.wanted):
        return read(data, **choices)
    return read(data, asked.names, **choices)


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
            with np.errstate(over="ignore"):  # what is too large is refused with the answer
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
        order = np.lexsort(codes[::-1]).tolist()
        keys = different_keys(
            tuple(c.value(int(k[group])) for c, k in zip(columns, codes, strict=True))
            for group in order
        )
        found: dict[Any, AnonymitySets] = {}
        for place, group in enumerate(track(order, "Counting by group")):
            rows = alike[ends[group] - groups.sizes[group] : ends[group]]
            part = replace(self, table=needed.take(rows), by=())
            key = keys[place] if len(self.by) > 1 else keys[place][0]
            found[key] = part.answers([names])[0]
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
    empty = {name for name in names if table[name].all_missing}
    return notes_on(names, empty, table.rows, dropped)
