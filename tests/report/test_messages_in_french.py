"""Errors in French: every message has it, and what it is about stays as it was."""

from __future__ import annotations

import errno
import inspect
import os
import re
import string
import time
from pathlib import Path

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_core._pydantic_core import list_all_errors

import singleout as so
from messages.compare import differing, lacking, package_messages, unused
from run_command import singleout
from singleout.report.translation import Template, catalogue_of_errors, translated

FRENCH = catalogue_of_errors("fr")
SENTENCES = {**FRENCH["around"], **FRENCH["sentences"], **FRENCH["phrases"]}


# ---- nothing is lacking


def test_every_message_of_an_error_has_french() -> None:
    found = lacking(package_messages(), "fr")
    assert {key: one.where for key, one in found.items()} == {}, "run: python scripts/messages"


def test_no_french_is_left_over_from_messages_that_are_gone() -> None:
    assert unused(package_messages(), "fr") == []


def test_the_blanks_are_those_of_the_message() -> None:
    assert differing(package_messages(), "fr") == []


def test_enough_messages_are_found_for_these_tests_to_mean_something() -> None:
    found = package_messages()
    assert len(found.whole) > 1200
    known = "Columns not found: {0}. The table has: [{1}].{2}"  # of a class that words itself
    assert found.whole[known].kinds == ["value", "value", "phrase"]
    assert "{0} must be a whole number, {1} or more, not {2}." in found.whole  # alternatives
    assert "be a share from 0 to 1" in {**found.whole, **found.phrases}  # of a table
    assert " Did you mean {0} for {1}?" in {**found.whole, **found.phrases}  # joined


def test_a_message_without_french_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(FRENCH["sentences"], "{0} is a folder; give the name of a file.")
    monkeypatch.setitem(FRENCH["sentences"], "Nobody says {0}.", "Personne ne dit {0}.")
    found = package_messages()
    assert list(lacking(found, "fr")) == ["{0} is a folder; give the name of a file."]
    assert unused(found, "fr") == ["Nobody says {0}."]


def test_words_of_the_system_are_its_own() -> None:
    said = {os.strerror(number) for number in errno.errorcode}
    assert set(FRENCH["system"]) <= said


def test_words_of_the_command_line_are_those_of_its_libraries() -> None:
    folder = Path(inspect.getfile(typer)).parent
    code = " ".join(file.read_text("utf-8") for file in folder.rglob("*.py"))
    code += " ".join(one["message_template_python"] for one in list_all_errors())
    code += "argument option File Directory Path"  # kinds of parameters and of paths
    for key in FRENCH["command"]:
        for literal in re.split(r"\{\d\}", key):
            for part in re.split(r"(?<=Missing )|(?<=\w) |\. (?=Choose)", literal):
                assert part.strip() in code, f"{key}: {part}"


def test_marks_have_the_spaces_that_french_gives_them() -> None:
    texts = {key: re.sub(r"\{[^{}]*\}", "0", text) for key, text in all_entries().items()}
    wrong = [key for key, text in texts.items() if re.search(r" [;!?»](?!\w)| :(?!\w)|« ", text)]
    assert wrong == []


def all_entries() -> dict[str, str]:
    return {key: text for entries in FRENCH.values() for key, text in entries.items()}


# ---- translating


@pytest.mark.parametrize(
    ("english", "french"),
    [
        (
            "Columns not found: ['agee']. The table has: ['age', 'sex']. Did you mean 'age' for "
            "'agee'?",
            "Colonnes introuvables\u00a0: ['agee']. La table contient\u00a0: ['age', 'sex']. "
            "Vouliez-vous dire 'age' pour 'agee'\u202f?",
        ),
        (
            "plan.yaml, line 3: 'role' must be one of sensitive, other, not nothing (and 2 more "
            "mistakes follow).",
            "plan.yaml, ligne 3\u00a0: 'role' doit être l'un de sensitive, other, et non rien (et "
            "2 autres erreurs suivent).",
        ),
        (
            "Rating 1,234,567 records needs about 1.5 GB of memory, and 800 MB are available; "
            "give fewer columns or fewer records.",
            "Noter 1\u202f234\u202f567 enregistrements\u00a0: il y faut environ 1,5\u00a0Go de "
            "mémoire, et 800\u00a0Mo sont disponibles\u202f; donnez moins de colonnes ou moins "
            "d'enregistrements.",
        ),
        (
            "max_size must be a whole number of columns, 1 or more, or None for all sizes, not "
            "'x'.",
            "max_size doit être un nombre entier de colonnes, 1 ou plus, ou None pour toutes les "
            "tailles, et non 'x'.",
        ),
        (
            "'/x' cannot be written: Permission denied.",
            "'/x' ne peut être écrit\u00a0: accès refusé.",
        ),
        (
            "No such option: --foo (Possible options: --food). Try singleout assess --help.",
            "Il n'y a pas d'option --foo (options possibles\u00a0: --food). Essayez singleout "
            "assess --help.",
        ),
        ("This sentence is by somebody else.", "This sentence is by somebody else."),
    ],
)
def test_a_sentence_is_translated_with_what_is_in_it(english: str, french: str) -> None:
    assert translated(english, "fr") == french
    assert translated(english, "en") == english


def test_a_value_that_imitates_a_sentence_stays_as_it_is() -> None:
    name = "x is a folder; give the name of a file. No file y"
    assert translated(f"{name!r} is a folder; give the name of a file.", "fr") == (
        f"{name!r} est un dossier\u202f; donnez le nom d'un fichier."
    )
    columns = "Column ' holds numbers and more' has fewer than 3 different values."
    assert "' holds numbers and more'" in translated(columns, "fr")


PLAIN = [
    (key, text)
    for key, text in {**FRENCH["sentences"], **FRENCH["command"]}.items()
    if "{0" in text and ":phrase" not in text and ":noun" not in text and ":number" not in text
]


@settings(max_examples=60)
@given(st.sampled_from(PLAIN), st.lists(st.text(max_size=30), min_size=9, max_size=9))
def test_what_stands_in_the_blanks_is_kept_whatever_it_is(
    entry: tuple[str, str], values: list[str]
) -> None:
    quoted = [repr(value) for value in values]
    english, french = (text.format(*quoted) for text in entry)
    assert translated(english, "fr") == french


@settings(max_examples=60)
@given(st.sampled_from(sorted(SENTENCES)), st.lists(st.text(max_size=40), min_size=9, max_size=9))
def test_translating_never_fails(key: str, values: list[str]) -> None:
    assert isinstance(translated(key.format(*values), "fr"), str)


@settings(max_examples=30)
@given(st.text(max_size=300))
def test_any_text_can_be_given(text: str) -> None:
    assert isinstance(translated(text, "fr"), str)


@pytest.mark.parametrize("part", ["'", "\\'", "{0}", " and ", ", not ", ". ", "a", ": ", "'a', "])
def test_hostile_names_take_no_long_time(part: str) -> None:
    name = part * (2_000 // len(part))
    started = time.process_time()
    translated(f"Column {name} holds lists or records ({name}); x", "fr")
    translated(f"{name} must be one of {name}, not {name}; did you mean {name}?", "fr")
    assert time.process_time() - started < 5


def test_a_template_is_cut_at_its_blanks() -> None:
    template = Template.of("a {0} b {1}", "{1:number} c {0}")
    assert template.literals == ("a ", " b ", "")
    assert template.parts == ("", (1, "number"), " c ", (0, "value"))
    assert template.size == 5


def test_the_message_of_an_error_stays_english_for_programs() -> None:
    with so.speaking("fr"), pytest.raises(so.errors.UnknownColumns) as caught:
        so.anonymity_sets(so.demo(), ["AGE"])
    assert str(caught.value).startswith("Columns not found: ['AGE']")


def test_each_blank_of_french_is_one_of_english() -> None:
    for key, text in all_entries().items():
        english, french = (
            {name for _, name, _, _ in string.Formatter().parse(one) if name is not None}
            for one in (key, text)
        )
        assert english == french, key


# ---- on the command line


@pytest.mark.parametrize(
    ("arguments", "variables"),
    [
        (("sets", "nobody.csv", "--qi", "a", "--language", "fr"), {}),
        (("sets", "nobody.csv", "--qi", "a", "--language=fr"), {}),
        (("sets", "nobody.csv", "--qi", "a"), {"SINGLEOUT_LANGUAGE": "fr"}),
        (("sets", "nobody.csv", "--qi", "a"), {"LC_ALL": "fr_FR.UTF-8"}),
    ],
)
def test_an_error_is_in_the_language_that_was_asked_for(
    arguments: tuple[str, ...],
    variables: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("SINGLEOUT_LANGUAGE", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    done = singleout(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == "Il n'y a pas de fichier 'nobody.csv'.\n"


def test_a_mistake_in_the_command_itself_is_in_french(tmp_path: Path) -> None:
    done = singleout("sets", "--langage", "x", "--language", "fr", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("Il n'y a pas d'option --langage")
    assert done.stderr.endswith("Essayez singleout sets --help.\n")


def test_a_plan_that_cannot_be_read_is_refused_in_french(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text("columns:\n  age: {role: unknown}\n", encoding="utf-8")
    (tmp_path / "data.csv").write_text("age\n1\n2\n", encoding="utf-8")
    arguments = ("assess", "data.csv", "--plan", "plan.yaml", "--language", "fr")
    done = singleout(*arguments, cwd=tmp_path)
    assert done.stderr.startswith("plan.yaml, ligne 2\u00a0: 'role' doit être l'un de ")


def test_a_language_that_there_is_not_is_refused_in_english(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SINGLEOUT_LANGUAGE", "xx")
    done = singleout("demo", "--output", "x.html", cwd=tmp_path)
    assert done.stderr == "The language is 'xx'; there are en and fr.\n"
