"""Messages of errors in the language that is spoken, found by the English sentence.

An error is raised in English, and programs read it so. Where a person reads it, `translated` finds
the template that the sentence was made from, and fills the one of the other language with the same
texts. The templates are in ``languages/fr/``:

    "{0} is a folder; give the name of a file." = "{0} est un dossier ; donnez le nom d'un fichier."

A blank is left as it is: a column, an option, a file. ``{0:phrase}`` holds words of this package,
which are translated in their turn, ``{0:noun}`` may be a single word of it as well, and
``{0:number}`` is a number, whose marks are changed. What has no template stays English.

A sentence is read from left to right, and each literal is taken where it is found first, outside of
quotes if it is there. Nothing is tried again, so that the time is that of reading the sentence once
for each template, whatever a name of a column holds.
"""

from __future__ import annotations

import re
import string
import tomllib
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise

from singleout.core.language import spoken
from singleout.errors import BadChoice

__all__ = ["Template", "catalogue_of_errors", "translated"]

_DEEPEST = 4  # sentences within sentences
_LONGEST = 10_000  # characters; no person reads more
_MOST_SENTENCES = 20  # one after another
_NARROW = "\N{NARROW NO-BREAK SPACE}"
_MARKS = str.maketrans({",": _NARROW, ".": ",", "%": f"{_NARROW}%"})
_NUMBER = re.compile(r"[+-]?\d{1,3}(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?%?|[+-]?\d+(?:\.\d+)?%?")
_SIZE = re.compile(r"([\d.,]+) (bytes|kB|MB|GB|TB)")
_SHOWN = re.compile(r"[,%]|\d [a-zA-Z]+$")  # as only numbers for people are written
_UNITS = {"bytes": "octets", "kB": "ko", "MB": "Mo", "GB": "Go", "TB": "To"}
_BETWEEN = {" and ": " et ", " or ": " ou "}
_VOWELS = tuple("aàâeéèêiîoôuùûyhAÀÂEÉÈÊIÎOÔUÙÛYH")
_ENDS = re.compile(r"[.?](?= )")


def translated(sentence: str, language: str | None = None) -> str:
    r"""Return a sentence of an error in a language, by default the one that is spoken.

    >>> translated("'x' is a folder; give the name of a file.", "fr")
    "'x' est un dossier\u202f; donnez le nom d'un fichier."
    >>> translated("Nobody wrote this.", "fr")
    'Nobody wrote this.'
    """
    sentence = str(sentence)
    code = _spoken() if language is None else language
    if code == "en" or len(sentence) > _LONGEST:
        return sentence
    return _translated(code, sentence)


def _spoken() -> str:
    try:
        return spoken()
    except BadChoice:  # what SINGLEOUT_LANGUAGE says; the sentence may be about that
        return "en"


@lru_cache(256)
def _translated(code: str, sentence: str) -> str:
    return _Translator(code).sentence(sentence)


@dataclass(frozen=True)
class Template:
    """An English template with its French one, both cut at their blanks.

    Parameters
    ----------
    literals
        What stands before, between and after the blanks.
    parts
        The other language: literals, and blanks as their number and kind.
    """

    literals: tuple[str, ...]
    parts: tuple[str | tuple[int, str], ...]

    @classmethod
    def of(cls, english: str, other: str) -> Template:
        """Return the template of an entry of a catalogue."""
        literals = [""]
        for literal, name, _, _ in string.Formatter().parse(english):
            literals[-1] += literal
            if name is not None:
                literals.append("")
        parts: list[str | tuple[int, str]] = []
        for literal, name, form, _ in string.Formatter().parse(other):
            parts.append(literal)
            if name is not None:
                parts.append((int(name), form or "value"))
        return cls(tuple(literals), tuple(parts))

    @property
    def size(self) -> int:
        """How many characters are literal: the larger, the surer is a match."""
        return sum(map(len, self.literals))

    def blanks(self, text: str, quotes: _Quotes) -> list[str] | None:
        """Return what stands in the blanks of a text; None if it was not made from this."""
        first, last = self.literals[0], self.literals[-1]
        if not (text.startswith(first) and text.endswith(last)):
            return None
        if len(self.literals) == 1:
            return [] if text == first else None
        found = self._cut(text, quotes)
        return self._cut(text, _NO_QUOTES) if found is None and quotes.spans else found

    def _cut(self, text: str, quotes: _Quotes) -> list[str] | None:
        end = len(text) - len(self.literals[-1])
        start = len(self.literals[0])
        found = []
        for literal in self.literals[1:-1]:
            at = quotes.find(text, literal, start, end)
            if at < 0:
                return None
            found.append(text[start:at])
            start = at + len(literal)
        if start > end:
            return None
        return [*found, text[start:end]]


class _Quotes:
    """Where a text has values in quotes, as Python writes them."""

    def __init__(self, spans: Sequence[tuple[int, int]]) -> None:
        self.spans = spans
        self._ends = [end for _, end in spans]

    @classmethod
    @lru_cache(64)
    def of(cls, text: str) -> _Quotes:
        """Find the values in quotes of a text, in one pass."""
        spans = []
        at, unclosed = 0, set[str]()
        while at < len(text):
            mark = text[at]
            before = text[at - 1] if at else " "
            if mark in "'\"" and mark not in unclosed and not before.isalnum():
                end = _closing(text, at)
                if end is None:
                    unclosed.add(mark)
                else:
                    spans.append((at, end))
                    at = end
            at += 1
        return cls(spans)

    def find(self, text: str, literal: str, start: int, end: int) -> int:
        """Return where a literal first begins outside of quotes; -1 if nowhere."""
        while True:
            at = text.find(literal, start, end)
            if at < 0:
                return -1
            span = self.around(at)
            if span is None:
                return at
            start = span[1] + 1

    def around(self, at: int) -> tuple[int, int] | None:
        """Return the quotes that an index is within."""
        index = bisect_left(self._ends, at)
        if index < len(self.spans) and self.spans[index][0] < at:
            return self.spans[index]
        return None


_NO_QUOTES = _Quotes(())


def _closing(text: str, start: int) -> int | None:
    mark, at = text[start], start + 1
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] == mark:
            return at
        at += 1
    return None


class _Translator:
    """Sentences and the phrases in them, in one language."""

    def __init__(self, code: str) -> None:
        self._around, self._sentences, self._phrases = _templates(code)
        self._nouns = catalogue_of_errors(code)["words"]

    def sentence(self, text: str, depth: int = 0) -> str:
        """Return a sentence, or several, in the other language."""
        known = self._known(text, self._sentences, depth)
        if known is None:
            known = self._several(text, self._sentences, depth)
        return text if known is None else known

    def phrase(self, text: str, depth: int) -> str:
        """Return what stands in a blank for words; names and values stay as they are."""
        known = self._known(text, self._phrases, depth)
        if known is None:
            known = self._row(text, depth)
        if known is None:
            known = self._several(text, self._phrases, depth)
        if known is None:
            # a decimal alone may be what somebody typed
            return _in_figures(text) if _SHOWN.search(text) else text
        return known

    def _known(self, text: str, templates: Sequence[Template], depth: int) -> str | None:
        found = self._inside(text, depth)
        if found is None:
            found = self._filled(text, templates, depth)
        if found is None and text[-1:].isalnum():
            found = _without_end(self._filled(f"{text}.", templates, depth))
        if found is None and text[:1].isupper():
            found = _capital(self._filled(text[:1].lower() + text[1:], templates, depth))
        return found

    def _inside(self, text: str, depth: int) -> str | None:
        """Return a sentence with a place before it, or with what follows, if it is known itself."""
        if depth > _DEEPEST:
            return None
        body = text.removesuffix(".")
        for template in self._around:
            blanks = template.blanks(text, _Quotes.of(text))
            end = ""
            if blanks is None:
                blanks, end = template.blanks(body, _Quotes.of(body)), text[len(body) :]
            if blanks is None:
                continue
            known = [self._known(blank, self._phrases, depth + 1) for blank in blanks]
            if any(one is not None for one in known):
                return self._written(template, blanks, depth) + end
        return None

    def _filled(self, text: str, templates: Sequence[Template], depth: int) -> str | None:
        """Return a text by the template with the most literal characters, its end aside or not."""
        if depth > _DEEPEST or not text:
            return None
        body = text.removesuffix(".")
        found = [_first(body, templates), _first(text, templates) if body != text else None]
        best = max((one for one in found if one is not None), key=_size, default=None)
        if best is None:
            return None
        return self._written(*best, depth) + ("." if best is found[0] and body != text else "")

    def _written(self, template: Template, blanks: Sequence[str], depth: int) -> str:
        written = ""
        for part in template.parts:
            if isinstance(part, str):
                written += part
                continue
            number, kind = part
            text = blanks[number]
            if kind in ("phrase", "noun"):
                noun = self._noun(text) if kind == "noun" else None
                words = self.phrase(text, depth + 1) if noun is None else noun
                if words != text and written.endswith(" de ") and words.startswith(_VOWELS):
                    written = written[:-2] + "'"
                text = words
            elif kind == "number":
                text = _in_figures(text)
            written += text
        return written

    def _noun(self, text: str) -> str | None:
        word = text.removesuffix(".")
        return f"{self._nouns[word]}{text[len(word) :]}" if word in self._nouns else None

    def _several(self, text: str, templates: Sequence[Template], depth: int) -> str | None:
        """Return sentences after one another, if one of them at least is known."""
        quotes = _Quotes.of(text)
        ends = [
            found.end() for found in _ENDS.finditer(text) if quotes.around(found.start()) is None
        ]
        if not 0 < len(ends) < _MOST_SENTENCES or depth >= _DEEPEST:
            return None
        pieces = [text[start:end] for start, end in pairwise([0, *ends, len(text)])]
        known = [self._piece(piece, templates, depth + 1) for piece in pieces]
        return "".join(known) if known != pieces else None

    def _piece(self, piece: str, templates: Sequence[Template], depth: int) -> str:
        found = self._filled(piece, templates, depth)
        if found is None and piece.startswith(" "):
            found = self._filled(piece[1:], templates, depth)
            found = None if found is None else f" {found}"
        return piece if found is None else found

    def _row(self, text: str, depth: int) -> str | None:
        """Return names joined by *and* or *or*: names in quotes, or of one word each."""
        quotes = _Quotes.of(text)
        for english, other in _BETWEEN.items():
            at = quotes.find(text, english, 0, len(text))
            if at < 0:
                continue
            first, last = text[:at], text[at + len(english) :]
            if all(map(_is_name, [*_cut_at_commas(first), last])):
                return f"{first}{other}{last}"
            known = self._known(last, self._phrases, depth + 1)
            if known is not None and all(map(_is_name, _cut_at_commas(first))):
                return f"{first}{other}{known}"
        return None


_Match = tuple[Template, list[str]]


def _first(text: str, templates: Sequence[Template]) -> _Match | None:
    """Return the first template that a text may be made from, and its blanks."""
    quotes = _Quotes.of(text)
    for template in templates:
        blanks = template.blanks(text, quotes)
        if blanks is not None:
            return template, blanks
    return None


def _size(match: _Match) -> int:
    return match[0].size


def _is_name(text: str) -> bool:
    if text[:1] in ("'", '"'):
        return _Quotes.of(text).spans == [(0, len(text) - 1)]
    return bool(text) and " " not in text


def _cut_at_commas(text: str) -> Iterator[str]:
    quotes, start = _Quotes.of(text), 0
    while (at := quotes.find(text, ", ", start, len(text))) >= 0:
        yield text[start:at]
        start = at + 2
    yield text[start:]


def _without_end(text: str | None) -> str | None:
    return None if text is None else text.removesuffix(".")


def _capital(text: str | None) -> str | None:
    return None if text is None else text[:1].upper() + text[1:]


def _in_figures(text: str) -> str:
    """Return a number or an amount of memory with the marks of French; else the text."""
    size = _SIZE.fullmatch(text)
    if size is not None:
        return f"{_in_figures(size[1])}\N{NO-BREAK SPACE}{_UNITS[size[2]]}"
    return text.translate(_MARKS) if _NUMBER.fullmatch(text) else text


# ---- the catalogue


@cache
def catalogue_of_errors(code: str) -> dict[str, dict[str, str]]:
    """Return the entries for errors: sentences, phrases, and what other programs say."""
    found: dict[str, dict[str, str]] = {}
    folder = files("singleout.report") / "languages" / code
    for file in sorted(folder.iterdir(), key=lambda one: one.name):
        if file.name.endswith(".toml"):
            for section, entries in tomllib.loads(file.read_text("utf-8")).items():
                found.setdefault(section, {}).update(entries)
    return found


@cache
def _templates(code: str) -> tuple[tuple[Template, ...], ...]:
    """Return what stands around sentences, sentences, and what may stand within one."""
    entries = catalogue_of_errors(code)
    whole = {**entries["sentences"], **entries["command"]}
    phrases = {**whole, **entries["phrases"], **entries["system"]}
    return _sorted(entries["around"]), _sorted(whole), _sorted(phrases)


def _sorted(entries: Mapping[str, str]) -> tuple[Template, ...]:
    found = [Template.of(english, other) for english, other in entries.items()]
    return tuple(sorted(found, key=lambda one: -one.size))
