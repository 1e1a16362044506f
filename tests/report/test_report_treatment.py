"""The section of a report on what a treatment did: before and after, the frontier, the columns."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import singleout as so
from report_cases import HOSTILE, WHEN, hostile_data, hostile_plan
from singleout.core.wording import percent
from singleout.report.content import Message, Paragraph, Report, ReportTable, Section
from suggest_cases import KNOWN, PLAN, people


class Tags(HTMLParser):
    """The elements of a page and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.handlers: set[str] = set()
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.handlers |= {name for name, _ in attrs if name.startswith("on")}

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def found() -> so.Suggestion:
    return so.suggest(people(), PLAN, k=5, highest_risk=2)


@pytest.fixture(scope="module")
def treated(found: so.Suggestion) -> so.Treated:
    return found.apply()


def section_of(report: Report) -> Section:
    (section,) = (one for one in report.sections if one.name == "treatment")
    return section


@pytest.fixture(scope="module")
def section(found: so.Suggestion, treated: so.Treated) -> Section:
    return section_of(treated.report_content(suggestion=found, when=WHEN))


def tables(section: Section) -> dict[str, list[tuple[str, ...]]]:
    return {
        part.caption: [tuple(map(str, row)) for row in part.rows]
        for part in section.parts
        if isinstance(part, ReportTable)
    }


def test_the_state_is_shown_before_and_after(
    section: Section, found: so.Suggestion, treated: so.Treated
) -> None:
    rows = {row[0]: row[1:] for row in next(iter(tables(section).values()))}
    assert len(rows) == 7
    verdict = rows["Risk of the table"]
    assert "4 Critical" in verdict[0]
    assert "2 Significant" in verdict[1]
    shown = list(rows.values())
    compared = treated.compare()
    assert ("1", str(found.after.k)) in shown
    assert (percent(0.0), percent(found.loss)) in shown
    assert ("300", "300") in shown
    assert compared.before.qar is not None
    assert compared.after.qar is not None
    unique = compared.before.anonymity.unique
    assert any(row[0].startswith(f"{unique}") and row[1].startswith("0") for row in shown)
    qar = f"{compared.after.qar.risk:.4g}"
    assert any(qar == row[1] for row in shown)


def test_what_was_done_is_told(section: Section, found: so.Suggestion) -> None:
    first = section.parts[0]
    assert isinstance(first, Paragraph)
    assert str(found) in str(first)
    done = next(part for part in section.parts if isinstance(part, Message))
    for sentence in found.steps.sentences:
        assert sentence in str(done)


def test_each_column_shows_what_it_lost_the_most_first(
    section: Section, found: so.Suggestion
) -> None:
    _, columns, *_ = tables(section).values()
    assert {row[0] for row in columns} == set(KNOWN)
    lost = sorted(found.loss_by_column.values(), reverse=True)
    assert [row[1] for row in columns] == [percent(loss) for loss in lost]
    before = {name: str(people()[name].n_unique()) for name in KNOWN}
    assert {row[0]: row[3] for row in columns} == before


def test_the_frontier_has_a_row_for_each_treatment(section: Section, found: so.Suggestion) -> None:
    *_, frontier = tables(section).values()
    assert len(frontier) == found.frontier.height
    assert [row[0] for row in frontier] == [str(k) for k in found.frontier["k"]]
    assert [row[1] for row in frontier] == [percent(loss) for loss in found.frontier["loss"]]
    assert sum("suggested" in row[-1].lower() for row in frontier) == 1


def test_a_treated_table_reports_without_a_frontier(treated: so.Treated, tmp_path: Path) -> None:
    file = treated.report(tmp_path / "treated.html", when=WHEN)
    html = file.read_text(encoding="utf-8")
    assert 'id="treatment"' in html
    assert len(tables(section_of(treated.report_content(when=WHEN)))) == 2


def test_a_suggestion_writes_its_report(found: so.Suggestion, tmp_path: Path) -> None:
    html = found.report(tmp_path / "report.html", when=WHEN).read_text(encoding="utf-8")
    assert 'id="treatment"' in html
    page = Tags(html)
    assert str(found) in page.text
    assert "script" not in page.tags
    again = found.report(tmp_path / "again.html", when=WHEN).read_text(encoding="utf-8")
    assert again == html


def test_a_column_that_was_left_out_is_named() -> None:
    gone = so.treat(
        people(), [{"drop": ["name", "job"]}, {"recode": "age", "width": 20}], plan=PLAN
    )
    assert isinstance(gone, so.Treated)
    _, columns = tables(section_of(gone.report_content(when=WHEN))).values()
    job = next(row for row in columns if row[0] == "job")
    assert job[1] == percent(1.0)
    assert not job[-1].isdigit()


def test_hostile_names_and_values_stay_text(tmp_path: Path) -> None:
    plan: dict[str, Any] = {**hostile_plan(), "policy": {"k": 2}}
    found = so.suggest(hostile_data(), plan)
    assert found.reached
    html = found.report(tmp_path / "report.html", when=WHEN).read_text(encoding="utf-8")
    page = Tags(html)
    assert page.tags.isdisjoint({"script", "img", "b"})
    assert page.handlers == set()
    assert HOSTILE["script"] in page.text
    assert "{{ 7 * 7 }}" in page.text
    assert "\x1b" not in html
    assert "\u202e" not in html
