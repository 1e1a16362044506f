"""Errors of pydantic as one sentence for people, with the most similar known word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from singleout.errors import nearest

__all__ = ["Location", "Mistake", "missing_column", "mistake_of", "quoted_key", "without_value"]

Location = tuple[str | int, ...]

_NAMES_SHOWN = 30
_LONGEST = 60  # of a value that is quoted in a sentence
_MOST_BITS = 1_000
_SEPARATED = re.compile(r"[,;|\t]|  ")  # as in a line of data
_QUOTED = re.compile(r"'([^']+)'")
_WORDS = {
    "missing": "{name} is missing",
    **dict.fromkeys(
        ("int_parsing", "int_type", "int_from_float"), "{name} must be a whole number, not {given}"
    ),
    "int_parsing_size": "{name} is too large a number",
    **dict.fromkeys(
        ("float_parsing", "float_type", "finite_number"), "{name} must be a number, not {given}"
    ),
    **dict.fromkeys(("bool_parsing", "bool_type"), "{name} must be yes or no, not {given}"),
    "string_type": "{name} must be text, not {given}",
    "string_too_short": "{name} must not be empty",
    "string_too_long": "{name} has too many characters: at most {max_length} can be given",
    "string_pattern_mismatch": "{name} is not of the form {pattern}: {given}",
    **dict.fromkeys(
        ("dict_type", "model_type"), "{name} must have entries such as 'name: value', not {given}"
    ),
    **dict.fromkeys(("list_type", "tuple_type"), "{name} must be a list, not {given}"),
    "too_short": "{name} has too few entries: at least {min_length} are needed",
    "too_long": "{name} has too many entries: at most {max_length} can be given",
    "greater_than_equal": "{name} must be at least {ge}, not {given}",
    "greater_than": "{name} must be more than {gt}, not {given}",
    "less_than_equal": "{name} must be at most {le}, not {given}",
    "less_than": "{name} must be less than {lt}, not {given}",
}


class Mistake(ValueError):
    """What is wrong with some values, with the keys and indices that lead to it."""

    def __init__(self, path: Location, sentence: str) -> None:
        super().__init__(sentence)
        self.path = path
        self.sentence = sentence


def missing_column(name: str, names: Sequence[str], path: Location = ()) -> Mistake:
    """Return that a table has no such column, and which it has instead."""
    hint = nearest(name, names)
    if hint:
        return Mistake(path, f"the table has no column {name!r}; did you mean {hint!r}?")
    more = " and more" if len(names) > _NAMES_SHOWN else ""
    shown = ", ".join(map(repr, names[:_NAMES_SHOWN])) + more
    return Mistake(path, f"the table has no column {name!r}; it has: {shown}.")


def mistake_of(error: ValidationError, model: type[BaseModel], values: Any) -> Mistake:
    """Return the first mistake that a model found in some values, and how many follow it."""
    errors = error.errors(include_url=False)
    # last what is missing: an unknown key is often its mistyped name
    first = min(errors, key=lambda one: one["type"] == "missing")
    path = _followed(first["loc"], values, missing=first["type"] == "missing")
    path, sentence = _sentence(dict(first), path, model)
    rest = len(errors) - 1
    more = f" (and {rest} more {'mistake follows' if rest == 1 else 'mistakes follow'})"
    sentence = sentence.rstrip(".") + (more if rest else "")
    return Mistake(path, sentence if sentence.endswith("?") else f"{sentence}.")


def without_value(model: type[BaseModel], values: Any, path: Location = ()) -> Mistake | None:
    """Return a mistake for the first key of a file without a value or with an empty section.

    ``k:`` without a number is no default: its author meant to ask for something.
    """
    if isinstance(values, list):
        parts: Iterator[tuple[str | int, Any]] = enumerate(values)
    elif isinstance(values, dict):
        parts = iter(values.items())
    else:
        return None
    for key, value in parts:
        inner = (*path, key)
        if value is None:
            return Mistake(inner, f"{quoted_key(key)} has no value; give one, or leave it out.")
        if value == {}:
            return Mistake(inner, _empty_section(key, _known_keys(model, inner)))
        mistake = without_value(model, value, inner)
        if mistake is not None:
            return mistake
    return None


def _empty_section(key: str | int, known: Sequence[str]) -> str:
    wanted = f"at least one of {', '.join(known)}" if known else "entries such as 'name: value'"
    return f"{quoted_key(key)} says nothing; give {wanted}, or leave it out."


def _sentence(
    error: dict[str, Any], path: Location, model: type[BaseModel]
) -> tuple[Location, str]:
    kind, context = error["type"], error.get("ctx", {})
    own = context.get("error")
    if isinstance(own, Mistake):
        return (*path, *own.path), own.sentence
    if own is not None:
        return path, str(own)
    if kind == "extra_forbidden":
        return path, _unknown_key(path, model)
    name = repr(path[-1]) if path else "the whole"
    # the whole may be a file of data that was taken for a plan
    shown = _shown(error["input"]) if path else _kind(error["input"])
    if kind in ("enum", "literal_error"):
        return path, _not_among(name, context["expected"], error["input"], shown)
    words = _WORDS.get(kind)
    if words is None:
        return path, f"{name}: {error['msg']}"
    return path, words.format(name=name, given=shown, **context)


def _followed(path: Location, values: Any, *, missing: bool) -> Location:
    """Return the path without the names of alternatives, which pydantic adds."""
    real: list[str | int] = []
    inner = values
    for index, part in enumerate(path):
        try:
            inner = inner[part]
        except (IndexError, KeyError, TypeError):
            if not (missing and index == len(path) - 1):
                continue
        real.append(part)
    return tuple(real)


def _unknown_key(path: Location, model: type[BaseModel]) -> str:
    known = _known_keys(model, path[:-1])
    hint = nearest(str(path[-1]), known)
    advice = f"; did you mean {hint!r}?" if hint else ""
    return f"{quoted_key(path[-1])} is not known here, but {', '.join(known)} are{advice}"


def quoted_key(key: str | int) -> str:
    """Return a key in quotes, unless it looks like a line of data, which must not be shown.

    Examples
    --------
    >>> quoted_key("exposre"), quoted_key("Anna Smith,1980-01-02 10")
    ("'exposre'", 'a key')
    """
    text = str(key)
    return "a key" if _SEPARATED.search(text) or len(text) > _LONGEST else repr(key)


def _known_keys(model: type[BaseModel], path: Location) -> list[str]:
    """Return the keys that a model has at a path."""
    kinds: list[Any] = [model]
    for part in path:
        kinds = [inner for kind in kinds for inner in _inside(kind, part)]
    return [name for kind in kinds if _is_model(kind) for name in kind.model_fields]


def _inside(kind: Any, part: str | int) -> Iterator[Any]:
    """Yield the types of the values at a key or an index of a type."""
    if _is_model(kind):
        field = kind.model_fields.get(part)
        yield from _alternatives(field.annotation) if field else ()
    elif get_origin(kind) is dict:
        yield from _alternatives(get_args(kind)[1])
    elif get_origin(kind) in (list, tuple):
        yield from _alternatives(get_args(kind)[0])


def _alternatives(kind: Any) -> Iterator[Any]:
    if get_origin(kind) is Annotated:
        yield from _alternatives(get_args(kind)[0])
    elif get_origin(kind) in (Union, UnionType):
        for option in get_args(kind):
            yield from _alternatives(option)
    else:
        yield kind


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _not_among(name: str, expected: str, value: Any, shown: str) -> str:
    words = _QUOTED.findall(expected)
    hint = nearest(value, words) if isinstance(value, str) else None
    advice = f"; did you mean {hint!r}?" if hint else ""
    return f"{name} must be one of {', '.join(words)}, not {shown}{advice}"


def _kind(value: Any) -> str:
    """Return the kind of a value in words, without the value."""
    if isinstance(value, Mapping):
        return "entries"
    if isinstance(value, list | tuple):
        return "a list"
    if value is None:
        return "nothing"
    return "text" if isinstance(value, str) else f"a {type(value).__name__}"


def _shown(value: Any) -> str:
    if value is None or isinstance(value, Mapping | list | tuple):
        return _kind(value)
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return "a number of very many digits"  # Python does not write it
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
