"""Options of methods in a plan: what every model of options is, and the kinds of values in it."""

from __future__ import annotations

import re
from typing import Annotated, Any, ClassVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
)

from singleout.errors import BadChoice
from singleout.io.yaml.errors import mistake_of
from singleout.io.yaml.file import Origin

__all__ = ["Count", "Part", "Share"]

_LARGEST_COUNT = 10**12  # more than there have been people, and exact in every computation
_PERCENT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*%\s*")


class Part(BaseModel):
    """Values that are checked when they are given, and refused in one sentence."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    what: ClassVar[str] = "plan"  # that they are a part of, for messages

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise Origin(type(self).what).refusal(mistake_of(error, type(self), values)) from None

    # a part within a plan is checked by the plan, which knows the whole path
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]


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
