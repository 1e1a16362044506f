"""The views of the page Explore: what each asks for, and how the same is done without the page."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from singleout.web.errors import Refused
from singleout.web.predicting.pasted import number

__all__ = ["VIEWS", "Field", "View", "again", "view_named"]


@dataclass(frozen=True)
class Field:
    """A field of a view.

    Parameters
    ----------
    name
        The parameter of the function; its label is the sentence ``web.explore.fields.NAME``.
    kind
        ``whole``, ``number``, ``share``, ``size`` (a whole number, ``auto`` or ``all``),
        ``columns`` (one of the table), or ``choices``.
    default
        What the field holds at first; empty if the function may choose.
    choices
        Of the kind ``choices``: any of these.
    """

    name: str
    kind: str
    default: str = ""
    choices: tuple[str, ...] = ()

    def value(self, given: Sequence[str]) -> Any:
        """Return the value for the function; None if nothing was given."""
        if self.kind == "choices":
            return [one for one in given if one in self.choices] or None
        text = given[0].strip() if given else ""
        if not text:
            return None
        if self.kind == "columns":
            return text
        if self.kind == "size" and text.lower() in ("auto", "all"):
            return text.lower()
        return self._number(text)

    def _number(self, text: str) -> int | float:
        found = number(text)
        if self.kind not in ("whole", "size"):
            return found
        if not found.is_integer():
            raise Refused(422, "web.explore.no_whole", text=text[:50])
        return int(found)


@dataclass(frozen=True)
class View:
    """A question that the page answers.

    Parameters
    ----------
    name
        Its path; its title is the sentence ``web.explore.views.NAME``.
    function
        The function of singleout.
    command
        The command that does the same.
    columns
        The parameter that the columns are given by.
    """

    name: str
    function: str
    command: str
    columns: str = "quasi_identifiers"
    fields: tuple[Field, ...] = ()

    def options(self, form: Mapping[str, Sequence[str]]) -> dict[str, Any]:
        """Return the options that a form states."""
        found = {field.name: field.value(form.get(field.name, ())) for field in self.fields}
        return {name: value for name, value in found.items() if value is not None}


_SIZE = Field("size", "whole", "3")
_ALPHA = Field("alpha", "share", "1%")
_CRITERIA = ("top-uniqueness", "contribution", "uniqueness-plus", "uniqueness-star")

VIEWS: tuple[View, ...] = (
    View("sets", "anonymity_sets", "sets"),
    View(
        "suda",
        "suda",
        "suda",
        fields=(Field("max_size", "size", "auto"), Field("sampling_fraction", "share")),
    ),
    View("risk", "qar", "qar", "columns", (_SIZE, _ALPHA)),
    View("contributions", "contributions", "contributions", "columns", (_SIZE,)),
    View(
        "eliminate",
        "eliminate",
        "eliminate",
        "columns",
        (
            Field("share", "share", "5%"),
            Field("criterion", "choices", "top-uniqueness", _CRITERIA),
            _SIZE,
        ),
    ),
    View(
        "population",
        "population_uniqueness",
        "population-uniqueness",
        fields=(Field("population", "whole"),),
    ),
    View("diversity", "diversity", "diversity", fields=(Field("sensitive", "columns"),)),
)


def view_named(name: str) -> View:
    """Return a view by its name."""
    for view in VIEWS:
        if view.name == name:
            return view
    raise Refused(404, "web.errors.not_found")


# ---- the same without the page

_FLAGS = {"sampling_fraction": "--sampling-fraction", "max_size": "--max-size"}


def again(
    view: View, data: str, columns: Sequence[str], options: Mapping[str, Any]
) -> tuple[str, list[str]]:
    """Return the command and the lines of Python that give the same answer."""
    words = ["singleout", view.command, data, "--qi", ",".join(columns)]
    for name, value in options.items():
        flag = _FLAGS.get(name, f"--{name}")
        for one in value if isinstance(value, list) else [value]:
            words += [flag, str(one)]
    given = [f"{name}={_python(value)}" for name, value in options.items()]
    call = ", ".join([repr(data), f"{view.columns}={list(columns)!r}", *given])
    lines = ["import singleout as so", f"so.{view.function}({call})"]
    return shlex.join(words), lines


def _python(value: Any) -> str:
    return "None" if value == "all" else repr(value)
