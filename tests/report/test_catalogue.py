"""Every sentence a person reads is in the catalogue, in every language, and nowhere else."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import singleout
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
TREES = {file: ast.parse(file.read_text("utf-8")) for file in MODULES}


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


def test_every_sentence_is_used() -> None:
    texts = {text for tree in TREES.values() for text in used_keys(tree)}
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
    for call in calls_of("say", TREES[file]):
        key = call.args[0]
        if not isinstance(key, ast.Constant):
            continue
        assert key.value in ENGLISH, f"line {call.lineno}: no sentence {key.value}"
        names = {keyword.arg for keyword in call.keywords}
        if None not in names:
            missing = placeholders(ENGLISH[key.value]) - names
            assert not missing, f"line {call.lineno}: {key.value} is not given {missing}"


def test_a_number_chooses_the_form(monkeypatch: pytest.MonkeyPatch) -> None:
    forms = {"more": {"one": "{n:,} more set", "other": "{n:,} more sets"}}
    monkeypatch.setattr("singleout.report.say.catalogue", lambda _: forms)
    with speaking("xx"):
        assert [say("more", n=n) for n in (0, 1, 2000)] == [
            "0 more sets",
            "1 more set",
            "2,000 more sets",
        ]
