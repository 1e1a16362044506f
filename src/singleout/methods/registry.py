"""The methods that an assessment runs: one line each. They are loaded when first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any

from singleout.errors import BadChoice
from singleout.methods.method import Measured, Method

__all__ = ["added", "in_plan", "in_report", "methods", "on_change", "results"]

# Each module has a METHOD. They are measured, and stand in report.json, in this order.
_MODULES = (
    "singleout.methods.anonymity.section",
    "singleout.methods.qar.section",
    "singleout.methods.qar.contribution_section",
    "singleout.methods.suda.section",
    "singleout.methods.discrimination.section",
    "singleout.methods.attackers.section",
    "singleout.methods.attributes.section",
    "singleout.methods.individual.section",
    "singleout.methods.diversity.section",
    "singleout.methods.population.section",
)

_added: list[Method] = []
_listeners: list[Callable[[], object]] = []


@cache
def _own() -> tuple[Method, ...]:
    return tuple(import_module(module).METHOD for module in _MODULES)


def methods() -> tuple[Method, ...]:
    """Return all methods, in the order in which they are measured."""
    return (*_own(), *_added)


def in_plan() -> list[Method]:
    """Return all methods in the order of a plan."""
    return sorted(methods(), key=lambda method: method.plan_order)


def in_report() -> list[Method]:
    """Return all methods in the order of a report."""
    return sorted(methods(), key=lambda method: method.report_order)


def results(
    measured: Mapping[str, Measured], among: Iterable[Method]
) -> Iterator[tuple[Method, Any]]:
    """Yield the methods that have a result in ``measured``, each with it."""
    for method in among:
        result = measured.get(method.name, Measured()).result
        if result is not None:
            yield method, result


def on_change(listener: Callable[[], object]) -> None:
    """Call a function whenever a method is added or taken away."""
    _listeners.append(listener)


@contextmanager
def added(method: Method) -> Iterator[Method]:
    """Add a method, with a name that no other has, for as long as the context lasts."""
    if method.name in {other.name for other in methods()}:
        raise BadChoice(f"There is a method {method.name!r} already; give this one another name.")
    _added.append(method)
    _tell()
    try:
        yield method
    finally:
        _added.remove(method)
        _tell()


def _tell() -> None:
    for listener in _listeners:
        listener()
