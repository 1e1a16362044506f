"""The kinds of values in steps: numbers, lists of columns, hierarchies; with their schemas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, PlainSerializer

from singleout.errors import BadChoice
from singleout.io.yaml.errors import Mistake
from singleout.treatment.hierarchies.hierarchy import Hierarchy, spelling

__all__ = [
    "Amount",
    "Columns",
    "HierarchyRows",
    "HierarchySource",
    "Weight",
    "plain_number",
    "repeated",
]

HierarchyRows = list[list[str]]


def plain_number(value: float) -> int | float:
    """Return a number as people write it: whole numbers without decimals.

    >>> plain_number(5.0), plain_number(2.5)
    (5, 2.5)
    """
    return int(value) if float(value).is_integer() else value


def repeated(names: Sequence[str]) -> str | None:
    """Return the first name that stands in a list twice."""
    return next((name for index, name in enumerate(names) if name in names[:index]), None)


def _number(value: Any) -> Any:
    if isinstance(value, bool):
        raise BadChoice(f"a number is needed, not {value}.")
    return value


def _listed(value: Any) -> Any:
    """Return one name as a list of it."""
    names = [value] if isinstance(value, str) else value
    if isinstance(names, list | tuple):
        twice = repeated(names)
        if twice is not None:
            raise Mistake((), f"{twice!r} stands here twice; give it once.")
    return names


def _hierarchy(value: Any) -> Any:
    """Return a hierarchy as a path or as rows of text."""
    if isinstance(value, Hierarchy):
        value = value.by_spelling().rows
    if hasattr(value, "rows") and callable(value.rows):  # a polars frame
        value = value.rows()
    elif hasattr(value, "itertuples"):  # a pandas frame
        value = list(value.itertuples(index=False, name=None))
    if isinstance(value, list | tuple):
        return _checked_rows(value)
    return value if isinstance(value, str | Mapping) or value is None else str(value)


def _checked_rows(value: Sequence[Any]) -> HierarchyRows:
    rows = []
    for index, row in enumerate(value):
        if not isinstance(row, list | tuple):
            raise Mistake((index,), "a row of a hierarchy is a list from the value to the top.")
        if len(row) != len(value[0]):
            raise Mistake(
                (index,),
                f"the row has {len(row)} levels, and the first one {len(value[0])}; each value "
                "needs a label on every level.",
            )
        rows.append([spelling(cell) for cell in row])
    return rows


Amount = Annotated[
    float,
    BeforeValidator(_number, json_schema_input_type=float),
    Field(allow_inf_nan=False),
    PlainSerializer(plain_number, when_used="json"),
]
Weight = Annotated[Amount, Field(gt=0)]
Columns = Annotated[
    list[Annotated[str, Field(min_length=1)]],
    BeforeValidator(_listed, json_schema_input_type=list[str] | str),
    Field(min_length=1),
]
HierarchySource = Annotated[
    str | Annotated[HierarchyRows, Field(min_length=1)],
    BeforeValidator(_hierarchy, json_schema_input_type=str | HierarchyRows),
]
