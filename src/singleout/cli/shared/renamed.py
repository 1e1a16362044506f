"""Older spellings of options: they keep working, and say the new one once."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, get_args

import typer

from singleout.cli.shared.talk import is_quiet
from singleout.errors import BadChoice
from singleout.report.say import say

__all__ = ["Formerly", "Renamed", "older_spellings", "plus_within_a_name"]

_PLUS = re.compile(r"(?<!\\)\+")


@dataclass(frozen=True)
class Formerly:
    """How an option was spelled, beside the option itself in an annotation.

    ``rewritten`` returns an old value as it is written with the new spelling.
    """

    option: str
    rewritten: Callable[[str], str] = str


@dataclass(frozen=True)
class Renamed:
    """A hidden option under its old spelling, and the parameter that it stands for."""

    parameter: inspect.Parameter
    stands_for: str
    formerly: Formerly

    def move(self, given: dict[str, Any]) -> None:
        """Give the value of the old spelling to the new one, and say so."""
        value = given.pop(self.parameter.name)
        if not value:
            return
        old, new = self.formerly.option, f"--{self.stands_for.replace('_', '-')}"
        if given[self.stands_for]:
            raise BadChoice(f"{old} is the older spelling of {new}; give one of them.")
        if not is_quiet():
            typer.echo(say("screen.renamed", old=old, new=new), err=True)
        rewritten = self.formerly.rewritten
        several = isinstance(value, Sequence) and not isinstance(value, str)
        given[self.stands_for] = [*map(rewritten, value)] if several else rewritten(value)


def older_spellings(parameters: Iterable[inspect.Parameter]) -> list[Renamed]:
    """Return a hidden option for each older spelling that the annotations name."""
    found = []
    for parameter in parameters:
        kind, *marks = get_args(parameter.annotation) or (None,)
        for formerly in (mark for mark in marks if isinstance(mark, Formerly)):
            hidden = parameter.replace(
                name=formerly.option.removeprefix("--").replace("-", "_"),
                default=None,
                annotation=Annotated[kind, typer.Option(formerly.option, hidden=True)],
            )
            found.append(Renamed(hidden, parameter.name, formerly))
    return found


def plus_within_a_name(text: str) -> str:
    r"""Return columns with ``\+`` for a plus: in ``--qi`` a bare one separates columns.

    >>> plus_within_a_name("a+b,c")
    'a\\+b,c'
    """
    return _PLUS.sub(r"\\+", text)
