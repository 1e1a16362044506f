"""Every sentence a person reads, from one catalogue: another language is another file.

``languages/en.toml`` holds the verdict, notes, warnings, titles of charts and the words of reports,
each under a key. ``say("suda.dis", fraction="1%", dis="40%")`` returns one, filled in. A sentence
that depends on a number has two forms, and the number ``n`` chooses:

    [suda]
    more = {one = "{n:,} more set", other = "{n:,} more sets"}

Messages of errors, help texts and docstrings stay in the code: they belong to the English names of
functions and options (decision 0010). `singleout.report.translation` has the errors in French.
"""

from __future__ import annotations

import string
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from importlib.resources import files
from typing import Any

from singleout.core.language import LANGUAGES, speaking, spoken
from singleout.core.wording import Worded, composed, figure, percent, reworded

__all__ = ["in_a_row", "language", "languages", "meaning", "say", "speaking", "term", "words"]


class _Filled(string.Formatter):
    """Sentences as ``str.format`` fills them; ``{share:percent}`` is a measured share.

    ``{name:lower}`` is a name within a sentence.
    """

    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec == "percent":
            return percent(value)
        if format_spec == "lower":
            return str(value).lower()
        if format_spec and not isinstance(value, str):
            return figure(value, format_spec)
        return str(super().format_field(value, format_spec))


_FILLED = _Filled()


def say(key: str, **values: Any) -> str:
    """Return the sentence of this key with its values filled in.

    >>> say("report.of_records", part=1, whole=4, share="25.0%")
    '1 of 4 (25.0%)'
    """
    sentence = _entry(key)
    if not isinstance(sentence, str):
        sentence = sentence["one" if _is_one(values["n"]) else "other"]
    text = _FILLED.vformat(sentence, (), values) if values else str(sentence)
    return Worded.of(text, partial(_again, key, values))


def _again(key: str, values: Mapping[str, Any]) -> str:
    return say(key, **reworded(values))


def _is_one(number: float) -> bool:
    """Whether a number takes the singular: in French what is less than two does."""
    return abs(number) < 2 if spoken() == "fr" else number == 1


def in_a_row(sentences: Iterable[str]) -> str:
    """Return sentences without their ends as one, semicolons between them."""
    return composed(_in_a_row, list(sentences))


def _in_a_row(sentences: Sequence[str]) -> str:
    return say("report.semicolon").join(sentences)


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
    return spoken()


def languages() -> tuple[str, ...]:
    """Return the languages there are."""
    return LANGUAGES


def _entry(key: str) -> Any:
    entry: Any = catalogue(spoken())
    for part in key.split("."):
        entry = entry[part]
    return entry


@cache
def catalogue(code: str) -> dict[str, Any]:
    """Return the sentences of a language, as nested tables."""
    file = files("singleout.report") / "languages" / f"{code}.toml"
    return tomllib.loads(file.read_text("utf-8"))
