"""The words in the name of a column."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["tokens"]

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_TOKEN = re.compile(r"[a-z]+|\d+")
_SPELLED = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d"})


def tokens(name: str) -> tuple[str, ...]:
    """Return the words and numbers of a name, without accents and capitals.

    Examples
    --------
    >>> tokens("dateDeNaissance"), tokens("PC4"), tokens("Körper_größe")
    (('date', 'de', 'naissance'), ('pc', '4'), ('korper', 'grosse'))
    """
    if name.isascii():
        return tuple(_TOKEN.findall(_CAMEL.sub(" ", name).lower()))
    spaced = _CAMEL.sub(" ", name.translate(_SPELLED))
    plain = unicodedata.normalize("NFKD", spaced.lower().translate(_SPELLED))
    bare = "".join(char for char in plain if not unicodedata.combining(char))
    return tuple(_TOKEN.findall(bare))
