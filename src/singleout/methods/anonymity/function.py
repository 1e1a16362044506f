"""`so.anonymity_sets`: the anonymity sets of any data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, overload

from singleout.core.arguments import whole
from singleout.core.choices import MissingPolicy, Role, choose
from singleout.core.frame_kinds import framed
from singleout.engines.counter import with_role
from singleout.engines.open import open_data
from singleout.errors import BadChoice
from singleout.io.names import pick
from singleout.methods.anonymity.people import sets_of_people
from singleout.methods.anonymity.question import SetQuestion
from singleout.methods.anonymity.result import AnonymitySets
from singleout.methods.selection import only_with_role, refuse_personal, require_known

__all__ = ["anonymity_sets"]


@overload
def anonymity_sets(
    data: Any,
    quasi_identifiers: Sequence[str] | str | None = None,
    by: Sequence[str] | str | None = None,
    missing: str | None = None,
    weight: str | None = None,
    *,
    cells: int | None = None,
    sort: str | None = None,
    unit: str | None = None,
    engine: Any = None,
    where: Any = None,
    count: str | None = None,
) -> AnonymitySets: ...
@overload
def anonymity_sets(
    data: Any,
    quasi_identifiers: Sequence[Sequence[str]],
    by: Sequence[str] | str | None = None,
    missing: str | None = None,
    weight: str | None = None,
    *,
    cells: int | None = None,
    sort: str | None = None,
    unit: str | None = None,
    engine: Any = None,
    where: Any = None,
    count: str | None = None,
) -> list[AnonymitySets]: ...
@framed
def anonymity_sets(
    data: Any,
    quasi_identifiers: Sequence[str] | Sequence[Sequence[str]] | str | None = None,
    by: Sequence[str] | str | None = None,
    missing: str | None = None,
    weight: str | None = None,
    *,
    cells: int | None = None,
    sort: str | None = None,
    unit: str | None = None,
    engine: Any = None,
    where: Any = None,
    count: str | None = None,
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
    cells
        How many combinations are possible, in every group alike: the Kullback-Leibler distance and
        the degree of anonymity are then over so many; over those observed if not given.
    sort
        The order of the groups, the largest number first: ``records``, ``sets``, ``minimum``,
        ``median``, ``mean``, ``maximum``, ``unique``, ``unique-share`` or ``distance``. By the
        values of ``by`` if not given.
    unit
        The column that says which records are of one person, for a table of visits or events: then
        people are counted, and a person is found by the rarest combination among their records.
    engine
        What counts: ``local``, ``database``, ``spark``, a `Database` or a `Spark`; chosen by the
        data if not given. Data that is elsewhere is counted there: nothing but counts comes back,
        and the values of ``by``.
    where
        The condition that records must meet, as text: ``"age >= 18 and region = 'north'"``.
    count
        The column that says how many records a row stands for, in a table of counts; if not given,
        each row is one record.

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
    groups = (by,) if isinstance(by, str) else tuple(by or ())
    policy = None if missing is None else choose(MissingPolicy, missing, "missing-value policy")
    named = [*(name for names in wanted for name in names), *groups]
    named += filter(None, [weight, unit])
    if unit is not None:
        _refuse_beside_unit(by=by, weight=weight, cells=cells, sort=sort, count=count)
    needed = named if all(wanted) else None
    with open_data(data, engine, where, needed, count=count) as counter:
        sets = [with_role(counter, Role.QUASI_IDENTIFIER)] if quasi_identifiers is None else wanted
        for names in sets:
            require_known(names, counter.columns)
        if named:
            pick(named, counter.columns)
        refuse_personal(counter, groups)
        if unit is not None:
            policy = policy or counter.policy
            people = [
                sets_of_people(counter, tuple(dict.fromkeys(names)), unit, policy) for names in sets
            ]
            return people if several else people[0]
        question = SetQuestion(
            counter,
            tuple(dict.fromkeys(name for names in sets for name in names)),
            by=tuple(dict.fromkeys(groups)),
            missing=policy or counter.policy,
            weight=weight or only_with_role(counter, Role.WEIGHT),
            cells=None if cells is None else whole(cells, "cells", of="combinations"),
        )
        answers = question.answers([tuple(dict.fromkeys(names)) for names in sets])
    if cells is not None:
        for answer in answers:
            answer.require_cells()
    if sort is not None:
        answers = [answer.sorted_by(sort) for answer in answers]
    return answers if several else answers[0]


def _refuse_beside_unit(**options: Any) -> None:
    given = [name for name, value in options.items() if value]
    if given:
        raise BadChoice(
            f"unit counts people and cannot go with {given[0]}; leave one of them out, or take "
            "one group at a time with where."
        )


def _wanted(asked: Any) -> tuple[list[tuple[str, ...]], bool]:
    """Return the quasi-identifiers asked for, and whether it was a list of them."""
    if asked is None:
        return [()], False
    if isinstance(asked, str):
        return [(asked,)], False
    # a data frame may have numbers for names; as columns they are text
    members: list[Any] = [m if isinstance(m, str | Iterable) else str(m) for m in asked]
    texts = [isinstance(member, str) for member in members]
    if all(texts):
        return [tuple(members)], False
    if any(texts):
        raise BadChoice(
            f"{members!r} mixes names and lists; give a list of column names, or a list of lists."
        )
    return [tuple(str(name) for name in names) for names in members], True
