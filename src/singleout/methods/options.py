"""Options of methods in a plan: what every model of options is, and the kinds of values in it."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from singleout.errors import BadChoice
from singleout.io.yaml.document import Part

__all__ = ["Count", "Part", "Share"]

_LARGEST_COUNT = 10**12  # more than there have been people, and exact in every computation
_PERCENT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*%\s*")


def _from_percent(value: Any) -> Any:
    percent = _PERCENT.fullmatch(value) if isinstance(value, str) else None
    if isinstance(value, bool):
        raise BadChoice(f"a share is a number such as 0.25 or 25 %, not {value}.")
    return float(percent[1]) / 100 if percent else value


def _whole(value: Any) -> Any:
    if isinstance(value, bool):
        raise BadChoice(f"a whole number is needed, not {value}.")
    return value


Share = Annotated[
    float,
    BeforeValidator(_from_percent, json_schema_input_type=float | str),
    Field(allow_inf_nan=False),
]
Count = Annotated[
    int, BeforeValidator(_whole, json_schema_input_type=int), Field(ge=1, le=_LARGEST_COUNT)
]
