"""The commands and the lines of Python that do what the pages of the area do."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from singleout.web.repositories.where import Where
from singleout.web.workspaces import Source

__all__ = [
    "browse_again",
    "prove_again",
    "publish_again",
    "record_again",
    "search_again",
]

Again = tuple[str, list[str]]


def _lines(where: Where, *lines: str) -> list[str]:
    return ["import singleout as so", f"repository = so.Repository({where.shown!r})", *lines]


def _command(where: Where, words: Sequence[str]) -> str:
    """Return a command; the repository to practise with is made by another before."""
    made = f"singleout repository init {shlex.quote(where.shown)} --seed\n"
    return (made if where.kind == "practice" else "") + shlex.join(words)


def browse_again(where: Where) -> Again:
    """Return how to list what is published."""
    words = ["singleout", "repository", "list", where.shown]
    return _command(where, words), _lines(where, "repository.quasi_identifiers()")


def record_again(where: Where, identity: str, may: Sequence[str]) -> Again:
    """Return how to read a record, and how to do with it what the user may."""
    words = ["singleout", "repository", "table", "--repository", where.shown, "--record", identity]
    commands = [_command(where, words)]
    lines = _lines(
        where,
        f"stored = repository.record({identity!r})",
        "print(so.repository.what_becomes_public(stored.record))",
        "repository.table(stored.record)",
    )
    for what in may:
        head, tail, call = _CHANGES[what]
        words = ["singleout", "repository", head, where.shown, identity, *tail, "--reason", "…"]
        if head:
            commands.append(shlex.join(words))
        lines.append(f"repository.{call.format(record='stored.record')}")
    return "\n".join(commands), lines


# the command, its options, and the method of a repository
_CHANGES: dict[str, tuple[str, list[str], str]] = {
    "dispute": ("dispute", [], "dispute({record}, '…')"),
    "withdraw": ("withdraw", [], "withdraw({record}, '…')"),
    "valid": ("moderate", ["--state", "valid"], "rule({record}, 'valid', '…')"),
    "quarantined": ("moderate", ["--state", "quarantined"], "rule({record}, 'quarantined', '…')"),
    "choose": ("moderate", ["--choose"], "resolve({record}, {record}, '…')"),
    "settle": ("", [], "resolve({record}, None, '…')"),  # which the command line does not have
}


def search_again(
    where: Where, names: Sequence[str], population: str, people: int | None, day: str
) -> Again:
    """Return how to ask the same question."""
    words = ["singleout", "query", "--qi", _joined(names), "--repository", where.shown]
    given = [repr(list(names))]
    if population:
        words += ["--population", population]
        given.append(repr(population))
    if people is not None:
        words += ["--people", str(people)]
        given.append(f"people={people}")
    lines = ["import datetime"] if day else []
    if day:
        words += ["--date", day]
        given.append(f"reference_date=datetime.date.fromisoformat({day!r})")
    lines += _lines(where, f"answer = repository.query({', '.join(given)})")
    if people is not None:
        lines.append(f"answer.predict({people})")
    return _command(where, words), lines


def publish_again(where: Where, source: Source, wanted: Mapping[str, Any]) -> Again:
    """Return how to see what would become public, and to publish it."""
    is_demo = source.kind == "demo"
    data = "demo.csv" if is_demo else source.name
    words = ["singleout", "publish", data, "--qi", _joined(wanted["quasi_identifier"])]
    if wanted["population"]:
        words += ["--population", wanted["population"]]
    given = ["so.demo()" if is_demo else repr(data), repr(list(wanted["quasi_identifier"]))]
    given.append(repr(wanted["population"] or None))
    for name, option in _OPTIONS.items():
        value = wanted.get(name)
        if value is None or value == _DEFAULTS.get(name):
            continue
        words += [option, _option(value)]
        given.append(f"{name}={value!r}")
    words += ["--repository", where.shown, "--dry-run"]
    lines = _lines(
        where,
        f"record = so.publishable({', '.join(given)}, repository=repository)",
        "print(so.repository.what_becomes_public(record))",
        "repository.publish(record)",
    )
    saved = "singleout demo --save demo.csv\n" if is_demo else ""
    return saved + _command(where, words), lines


_OPTIONS = {
    "tier": "--tier",
    "vocabulary": "--vocabulary",
    "counts": "--count",
    "columns": "--column",
    "cells": "--cells",
    "reference_date": "--date",
    "coverage": "--coverage",
    "licence": "--licence",
    "norm": "--norm",
    "supersedes": "--supersedes",
}
_DEFAULTS = {"tier": "public", "coverage": {"kind": "census"}}


def _option(value: Any) -> str:
    """Return a value as the command line takes it."""
    if isinstance(value, Mapping) and "kind" in value:
        share = f"={value['fraction']:g}" if "fraction" in value else ""
        return f"{value['kind']}{share}"
    if isinstance(value, Mapping):
        return ",".join(f"{name}={column}" for name, column in value.items())
    return str(value)


def prove_again(where: Where) -> Again:
    """Return how to check the log."""
    words = ["singleout", "repository", "verify", where.shown]
    return _command(where, words), _lines(where, "repository.verify()")


def _joined(names: Sequence[str]) -> str:
    return ",".join(name.replace(",", "\\,").replace("+", "\\+") for name in names)
