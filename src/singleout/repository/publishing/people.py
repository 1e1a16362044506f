"""The records that a declared population is about: its terms as a condition on the data's columns.

Terms on columns of the data select records. All other terms are declarations about all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from singleout.errors import BadChoice
from singleout.repository.documents.population import DeclaredPopulation
from singleout.where.condition import Condition
from singleout.where.tree import (
    AllOf,
    AnyOf,
    Compare,
    Membership,
    Missing,
    Not,
    NumberLiteral,
    Part,
    TextLiteral,
    TruthLiteral,
    Value,
)

__all__ = ["condition_on", "with_all_values"]

_ENDS = {"from": ">=", "above": ">", "to": "<=", "below": "<"}


def condition_on(
    population: DeclaredPopulation, available: Sequence[str], columns: Mapping[str, str]
) -> Condition | None:
    """Return the condition that the terms on columns of the data make; None if there are none.

    Parameters
    ----------
    population
        Whom a record is about.
    available
        The columns of the data.
    columns
        What attributes are called in the data, where that is another name.
    """
    parts = []
    for name, term in population.to_dict().items():
        column = columns.get(name, name)
        if column in available:
            parts.append(_part(column, term))
        else:
            _refuse_other_case(column, available)
    return None if not parts else Condition(_joined(AllOf, parts))


def with_all_values(columns: Iterable[str]) -> Condition:
    """Return the condition that no column lacks a value."""
    return Condition(_joined(AllOf, [Not(Missing(column)) for column in columns]))


def _refuse_other_case(name: str, available: Sequence[str]) -> None:
    """Refuse what looks like a column: taken as a declaration it would select nobody."""
    alike = [column for column in available if column.casefold() == name.casefold()]
    if alike:
        raise BadChoice(
            f"The population has a term on {name!r}, and the data has {alike[0]!r}; write it as "
            "the data does."
        )


def _part(column: str, term: Any) -> Part:
    if isinstance(term, Mapping) and "not_in" in term:
        inside = _any_of(column, term["not_in"])
        return AnyOf((Not(inside), Missing(column)))
    if isinstance(term, Mapping) and "in" in term:
        return _any_of(column, term["in"])
    return _any_of(column, [term])


def _any_of(column: str, items: Iterable[Any]) -> Part:
    values, parts = [], []
    for item in items:
        if isinstance(item, Mapping):
            ends = [Compare(column, _ENDS[end], _literal(value)) for end, value in item.items()]
            parts.append(_joined(AllOf, ends))
        else:
            values.append(_literal(item))
    if values:
        parts.append(Membership(column, tuple(values)))
    return _joined(AnyOf, parts)


def _literal(value: Any) -> Value:
    if isinstance(value, bool):
        return TruthLiteral(value)
    if isinstance(value, str):
        return TextLiteral(value)
    return NumberLiteral(value if isinstance(value, int) else Decimal(repr(value)))


def _joined(kind: type[AllOf | AnyOf], parts: Sequence[Part]) -> Part:
    """Return the parts joined; what is joined in the same way already is taken apart."""
    flat = [inner for part in parts for inner in (part.parts if type(part) is kind else (part,))]
    return flat[0] if len(flat) == 1 else kind(tuple(flat))
