"""Records as sources of the distributions of a questionnaire."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from singleout.errors import BadChoice, did_you_mean
from singleout.predict.questionnaire.questionnaire import Questionnaire
from singleout.report.say import say
from singleout.repository.answering.memory import RecordSource
from singleout.repository.answering.query import find
from singleout.repository.answering.relations import named
from singleout.repository.documents.population import DeclaredPopulation

__all__ = ["open_source", "read_questionnaire", "summary_of_record"]

_KEYS = ("repository", "quasi_identifier", "population", "cells")
Opener = Callable[[str], RecordSource]


def read_questionnaire(path: str | Path, *, source: RecordSource | None = None) -> Questionnaire:
    """Read a questionnaire whose questions may name records as sources of their distributions.

    Parameters
    ----------
    path
        The file. A question has ``record: {repository: FILE, quasi_identifier: [age], population:
        {City: Urk}}`` in place of shares.
    source
        Where the records are, if the file does not say so.
    """
    return Questionnaire.read(path, records=lambda given: summary_of_record(given, source))


def summary_of_record(
    given: Mapping[str, Any], source: RecordSource | None = None, opened: Opener | None = None
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the summary of the record that a question names, and what a reader should know.

    Parameters
    ----------
    given
        ``repository``, a file or URL; ``quasi_identifier``; ``population``; and ``cells``, where
        the record does not say how many are possible.
    source
        Where records are; opened from ``repository`` if not given.
    opened
        Opens a file or URL.
    """
    unknown = next((key for key in given if key not in _KEYS), None)
    if unknown is not None:
        raise BadChoice(
            f"A record is named by {', '.join(_KEYS)}, and not by {unknown!r}."
            f"{did_you_mean(unknown, _KEYS)}"
        )
    if source is None:
        if not given.get("repository"):
            raise BadChoice("A record is in a repository; say where with repository: FILE.")
        source = (opened or open_source)(str(given["repository"]))
    wanted = given.get("quasi_identifier") or ()
    cells = given.get("cells")
    answer = find(
        source,
        wanted,
        DeclaredPopulation.of(given.get("population")),
        cells=None if cells is None else int(cells),
    )
    if not answer.found:
        raise BadChoice(str(answer))
    numbers = answer.record.numbers
    possible = numbers.cells if numbers.cells is not None else answer.cells
    if possible is None:
        raise BadChoice("The record does not say how many cells are possible; give cells.")
    summary: dict[str, Any] = {"cells": possible, "kl": max(0.0, numbers.kappa)}
    if numbers.s2 is not None and numbers.s3 is not None:
        summary["power_sums"] = [numbers.s2, numbers.s3]
    said = [say("repository.answering.source", record=named(answer.record))]
    said += [*answer.notes, *(step.says for step in answer.path if step.kind != "exact")]
    return summary, tuple(said)


def open_source(location: str) -> RecordSource:
    """Return the repository in a file or at a URL."""
    if "://" in location and not location.startswith("postgresql"):
        client: Any = import_module("singleout.repository.client.repository")
        source: RecordSource = client.Repository(location)
        return source
    store: Any = import_module("singleout.repository.store.store")
    opened: RecordSource = store.Store.open(location)
    return opened
