"""JSON schemas of models, with limits under the names that JSON schema has for them."""

from __future__ import annotations

from typing import Any

__all__ = ["standard_schema"]

# pydantic keeps its own names where a value is converted before it is checked
_LIMITS = {
    "ge": "minimum",
    "le": "maximum",
    "gt": "exclusiveMinimum",
    "lt": "exclusiveMaximum",
}


def standard_schema(schema: Any) -> Any:
    """Return a schema with standard names of limits.

    >>> standard_schema({"type": "integer", "ge": 1, "properties": {"le": {"lt": 2}}})
    {'type': 'integer', 'minimum': 1, 'properties': {'le': {'exclusiveMaximum': 2}}}
    """
    if isinstance(schema, list):
        return [standard_schema(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        # a limit is a number; a property of the same name is not
        (_LIMITS.get(key, key) if isinstance(value, int | float) else key): standard_schema(value)
        for key, value in schema.items()
    }
