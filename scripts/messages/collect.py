"""Every message of an error of the package, and every phrase within one, as templates."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from messages.places import Package, Place
from messages.texts import Blank, Reader, Text, key_of, opened

__all__ = ["KINDS", "Entry", "Messages", "collect"]

KINDS = ("value", "number", "phrase")  # a later one holds where code has both

_OWN = {"ValueError", "TypeError", "Exception", "BadParameter", "UsageError"}
_WORD = re.compile(r"[^\W\d_]{2,}")
# functions that say what they are given, beside the classes of errors
_SAYING = {"_say", "problem", "working_on", "track"}
# tables of modules whose texts become messages, or parts of them, in ways that are not followed
_TABLES = {
    "cli/main.py": {"_NO_MEMORY"},
    "cli/shared/ending.py": {"_SENTENCE", "_STOPPING"},
    "core/arguments.py": {"_RANGES"},
    "engines/spark/files.py": {"_ODDITIES"},
    "engines/spark/session.py": {"_CANCELLED", "_KNOWN"},
    "engines/sql/errors.py": {"_FAILURES"},
    "io/files.py": {"_SIGNATURES", "_MARKUP"},
    "io/formats/statistical.py": {"STATISTICAL"},
    "io/read.py": {"_R"},
    "io/yaml/errors.py": {"_WORDS"},
    "repository/service/problems.py": {"MISTAKE", "_STORE_DOWN"},
    "where/parser.py": {"_HINTS"},
}
# functions whose answers do so, and attributes of classes
_FUNCTIONS = {
    "io/yaml/errors.py": {"_kind", "_not_among", "_sentence", "_shown", "_unknown_key"},
    "repository/service/app.py": {"_not_routed"},
    "where/kinds.py": {"ColumnKind"},
    "where/parser.py": {"_tokens"},
    "engines/counted.py": {"check"},
    "engines/sql/engine.py": {"Database"},
    "engines/spark/engine.py": {"Spark"},
    "cli/shared/configuration.py": {"note"},
}
# statements, patterns and names in the code, which nobody reads
_TEXT_OF_CODE = re.compile(
    r"SELECT |CREATE |CASE |FLOOR|GROUP BY |SQL Server|authentication failed|\{\{name|[\^|]|steps:|"
    r"\{0\} (IN|to|TB)|[A-Za-z_./:{}0-9@-]*$|.*\|.*\||too \(large|database \"\.\*|could not |"
    r".*codec can|resolve host|is not a database|SparkContext|stopped Spark|HEADER|<!doctype|ARROW|"
    r"RDX|SQLite format|'\{0\}': 'VARCHAR'"
)


@dataclass
class Entry:
    """A template: the kinds of its blanks, and one place in the code that has it."""

    kinds: list[str]
    where: str


class Messages:
    """Templates by their keys: of whole messages, and of phrases within them."""

    def __init__(self, package: Package) -> None:
        self.package = package
        self.reader = Reader(package)
        self.whole: dict[str, Entry] = {}
        self.phrases: dict[str, Entry] = {}
        self.words: set[str] = set()  # single words, which need no French
        self._seen: set[tuple[str, bool, frozenset[Text]]] = set()

    def add(self, text: Text, where: str, *, phrase: bool = False) -> None:
        """Take in a template and the phrases in its blanks."""
        blanks = [part for part in text if isinstance(part, Blank)]
        found, key = self.phrases if phrase else self.whole, key_of(text)
        if is_prose(text):
            known = found.setdefault(key, Entry([blank.kind for blank in blanks], where))
            known.kinds = [
                max(old, blank.kind, key=KINDS.index)
                for old, blank in zip(known.kinds, blanks, strict=True)
            ]
        elif phrase and not blanks:
            self.words.add(key)
        mark = key, phrase, frozenset().union(*(blank.phrases for blank in blanks))
        if mark in self._seen:
            return
        self._seen.add(mark)
        for blank in blanks:
            for inner in sorted(blank.phrases, key=key_of):
                # what a function answers as a whole is a whole message
                self.add(inner, where, phrase=phrase or len(text) > 1)


def is_prose(text: Text) -> bool:
    """Whether there are words to translate: not a name of code, an option or a statement."""
    if _TEXT_OF_CODE.match(key_of(text)):
        return False
    literals = "".join(part if isinstance(part, str) else "0" for part in text)
    return _WORD.search(literals) is not None and " " in literals


def collect(root: Path) -> Messages:
    """Return the messages of a package."""
    package = Package(root)
    found = Messages(package)
    errors = _errors(package)
    for node, place in package.nodes:
        if isinstance(node, ast.Call) and _is_message(node, place, errors):
            at = f"{place.module.name}:{node.lineno}"
            for argument in _arguments(node):
                for text in found.reader.texts(argument, place):
                    found.add(text, at)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            _table(node, place, found)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            _function(node, place, found)
    return found


def _is_message(call: ast.Call, place: Place, errors: set[str]) -> bool:
    name = _called(call)
    if name in errors or name in _SAYING:
        return True
    own = place.cls is not None and place.cls.name in errors
    return own and name == "__init__"


def _function(node: ast.FunctionDef | ast.ClassDef, place: Place, found: Messages) -> None:
    if node.name not in _FUNCTIONS.get(place.module.name, set()):
        return
    inside = place.inside(node)
    for one in ast.walk(node):
        if isinstance(one, ast.Return | ast.Assign | ast.AnnAssign):
            for text in found.reader.texts(one.value, inside):
                found.add(text, f"{place.module.name}:{one.lineno}")


def _table(node: ast.Assign | ast.AnnAssign, place: Place, found: Messages) -> None:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    names = {one.id for one in targets if isinstance(one, ast.Name)}
    if node.value is None or not names & _TABLES.get(place.module.name, set()):
        return
    for one in ast.walk(node.value):
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            for text in found.reader.texts(one, place):
                found.add(opened(text), f"{place.module.name}:{one.lineno}")


def _arguments(call: ast.Call) -> Iterator[ast.expr]:
    yield from call.args
    yield from (one.value for one in call.keywords)


def _errors(package: Package) -> set[str]:
    """Return the names of classes that are errors, and those that need no class here."""
    bases = package.classes()
    found = set(_OWN)
    while True:
        more = {name for name, above in bases.items() if found & set(above)} - found
        if not more:
            return found
        found |= more


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
