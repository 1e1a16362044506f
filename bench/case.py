"""A case: one question, asked of singleout and of its peers on the same data."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["AbsentError", "Case", "Contender", "Prepared", "all_cases", "case"]


class AbsentError(Exception):
    """What a case needs is not there; the message says what, in a sentence."""


@dataclass(frozen=True)
class Contender:
    """One way to get the answer.

    Parameters
    ----------
    name
        What the table calls it.
    run
        What is timed. It returns an answer, in whatever form costs it least.
    ours
        Whether it is singleout; the first such contender is the one that ratios refer to.
    scale
        What its time is multiplied by, if it does a part of the work only; its name says so.
    """

    name: str
    run: Callable[[], Any]
    ours: bool = False
    scale: float = 1.0


@dataclass(frozen=True)
class Prepared:
    """A case with its data in memory, ready to be timed.

    Parameters
    ----------
    shape
        Rows and columns.
    contenders
        Ours first, then the peers.
    canonical
        Brings any contender's answer into one form; not timed.
    difference
        Says in words how a canonical answer differs from ours; empty if it does not.
    published
        Says in words how our canonical answer differs from published numbers; empty if not.
    findings
        What the case measures besides times, as a table in Markdown.
    """

    shape: tuple[int, int]
    contenders: Sequence[Contender]
    canonical: Callable[[Any], Any]
    difference: Callable[[Any, Any], str]
    published: Callable[[Any], str] = lambda answer: ""  # noqa: ARG005
    findings: Callable[[], str] = lambda: ""


@dataclass(frozen=True)
class Case:
    """A named case; ``prepare(quick)`` loads its data, or raises `AbsentError`."""

    name: str
    title: str
    prepare: Callable[[bool], Prepared]


_cases: dict[str, Case] = {}


def case(name: str, title: str) -> Callable[[Callable[[bool], Prepared]], Case]:
    """Register the decorated function, which prepares a case, under a name."""

    def register(prepare: Callable[[bool], Prepared]) -> Case:
        if name in _cases:
            raise ValueError(f"There are two cases called {name!r}.")
        _cases[name] = Case(name, title, prepare)
        return _cases[name]

    return register


def all_cases() -> list[Case]:
    """Return every case of every module in ``bench/cases``, by name."""
    from bench import cases

    for module in pkgutil.iter_modules(cases.__path__):
        importlib.import_module(f"{cases.__name__}.{module.name}")
    return [_cases[name] for name in sorted(_cases)]
