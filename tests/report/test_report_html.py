"""The report as a file: what it holds, what it keeps to itself, and that nothing in it can act."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from report_cases import HOSTILE, PAPER, WHEN, hostile, paper, paper_plan
from singleout.assessment.assess import assess
from singleout.assessment.comparison.compare import compare
from singleout.assessment.report.content import report_of, time_of_report
from singleout.assessment.report.ratings import matrix_section
from singleout.assessment.result import Assessment
from singleout.errors import BadChoice, UnreadableFile, UnusableTable
from singleout.methods.individual.chart import risk_bars
from singleout.methods.individual.measure import RiskSpread
from singleout.report.content import Bars, Facts, Matrix, Message, Report, ReportTable
from singleout.report.page import page
from singleout.report.say import catalogue, say, speaking
from singleout.report.svg import panels, picture
from singleout.report.words import figures

SECTIONS = [
    "verdict",
    "rows",
    "distribution",
    "told",
    "actions",
    "anonymity",
    "suda",
    "qar",
    "attackers",
    "attributes",
    "diversity",
    "impacts",
    "regulators",
    "measured",
    "risk-matrix",
    "methods",
    "plan",
]
TITLES = ("title", "caption")
VOID = {"meta", "br", "hr", "img", "link", "input", "wbr"}


class Page(HTMLParser):
    """A page taken apart: its elements, their texts, and whether they close in order."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []  # the element, and its text
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if data.strip() and self.open:
            self.texts.append((self.open[-1], data.strip()))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.elements if name == tag]

    def words(self, *tags: str) -> list[str]:
        return [text for tag, text in self.texts if not tags or tag in tags]

    @property
    def text(self) -> str:
        return " ".join(text for tag, text in self.texts if tag != "style")


def html_of(assessment: Assessment, **options: Any) -> str:
    return page(report_of(assessment, when=WHEN, **options))


def in_summary(found: Assessment, kind: type, title: str) -> list[Any]:
    """The parts of the summary of a kind with this title or caption."""
    return [
        part
        for part in report_of(found, when=WHEN).verdict.parts
        if isinstance(part, kind) and title in (getattr(part, key, None) for key in TITLES)
    ]


def figures_of(found: Assessment) -> dict[str, str]:
    """The large figures of the summary."""
    parts = report_of(found, when=WHEN).verdict.parts
    (figures,) = [part for part in parts if isinstance(part, Facts) and part.large]
    return dict(figures.facts)


@pytest.fixture(scope="module")
def plain() -> str:
    return html_of(paper())


@pytest.fixture(scope="module")
def attacked() -> Assessment:
    return hostile()


# ---- what it holds


def test_every_section_is_there_in_order_with_a_heading_and_a_link(plain: str) -> None:
    taken = Page(plain)
    assert taken.open == []
    assert [attrs["id"] for attrs in taken.all("section")] == SECTIONS
    links = [attrs["href"] for attrs in taken.all("a")]
    assert [f"#{name}" for name in SECTIONS[1:]] == [
        link for link in links if link and not link.startswith(("#row-", "#verdict"))
    ]


def test_it_opens_with_the_verdict_of_the_assessment(plain: str) -> None:
    assert paper().verdict in Page(plain).text
    assert "4 Critical" in plain


def test_it_says_on_what_it_rests(plain: str) -> None:
    import hashlib

    from singleout import __version__

    text = Page(plain).text
    digest = hashlib.sha256((PAPER / "paper_table3.csv").read_bytes()).hexdigest()
    for fact in (digest, "paper_table3.csv", f"singleout {__version__}", "2026-03-01 12:00:00 UTC"):
        assert fact in text
    assert "quasi-identifier 5, sensitive 1" in text


def test_the_plan_in_it_gives_the_same_assessment(plain: str) -> None:
    from singleout.assessment.plan.plan import Plan

    (text,) = [text for tag, text in Page(plain).texts if tag == "code"]
    assert Plan.parse(text) == Plan.of(paper_plan())


def test_rows_stand_in_the_cells_of_their_levels() -> None:
    # Sondeck and Laurent, Tables 12 and 13: both end at 4 for EE and for EI
    found = paper(2, methods={"rating": "paper"})
    first, second = [part for part in matrix_section(found).parts if isinstance(part, Matrix)]
    for matrix, wanted in (
        (first, {(row.inference, row.combination.exposure) for row in found.ratings}),
        (second, {(row.exploitability, row.severity) for row in found.ratings}),
    ):
        placed = {
            (4 - down, across + 1)
            for down, row in enumerate(matrix.cells)
            for across, cell in enumerate(row)
            if cell.marks
        }
        assert placed == wanted
    names = [name for _, name in second.cells[0][3].marks]
    assert "1 all EE" in names
    assert second.cells[0][3].level.word == "Critical"


def test_every_mark_of_a_matrix_leads_to_a_row_of_the_table(plain: str) -> None:
    taken = Page(plain)
    names = {attrs["id"] for _, attrs in taken.elements if attrs.get("id")}
    links = [attrs["href"] for attrs in taken.all("a")]
    assert sum(link.startswith("#row-") for link in links if link) == 2 * len(paper().ratings)
    assert {link[1:] for link in links if link} <= names


def test_rows_of_one_name_share_a_mark_in_a_cell_and_none_is_lost() -> None:
    columns: dict[str, Any] = {f"q{n}": {"role": "quasi-identifier"} for n in range(50)}
    columns |= {f"s{n}": {"role": "sensitive", "moral": 3} for n in range(3)}
    off = {"enabled": False}
    data = {name: list("aabbc") for name in columns}
    found = assess(
        data, {"columns": columns, "methods": {"qar": off, "suda": off, "contributions": off}}
    )
    for part in matrix_section(found).parts:
        if isinstance(part, Matrix):
            (cell,) = [cell for row in part.cells for cell in row if cell.marks]
            assert cell.marks[0] == ("row-1", "1 all EE × 3")
            assert cell.more == "+ 43 more"  # 51 names, 8 of them shown
            assert len(cell.marks) == 8


def test_a_policy_that_is_not_met_is_said_with_its_reasons() -> None:
    found = paper(policy={"highest_risk": 2, "k": 3})
    text = Page(html_of(found)).text
    assert say("report.policy_not_met") in text
    assert len(found.failures) == 2
    assert all(failure in text for failure in found.failures)


def test_a_policy_that_is_met_and_a_missing_one_are_said() -> None:
    assert (
        say("report.policy_met")
        in Page(html_of(paper(policy={"highest_risk": 4, "records_at_risk": 0.9}))).text
    )
    assert say("report.no_policy") in Page(html_of(paper())).text


def test_a_method_that_was_switched_off_is_said_so_in_one_sentence() -> None:
    off = {"enabled": False}
    found = paper(methods={"qar": off, "suda": off, "contributions": off})
    text = Page(html_of(found)).text
    assert "SUDA was not run: the plan switches it off." in text
    assert "QaR was not run: the plan switches it off." in text


def test_a_method_that_does_not_apply_says_why() -> None:
    columns = {
        name: column
        for name, column in paper_plan()["columns"].items()
        if name in ("Age", "Gender", "Disease")
    }
    found = assess(PAPER / "paper_table3.csv", {"columns": columns})
    assert found.qar is None
    (section,) = [part for part in report_of(found, when=WHEN).sections if part.name == "qar"]
    assert "3 columns" in section.parts[0].text  # type: ignore[union-attr]


def test_a_section_has_the_notes_of_its_method_and_no_others() -> None:
    data = {"age": [1, 2, 2, 3], "SUDA": list("aabb"), "ill": list("xyxy")}
    plan = {
        "columns": {
            "age": {"role": "quasi-identifier", "exposure": "EE"},
            "ill": {"role": "sensitive", "moral": 4},
        },
        "population": {"size": 3},
    }
    found = assess(data, plan)
    assert any("says nothing about 'SUDA'" in note for note in found.notes)
    (section,) = [part for part in report_of(found, when=WHEN).sections if part.name == "suda"]
    (message,) = [part for part in section.parts if isinstance(part, Message)]
    assert message.sentences == found.measured["suda"].notes
    (sentence,) = message.sentences
    assert "no sampling fraction was used" in sentence


def test_where_missing_values_match_everything_there_is_a_sentence_instead_of_a_picture() -> None:
    data = {"a": ["x", "y", None, "x"], "b": [1, None, 2, 1], "s": ["p", "q", "p", "q"]}
    plan = {
        "missing": "wildcard",
        "columns": {
            "a": {"role": "quasi-identifier"},
            "b": {"role": "quasi-identifier"},
            "s": {"role": "sensitive", "moral": 2},
        },
    }
    assert say("anonymity.no_sets") in Page(html_of(assess(data, plan))).text


def test_a_plan_that_was_guessed_is_a_warning() -> None:
    text = Page(html_of(assess(PAPER / "paper_table1.csv"))).text
    assert say("report.guessed") in text


def test_a_comparison_gets_a_section_of_its_own(tmp_path: Path) -> None:
    found = compare(PAPER / "paper_table1.csv", PAPER / "paper_table2.csv", paper_plan())
    taken = Page(found.report(tmp_path / "compared.html").read_text("utf-8"))
    assert "comparison" in [attrs["id"] for attrs in taken.all("section")]
    for change in found.changes:
        assert change.name in taken.text
    assert found.verdict in taken.text


def test_the_effects_of_proposals_are_those_that_were_measured() -> None:
    found = paper()
    text = Page(html_of(found)).text
    for action in found.actions:
        assert action.what in text
    measured = [action for action in found.actions if action.after is not None]
    assert measured
    best = measured[0]
    assert best.before is not None
    assert best.after is not None
    assert f"{best.before.rate:.3f} → {best.after.rate:.3f}" in text


# ---- the summary


def test_the_summary_says_how_many_records_have_each_level() -> None:
    found = paper()
    (bars,) = in_summary(found, Bars, say("report.people"))
    shown = {level.level: (number, share) for level, number, share in bars.bars}
    assert {level: share for level, (_, share) in shown.items()} == found.shares
    assert tuple(shown[level][0] for level in (1, 2, 3, 4)) == found.record_risks.by_level


def test_the_summary_shows_the_attackers_that_decide_each_once() -> None:
    found = paper(3)
    (table,) = in_summary(found, ReportTable, say("report.attackers_caption"))
    deciding = {row.combination.name for row in found.ratings if row.decides}
    assert len(table.rows) == len(deciding) == 2
    assert table.rows[0][1].word == "Critical"
    assert {row[0] for row in table.rows} == {
        "Anybody (4 EE)",
        "Somebody inside the organisation (2 IE)",
    }


def test_the_summary_shows_the_three_worst_attackers_and_says_where_the_others_are() -> None:
    exposures = dict(zip("abcd", ("EE", "ER", "IE", "IR"), strict=True))
    columns: dict[str, dict[str, object]] = {
        name: {"role": "quasi-identifier", "exposure": exposure}
        for name, exposure in exposures.items()
    }
    columns["ill"] = {"role": "sensitive", "moral": 4}
    data = {name: [n // 4**place % 4 for n in range(256)] for place, name in enumerate("abcd")}
    found = assess({**data, "ill": ["flu", "none"] * 128}, {"columns": columns})
    (table,) = in_summary(found, ReportTable, say("report.attackers_caption"))
    deciding = {row.combination.name for row in found.ratings if row.decides}
    assert (len(table.rows), len(deciding)) == (3, 4)
    levels = [row[1].level for row in table.rows]
    assert levels == sorted(levels, reverse=True)
    assert table.below == say("report.more_attackers", n=1, rows=say("report.rows"))


def test_the_summary_names_both_assumptions_where_a_population_is_stated() -> None:
    alone, sample = paper(3), paper(3, population={"sampling_fraction": 0.1})
    member, population = say("report.figure_member"), say("report.figure_population")
    assert figures_of(alone)[member] == "4 Critical"
    assert population not in figures_of(alone)
    assert figures_of(sample)[population] == f"{sample.level} {sample.level_name}"
    assert figures_of(sample)[member] == "4 Critical"
    assert say("report.no_population") in Page(html_of(alone)).text
    assert say("report.no_population") not in Page(html_of(sample)).text


def test_a_range_is_shown_with_the_columns_that_leave_it_open() -> None:
    data = {
        "age": [30] * 200 + [40] * 200,
        "xq": [f"v{n}" for n in range(400)],
        "ill": ["flu", "none"] * 200,
    }
    plan = {
        "columns": {
            "age": {"role": "quasi-identifier", "exposure": "EE"},
            "ill": {"role": "sensitive", "moral": 4},
        }
    }
    found = assess(data, plan)
    low, high = found.range
    assert low < high
    assert found.unexplained == ("xq",)
    shown = figures_of(found)[say("report.figure_range")]
    assert (shown[0], shown[-len("Critical") - 2]) == (str(low), str(high))
    assert figures_of(found)[say("report.figure_member")] == shown
    assert say("report.unexplained", n=1, columns="xq") in Page(html_of(found)).text
    assert 'class="possible"' in html_of(found)
    assert 'class="possible"' not in html_of(paper())


def test_the_sequence_that_reaches_the_policy_is_in_the_summary_in_its_order() -> None:
    data = {
        "age": [20 + n % 60 for n in range(600)],
        "sex": ["f", "m"] * 300,
        "ill": ["flu", "hiv", "none"] * 200,
    }
    columns = {
        "age": {"role": "quasi-identifier", "exposure": "EE"},
        "sex": {"role": "quasi-identifier", "exposure": "EE"},
        "ill": {"role": "sensitive", "moral": 4},
    }
    found = assess(data, {"columns": columns})
    assert found.remedy is not None
    text = Page(html_of(found)).text
    assert f"{say('report.aim_level', level='2 Significant')} {found.remedy}" in text
    (steps,) = in_summary(found, Message, say("report.in_this_order"))
    assert steps.numbered
    assert steps.sentences == found.remedy.sentences[:6]
    html = html_of(found)
    assert html.index(found.remedy.sentences[0][:20]) < html.index('id="contents"')


def test_where_the_policy_is_met_nothing_has_to_be_done() -> None:
    found = paper(policy={"records_at_risk": 0.9})
    assert found.met
    assert say("report.kept") in Page(html_of(found)).text
    assert in_summary(found, Message, say("report.single_changes")) == []


def test_words_of_the_trade_are_explained_on_the_screen_and_in_the_appendix(plain: str) -> None:
    summary = plain[plain.index('id="verdict"') : plain.index('id="contents"')]
    appendix = plain[plain.index('id="methods"') :]
    assert "<details" in summary
    for explained in ("Quasi-identifier", "Anonymity set, k and unique", "Plan and policy"):
        assert f"<dt>{explained}</dt>" in summary
        assert f"<dt>{explained}</dt>" in appendix


def test_matrices_explanations_and_the_plan_are_an_appendix() -> None:
    sections = report_of(paper(), when=WHEN).sections
    assert [part.name for part in sections if part.appendix] == ["risk-matrix", "methods", "plan"]
    html = html_of(paper())
    assert '<span class="number-of-section">Appendix A</span> Risk matrix' in html


# ---- the same again


@pytest.mark.parametrize(
    ("variant", "said"),
    [
        ("paper", "never below 1 − 1/c"),
        ("mutual-information", "gone on average once the other attributes are known, from 0"),
        ("worst-value", "those whose values in the other attributes give away most"),
    ],
)
def test_the_rate_is_explained_as_it_was_read(variant: str, said: str) -> None:
    found = paper(methods={"rating": "paper", "discrimination": {"variant": variant}})
    (methods,) = [part for part in report_of(found, when=WHEN).sections if part.name == "methods"]
    terms = dict(methods.parts[0].terms)  # type: ignore[union-attr]
    meant = terms["Discrimination rate and inference"]
    assert said in meant.partition("Below 0.25")[0]
    assert "Below 0.25 the inference is weak" in meant
    assert not any("{" in text for text in terms.values())


def test_what_is_rated_by_certainty_is_explained_and_the_rate_is_a_figure_beside_it() -> None:
    (methods,) = [part for part in report_of(paper(), when=WHEN).sections if part.name == "methods"]
    terms = dict(methods.parts[0].terms)  # type: ignore[union-attr]
    meant = terms["Identity, gain and inference"]
    assert "Identity is how likely a match is right" in meant
    assert "exceeds a guess" in meant
    assert "Below 0.25 the inference is weak" in meant
    assert "Discrimination rate and inference" not in terms
    beside = terms["Discrimination rate and mutual information"]
    assert "are not rated" in beside
    assert "never below 1 − 1/c" in beside
    assert "at least 1% of the records" in terms["Exploitability, severity and risk"]
    assert not any("{" in text for text in terms.values())


def test_rows_show_what_they_are_rated_by_and_the_share_at_risk() -> None:
    found = paper(3)
    sections = {part.name: part for part in report_of(found, when=WHEN).sections}
    table = sections["rows"].parts[1]
    titles = [column.title for column in table.columns]  # type: ignore[union-attr]
    places = [
        titles.index(say(f"report.{key}"))
        for key in ("mean_identity", "mean_gain", "at_risk", "discrimination_rate")
    ]
    shown = {row[1]: [row[at] for at in places] for row in table.rows}  # type: ignore[union-attr]
    (row,) = [row for row in found.ratings if row.combination.name == "EE" and row.decides]
    assert row.identity is not None
    assert row.gain is not None
    known = f"all of EE: {', '.join(row.combination.columns)}"
    share = f"{100 * row.reaching(3) / sum(row.by_risk):.1f}%"
    assert shown[known] == [
        f"{row.identity:.3f}",
        f"{row.gain:.3f}",
        share,
        f"{row.measured.rate:.3f}",
    ]
    by_paper = paper(3, methods={"rating": "paper"})
    sections = {part.name: part for part in report_of(by_paper, when=WHEN).sections}
    titles = [column.title for column in sections["rows"].parts[1].columns]  # type: ignore[union-attr]
    assert say("report.mean_gain") not in titles
    assert say("report.rate") in titles


def test_rows_give_the_mutual_information_and_proposals_the_certainty_that_is_left() -> None:
    found = paper(2)
    sections = {part.name: part for part in report_of(found, when=WHEN).sections}
    table = sections["rows"].parts[1]
    place = [column.title for column in table.columns].index("Mutual information")  # type: ignore[union-attr]
    shown = {row[1]: row[place] for row in table.rows}  # type: ignore[union-attr]
    assert shown["all of EE: Age, Gender, Country"] == "0.487"  # as the page of the method has it
    proposals = sections["actions"].parts[-1]
    assert "Certainty, mean" in [column.title for column in proposals.columns]  # type: ignore[union-attr]
    (first,) = [a for a in found.actions if proposals.rows[0][0].endswith(a.what)]  # type: ignore[union-attr]
    assert first.before is not None
    assert proposals.rows[0][1].startswith("4 Critical")  # type: ignore[union-attr]
    assert proposals.rows[0][3].startswith(f"{first.before.rate:.3f}")  # type: ignore[union-attr]


def test_the_first_thing_to_do_says_what_becomes_of_the_level() -> None:
    found = replace(paper(), remedy=None)  # no sequence reaches the aim
    assert all(action.same_level for action in found.actions)
    (changes,) = in_summary(found, Message, say("report.single_changes"))
    assert changes.sentences[0] == f"{found.actions[0].what} The risk level stays 4 Critical."


def test_a_risk_of_the_table_that_is_not_to_be_relied_on_is_no_figure_of_the_verdict() -> None:
    def figures(found: Assessment) -> dict[str, str]:
        return figures_of(found)

    def measured(columns: int) -> Assessment:
        chance = np.random.default_rng(0)
        data = {f"q{place}": chance.integers(0, 5, 300).tolist() for place in range(columns)}
        roles = {name: {"role": "quasi-identifier", "exposure": "EE"} for name in data}
        return assess(data, {"columns": roles, "methods": {"qar": {"tail": 0.2}}})

    doubtful, trusted, certain = measured(5), measured(9), paper()
    for found, warned in ((doubtful, True), (trusted, False), (certain, True)):
        assert found.qar is not None
        assert bool(found.qar.warnings) is warned
    assert say("qar.figure") not in figures(doubtful)
    assert figures(trusted)[say("qar.figure")].startswith("T = 0.")
    assert figures(certain)[say("qar.figure")] == "T = 1.0000"  # nothing was fitted


def test_the_riskiest_records_are_shown_with_their_values_and_without_names() -> None:
    people = {
        "age": [30, 30, 41, 97],
        "ill": ["flu", "flu", "flu", "<b>hiv</b>"],
        "name": ["Ann Zed", "Bob Zed", "Cy Zed", "Di Zed"],
    }
    plan = {
        "columns": {
            "age": {"role": "quasi-identifier", "exposure": "EE"},
            "ill": {"role": "sensitive", "moral": 4, "values": {"flu": 1}},
            "name": {"role": "direct-identifier"},
        }
    }
    found = assess(people, plan)
    assert found.values_of([4, 1]) == [
        {"age": "97", "ill": "<b>hiv</b>"},
        {"age": "30", "ill": "flu"},
    ]
    shown = page(report_of(found, when=WHEN, show_records=True))
    assert "age: 97; ill: &lt;b&gt;hiv&lt;/b&gt;" in shown
    assert "Zed" not in shown
    assert (
        "97"
        not in page(report_of(found, when=WHEN))
        .partition('id="plan"')[0]
        .replace("<b>", "")
        .split('id="distribution"')[1]
        .split("<svg")[0]
    )


def test_names_in_the_data_lead_the_verdict_and_are_set_apart_from_rows_and_effects() -> None:
    plan = paper_plan(methods={"discrimination": {"variant": "mutual-information"}})
    plan["columns"]["Country"] = {"role": "direct-identifier"}
    found = assess(PAPER / "paper_table3.csv", plan)
    report = report_of(found, when=WHEN)
    assert report.verdict.level.level == found.level
    sections = {part.name: part for part in report.sections}
    assert "without the columns that identify" in sections["rows"].parts[0].text  # type: ignore[union-attr]
    assert any(
        getattr(part, "text", "") == say("report.actions_say_names")
        for part in sections["actions"].parts
    )


def test_the_same_assessment_and_time_give_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(WHEN.timestamp())))
    one = paper().report(tmp_path / "one.html")
    other = paper().report(tmp_path / "other.html", when=WHEN)
    assert one == tmp_path / "one.html"
    assert one.read_bytes() == other.read_bytes()


def test_the_time_is_now_unless_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    assert abs((datetime.now(UTC) - time_of_report()).total_seconds()) < 5
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    assert time_of_report() == datetime(1970, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("given", ["yesterday", "1e99", "9" * 30])
def test_a_time_that_is_none_is_refused_in_a_sentence(
    given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", given)
    with pytest.raises(BadChoice, match="seconds since 1970"):
        time_of_report()


@pytest.mark.parametrize("name", ["report.pdf", "report", "data.csv"])
def test_a_report_ends_in_html(name: str, tmp_path: Path) -> None:
    with pytest.raises(BadChoice, match=r"end the name in \.html"):
        paper().report(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="There is no folder"):
        paper().report(tmp_path / "nowhere" / "report.html")


# ---- what it keeps to itself


def test_values_of_single_records_are_shown_only_if_asked_for() -> None:
    data: dict[str, list[str]] = {
        "town": ["Ely"] * 9 + ["UNIQUETOWN"],
        "job": ["clerk"] * 8 + ["UNIQUEJOB", "clerk"],
        "sex": ["f", "m"] * 5,
        "illness": ["flu"] * 9 + ["UNIQUEILLNESS"],
        "name": [f"PERSON{n}" for n in range(10)],
    }
    known = {name: {"role": "quasi-identifier"} for name in ("town", "job", "sex")}
    plan = {
        "columns": {
            **known,
            "illness": {"role": "sensitive", "moral": 4},
            "name": {"role": "direct-identifier"},
        }
    }
    found = assess(data, plan)
    hidden, shown = html_of(found), html_of(found, show_records=True)
    assert say("report.records_hidden") in hidden
    assert say("report.records_shown") in shown
    assert "UNIQUE" not in hidden
    assert "UNIQUETOWN" in shown
    assert "PERSON" not in hidden + shown


# ---- nothing in it can act


def test_it_holds_no_script_and_reaches_for_nothing(plain: str) -> None:
    taken = Page(plain)
    tags = {tag for tag, _ in taken.elements}
    assert tags.isdisjoint({"script", "link", "img", "iframe", "object", "embed", "base", "form"})
    (policy,) = [a for a in taken.all("meta") if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy["content"] == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    elsewhere = set(re.findall(r"""[a-z]+://[^\s"'<]+""", plain))
    assert elsewhere <= {"http://www.w3.org/2000/svg"}
    assert "url(" not in plain.partition("</style>")[0]
    assert "@import" not in plain


@pytest.mark.parametrize("show_records", [False, True])
def test_hostile_names_and_values_stay_text(attacked: Assessment, show_records: bool) -> None:
    html = html_of(attacked, show_records=show_records)
    taken = Page(html)
    assert taken.open == []
    tags = {tag for tag, _ in taken.elements}
    assert tags.isdisjoint({"script", "img", "b"})
    assert len(taken.all("style")) == 1
    handlers = {name for _, attrs in taken.elements for name in attrs if name.startswith("on")}
    assert handlers == set()
    assert not [a for _, a in taken.elements if (a.get("href") or "#")[0] != "#"]
    assert HOSTILE["script"] in taken.text
    assert "{{ 7 * 7 }}" in taken.text


def test_no_control_character_reaches_the_page(attacked: Assessment) -> None:
    html = html_of(attacked, show_records=True)
    strange = {char for char in html if not char.isprintable() and char != "\n"}
    assert strange == set()
    assert r"\u202e" in html


def test_names_inside_the_page_are_used_once(attacked: Assessment) -> None:
    ids = [a["id"] for _, a in Page(html_of(attacked, show_records=True)).elements if "id" in a]
    assert len(ids) == len(set(ids))


def test_long_names_are_shortened_in_tables_and_whole_in_the_plan(attacked: Assessment) -> None:
    report = report_of(attacked, when=WHEN)
    longest = max(
        len(cell)
        for section in report.sections
        if section.name == "rows"
        for part in section.parts
        if hasattr(part, "rows")
        for row in part.rows
        for cell in row
        if isinstance(cell, str)
    )
    assert longest < 700


def test_of_very_many_warnings_the_first_are_shown() -> None:
    names = [f"name {number}" for number in range(40)]
    columns: dict[str, Any] = {name: {"role": "direct-identifier"} for name in names}
    columns["town"] = {"role": "quasi-identifier"}
    columns["illness"] = {"role": "sensitive", "moral": 2}
    data = {name: [f"{name} {row}" for row in range(4)] for name in names}
    found = assess({**data, "town": list("aabb"), "illness": list("xyxy")}, {"columns": columns})
    assert len(found.warnings) == 40
    text = Page(html_of(found)).text
    assert found.warnings[24] in text
    assert found.warnings[25] not in text
    assert "15 more are not shown here" in text


# ---- its size


def test_a_wide_table_makes_a_small_file(tmp_path: Path) -> None:
    import numpy as np

    rng = np.random.default_rng(5)
    data = {f"column {n}": rng.integers(0, 4, 300).astype(str).tolist() for n in range(60)}
    columns = {name: {"role": "quasi-identifier"} for name in list(data)[:55]}
    columns |= {name: {"role": "sensitive", "moral": "3"} for name in list(data)[55:]}
    off = {"enabled": False}
    found = assess(
        data, {"columns": columns, "methods": {"contributions": off, "suda": {"max_size": 2}}}
    )
    file = found.report(tmp_path / "wide.html")
    assert file.stat().st_size < 1_000_000
    assert "more are not shown here" in file.read_text("utf-8")


# ---- drawings


def drawing(**title: Any) -> dict[str, Any]:
    return {
        "title": {"text": "What", "subtitle": ["one", "two"], **title},
        "data": {"values": [{"a": HOSTILE["script"], "b": 1}, {"a": "\u202ex", "b": 2}]},
        "mark": {"type": "bar", "clip": True},
        "encoding": {"x": {"field": "b", "type": "quantitative"}, "y": {"field": "a"}},
    }


def test_a_drawing_has_a_title_a_description_and_names_of_its_own() -> None:
    one, other = picture(drawing(), "one"), picture(drawing(), "other")
    assert (one.title, one.description) == ("What", "one; two")
    assert '<title id="one-title">What</title>' in one.svg
    assert 'role="img"' in one.svg
    assert "url(#one-" in one.svg
    found = [set(re.findall(r'id="([^"]+)"', drawn.svg)) for drawn in (one, other)]
    assert len(found[0]) >= 3
    assert found[0].isdisjoint(found[1])
    for name in re.findall(r"url\(#([^)]+)\)", one.svg):
        assert name in found[0]


def test_texts_in_a_drawing_are_escaped_and_made_visible() -> None:
    drawn = picture(drawing(text=HOSTILE["image"]), "one").svg
    assert "<script" not in drawn
    assert "<img" not in drawn
    assert "\u202e" not in drawn
    assert r"\u202ex" in drawn


@pytest.mark.parametrize(
    "inside",
    [
        "<script>alert(1)</script>",
        "<foreignObject/>",
        '<image href="https://example.org/x.png"/>',
        '<a href="javascript:alert(1)"><text>x</text></a>',
        "<style>*{}</style>",
        '<use href="#x"/>',
    ],
)
def test_a_drawing_with_more_than_lines_and_texts_is_refused(
    inside: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import vl_convert

    drawn = f'<svg xmlns="http://www.w3.org/2000/svg"><g>{inside}</g></svg>'
    monkeypatch.setattr(vl_convert, "vegalite_to_svg", lambda *_, **__: drawn)
    with pytest.raises(UnusableTable, match="do more than draw"):
        picture(drawing(), "one")


def test_attributes_that_do_not_draw_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    import vl_convert

    drawn = (
        '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">'
        '<rect width="1" fill="url(https://example.org/x)" style="fill:red" onclick="x"/></svg>'
    )
    monkeypatch.setattr(vl_convert, "vegalite_to_svg", lambda *_, **__: drawn)
    svg = picture(drawing(), "one").svg
    assert "onload" not in svg
    assert "onclick" not in svg
    assert "style" not in svg
    assert "example.org" not in svg
    assert 'width="1"' in svg


def test_panels_of_a_chart_become_charts_of_their_own() -> None:
    chart = {"datasets": {"d": []}, "config": {}, "vconcat": [{"mark": "bar"}, {"mark": "line"}]}
    found = list(panels(chart))
    assert [panel["mark"] for panel in found] == ["bar", "line"]
    assert all(panel["datasets"] == {"d": []} for panel in found)
    assert list(panels({"mark": "bar"})) == [{"mark": "bar"}]


def test_a_picture_with_a_single_bar_is_left_out() -> None:
    alone = RiskSpread(np.array([0.02]), np.array([5]))
    assert not list(figures(lambda: risk_bars(alone, None, "a"), "individual"))
    several = RiskSpread(np.array([0.02, 0.3]), np.array([5, 2]))
    both = list(figures(lambda: risk_bars(several, alone, "a"), "individual"))
    assert len(both) == 1


def test_the_picture_of_individual_risk_has_bars() -> None:
    spread = RiskSpread(np.array([0.001, 0.02, 0.3]), np.array([5, 10, 2]))
    (panel,) = panels(risk_bars(spread, None, "a").to_dict())
    assert "0.2–0.5" in picture(panel, "one").svg


# ---- words


def translated(value: Any) -> Any:
    """Sentences in a language in which every word wears brackets."""
    if isinstance(value, str):
        return f"⟦{value}⟧"
    return {key: translated(word) for key, word in value.items()}


def test_another_language_is_another_file(monkeypatch: pytest.MonkeyPatch) -> None:
    english = catalogue("en")
    monkeypatch.setattr(
        "singleout.report.say.catalogue",
        lambda code: translated(english) if code == "xx" else english,
    )
    monkeypatch.setattr("singleout.core.language.LANGUAGES", ("en", "xx"))
    with speaking("xx"):
        report: Report = report_of(paper(), when=WHEN)
    taken = Page(page(report))
    assert taken.all("html") == [{"lang": "xx"}]
    (headings,) = [taken.words("h1", "h2", "h3", "caption", "dt", "p")]
    assert len(headings) > 40
    scale_and_result = {paper().verdict}
    left = [
        text
        for text in headings
        if text not in scale_and_result and not re.fullmatch(r"(\d+\. )?⟦.*⟧", text, re.DOTALL)
    ]
    assert left == []
    columns = [text for text in taken.words("th") if "⟦" not in text]
    # names of columns of the data, of levels, and of k
    assert all(not text.islower() or text == "k" for text in columns if not text[0].isdigit())
