"""DCAT: how open data portals describe a data set, as JSON-LD.

DCAT itself does not name columns. They are taken from where portals put them: a table schema of CSV
on the Web or of Frictionless Data, with the data set or with one of its distributions. Names are
compared without their prefix, so no context is fetched from anywhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from singleout.errors import UnreadableFile
from singleout.repository.inventories.description import (
    MOST_COLUMNS,
    DescribedColumn,
    Description,
    read_bounded,
)

__all__ = ["read_dcat"]

_LARGEST = 20_000_000
_MOST_VALUES = 500_000
_DEEPEST = 60
_LONGEST = 500
_DATASET = "Dataset"
_SCHEMAS = ("tableSchema", "schema", "variableMeasured")
_COLUMNS = ("columns", "column", "fields", "variableMeasured")


def read_dcat(path: str | Path) -> tuple[Description, ...]:
    """Read the data sets of a DCAT catalogue in JSON-LD that say which columns they have."""
    raw = read_bounded(path, "a catalogue", largest=_LARGEST)
    name = Path(path).name
    try:
        whole = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise UnreadableFile(f"{name} is not JSON in UTF-8.") from None
    nodes = list(_nodes(whole, name))
    named = {node["@id"]: node for node in nodes if isinstance(node.get("@id"), str)}
    sets = [_described(node, named, name) for node in nodes if _is_a(node, _DATASET)]
    if not sets:
        raise UnreadableFile(f"{name} describes no data set; it should have a dcat:Dataset.")
    with_columns = tuple(found for found in sets if found.columns)
    if not with_columns:
        raise UnreadableFile(
            f"{name} does not say which columns its data sets have; give them with --columns."
        )
    return with_columns


def _nodes(value: Any, name: str) -> Iterator[dict[str, Any]]:
    """Yield every mapping of a document, without recursion."""
    rest = [(value, 0)]
    seen = 0
    while rest:
        one, depth = rest.pop()
        seen += 1
        if seen > _MOST_VALUES or depth > _DEEPEST:
            raise UnreadableFile(f"{name} has more or deeper values than a catalogue can have.")
        if isinstance(one, dict):
            yield one
            rest += [(inner, depth + 1) for inner in reversed(one.values())]
        elif isinstance(one, list):
            rest += [(inner, depth + 1) for inner in reversed(one)]


def _described(node: dict[str, Any], named: dict[str, Any], name: str) -> Description:
    places = [node, *_parts(node, "distribution", named)]
    columns = next(filter(None, (_columns(place, named, name) for place in places)), ())
    holder = next(iter(_parts(node, "publisher", named)), {})
    return Description(
        title=_text(_get(node, "title")) or name,
        columns=columns,
        holder=_text(_get(holder, "name")) or _text(_get(node, "publisher")),
        universe=_text(_get(node, "spatial")),
    )


def _columns(
    place: dict[str, Any], named: dict[str, Any], name: str
) -> tuple[DescribedColumn, ...]:
    schemas = [place, *(part for key in _SCHEMAS for part in _parts(place, key, named))]
    found = [
        DescribedColumn(title, _text(_get(part, "description") or _get(part, "titles")))
        for schema in schemas
        for key in _COLUMNS
        for part in _parts(schema, key, named)
        if (title := _text(_get(part, "name")) or _text(_get(part, "title")))
    ]
    if len(found) > MOST_COLUMNS:
        raise UnreadableFile(f"{name} has more than {MOST_COLUMNS:,} columns; give fewer.")
    return tuple(dict.fromkeys(found))


# ---- JSON-LD without its context


def _get(node: Any, key: str) -> Any:
    """Return the value of a key, whatever prefix or address stands before it."""
    if not isinstance(node, dict):
        return None
    return next((value for name, value in node.items() if _local(name) == key), None)


def _local(name: str) -> str:
    return name.rpartition("#")[2].rpartition("/")[2].rpartition(":")[2]


def _parts(node: dict[str, Any], key: str, named: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the nodes under a key; one that is only named stands elsewhere in the document."""
    value = _get(node, key)
    inner = value.get("@list", value) if isinstance(value, dict) else value
    for one in inner if isinstance(inner, list) else [inner]:
        name = one.get("@id") if isinstance(one, dict) and set(one) == {"@id"} else one
        found = named.get(name, one) if isinstance(name, str) else one
        if isinstance(found, dict):
            yield found


def _is_a(node: dict[str, Any], kind: str) -> bool:
    given = node.get("@type", node.get("type"))
    kinds = given if isinstance(given, list) else [given]
    return any(isinstance(one, str) and _local(one) == kind for one in kinds)


def _text(value: Any) -> str:
    """Return a text that may have a language or be one of several; English is preferred."""
    if isinstance(value, list):
        english = [one for one in value if isinstance(one, dict) and one.get("@language") == "en"]
        return _text(next(iter([*english, *value]), None))
    if isinstance(value, dict):
        if "@value" not in value:
            return _text(value.get("en") or _get(value, "label"))
        value = value["@value"]
    return " ".join(value.split())[:_LONGEST] if isinstance(value, str) else ""
