"""The fields of the forms of the area, as people write them."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from starlette.datastructures import FormData

from singleout.web.errors import Refused
from singleout.web.predicting.pasted import number, whole_number

__all__ = ["day_of", "names_in", "people_in", "reason_in", "record_in", "wanted_in"]

_SEPARATOR = re.compile(r"(?<!\\)[,+]")
_COMMA = re.compile(r"(?<!\\),")
_ID = re.compile(r"sha256:[0-9a-f]{64}")
_LONGEST = 2_000
_MOST_COLUMNS = 50
COVERAGES = ("census", "register", "sample")
TIERS = ("public", "registered", "none")


def names_in(text: str) -> list[str]:
    r"""Return the attributes of ``A, B:width=5``; within a name a comma is written ``\,``.

    >>> names_in("PC4, Sex+Age:width=5")
    ['PC4', 'Sex', 'Age:width=5']
    """
    parts = [part.strip() for part in _SEPARATOR.split(_bounded(text))]
    names = [part.replace("\\,", ",").replace("\\+", "+") for part in parts if part]
    if not names or len(names) > _MOST_COLUMNS:
        raise Refused(422, "web.repository.errors.names")
    return list(dict.fromkeys(names))


def people_in(text: str) -> int | None:
    """Return a number of people; None if the field is empty."""
    return whole_number(text) if text.strip() else None


def day_of(text: str) -> str:
    """Return a day as it is written in records; nothing if the field is empty."""
    given = text.strip()
    try:
        return date.fromisoformat(given).isoformat() if given else ""
    except ValueError:
        raise Refused(422, "web.repository.errors.day", text=given[:50]) from None


def record_in(text: str) -> str:
    """Return the id of a record."""
    given = text.strip()
    if not _ID.fullmatch(given):
        raise Refused(422, "web.repository.errors.record")
    return given


def reason_in(text: str) -> str:
    """Return a reason, which everybody can read."""
    given = " ".join(text.split())
    if not given:
        raise Refused(422, "web.repository.errors.reason")
    return _bounded(given)


def wanted_in(form: FormData, columns: list[str]) -> dict[str, Any]:
    """Return what `publishable` is asked for; only columns of the table can be taken."""
    quasi_identifier = _taken(form, columns)
    wanted: dict[str, Any] = {
        "quasi_identifier": quasi_identifier,
        "population": _bounded(str(form.get("population", "")).strip()),
        "tier": _one_of(form, "tier", TIERS),
        "coverage": _coverage(form),
    }
    counts = str(form.get("counts", ""))
    if counts:
        if counts not in columns:
            raise Refused(422, "web.predict.errors.column")
        wanted["counts"] = counts
    for name in ("licence", "norm"):
        if str(form.get(name, "")).strip():
            wanted[name] = _bounded(str(form[name]).strip())
    for name in ("vocabulary", "supersedes"):
        if str(form.get(name, "")).strip():
            wanted[name] = record_in(str(form[name]))
    others: dict[str, Any] = {
        "reference_date": day_of(str(form.get("date", ""))),
        "columns": _pairs(str(form.get("called", "")), columns),
        "cells": people_in(str(form.get("cells", ""))),
    }
    return wanted | {name: value for name, value in others.items() if value}


def _taken(form: FormData, columns: list[str]) -> list[str]:
    """Return the ticked columns by their names as attributes, each with its coding."""
    called = {column: name for name, column in _pairs(str(form.get("called", "")), columns).items()}
    codings = dict(zip(form.getlist("of"), form.getlist("coding"), strict=False))
    taken = []
    for column in map(str, form.getlist("column")):
        if column not in columns:
            raise Refused(422, "web.predict.errors.column")
        coding = _bounded(str(codings.get(column, "")).strip())
        name = called.get(column, column)
        taken.append(f"{name}:{coding}" if coding else name)
    if not taken:
        raise Refused(422, "web.repository.errors.no_columns")
    if len(taken) > _MOST_COLUMNS:
        raise Refused(422, "web.repository.errors.names")
    return list(dict.fromkeys(taken))


def _pairs(text: str, columns: list[str]) -> dict[str, str]:
    """Return the columns of ``Age=leeftijd, Sex=geslacht`` by their attributes."""
    pairs: dict[str, str] = {}
    for part in filter(None, map(str.strip, _COMMA.split(_bounded(text)))):
        name, equals, column = (side.strip().replace("\\,", ",") for side in part.partition("="))
        if not (name and equals) or column not in columns or name in pairs:
            raise Refused(422, "web.repository.errors.called", text=part[:80])
        pairs[name] = column
    return pairs


def _coverage(form: FormData) -> dict[str, Any]:
    kind = _one_of(form, "coverage", COVERAGES)
    share = str(form.get("fraction", "")).strip()
    if kind != "sample" or not share:
        return {"kind": kind}
    return {"kind": kind, "fraction": number(share)}


def _one_of(form: FormData, name: str, known: tuple[str, ...]) -> str:
    given = str(form.get(name, "")) or known[0]
    if given not in known:
        raise Refused(422, "web.repository.errors.choice")
    return given


def _bounded(text: str) -> str:
    if len(text) > _LONGEST:
        raise Refused(422, "web.repository.errors.long", n=_LONGEST)
    return text
