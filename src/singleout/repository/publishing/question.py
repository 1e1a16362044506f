"""What is to be published: quasi-identifiers and populations, one or several of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from pydantic import Field, field_validator

from singleout.errors import BadChoice
from singleout.io.yaml.file import Origin, checked, plain, read_yaml
from singleout.repository.documents.fields import DocumentModel
from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.record import CodedAttribute

__all__ = ["Attributes", "Question", "batch_of", "populations_of", "quasi_identifiers_of"]

Attributes = tuple[CodedAttribute, ...]
Question = tuple[DeclaredPopulation, list[Attributes]]  # a population, and what of it
_MOST = 10_000  # records of a batch


class _Wanted(DocumentModel):
    """An entry of a file of a batch."""

    quasi_identifier: Any
    population: Any = None


class _BatchFile(DocumentModel):
    """A file of a batch."""

    records: tuple[_Wanted, ...] = Field(max_length=_MOST)

    @field_validator("records")
    @classmethod
    def _some(cls, given: tuple[_Wanted, ...]) -> tuple[_Wanted, ...]:
        if not given:
            raise ValueError("the list of records is empty; name at least one.")
        return given


def batch_of(given: str | Path | Mapping[str, Any] | Sequence[Any]) -> list[Question]:
    """Return the quasi-identifiers that are wanted of each population, from a file or plain values.

    A file is YAML or JSON, with a list ``records`` of entries, each a ``quasi_identifier`` and a
    ``population``; everybody if it has none.
    """
    if isinstance(given, str | Path):
        values, origin = read_yaml(given, "batch")
    else:
        origin = Origin("batch")
        values = plain(given if isinstance(given, Mapping) else {"records": given}, origin)
    found: dict[DeclaredPopulation, list[Attributes]] = {}
    for one in checked(_BatchFile, values, origin).records:
        people = DeclaredPopulation.of(one.population)
        found.setdefault(people, []).extend(quasi_identifiers_of(one.quasi_identifier)[0])
    return [(people, _different(identifiers)) for people, identifiers in found.items()]


def quasi_identifiers_of(given: Any) -> tuple[list[Attributes], bool]:
    """Return the quasi-identifiers, and whether they are a batch.

    One is a list of attributes (``"age"``, ``"age:width=5"``) or a mapping of attributes to their
    codings, of which one may have several: a ladder of widths. A list of such is a batch.
    """
    if isinstance(given, str):
        return [_attributes([given])], False
    if isinstance(given, Mapping):
        return _ladder(given)
    if not isinstance(given, Iterable):
        raise BadChoice(f"quasi_identifier must be names of attributes, not {given!r}.")
    items = list(given)
    if items and all(_is_several(item) for item in items):
        found = [one for item in items for one in quasi_identifiers_of(item)[0]]
        return _different(found), True
    return [_attributes(items)], False


def populations_of(given: Any) -> tuple[list[DeclaredPopulation], bool]:
    """Return the populations, and whether they are a batch: a list of mappings or populations."""
    if isinstance(given, list | tuple) and any(
        isinstance(one, Mapping | DeclaredPopulation) for one in given
    ):
        found = [DeclaredPopulation.of(one) for one in given]
        if len({one.key for one in found}) < len(found):
            raise BadChoice("population names one population twice; name each once.")
        return found, True
    return [DeclaredPopulation.of(given)], False


def _is_several(item: Any) -> bool:
    return isinstance(item, Mapping | list | tuple)


def _attributes(items: Iterable[Any]) -> Attributes:
    found = sorted((CodedAttribute.of(item) for item in items), key=lambda one: one.attribute)
    names = [one.attribute for one in found]
    if not found:
        raise BadChoice(
            "No quasi-identifier was given: name the columns that others could know about a person."
        )
    if len(set(names)) < len(names):
        raise BadChoice(f"The quasi-identifier names an attribute twice: {names}; name each once.")
    return tuple(found)


def _ladder(given: Mapping[Any, Any]) -> tuple[list[Attributes], bool]:
    choices = [
        [(name, coding) for coding in (codings if _is_several(codings) else [codings])]
        for name, codings in given.items()
    ]
    found = [
        _attributes({"attribute": str(name), "coding": str(coding)} for name, coding in one)
        for one in product(*choices)
    ]
    return _different(found), len(found) > 1


def _different(found: list[Attributes]) -> list[Attributes]:
    if len(set(found)) < len(found):
        raise BadChoice("The batch names a quasi-identifier twice; name each once.")
    return found
