"""The kinds of values in a plan: levels by number or name, and matrices; with their schemas."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

from singleout.assessment.rating.scales import (
    EXPLOITABILITIES,
    INFERENCES,
    RISKS,
    SEVERITIES,
    Exposure,
    Matrix,
    parse_exposure,
)
from singleout.errors import BadChoice
from singleout.io.yaml.errors import Mistake

__all__ = [
    "ExploitabilityMatrix",
    "ExposureLevel",
    "InferenceBounds",
    "RiskLevel",
    "RiskMatrix",
    "Severity",
]

_NUMBERED = re.compile(r"([1-4])\s*(?:-\s*)?(\D+)")  # 4-Maximum


def _level_of(names: Sequence[str], what: str) -> Callable[[Any], int]:
    """Return a function that reads a level of a scale from a number or its name."""
    by_word = {name.casefold(): level for level, name in enumerate(names, start=1)}
    by_word |= {str(level): level for level in range(1, 5)}
    numbered = ", ".join(f"{level} ({name})" for level, name in enumerate(names, start=1))

    def read(value: Any) -> int:
        level = None
        if isinstance(value, str):
            word = value.strip().casefold()
            pair = _NUMBERED.fullmatch(word)
            level = by_word.get(pair[2] if pair else word)
            level = None if pair and str(level) != pair[1] else level
        elif not isinstance(value, bool) and value in (1, 2, 3, 4):
            level = int(value)
        if level is None:
            raise BadChoice(f"{value!r} is not a {what}; choose one of {numbered}.")
        return level

    return read


def _level_schema(names: Sequence[str]) -> WithJsonSchema:
    numbers = {"type": "integer", "minimum": 1, "maximum": 4}
    words = [*names, *(f"{level}-{name}" for level, name in enumerate(names, start=1))]
    return WithJsonSchema({"anyOf": [numbers, {"enum": words}]}, mode="validation")


Severity = Annotated[
    int, BeforeValidator(_level_of(SEVERITIES, "severity")), _level_schema(SEVERITIES)
]
RiskLevel = Annotated[int, BeforeValidator(_level_of(RISKS, "risk level")), _level_schema(RISKS)]
ExposureLevel = Annotated[
    Exposure,
    BeforeValidator(parse_exposure),
    PlainSerializer(lambda exposure: Exposure(exposure).name, when_used="json"),
    WithJsonSchema(
        {
            "anyOf": [
                {"enum": ["IR", "IE", "ER", "EE", "RI", "EI", "RE"]},
                {"type": "integer", "minimum": 1, "maximum": 4},
                {"type": "string", "pattern": "^[1-4] *- *(IR|RI|IE|EI|ER|RE|EE)$"},
            ]
        },
        mode="validation",
    ),
]


# ---- bounds


def _bounds(given: Any) -> tuple[float, ...]:
    """Read where levels begin: three shares of 1 that rise."""
    try:
        numbers = [float(bound) for bound in given] if isinstance(given, list | tuple) else []
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) != 3 or not 0 < numbers[0] < numbers[1] < numbers[2] <= 1:
        raise BadChoice(
            f"{given!r} are no bounds of the levels of inference; give three rates that rise, "
            "above 0 and at most 1, such as [0.25, 0.5, 0.75]."
        )
    return tuple(numbers)


InferenceBounds = Annotated[
    tuple[float, ...],
    BeforeValidator(_bounds),
    PlainSerializer(list, when_used="json"),
    WithJsonSchema(
        {
            "type": "array",
            "items": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
            "minItems": 3,
            "maxItems": 3,
        },
        mode="validation",
    ),
]


# ---- matrices


class _MatrixReader:
    """Reads a matrix: rows by their names, or as a list from 1 to 4."""

    def __init__(self, names: Sequence[str], cells: Sequence[str]) -> None:
        self._names = names
        self._row_level = _level_of(names, what="row of this matrix")
        self._cell_level = _level_of(cells, what="cell of this matrix")

    def __call__(self, matrix: Any) -> Matrix:
        return tuple(self._row(key, row) for key, row in self._rows(matrix))

    def _rows(self, matrix: Any) -> list[tuple[str | int, Any]]:
        """Return the rows from 1 to 4, each with its key in the plan."""
        if isinstance(matrix, Mapping):
            by_level = {self._row_level(key): (key, row) for key, row in matrix.items()}
            if len(by_level) == len(matrix) == 4:
                return [by_level[level] for level in range(1, 5)]
        elif isinstance(matrix, list | tuple) and len(matrix) == 4:
            return list(enumerate(matrix))
        raise BadChoice(
            f"a matrix has four rows of four numbers from 1 to 4; name the rows "
            f"{', '.join(self._names)}, or list them from {self._names[0]} to {self._names[-1]}."
        )

    def _row(self, key: str | int, row: Any) -> tuple[int, ...]:
        if not isinstance(row, list | tuple) or len(row) != 4:
            raise Mistake((key,), "a row of a matrix has four numbers from 1 to 4.")
        return tuple(self._cell(value, (key, index)) for index, value in enumerate(row))

    def _cell(self, value: Any, path: tuple[str | int, int]) -> int:
        try:
            return self._cell_level(value)
        except BadChoice as error:
            raise Mistake(path, str(error)) from None


def _matrix_schema(names: Sequence[str], cells: Sequence[str]) -> WithJsonSchema:
    level = {"anyOf": [{"type": "integer", "minimum": 1, "maximum": 4}, {"enum": list(cells)}]}
    row = {"type": "array", "items": level, "minItems": 4, "maxItems": 4}
    whole = {"type": "array", "items": row, "minItems": 4, "maxItems": 4}
    by_name = {"type": "object", "additionalProperties": row, "minProperties": 4}
    by_name["propertyNames"] = {"enum": [*names, "1", "2", "3", "4"]}
    return WithJsonSchema({"anyOf": [whole, by_name]}, mode="validation")


def _named_rows(names: Sequence[str]) -> PlainSerializer:
    """Write a matrix as the figures of the paper show it: the highest row first."""
    return PlainSerializer(
        lambda matrix: {
            name: list(row) for name, row in reversed(list(zip(names, matrix, strict=True)))
        },
        when_used="json",
    )


ExploitabilityMatrix = Annotated[
    Matrix,
    BeforeValidator(_MatrixReader(INFERENCES, EXPLOITABILITIES)),
    _matrix_schema(INFERENCES, EXPLOITABILITIES),
    _named_rows(INFERENCES),
]
RiskMatrix = Annotated[
    Matrix,
    BeforeValidator(_MatrixReader(EXPLOITABILITIES, RISKS)),
    _matrix_schema(EXPLOITABILITIES, RISKS),
    _named_rows(EXPLOITABILITIES),
]
