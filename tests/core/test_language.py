"""The language of a run: who decides, how numbers and dates are written, what stays the same."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from datetime import date

import pytest

import singleout as so
from singleout.core.language import language_of_process, prefer, preferring, spoken
from singleout.core.wording import (
    count,
    day,
    figure,
    in_english,
    in_figures,
    percent,
    span,
    stated_percent,
)
from singleout.errors import BadChoice

VARIABLES = ("SINGLEOUT_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, "en"),
        ({"LANG": "fr_FR.UTF-8"}, "fr"),
        ({"LANG": "fr_FR.UTF-8", "LC_MESSAGES": "en_GB.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "", "LC_ALL": "fr_CA"}, "fr"),
        ({"LANG": "fr_FR", "LC_ALL": "C.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8", "SINGLEOUT_LANGUAGE": "FR"}, "fr"),
        ({"LANG": "fr_FR.UTF-8", "SINGLEOUT_LANGUAGE": "en"}, "en"),
    ],
)
def test_the_environment_says_the_language(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], expected: str
) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert spoken() == expected


def test_a_language_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadChoice, match=r"^The language is 'de'; there are en and fr\.$"):
        so.language("de")
    monkeypatch.setenv("SINGLEOUT_LANGUAGE", "xx")
    with pytest.raises(BadChoice, match=r"^SINGLEOUT_LANGUAGE is 'xx'"):
        so.language()


def test_a_context_goes_before_a_plan_and_a_plan_before_the_process() -> None:
    with language_of_process("en"):
        with preferring("fr"):
            assert spoken() == "fr"
        with so.speaking("en"), preferring("fr"):
            assert spoken() == "en"
            prefer("fr")
        assert spoken() == "en"
        prefer("fr")
        assert spoken() == "fr"
        prefer(None)
        assert so.language() == "fr"
    assert spoken() == "en"


def test_threads_speak_the_language_of_the_process_and_not_of_a_context() -> None:
    with ThreadPoolExecutor(1) as threads, language_of_process("fr"):
        assert threads.submit(spoken).result() == "fr"
        with so.speaking("en"):
            assert threads.submit(spoken).result() == "fr"
            assert spoken() == "en"


def test_numbers_and_dates_are_written_as_in_french() -> None:
    with so.speaking("fr"):
        assert count(1234567) == "1\u202f234\u202f567"
        assert percent(0.125) == "12,5\u202f%"
        assert stated_percent(0.006689) == "0,6689\u202f%"
        assert in_figures(2.75) == "2,75"
        assert in_figures(3.4e49) == "3,4 × 10^49"
        assert figure(1234.5, ",.2f") == "1\u202f234,50"
        assert span(1000, 2000) == "1\u202f000–1\u202f999"
        assert day(date(2026, 11, 18)) == "18 novembre 2026"
        assert day(date(2026, 8, 1)) == "1er août 2026"


def test_what_was_written_in_french_can_be_written_again_for_programs() -> None:
    with so.speaking("fr"):
        answer = {"share": percent(0.125), "days": [day(date(2026, 3, 1)), "1,5"], "n": 2}
        assert in_english(answer) == {"share": "12.5%", "days": ["2026-03-01", "1,5"], "n": 2}
        again = pickle.loads(pickle.dumps(answer))
        assert again == answer
        assert in_english(again)["share"] == "12.5%"
