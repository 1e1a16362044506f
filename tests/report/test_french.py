"""French beside English: typography, plurals, a whole report without an English sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import singleout as so
from run_command import singleout
from singleout.assessment.rating.scales import EXPLOITABILITIES, EXPOSURES, RISKS, SEVERITIES
from singleout.methods.levels import INFERENCES, level_names
from singleout.report.say import catalogue, say

FRENCH = Path(so.__file__).parent / "report" / "languages" / "fr.toml"


def texts(table: dict[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Yield every sentence with its key; both forms of one that depends on a number."""
    for name, entry in table.items():
        if isinstance(entry, str):
            yield f"{above}{name}", entry
        else:
            yield from texts(entry, f"{above}{name}.")


def fragments(sentence: str) -> list[str]:
    """Return the parts of a sentence between its blanks that are long enough to be recognised."""
    return [part.strip() for part in re.split(r"\{[^{}]*\}", sentence) if len(part.split()) >= 4]


def test_marks_have_the_spaces_that_french_gives_them() -> None:
    sentences = {
        key: re.sub(r"\{[^{}]*\}", "0", text)
        for key, text in texts(catalogue("fr"))
        # YAML, and the titles of papers
        if not re.match(r"guess\.file\.|.*\bsource", key)
    }
    wrong = [
        key
        for key, text in sentences.items()
        if re.search(r" [;:!?%»](?!\w)|« |[^\W\d_][;!?]|\w%", text)
    ]
    assert wrong == []


def test_the_levels_have_the_names_of_plans_and_files_in_english() -> None:
    assert level_names("risk") == RISKS
    assert level_names("severity") == SEVERITIES
    assert level_names("exploitability") == EXPLOITABILITIES
    assert level_names("inference") == INFERENCES
    assert level_names("exposure") == EXPOSURES
    with so.speaking("fr"):
        assert level_names("severity") == ("Négligeable", "Limitée", "Importante", "Maximale")


def test_what_is_less_than_two_is_singular_in_french() -> None:
    with so.speaking("fr"):
        said = [say("screen.records", n=n) for n in (0, 1, 2, 2000)]
    assert said == [
        "0 enregistrement",
        "1 enregistrement",
        "2 enregistrements",
        "2\u202f000 enregistrements",
    ]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo assessed in French by the command: report, JSON, CSV, PIA and what was printed."""
    folder = tmp_path_factory.mktemp("french")
    singleout("demo", "--save", "demo.csv", "--save-plan", "plan.yaml", cwd=folder)
    done = singleout(
        *("assess", "demo.csv", "--plan", "plan.yaml", "--language", "fr"),
        *("-o", "report.html", "--report-json", "report.json", "--pia", "pia.json"),
        *("--csv", "records.csv", "--top", "3"),
        cwd=folder,
    )
    assert done.returncode == 1, done.stderr
    (folder / "screen.txt").write_text(done.stdout, encoding="utf-8")
    return folder


@pytest.mark.parametrize("file", ["report.html", "screen.txt", "pia.json"])
def test_the_demo_in_french_has_no_english_sentence(demo: Path, file: str) -> None:
    text = unescape((demo / file).read_text(encoding="utf-8"))
    text = " ".join(re.sub(r"<[^<>]*>", " ", text).split())
    french = {part for _, sentence in texts(catalogue("fr")) for part in fragments(sentence)}
    english = {part for _, sentence in texts(catalogue("en")) for part in fragments(sentence)}
    left = sorted(part for part in english - french if " ".join(part.split()) in text)
    assert left == []
    assert sum(" ".join(part.split()) in text for part in french) > 5


def test_the_report_says_its_language_and_writes_numbers_as_french_does(demo: Path) -> None:
    page = (demo / "report.html").read_text(encoding="utf-8")
    assert '<html lang="fr"' in page
    assert "7\u202f634 enregistrements" in page
    assert re.search(r"\d,\d\u202f%", page)
    text = re.sub(r"<style.*?</style>|<[^<>]*>", "", page, flags=re.DOTALL)
    assert not re.search(r"\d\.\d+%|\d%", text)


def test_json_and_csv_are_the_same_in_every_language(demo: Path) -> None:
    done = singleout(
        *("assess", "demo.csv", "--plan", "plan.yaml", "--language", "en"),
        *("--report-json", "english.json", "--csv", "english.csv", "--top", "0"),
        cwd=demo,
    )
    assert done.returncode == 1
    french, english = (
        json.loads((demo / name).read_text(encoding="utf-8"))
        for name in ("report.json", "english.json")
    )
    assert french | {"made": ""} == english | {"made": ""}
    assert (demo / "records.csv").read_bytes() == (demo / "english.csv").read_bytes()


def test_a_guessed_plan_has_french_comments_and_is_the_same_plan(demo: Path) -> None:
    done = singleout("plan", "demo.csv", "--language", "fr", cwd=demo)
    assert done.returncode == 0, done.stderr
    assert "# Chaque rôle, exposition et impact ci-dessous est une SUPPOSITION" in done.stdout
    assert "guess, " not in done.stdout
    english = so.Plan.parse(singleout("plan", "demo.csv", cwd=demo).stdout)
    assert so.Plan.parse(done.stdout).columns == english.columns


def test_a_plan_says_its_language_and_the_command_another(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age,ill\n20,yes\n20,no\n30,no\n", encoding="utf-8")
    columns = "columns:\n  age: {role: quasi-identifier, exposure: EE}\n  ill: {role: sensitive}\n"
    (tmp_path / "plan.yaml").write_text(f"language: fr\n{columns}", encoding="utf-8")
    french = singleout("assess", "people.csv", "--plan", "plan.yaml", cwd=tmp_path)
    assert french.stdout.startswith("people.csv\u00a0: 3 enregistrements")
    chosen = ("--plan", "plan.yaml", "--language", "en")
    assert singleout("assess", "people.csv", *chosen, cwd=tmp_path).stdout.startswith(
        "people.csv: 3 records"
    )
    refused = singleout("assess", "people.csv", "--language", "de", cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == "The language is 'de'; there are en and fr.\n"
    found = so.assess(str(tmp_path / "people.csv"), str(tmp_path / "plan.yaml"))
    assert str(found).startswith("Risque ")
    with so.speaking("en"):
        assert " risk (" in str(found)
