"""The discrimination rate of any data: read, count values and pairs of values, measure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from singleout.api.selection import kept_records, left_out_note
from singleout.core.choices import MissingPolicy, Role, choose
from singleout.core.progress import working_on
from singleout.core.table import Table
from singleout.engines import local
from singleout.errors import BadChoice
from singleout.io.read import read
from singleout.measure.discrimination import DiscriminationRate, Variant, inference_within

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
    given = _given(data, quasi_identifiers, sensitive)
    names = _known(given, quasi_identifiers)
    wanted = _wanted(given, sensitive, names)
    policy = given.missing
    if missing is not None:
        policy = choose(MissingPolicy, missing, "missing-value policy")
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
        notes=(*given.notes, *_notes(given, table, wanted, inference.entropy)),
        _columns=[table[name] for name in names],
        _first=groups.first,
        _ids=groups.ids,
        _kept=None if kept.all() else kept,
    )


def _named(given: Any) -> list[str]:
    # a data frame may have numbers for names; as columns they are text
    return [given] if isinstance(given, str) else list(dict.fromkeys(map(str, given)))


def _given(data: Any, quasi_identifiers: Any, sensitive: str | None) -> Table:
    """Read what is needed and no more: a file with a hundred columns may have three that count."""
    if isinstance(data, Table):
        return data
    if quasi_identifiers is None or sensitive is None:
        return read(data)
    return read(data, columns=list(dict.fromkeys([*_named(quasi_identifiers), str(sensitive)])))


def _known(table: Table, quasi_identifiers: Any) -> tuple[str, ...]:
    named = table.quasi_identifiers if quasi_identifiers is None else _named(quasi_identifiers)
    names = table.require(named)
    if not names:
        raise BadChoice(
            "No quasi-identifiers were given: name the columns that others could know about a "
            f"person. The table has: {list(table.columns)}."
        )
    _refuse_personal(table, names)
    return names


def _wanted(table: Table, sensitive: str | None, names: tuple[str, ...]) -> str:
    if sensitive is None:
        found = table.with_role(Role.SENSITIVE)
        if len(found) != 1:
            has = f"has {list(found)}" if found else "has none"
            raise BadChoice(
                f"Name the sensitive column: of columns with this role the table {has}."
            )
        wanted = found[0]
    else:
        (wanted,) = table.require([str(sensitive)])
    if wanted in names:
        raise BadChoice(
            f"{wanted!r} is both a quasi-identifier and the sensitive column; who knows it has "
            "nothing left to guess, so choose another one."
        )
    _refuse_personal(table, [wanted])
    return wanted


def _refuse_personal(table: Table, names: Sequence[str]) -> None:
    """No result may hold the values of a direct identifier."""
    personal = sorted(set(names) & set(table.with_role(Role.DIRECT_IDENTIFIER)))
    if personal:
        raise BadChoice(
            f"{personal} identifies people directly, so rates may not be given by its values; "
            "leave it out."
        )


def _notes(given: Table, table: Table, sensitive: str, entropy: float) -> list[str]:
    notes = list(left_out_note(given, table))
    if entropy == 0:
        notes.append(
            f"Column {sensitive!r} has the same value in every record: there is nothing left to "
            "guess, so the rate is 1 by definition."
        )
    return notes
