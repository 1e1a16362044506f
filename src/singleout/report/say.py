"""Every sentence a person reads, from one catalogue: another language is another file.

``languages/en.toml`` holds the verdict, notes, warnings, titles of charts and the words of reports,
each under a key. ``say("suda.dis", fraction="1%", dis="40%")`` returns one, filled in. A sentence
that depends on a number has two forms, and the number ``n`` chooses:

    [suda]
    more = {one = "{n:,} more set", other = "{n:,} more sets"}

Messages of errors, help texts and docstrings stay in the code: they belong to the English names of
functions and options (decision 0010).
"""

from __future__ import annotations

import string
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.resources import files
from typing import Any

from singleout.core.wording import percent

__all__ = ["language", "languages", "meaning", "say", "speaking", "term", "words"]

_language = ContextVar("language", default="en")


class _Filled(string.Formatter):
    """Sentences as ``str.format`` fills them; ``{share:percent}`` is a measured share."""

    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec == "percent":
            return percent(value)
        return str(super().format_field(value, format_spec))


_FILLED = _Filled()


def say(key: str, **values: Any) -> str:
    """Return the sentence of this key with its values filled in.

    >>> say("report.of_records", part=1, whole=4, share="25.0%")
    '1 of 4 (25.0%)'
    """
    sentence = _entry(key)
    if not isinstance(sentence, str):
        sentence = sentence["one" if values["n"] == 1 else "other"]
    return _FILLED.vformat(sentence, (), values) if values else str(sentence)


def words(key: str) -> Mapping[str, str]:
    """Return all words under a key, in their order: the names of roles, of levels."""
    entry = _entry(key)
    assert isinstance(entry, dict)
    return entry


def term(key: str, **values: Any) -> tuple[str, str]:
    """Return a term and its meaning."""
    return say(f"{key}.term"), say(f"{key}.meaning", **values)


def meaning(key: str) -> str:
    """Return what the words of a key mean, in plain words; nothing if they are plain already."""
    return words("meanings").get(key, "")


def language() -> str:
    """Return the language that is spoken now, as its code: ``en``."""
    return _language.get()


def languages() -> tuple[str, ...]:
    """Return the languages there are."""
    folder = files("singleout.report") / "languages"
    names = [file.name for file in folder.iterdir() if file.name.endswith(".toml")]
    return tuple(sorted(name.removesuffix(".toml") for name in names))


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """Speak another language for a while."""
    token = _language.set(code)
    try:
        yield
    finally:
        _language.reset(token)


def _entry(key: str) -> Any:
    entry: Any = catalogue(_language.get())
    for part in key.split("."):
        entry = entry[part]
    return entry


@cache
def catalogue(code: str) -> dict[str, Any]:
    """Return the sentences of a language, as nested tables."""
    file = files("singleout.report") / "languages" / f"{code}.toml"
    return tomllib.loads(file.read_text("utf-8"))
