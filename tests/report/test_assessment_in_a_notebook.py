"""An assessment in a notebook: the verdict and a summary, whatever columns are called."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest

import singleout as so

HOSTILE = "<script>alert('x')</script>\n\u202e&\""
PEOPLE: dict[str, list[Any]] = {
    "age": [21, 24, 35, 38] * 5,
    HOSTILE: list("abcde") * 4,
    "disease": ["flu", "HIV"] * 10,
}
PLAN: dict[str, Any] = {
    "title": "Patients <b>",
    "columns": {
        "age": {"role": "quasi-identifier", "exposure": "EE"},
        HOSTILE: {"role": "quasi-identifier", "exposure": "EI"},
        "disease": {"role": "sensitive", "moral": 4},
    },
}
KNOWN = {name: said for name, said in PLAN["columns"].items() if name != HOSTILE}


class Shown(HTMLParser):
    """The tags of a page, its text, and the cells of its table by the heads of their rows."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.open: list[str] = []
        self.pictures = 0
        self.text = ""
        self.cells: dict[str, str] = {}
        self._head = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "img":
            given = dict(attrs)
            assert set(given) == {"alt", "style", "src"}
            assert str(given["src"]).startswith("data:image/svg+xml;base64,")
            self.pictures += 1
            return
        assert {name for name, _ in attrs} <= {"scope", "style"}
        self.tags.add(tag)
        if tag == "br":
            self.handle_data(" ")
        else:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if "th" in self.open:
            self._head = data
        elif "td" in self.open:
            self.cells[self._head] = self.cells.get(self._head, "") + data


def shown(found: so.Assessment) -> Shown:
    page = Shown(found._repr_html_())
    assert page.open == []
    return page


@pytest.fixture(scope="module")
def found() -> so.Assessment:
    return so.assess(PEOPLE, {**PLAN, "policy": {"k": 3}})


def test_it_shows_the_verdict_and_a_summary(found: so.Assessment) -> None:
    page = shown(found)
    assert found.verdict in page.text
    assert page.cells["Risk of the table"] == "4 of 4, Critical"
    assert page.cells["Risk if somebody knows that a person is in the file"] == "4 of 4, Critical"
    assert page.cells["Highest risk of any record"] == "4 of 4, Critical"
    assert page.cells["Records at each level of risk"] == (
        "1, Minor: 0% 2, Significant: 0% 3, Severe: 0% 4, Critical: 100%"
    )
    assert page.cells["Policy"].startswith("The policy is not met: k is 1")
    assert page.cells["What to do first"].startswith(found.actions[0].what)
    assert found.remedy is not None
    assert page.cells["To reach the policy"].startswith(str(found.remedy))
    assert found.remedy.sentences[-1] in page.cells["To reach the policy"]
    assert "Warnings" not in page.cells


def test_it_shows_no_raw_rows_and_no_single_record(found: so.Assessment) -> None:
    page = shown(found)
    assert page.pictures == 1
    assert "dataframe" not in found._repr_html_()
    assert "exploitability" not in page.text
    assert len(page.cells) <= 8


def test_names_cannot_do_anything_there(found: so.Assessment) -> None:
    page = shown(found)
    assert page.tags <= {
        *("div", "p", "strong", "table", "tbody", "tr", "th", "td", "br", "ol", "ul", "li"),
    }
    assert "<script>alert" in page.text  # as text
    assert "Patients <b>" in page.text
    assert "\u202e" not in page.text


def test_without_a_policy_and_with_a_guessed_plan_it_says_so() -> None:
    found = so.assess({"age": PEOPLE["age"], "disease": PEOPLE["disease"]})
    page = shown(found)
    assert "Policy" not in page.cells
    assert "To reach the policy" not in page.cells
    assert "To reach risk level 2 Significant" in page.cells
    assert page.cells["Warnings"].startswith("The plan was guessed")


def test_a_population_gives_two_levels() -> None:
    plan = {"columns": KNOWN, "population": {"size": 1_000_000}}
    found = so.assess({"age": list(range(20)), "disease": PEOPLE["disease"]}, plan)
    assert found.level < found.if_member
    page = shown(found)
    assert page.cells["Risk of the table"].startswith(f"{found.level} of 4")
    assert page.cells["Risk if somebody knows that a person is in the file"] == "4 of 4, Critical"


def test_columns_that_nobody_explained_give_a_range() -> None:
    data = {
        "age": [1] * 50 + [2] * 50,
        "v17": list(range(100)),
        "disease": ["none", "HIV"] * 50,
    }
    found = so.assess(data, {"columns": KNOWN})
    assert found.range == (2, 4)
    assert (
        shown(found).cells["Risk of the table"]
        == "between 2 of 4, Significant, and 4 of 4, Critical"
    )
    assert found.range_if_member == (2, 4)
    assert (
        shown(found).cells["Risk if somebody knows that a person is in the file"]
        == "between 2 of 4, Significant, and 4 of 4, Critical"
    )
    assert "risk 2 of 4 (Significant) to 4 of 4 (Critical), " in repr(found)


def test_the_paper_s_rating_is_shown_as_well() -> None:
    found = so.assess(PEOPLE, {**PLAN, "methods": {"rating": "paper"}})
    assert shown(found).cells["Risk of the table"] == f"{found.level} of 4, {found.level_name}"


def test_its_repr_is_one_line(found: so.Assessment) -> None:
    assert repr(found) == (
        "Assessment(dict of columns: risk 4 of 4 (Critical), 100% of 20 records at severe or "
        "critical risk, policy not met)"
    )
    explained = {**PLAN["columns"], HOSTILE: {"role": "other"}}
    accepted = so.assess(PEOPLE, {"columns": explained, "policy": {"k": 5}})
    assert repr(accepted).endswith(", policy met)")
    assert repr(so.assess(PEOPLE, PLAN)).endswith("critical risk)")
