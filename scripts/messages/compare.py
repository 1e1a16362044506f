"""What the code says and what the catalogue of another language has, compared."""

from __future__ import annotations

import string
from functools import cache
from pathlib import Path

import singleout
from messages.collect import Entry, Messages, collect
from singleout.report.translation import catalogue_of_errors

__all__ = ["differing", "lacking", "package_messages", "unused"]

_OF_THE_CODE = ("around", "sentences", "phrases")
# what no person reads, and why
_INTERNAL = {
    "not a function of the web application: {0}": "a mistake in the code of the application",
    "not a name of a file of a workspace: {0}": "a mistake in the code of the application",
}
_ENOUGH = {"phrase": {"phrase", "noun"}, "number": {"number", "value", "phrase"}}


@cache
def package_messages() -> Messages:
    """Return every message of the package; reading all its code takes a while."""
    return collect(Path(singleout.__file__).parent)


def lacking(found: Messages, code: str) -> dict[str, Entry]:
    """Return the templates of the code that a language does not have."""
    known = {**_entries(code), **_INTERNAL}
    # the same words may be a whole message in one place, and a part of one elsewhere
    return {key: one for key, one in {**found.phrases, **found.whole}.items() if key not in known}


def unused(found: Messages, code: str) -> list[str]:
    """Return the templates of a language that the code does not have."""
    return [key for key in _entries(code) if key not in found.whole and key not in found.phrases]


def differing(found: Messages, code: str) -> list[str]:
    """Return the templates whose blanks are not those of the code, or not of their kinds."""
    wrong = []
    for key, other in _entries(code).items():
        kinds = _kinds(other)
        entry = found.whole.get(key) or found.phrases.get(key)
        if entry is None:
            continue
        fit = set(kinds) == set(range(len(entry.kinds))) and all(
            kinds[number] in _ENOUGH.get(kind, {kinds[number]})
            for number, kind in enumerate(entry.kinds)
        )
        if not fit:
            wrong.append(key)
    return wrong


def _entries(code: str) -> dict[str, str]:
    sections = catalogue_of_errors(code)
    return {key: text for name in _OF_THE_CODE for key, text in sections[name].items()}


def _kinds(text: str) -> dict[int, str]:
    return {
        int(name): form or "value"
        for _, name, form, _ in string.Formatter().parse(text)
        if name is not None
    }
