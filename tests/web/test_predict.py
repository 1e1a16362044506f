"""Predict and For a person, in a real browser: the numbers are those of the functions."""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path

import pytest

import singleout as so
from singleout.errors import InputError
from singleout.web.errors import Refused
from singleout.web.predicting.columns import answers_of_column, choices_of_columns
from singleout.web.predicting.loaded import questionnaire_in
from singleout.web.predicting.pasted import number, numbered_values, pasted_answers
from web_server import PATIENCE, Server, Visit, Visitor

B3 = {  # Koot (2012), Table B.3
    "education": ("vocational", 0.30),
    "background": ("non-immigrant", 0.79),
    "living situation": ("with children", 0.33),
    "work": ("corporate sector", 0.37),
    "income": ("more than € 56,000", 0.44),
    "PC4 + gender + YoB": ("1056 + F + 1981", 0.00002),
}


@pytest.fixture
def user(server: Server, visit: Visit) -> Visitor:
    return visit(server)


def _add(user: Visitor, name: str, answers: str) -> None:
    details = user.page.locator("details.card")
    if details.get_attribute("open") is None:
        details.locator("summary").click()
    user.page.fill("#name", name)
    user.page.fill("#answers", answers)
    user.page.get_by_role("button", name="Add this question").click()
    user.page.wait_for_load_state()


def _left(user: Visitor) -> list[str]:
    """Return the people left after each answer, as the table says."""
    rows = user.page.locator("table:has(#left-3) tbody tr, table:has(#left-2) tbody tr").all()
    return [row.locator("td").nth(1).inner_text() for row in rows]


def _example(user: Visitor) -> None:
    user.goto("/predict")
    user.page.get_by_role("button", name="Take the example").click()
    user.page.wait_for_selector("#found .vega svg")


def test_the_funnel_of_the_thesis_shrinks_to_four_people(user: Visitor, tmp_path: Path) -> None:
    _example(user)
    expected = so.predict.funnel(16_000_000, B3)
    left = [float(text.replace(",", "")) for text in _left(user)]
    assert left == pytest.approx([step.size for step in expected.steps], rel=2e-3)
    assert round(left[-1]) == 4
    assert "320" in user.page.inner_text("#found")  # at most, for any dependence
    with user.page.expect_download() as download:
        user.page.get_by_role("link", name="Download").click()
    file = tmp_path / "questionnaire.yaml"
    download.value.save_as(file)
    answers = {name: answer for name, (answer, _) in B3.items()}
    again = so.predict.Questionnaire.read(file).funnel(answers)
    assert again.size == pytest.approx(expected.size)
    assert "singleout funnel questionnaire.yaml" in user.page.locator(".again").text_content()
    user.page.get_by_role("button", name="Leave out income").click()
    user.page.wait_for_selector("#answer-6", state="detached")
    user.page.wait_for_selector("#found .vega svg")
    assert len(_left(user)) == 5
    user.page.get_by_text("Load a questionnaire").click()
    user.page.set_input_files("#questionnaire-file", file)
    user.page.get_by_role("button", name="Use this questionnaire").click()
    user.page.wait_for_selector("#answer-6")
    user.page.wait_for_selector("#found .vega svg")
    # the file has the questions, and no answers: the most common ones are followed
    assert [float(text.replace(",", "")) for text in _left(user)][:5] == left[:5]
    assert user.barriers() == []
    assert user.said == []


def test_questions_are_added_followed_and_left_out(user: Visitor) -> None:
    user.goto("/predict")
    assert "no question yet" in user.page.inner_text("#found")
    user.page.fill("#population", "1 000 000")
    user.page.get_by_role("button", name="Compute").click()
    _add(user, "sex", "female 51 %\nmale 49 %")
    _add(user, "town <b>", "Ely\t500\nHam\t480\nOver\t20")
    assert _left(user) == ["510,000", "255,000"]
    user.page.select_option("#answer-2", "Over")
    user.page.wait_for_function(
        "() => document.querySelector('#found').innerText.includes('10,200')"
    )
    two = so.predict.funnel(1_000_000, {"sex": 0.51, "town": 0.02})
    assert two.size == pytest.approx(10_200)
    user.goto("/predict")  # what was chosen is kept
    assert _left(user) == ["510,000", "10,200"]
    user.page.get_by_role("button", name="The rarest answers").click()
    user.page.wait_for_function("() => document.querySelector('#answer-1').value === 'male'")
    assert _left(user) == ["490,000", "9,800"]
    user.page.get_by_role("button", name="Leave out sex").click()
    user.page.wait_for_function("() => !document.querySelector('#answer-2')")
    assert _left(user) == ["20,000"]
    _add(user, "sex", "female 91 %\nmale 49 %")
    assert "must not be more than 1" in user.page.inner_text("main")
    assert user.barriers() == []


def test_sliders_say_how_many_would_be_unique(user: Visitor) -> None:
    user.goto("/predict/rounding")
    ages = "\n".join(f"{age} 100" for age in range(80))
    user.page.fill("#pasted", ages)
    user.page.get_by_role("button", name="Take these numbers").click()
    user.page.wait_for_selector("#found .vega svg")
    table = {"age": list(range(80)), "n": [100] * 80}

    def expected(width: float, top: dict[str, float]) -> str:
        found = so.predict.granularity(table, {"age": width}, 40, top=top, counts="n")
        return f"{found.rows[0].singletons:,.1f} of 40"

    assert expected(1, {}) in user.page.inner_text("#found")
    user.page.locator("#width").fill("5")
    wait = "text => document.querySelector('#found').innerText.includes(text)"
    user.page.wait_for_function(wait, arg=expected(5, {}))
    user.page.locator("#top").fill("40")
    user.page.wait_for_function(wait, arg=expected(5, {"age": 40}))
    assert "--top 40" in user.page.locator(".again").text_content()
    assert user.barriers() == []
    assert user.said == []


def test_places_and_columns_of_the_data(user: Visitor) -> None:
    user.goto("/predict/places")
    assert "Choose data" in user.page.inner_text("main")
    user.take_demo()
    user.goto("/predict/places")
    user.page.select_option("#by", "PUMA")
    for name in ("AGEP", "SEX"):
        user.page.locator(f'.ticks input[value="{name}"]').check()
    # the start page has asked the same process for the range of the verdict, which comes first
    user.page.get_by_role("button", name="Compare the places").click(timeout=PATIENCE)
    user.page.wait_for_selector("#found .vega svg", timeout=PATIENCE)
    found = so.predict.places(so.demo(), ["AGEP", "SEX"], by="PUMA", people=40, least=3)
    worst = max(found.rows, key=lambda row: row.phi[0])
    first = user.page.locator("#found tbody tr").first.inner_text()
    assert str(worst.place) in first.replace("\u200b", "")
    assert f"{40 * worst.phi[0]:.1f}" in first
    assert user.barriers() == []
    user.goto("/predict")
    user.page.locator("details.card").locator("#column").select_option("SEX")
    user.page.get_by_role("button", name="Add this column").click()
    user.page.wait_for_selector("#answer-1")
    assert user.page.locator("#answer-1 option").count() == 2
    user.goto("/person?of=data")  # only values of three records or more are in the page
    carried = json.loads(user.page.get_attribute("#person", "data-questions") or "")
    assert {one["name"] for one in carried} >= {"SEX"}
    records = so.anonymity_sets(so.demo(), ["SEX"]).records
    assert min(share for one in carried for _, share in one["options"]) * records > 2.99
    assert user.said == []


def _row(user: Visitor, who: str) -> dict[str, float]:
    row = user.page.locator(f'tr[data-who="{who}"]')
    return {name: float(row.get_attribute(f"data-{name}")) for name in ("alone", "guess", "same")}


def test_a_person_chooses_with_the_network_cut_off(user: Visitor) -> None:
    user.goto("/person")
    user.page.wait_for_load_state("networkidle")
    requests: list[str] = []
    user.page.on("request", lambda request: requests.append(request.url))
    user.page.context.set_offline(True)
    user.page.fill("#k", "5000")
    user.page.select_option("#mine-0", label="vocational")
    user.page.select_option("#mine-3", label="other 2")
    cells = [0.3, *[0.7 / 6] * 6], [0.37, *[0.63 / 5] * 5]
    spread = [one * other for one, other in product(*cells)]
    mine = so.predict.for_person(spread, 0.3 * 0.63 / 5, people=5000)
    shown = _row(user, "you")
    assert shown["alone"] == pytest.approx(mine.unique, rel=1e-9)
    assert shown["same"] == pytest.approx(mine.expected_set, rel=1e-9)
    assert shown["guess"] == pytest.approx(mine.expected_match, rel=1e-9)
    average = [(p, so.predict.for_person(spread, p, people=5000)) for p in spread]
    shown = _row(user, "average")
    assert shown["alone"] == pytest.approx(sum(p * one.unique for p, one in average), rel=1e-9)
    assert shown["same"] == pytest.approx(sum(p * one.expected_set for p, one in average))
    assert shown["guess"] == pytest.approx(sum(p * one.expected_match for p, one in average))
    assert user.page.locator('[data-part="warnings"]').is_hidden()
    user.page.select_option("#mine-5", label="1056 + F + 1981")
    assert "You stand out by PC4 + gender + YoB" in user.page.inner_text("#reveals")
    tiny = so.predict.for_person(spread, 0.3 * 0.63 / 5 * 0.00002, people=5000)
    assert _row(user, "you")["alone"] == pytest.approx(tiny.unique, rel=1e-9)
    user.page.context.set_offline(False)
    assert requests == []
    assert user.page.locator("select[name], #person input[name], form #person").count() == 0
    assert user.barriers() == []
    assert user.said == []


def test_both_pages_speak_french_and_fit_a_small_screen(server: Server, visit: Visit) -> None:
    user = visit(server, language="fr-FR", width=360)
    user.goto("/predict")
    user.page.get_by_role("button", name="Prendre l'exemple").click()
    user.page.wait_for_selector("#found .vega svg")
    assert "16 000 000" in user.page.inner_text("#found").replace("\u202f", " ")
    assert not user.overflows()
    for path in ("/predict/rounding", "/predict/places", "/person"):
        user.goto(path)
        assert not user.overflows()
    user.page.select_option("#mine-0", "0")
    assert "4 800 001" in re.sub(r"\s", " ", user.page.inner_text("#reveals"))
    assert user.barriers() == []


HOSTILE = ["", "0", "-1", "nan", "1e400", "٣", "<script>", "a\x00b", "x" * 5000, "\udcff", "=1+1"]
FORMS = {
    "/predict/add": ("name", "answers", "rest"),
    "/predict/add-column": ("column",),
    "/predict/remove": ("name",),
    "/predict/follow": ("population", "people", "which", "question", "answer"),
    "/predict/rounding": ("column", "pasted", "people"),
    "/predict/slide": ("width", "top"),
    "/predict/places": ("by", "columns", "people"),
}
GOOD = {
    "name": "q",
    "answers": "a 1\nb 2",
    "population": "1000",
    "people": "7",
    "pasted": "1 9\n2 9",
}
GOOD |= {"width": "5", "top": "40", "column": ""}


def test_no_form_breaks_the_server(user: Visitor) -> None:
    _example(user)
    fetch = """async ([path, pairs]) => {
        const body = new URLSearchParams(pairs);
        body.append("csrf", document.querySelector('meta[name="csrf"]').content);
        return (await fetch(path, {method: "POST", body, redirect: "manual"})).status;
    }"""
    base = user.page.url.removesuffix("/predict")
    statuses = {}
    for path, fields in FORMS.items():
        for field in fields:
            for value in HOSTILE:
                pairs = [[one, value if one == field else GOOD.get(one, "")] for one in fields]
                statuses[path, field, value] = user.page.evaluate(fetch, [base + path, pairs])
    assert [key for key, status in statuses.items() if status >= 500] == []
    assert 422 in statuses.values()
    for path in ("/predict", "/predict/rounding", "/predict/places", "/person?of=%00&of=data"):
        assert user.goto(path).status == 200


# ---- what is pasted


QUESTION = "population: 1000\nquestions:\n  - {name: age, %s}\n"


def test_a_questionnaire_file_is_read_as_the_command_line_reads_it() -> None:
    text = QUESTION % "counts: {young: 30, old: 70}"
    read = questionnaire_in(text)
    assert read["population"] == 1000
    assert read["questions"] == [{"name": "age", "counts": {"young": 30, "old": 70}}]


@pytest.mark.parametrize(
    "text",
    [
        QUESTION % "counts: /etc/passwd",
        QUESTION % "codings: [{name: a, counts: ../secret.csv}]",
        QUESTION % "record: {repository: /etc/passwd, quasi_identifier: [age]}",
        QUESTION % "shares: {a: 1}" + "joint: []\n",
        "questions: []",
        "- 1",
        "",
        "questions: [",
        QUESTION % "shares: {a: 0.5}" + "people: many\n",
    ],
)
def test_a_questionnaire_that_names_other_files_or_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises((Refused, InputError)):
        questionnaire_in(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("female 51 %\nmale 49%", {"shares": {"female": 0.51, "male": 0.49}}),
        ("female;0,51\nmale;0,49", {"shares": {"female": 0.51, "male": 0.49}}),
        ("female\t51.5\nmale\t48.5", {"shares": {"female": 0.515, "male": 0.485}}),
        ("30-39 1,204\n40-49 96\n", {"counts": {"30-39": 1204, "40-49": 96}}),
        ("f,3\nm,4\nf,2", {"counts": {"f": 5, "m": 4}}),
        ("vocational 0.3", {"shares": {"vocational": 0.3}, "rest": 1}),
    ],
)
def test_pasted_answers_are_shares_or_counts(text: str, expected: dict[str, object]) -> None:
    assert pasted_answers(text) == expected


@pytest.mark.parametrize("text", ["", "female", "a 60 %\nb 60 %", "a x", "a 0", "7"])
def test_what_is_no_answer_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        pasted_answers(text)


def test_numbers_are_read_as_people_write_them() -> None:
    assert number("16 000 000") == number("16,000,000") == number("16\u202f000\u202f000") == 16e6
    assert numbered_values("34 120\n33\t5\n34 1") == {33.0: 5, 34.0: 121}


class _Held:
    """A table that is held, without its process."""

    def __init__(self, table: dict[str, list[str]]) -> None:
        from singleout.engines.open import open_data

        self.kept: dict[str, object] = {}
        self._counter = open_data(table)

    def counter(self) -> object:
        return self._counter


def test_rare_values_are_never_named() -> None:
    held = _Held({"town": ["Ely"] * 5 + ["Ham"] * 3 + ["Over"] * 2 + ["Isleham"]})
    assert answers_of_column(held, "town") == {  # type: ignore[arg-type]
        "counts": {"Ely": 5, "Ham": 3, "rarer answers": 3}
    }
    (town,) = choices_of_columns(held, ["town"])  # type: ignore[arg-type]
    assert town["options"] == [["Ely", 5 / 11], ["Ham", 3 / 11]]
    assert town["rare"] == [[1 / 11, 1], [2 / 11, 1]]
