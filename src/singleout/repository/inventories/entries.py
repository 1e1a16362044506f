"""Entries of an inventory: read from a small file, or made from what a catalogue says (C11)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singleout.errors import BadChoice, SingleoutError, did_you_mean
from singleout.io.yaml.file import Mistake, Origin, checked, plain, read_yaml
from singleout.repository.documents.bodies import InventoryEntry
from singleout.repository.documents.canonical import plain_document
from singleout.repository.documents.population import DeclaredPopulation, PopulationLike
from singleout.repository.documents.record import CodedAttribute
from singleout.repository.inventories.dcat import read_dcat
from singleout.repository.inventories.ddi import read_ddi
from singleout.repository.inventories.description import Description

if TYPE_CHECKING:
    from singleout.repository.documents.vocabulary import Vocabulary

__all__ = ["described_entry", "inventory_of", "read_descriptions", "read_inventory"]

_MOST_ATTRIBUTES = 1_000  # of an entry


def read_inventory(path: str | Path) -> InventoryEntry:
    """Read an entry from a YAML or JSON file.

    Attributes are written as in ``--qi``: ``PC4``, ``Age:width=5``; a population as a mapping or
    as ``key=value``.
    """
    return _entry(*read_yaml(path, "inventory"))


def inventory_of(given: InventoryEntry | Mapping[str, Any] | str | Path) -> InventoryEntry:
    """Return an entry from plain values or a file, or as it is."""
    if isinstance(given, InventoryEntry):
        return given
    if isinstance(given, Mapping):
        origin = Origin("inventory")
        return _entry(plain(given, origin), origin)
    return read_inventory(given)


def _entry(values: Any, origin: Origin) -> InventoryEntry:
    if not isinstance(values, dict):
        return checked(InventoryEntry, values, origin)
    values = dict(values)
    try:
        if isinstance(values.get("attributes"), list):
            values["attributes"] = _each(_attribute, values["attributes"], "attributes")
        if isinstance(values.get("population"), str):
            values["population"] = _tried(_terms, values["population"], "population")
    except Mistake as mistake:
        raise origin.refusal(mistake) from None
    entry = checked(InventoryEntry, values, origin)
    _check_combinations(entry, origin)
    return entry


def _each(convert: Any, items: Sequence[Any], *path: str | int) -> list[Any]:
    return [_tried(convert, item, *path, index) for index, item in enumerate(items)]


def _tried(convert: Any, value: Any, *path: str | int) -> Any:
    try:
        return convert(value)
    except SingleoutError as error:
        raise Mistake(path, str(error)) from None


def _attribute(given: Any) -> Any:
    return plain_document(CodedAttribute.of(given)) if isinstance(given, str) else given


def _terms(text: str) -> dict[str, Any]:
    return DeclaredPopulation.of(text).to_dict()


def _check_combinations(entry: InventoryEntry, origin: Origin) -> None:
    known = [one.attribute for one in entry.attributes]
    for index, names in enumerate(entry.combinations):
        for name in names:
            if name not in known:
                raise origin.refusal(
                    Mistake(
                        ("combinations", index),
                        f"{name!r} is not among the attributes.{did_you_mean(name, known)}",
                    )
                )


# ---- from a catalogue


def read_descriptions(path: str | Path) -> tuple[Description, ...]:
    """Read what a DDI codebook (XML) or a DCAT catalogue (JSON-LD) says; the name's end decides."""
    ending = Path(path).suffix.lower()
    if ending == ".xml":
        return (read_ddi(path),)
    if ending in (".json", ".jsonld"):
        return read_dcat(path)
    raise BadChoice(
        f"{str(path)!r} should be a DDI codebook (.xml) or a DCAT catalogue (.json, .jsonld)."
    )


def described_entry(
    described: Description,
    what: str = "dataset",
    *,
    population: PopulationLike = None,
    identified: bool = False,
    names: Mapping[str, str] | None = None,
    columns: Sequence[str] | None = None,
    vocabulary: Vocabulary | None = None,
    source: str = "",
) -> InventoryEntry:
    """Return the entry of a data set that a catalogue describes.

    Parameters
    ----------
    described
        What the catalogue says.
    what
        ``dataset``, ``questionnaire`` or ``release``.
    population
        Whom it is about: catalogues say that in words only.
    identified
        Whether it names people.
    names
        The attribute of the vocabulary for a column, and its coding: ``{"age_gr": "Age:width=5"}``.
    columns
        Those to take; all if None.
    vocabulary
        Columns that are called like one of its attributes, but for upper and lower case, take its
        name.
    source
        Where the description is from.
    """
    known = [column.name for column in described.columns]
    _check_known([*(names or {}), *(columns or ())], known, described.title)
    attributes: dict[str, Any] = {}
    for column in described.columns:
        if columns is None or column.name in columns:
            one = _named(column.name, names or {}, vocabulary)
            attributes.setdefault(one.attribute, plain_document(one))
    if len(attributes) > _MOST_ATTRIBUTES:
        raise BadChoice(
            f"{described.title!r} has {len(attributes):,} columns, and an entry at most "
            f"{_MOST_ATTRIBUTES:,}; choose some with columns=."
        )
    values = {
        "what": what,
        "name": described.title[:200],
        "description": described.universe,
        "attributes": list(attributes.values()),
        "population": DeclaredPopulation.of(population).to_dict(),
        "identified": identified,
        "source": source,
    }
    return checked(InventoryEntry, values, Origin("inventory"))


def _check_known(wanted: Sequence[str], known: Sequence[str], title: str) -> None:
    for name in wanted:
        if name not in known:
            raise BadChoice(f"{title!r} has no column {name!r}.{did_you_mean(name, known)}")


def _named(column: str, names: Mapping[str, str], vocabulary: Vocabulary | None) -> CodedAttribute:
    if column in names:
        return CodedAttribute.of(names[column])
    folded = {} if vocabulary is None else {name.casefold(): name for name in vocabulary.attributes}
    return CodedAttribute(attribute=folded.get(column.casefold(), column))
