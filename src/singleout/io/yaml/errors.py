"""What a pydantic model finds wrong, as one sentence for people, with the nearest known word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from singleout.errors import nearest

__all__ = ["Location", "Mistake", "mistake_of", "quoted_key", "says_nothing"]

Location = tuple[str | int, ...]

_LONGEST = 60  # of a value that is quoted in a sentence
_SEPARATED = re.compile(r"[,;|\t]|  ")  # as the fields of a file of data are
_QUOTED = re.compile(r"'([^']+)'")
_WORDS = {
    "missing": "{name} is missing",
    "int_parsing": "{name} must be a whole number, not {given}",
    "int_parsing_size": "{name} is too large a number",
    "int_type": "{name} must be a whole number, not {given}",
    "int_from_float": "{name} must be a whole number, not {given}",
    "float_parsing": "{name} must be a number, not {given}",
    "float_type": "{name} must be a number, not {given}",
    "finite_number": "{name} must be a number, not {given}",
    "bool_parsing": "{name} must be yes or no, not {given}",
    "bool_type": "{name} must be yes or no, not {given}",
    "string_type": "{name} must be text, not {given}",
    "string_too_short": "{name} must not be empty",
    "dict_type": "{name} must have entries such as 'name: value', not {given}",
    "list_type": "{name} must be a list, not {given}",
    "tuple_type": "{name} must be a list, not {given}",
    "model_type": "{name} must have entries such as 'name: value', not {given}",
    "too_short": "{name} has too few entries: at least {min_length} are needed",
    "greater_than_equal": "{name} must be at least {ge}, not {given}",
    "greater_than": "{name} must be more than {gt}, not {given}",
    "less_than_equal": "{name} must be at most {le}, not {given}",
    "less_than": "{name} must be less than {lt}, not {given}",
}


class Mistake(ValueError):
    """What is wrong with some values, and where in them.

    Parameters
    ----------
    path
        The keys and places that lead to what is wrong.
    sentence
        What is wrong, and what would work.
    """

    def __init__(self, path: Location, sentence: str) -> None:
        super().__init__(sentence)
        self.path = path
        self.sentence = sentence


def mistake_of(error: ValidationError, model: type[BaseModel], given: Any) -> Mistake:
    """Return the first mistake that a model found, in words, and how many follow it.

    Parameters
    ----------
    error
        What the model found.
    model
        The model.
    given
        The values that it was given.
    """
    errors = error.errors(include_url=False)
    first = min(errors, key=_order)  # an unknown key is often the one that is missing
    path = _followed(first["loc"], given, missing=first["type"] == "missing")
    path, said = _said(dict(first), path, model)
    rest = len(errors) - 1
    more = f" (and {rest} more {'mistake follows' if rest == 1 else 'mistakes follow'})"
    said = said.rstrip(".") + (more if rest else "")
    return Mistake(path, said if said.endswith("?") else f"{said}.")


def says_nothing(model: type[BaseModel], given: Any, path: Location = ()) -> Mistake | None:
    """Return the first key of a file without a value or with an empty section; None if none is.

    Who writes ``k:`` without a number meant to ask for something, and would not be heard.

    Parameters
    ----------
    model
        What the values are.
    given
        The values, as the file has them.
    path
        Where they are.
    """
    if isinstance(given, list):
        parts: Iterator[tuple[str | int, Any]] = enumerate(given)
    elif isinstance(given, dict):
        parts = iter(given.items())
    else:
        return None
    for key, value in parts:
        inner = (*path, key)
        if value is None:
            said = f"{quoted_key(key)} has no value; give one, or leave it out."
            return Mistake(inner, said)
        if value == {}:
            return Mistake(inner, _empty_section(key, _known_keys(model, inner)))
        found = says_nothing(model, value, inner)
        if found is not None:
            return found
    return None


def _empty_section(key: str | int, known: Sequence[str]) -> str:
    wanted = f"at least one of {', '.join(known)}" if known else "entries such as 'name: value'"
    return f"{quoted_key(key)} says nothing; give {wanted}, or leave it out."


def _order(found: Any) -> bool:
    return bool(found["type"] == "missing")


def _said(found: dict[str, Any], path: Location, model: type[BaseModel]) -> tuple[Location, str]:
    kind, context = found["type"], found.get("ctx", {})
    own = context.get("error")
    if isinstance(own, Mistake):
        return (*path, *own.path), own.sentence
    if own is not None:
        return path, str(own)
    if kind == "extra_forbidden":
        return path, _unknown_key(path, model)
    name = repr(path[-1]) if path else "the whole"
    # the whole may be a file of data that was taken for another one
    shown = _shown(found["input"]) if path else _kind(found["input"])
    if kind in ("enum", "literal_error"):
        return path, f"{name} {_not_among(context['expected'], found['input'], shown)}"
    words = _WORDS.get(kind)
    if words is None:
        return path, f"{name}: {found['msg']}"
    return path, words.format(name=name, given=shown, **context)


def _followed(path: Location, given: Any, *, missing: bool) -> Location:
    """Return the path without the parts that pydantic adds: which alternative it tried."""
    kept: list[str | int] = []
    here = given
    for place, part in enumerate(path):
        try:
            here = here[part]
        except (IndexError, KeyError, TypeError):
            if not (missing and place == len(path) - 1):
                continue
        kept.append(part)
    return tuple(kept)


def _unknown_key(path: Location, model: type[BaseModel]) -> str:
    known = _known_keys(model, path[:-1])
    hint = nearest(str(path[-1]), known)
    advice = f"; did you mean {hint!r}?" if hint else ""
    said = quoted_key(path[-1])
    return f"{said} is not known here, but {', '.join(known)} are{advice}"


def quoted_key(key: str | int) -> str:
    """Return a key in quotes, unless it looks like a line of data, which is nobody's to read.

    Examples
    --------
    >>> quoted_key("exposre"), quoted_key("Anna Smith,1980-01-02 10")
    ("'exposre'", 'a key')
    """
    text = str(key)
    return "a key" if _SEPARATED.search(text) or len(text) > _LONGEST else repr(key)


def _known_keys(model: type[BaseModel], path: Location) -> list[str]:
    """Return the keys that a model knows at some place within it."""
    kinds: list[Any] = [model]
    for part in path:
        kinds = [inner for kind in kinds for inner in _inside(kind, part)]
    return [name for kind in kinds if _is_model(kind) for name in kind.model_fields]


def _inside(kind: Any, part: str | int) -> Iterator[Any]:
    """Yield what can stand at a key or a place of a kind of value."""
    if _is_model(kind):
        found = kind.model_fields.get(part)
        yield from _alternatives(found.annotation) if found else ()
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


def _not_among(expected: str, given: Any, shown: str) -> str:
    words = _QUOTED.findall(expected)
    hint = nearest(given, words) if isinstance(given, str) else None
    advice = f"; did you mean {hint!r}?" if hint else ""
    return f"must be one of {', '.join(words)}, not {shown}{advice}"


def _kind(given: Any) -> str:
    """Return what kind of value was given, without the value."""
    if isinstance(given, Mapping):
        return "entries"
    if isinstance(given, list | tuple):
        return "a list"
    if given is None:
        return "nothing"
    return "text" if isinstance(given, str) else f"a {type(given).__name__}"


def _shown(given: Any) -> str:
    if given is None or isinstance(given, Mapping | list | tuple):
        return _kind(given)
    text = repr(given)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
