"""Every sentence a person reads is in the catalogue, in every language, and nowhere else."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import singleout
from singleout import errors
from singleout.report.say import catalogue, languages, say, speaking

PACKAGE = Path(singleout.__file__).parent


def sentences(table: dict[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Yield the keys of a catalogue and their sentences; a number's two forms have one key."""
    for name, entry in table.items():
        key = f"{above}{name}"
        if isinstance(entry, str):
            yield key, entry
        elif set(entry) == {"one", "other"}:
            yield key, entry["other"]
        else:
            yield from sentences(entry, f"{key}.")


def placeholders(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


def only_in_one(first: dict[str, Any], second: dict[str, Any]) -> set[str]:
    """Sentences that one of two catalogues does not have, or not with the same blanks."""
    left = {(key, frozenset(placeholders(text))) for key, text in sentences(first)}
    right = {(key, frozenset(placeholders(text))) for key, text in sentences(second)}
    return {key for key, _ in left ^ right}


ENGLISH = dict(sentences(catalogue("en")))
MODULES = sorted(PACKAGE.rglob("*.py"))


@cache
def tree_of(file: Path) -> ast.Module:
    return ast.parse(file.read_text("utf-8"))


def test_all_languages_have_the_same_sentences() -> None:
    for code in languages():
        assert only_in_one(catalogue("en"), catalogue(code)) == set()


def test_a_sentence_in_one_catalogue_only_is_noticed() -> None:
    one = {"qar": {"title": "Risk {n}", "more": {"one": "{n} set", "other": "{n} sets"}}}
    assert only_in_one(one, one) == set()
    assert only_in_one(one, {"qar": {"title": "Risque {n}"}}) == {"qar.more"}
    other = {"qar": {"title": "Risque {m}", "more": {"one": "{n} jeu", "other": "{n} jeux"}}}
    assert only_in_one(one, other) == {"qar.title"}


def used_keys(tree: ast.AST) -> Iterator[str]:
    """Yield the texts of a module that may be keys; a text with gaps ends where the first is."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
            yield f"{node.values[0].value}*"


def keys_of_templates() -> Iterator[str]:
    """Yield the texts of templates that may be keys; one that is joined to another is a start."""
    for file in PACKAGE.rglob("*.j2"):
        for text, joined in re.findall(r'"([^"\s]+)"( ~)?', file.read_text("utf-8")):
            yield f"{text}*" if joined else text


def test_every_sentence_is_used() -> None:
    texts = {text for file in MODULES for text in used_keys(tree_of(file))}
    texts |= set(keys_of_templates())
    starts = tuple(text[:-1] for text in texts if text.endswith("*") and "." in text)
    tables = {text for text in texts if isinstance(entry(text), dict)}
    unused = [
        key
        for key in ENGLISH
        if key not in texts
        and not key.startswith(starts)
        and not any(key.startswith(f"{table}.") for table in tables)
    ]
    assert unused == []


def entry(key: str) -> Any:
    found: Any = catalogue("en")
    for part in key.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return found


def calls_of(name: str, tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
            yield node


@pytest.mark.parametrize("file", MODULES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_sentences_are_asked_for_by_their_keys_and_blanks(file: Path) -> None:
    for call in calls_of("say", tree_of(file)):
        key = call.args[0]
        if not isinstance(key, ast.Constant):
            continue
        assert key.value in ENGLISH, f"line {call.lineno}: no sentence {key.value}"
        names = {keyword.arg for keyword in call.keywords}
        if None not in names:
            missing = placeholders(ENGLISH[key.value]) - names
            assert not missing, f"line {call.lineno}: {key.value} is not given {missing}"


def test_templates_ask_for_sentences_that_there_are() -> None:
    asked = {
        (file.name, key)
        for file in PACKAGE.rglob("*.j2")
        for key in re.findall(r'\bsay\("([^"]+)"[,)]', file.read_text("utf-8"))
    }
    assert len(asked) > 20
    assert {(name, key) for name, key in asked if key not in ENGLISH} == set()


def test_a_number_chooses_the_form(monkeypatch: pytest.MonkeyPatch) -> None:
    forms = {"more": {"one": "{n:,} more set", "other": "{n:,} more sets"}}
    monkeypatch.setattr("singleout.report.say.catalogue", lambda _: forms)
    monkeypatch.setattr("singleout.core.language.LANGUAGES", ("en", "xx"))
    with speaking("xx"):
        assert [say("more", n=n) for n in (0, 1, 2000)] == [
            "0 more sets",
            "1 more set",
            "2,000 more sets",
        ]


# ---- no sentence outside

SCANNED = ("assessment", "methods", "predict", "report", "treatment")

# functions whose arguments are parts of the message of an error
CHECKS = {"check_size", "choose", "require_memory", "share", "shares_table", "whole"}
# prose that is not of a result: functions whose arguments, names whose values hold it
NOT_OF_RESULTS = {
    "Field": "schema of a plan",
    "about": "schema of a plan",
    "example": "schema of a plan",
    "schema": "schema of a report",
    "__doc__": "docstring",
    "labelExpr": "expression of a chart",
    "_LEFT": "style of a cell",
    "what": "part of the message of an error",
    "filterwarnings": "pattern of somebody else's message",
    "_NO_GROUPS": "ends the message of an error",
    "_NO_RECORDS": "message of an error",
    "_FRACTION": "ends the message of an error",
    "also": "ends the message of an error",
    "_COUNTS": "schema of a questionnaire",
    "_VALUE": "schema of a questionnaire",
    "_COUNT": "schema of a questionnaire",
    "_WOULD_WORK": "ends the message of an error",
}
WORD = re.compile(r"[(“]?[^\W\d_]{2,}")


def reads_like_a_sentence(text: str) -> bool:
    """Whether there are four words, or three and a gap."""
    tokens = text.split()
    return len(tokens) > 3 and sum(WORD.match(token) is not None for token in tokens) > 2


def name_of(node: ast.AST) -> str:
    """Return what a node is called: a function by its call, a variable by its assignment."""
    if isinstance(node, ast.Call):
        return name_of(node.func)
    if isinstance(node, ast.Assign):
        return name_of(node.targets[0])
    if isinstance(node, ast.AnnAssign):
        return name_of(node.target)
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.keyword):
        return node.arg or ""
    return node.id if isinstance(node, ast.Name) else ""


def is_of_no_result(node: ast.AST) -> bool:
    if isinstance(node, ast.Raise) or name_of(node) in NOT_OF_RESULTS:
        return True
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):  # a docstring
        return True
    return isinstance(node, ast.Call) and name_of(node) in {*errors.__all__, *CHECKS, "Mistake"}


def prose(node: ast.AST, above: ast.AST | None = None) -> Iterator[tuple[int, str]]:
    """Yield what reads like a sentence or a title, with its line."""
    if is_of_no_result(node):
        return
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    texts = [
        str(part.value) if isinstance(part, ast.Constant) and isinstance(part.value, str) else "0"
        for part in parts
    ]
    if texts != ["0"]:
        text = "".join(texts)
        is_title = isinstance(above, ast.keyword) and above.arg == "title" and " " in text
        if is_title or reads_like_a_sentence(text):
            yield getattr(node, "lineno", 0), text
    for child in ast.iter_child_nodes(node):
        if not isinstance(node, ast.JoinedStr) or isinstance(child, ast.FormattedValue):
            yield from prose(child, node)


@pytest.mark.parametrize("package", SCANNED)
def test_no_sentence_is_written_outside_the_catalogue(package: str) -> None:
    outside = [
        f"{file.relative_to(PACKAGE)}:{line}: {text}"
        for file in MODULES
        if file.is_relative_to(PACKAGE / package)
        for line, text in prose(tree_of(file))
    ]
    assert outside == []


@pytest.mark.parametrize(
    ("code", "noticed"),
    [
        ('notes = [f"Column {name!r} was left out."]', 1),
        ('alt.X("share:Q", title="of them")', 1),
        ('alt.X("share:Q", title=f"{n} columns")', 1),
        ('alt.X("share:Q", title="share")', 0),
        ('raise BadChoice(f"There is no column {name!r} here.")', 0),
        ('error = BadChoice("There is no such column here.")', 0),
        ('def f():\n    """Return what there is to see."""', 0),
        ('working_on("Counting values and pairs of values")', 1),
        ('share(value, "The share of all people", one=True)', 0),
        ('say("qar.warnings.few", n=3)', 0),
    ],
)
def test_prose_outside_the_catalogue_is_noticed(code: str, noticed: int) -> None:
    assert len(list(prose(ast.parse(code)))) == noticed
