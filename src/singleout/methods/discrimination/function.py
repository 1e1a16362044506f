"""The discrimination rate of any data: read, count values and pairs of values, measure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.choices import MissingPolicy, Role, choose
from singleout.core.progress import working_on
from singleout.core.table import Column, Table, smallest_codes
from singleout.engines.local import counting as local
from singleout.engines.open import opened
from singleout.engines.reading import read, require_records
from singleout.errors import BadChoice
from singleout.io.names import pick
from singleout.methods.discrimination.result import (
    Combinations,
    DiscriminationRate,
    Variant,
    inference_of,
    inference_within,
)
from singleout.methods.selection import kept_records, kept_rows, left_out_note

if TYPE_CHECKING:
    from singleout.core.counts import Counts
    from singleout.engines.counter import Counter

__all__ = ["discrimination_rate"]

_NO_GROUPS = (
    "there is no discrimination rate; let missing be a value (value) or leave such records out "
    "(drop)."
)


def discrimination_rate(
    data: Any,
    quasi_identifiers: Sequence[str] | str | None = None,
    sensitive: str | None = None,
    variant: str = "paper",
    missing: str | None = None,
    *,
    engine: Any = None,
    where: Any = None,
) -> DiscriminationRate:
    """Measure how far some columns tell the value of a sensitive one.

    The discrimination rate of Sondeck and Laurent is 1 where knowing the quasi-identifiers is
    enough to know the sensitive value. Where it helps nobody to guess, the mutual information and
    the rate of the worst value are 0; the paper's own reading is then 1 - 1/c for c different
    combinations of values, so that only tables with as many of them can be compared by it.

    Parameters
    ----------
    data
        A path, a data frame or a `Table`.
    quasi_identifiers
        The columns that an attacker knows, taken together. If not given, the columns of the table
        that have this role.
    sensitive
        The column that they want to know. If not given, the one that has this role.
    variant
        ``paper``: the mean of 1 - p(y) H(X|y) / H(X) over the values y; ``mutual-information``:
        1 - H(X|Y) / H(X); ``worst-value``: the largest 1 - H(X|y) / H(X).
    missing
        What a missing value means: ``value`` (a value like another) or ``drop`` (records with a
        missing value are left out, and counted). If not given, the policy of the table, ``value``
        unless it says otherwise.
    engine
        What counts: ``local``, ``database``, ``spark``, a `Database` or a `Spark`; chosen by the
        data if not given. Data that is elsewhere is counted there, and only counts come back.
    where
        The condition that records must meet, as text: ``"age >= 18 and region = 'north'"``.

    Returns
    -------
    DiscriminationRate
        The rate, its level from 1 to 4, and the rates of values and of records.

    Examples
    --------
    >>> import singleout as so
    >>> people = {"age": ["2*", "2*", "3*", "3*"], "disease": ["flu", "flu", "flu", "cancer"]}
    >>> found = so.discrimination_rate(people, "age", "disease")
    >>> round(found.rate, 3), found.level
    (0.692, 3)
    >>> found.values["age"].to_list()  # worst first
    ['2*', '3*']
    """
    chosen = choose(Variant, variant, "variant of the discrimination rate")
    with opened(data, engine, where) as counter:
        if counter is not None:
            question = _Elsewhere(data, engine, where)
            return question.answer(counter, quasi_identifiers, sensitive, chosen, missing)
    given = _given(data, quasi_identifiers, sensitive, engine, where)
    names = _known(given, quasi_identifiers)
    wanted = _wanted(given, sensitive, names)
    policy = _policy(missing, given.missing)
    table = given.select((*names, wanted))
    kept = kept_records(table, table.columns, policy, purpose="count", wildcards=_NO_GROUPS)
    if not kept.all():
        table = table.take(kept)
    working_on("Counting values and pairs of values")
    groups = local.group(table, names)
    target = table[wanted]
    inference = inference_within(groups, target.codes, target.levels)
    return DiscriminationRate(
        names,
        wanted,
        inference,
        variant=chosen,
        missing=policy,
        dropped=given.rows - table.rows,
        notes=(*given.notes, *_notes(given.rows, table.rows, wanted, inference.entropy)),
        _combinations=lambda: Combinations(
            [table[name].take(groups.first) for name in names], inference
        ),
        _ids=groups.ids,
        _kept=None if kept.all() else kept,
    )


def _policy(missing: str | None, own: MissingPolicy) -> MissingPolicy:
    return own if missing is None else choose(MissingPolicy, missing, "missing-value policy")


def _named(given: Any) -> list[str]:
    # a data frame may have numbers for names; as columns they are text
    return [given] if isinstance(given, str) else list(dict.fromkeys(map(str, given)))


def _given(
    data: Any, quasi_identifiers: Any, sensitive: str | None, engine: Any, where: Any
) -> Table:
    """Read what is needed and no more: a file with a hundred columns may have three that count."""
    if isinstance(data, Table) or quasi_identifiers is None or sensitive is None:
        return read(data, engine=engine, where=where)
    names = list(dict.fromkeys([*_named(quasi_identifiers), str(sensitive)]))
    return read(data, names, engine=engine, where=where)


def _known(table: Table, quasi_identifiers: Any) -> tuple[str, ...]:
    named = table.quasi_identifiers if quasi_identifiers is None else _named(quasi_identifiers)
    names = table.require(named)
    if not names:
        raise _none_given(table.columns)
    _refuse_personal(table, names)
    return names


def _none_given(columns: Sequence[str]) -> BadChoice:
    return BadChoice(
        "No quasi-identifiers were given: name the columns that others could know about a "
        f"person. The table has: {list(columns)}."
    )


def _wanted(table: Table, sensitive: str | None, names: tuple[str, ...]) -> str:
    if sensitive is None:
        found = table.with_role(Role.SENSITIVE)
        if len(found) != 1:
            raise _not_one_sensitive(found)
        wanted = found[0]
    else:
        (wanted,) = table.require([str(sensitive)])
    _refuse_known(wanted, names)
    _refuse_personal(table, [wanted])
    return wanted


def _not_one_sensitive(found: Sequence[str]) -> BadChoice:
    has = f"has {list(found)}" if found else "has none"
    return BadChoice(f"Name the sensitive column: of columns with this role the table {has}.")


def _refuse_known(sensitive: str, names: Sequence[str]) -> None:
    if sensitive in names:
        raise BadChoice(
            f"{sensitive!r} is both a quasi-identifier and the sensitive column; who knows it has "
            "nothing left to guess, so choose another one."
        )


def _refuse_personal(table: Table, names: Sequence[str]) -> None:
    """No result may hold the values of a direct identifier."""
    personal = sorted(set(names) & set(table.with_role(Role.DIRECT_IDENTIFIER)))
    if personal:
        raise BadChoice(
            f"{personal} identifies people directly, so rates may not be given by its values; "
            "leave it out."
        )


def _notes(rows: int, kept: int, sensitive: str, entropy: float) -> list[str]:
    notes = list(left_out_note(rows, kept))
    if entropy == 0:
        notes.append(
            f"Column {sensitive!r} has the same value in every record: there is nothing left to "
            "guess, so the rate is 1 by definition."
        )
    return notes


# ---- data that is counted where it is


class _Elsewhere:
    """Data that is elsewhere: counted now, and asked for the values when they are looked at."""

    def __init__(self, data: Any, engine: Any, where: Any) -> None:
        self._data = data
        self._engine = engine
        self._where = where

    def answer(
        self,
        counter: Counter,
        quasi_identifiers: Any,
        sensitive: str | None,
        variant: Variant,
        missing: str | None,
    ) -> DiscriminationRate:
        """Return the rate from counts of values and pairs of values."""
        names = tuple(_named(quasi_identifiers or ()))
        if not names:
            raise _none_given(counter.columns)
        if sensitive is None:
            raise _not_one_sensitive(())
        wanted = str(sensitive)
        pick([*names, wanted], counter.columns)
        _refuse_known(wanted, names)
        require_records(counter, self._where)
        policy = _policy(missing, MissingPolicy.VALUE)
        kept = kept_rows(counter, (*names, wanted), policy, purpose="count", wildcards=_NO_GROUPS)
        drop = kept < counter.rows
        working_on("Counting values and pairs of values")
        found = counter.joint_counts(names, wanted, drop=drop)
        inference = inference_of(found.sizes, found.joint_sizes, found.parents, found.of_sensitive)
        return DiscriminationRate(
            names,
            wanted,
            inference,
            variant=variant,
            missing=policy,
            dropped=counter.rows - kept,
            notes=(*counter.notes, *_notes(counter.rows, kept, wanted, inference.entropy)),
            _combinations=lambda: self._combinations(names, wanted, drop=drop),
        )

    def _combinations(self, names: tuple[str, ...], sensitive: str, *, drop: bool) -> Combinations:
        with opened(self._data, self._engine, self._where) as counter:
            assert counter is not None  # it was there when it was counted
            counts = counter.counts((*names, sensitive))
        table, sizes = _counted_table(counts)
        if drop:
            kept = local.complete_records(table, table.columns)
            table, sizes = table.take(kept), sizes[kept]
        groups = local.group(table, names)
        target = table[sensitive]
        inference = inference_of(
            # sums of whole numbers below 2**53 are exact
            np.bincount(groups.ids, sizes).astype(np.int64),
            sizes,
            groups.ids,
            np.bincount(target.codes, sizes).astype(np.int64),
        )
        return Combinations([table[name].take(groups.first) for name in names], inference)


def _counted_table(counts: Counts) -> tuple[Table, Any]:
    """Return distinct combinations as the records of a table, and how often each occurs."""
    columns = []
    for name, values, codes in zip(counts.columns, counts.values, counts.codes, strict=True):
        has_missing = bool((codes == len(values)).any())
        fitting = smallest_codes(codes, len(values) + 1)
        columns.append(Column(name, fitting, values, has_missing))
    return Table(columns, source="counts"), counts.sizes
