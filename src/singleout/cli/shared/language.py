"""The language of a run: ``--language`` on every command, then the plan, then the environment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout.core.language import LANGUAGES, language_of_process, prefer, speaking

if TYPE_CHECKING:
    from singleout.assessment.plan.plan import Plan

__all__ = ["read_plan", "speaking_as_asked", "with_language"]

_OPTION = "--language"


def with_language(command: Any) -> Any:
    """Return a command whose every command has the option; its value is read before all else."""
    option = typer.main.get_command(_language).params[0]
    option.expose_value = False
    return _with(command, option)


def _with(command: Any, option: Any) -> Any:
    for one in getattr(command, "commands", {}).values():
        _with(one, option)
    command.params.append(option)
    return command


def _as_configured(code: str | None) -> str | None:
    """Speak the language that a file of options asks for, if the command itself asks for none."""
    prefer(code)
    return code


_language = typer.Typer(add_completion=False)


@_language.command()
def _only_this(
    language: Annotated[
        str | None,
        typer.Option(
            _OPTION,
            metavar="|".join(LANGUAGES),
            help="The language of what people read; that of the plan or of the system if absent.",
            callback=_as_configured,
        ),
    ] = None,
) -> None:
    """Have the one option that every command has."""


@contextmanager
def speaking_as_asked(arguments: Sequence[str]) -> Iterator[None]:
    """Speak the language that the arguments ask for, also about mistakes in them."""
    asked = [
        _value(argument, after)
        for argument, after in zip_longest(arguments, arguments[1:], fillvalue="")
    ]
    code = next(filter(None, asked), None)
    with language_of_process(code), speaking(code):
        yield


def _value(argument: str, after: str) -> str:
    if argument == _OPTION:
        return after
    return argument.partition("=")[2] if argument.startswith(f"{_OPTION}=") else ""


def read_plan(path: Path | None) -> Plan | None:
    """Read a plan, and speak its language unless the command asks for another."""
    from singleout.assessment.plan.plan import Plan

    if path is None:
        return None
    plan = Plan.read(path)
    prefer(plan.language)
    return plan
