"""Building blocks of the JSON schema of a report for programs."""

from __future__ import annotations

from typing import Any

__all__ = [
    "COUNT",
    "FLAG",
    "LEVEL",
    "SHARE",
    "TEXT",
    "TEXTS",
    "Schema",
    "array",
    "or_none",
    "record",
]

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
LEVEL: Schema = {"type": "integer", "minimum": 1, "maximum": 4}
COUNT: Schema = {"type": "integer", "minimum": 0}
SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
TEXTS: Schema = {"type": "array", "items": TEXT}


def record(properties: Schema, *, closed: bool = False, **more: Any) -> Schema:
    """Return the schema of an object with all of these properties, and no others if closed.

    ``more`` are further entries of the schema, such as ``description``.
    """
    answer = {"type": "object", "required": list(properties), "properties": properties, **more}
    return {**answer, "additionalProperties": False} if closed else answer


def or_none(schema: Schema, why: str) -> Schema:
    """Return the schema of a value that may be null, and the description that says when."""
    return {"anyOf": [schema, {"type": "null"}], "description": why}


def array(items: Schema, **more: Any) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": items, **more}
