"""Explore: the measures on a page, in a real browser."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

import singleout as so
from web_files import csv_file
from web_server import AnyServer, Server, Visit, Visitor

NAMES = ["AGEP", "SEX", "MSP", "RAC1P", "EDU"]


def _tick(user: Visitor, names: list[str]) -> None:
    for box in user.page.locator(".ticks input").all():
        box.set_checked(box.get_attribute("value") in names)


def _shown(user: Visitor) -> str:
    return user.page.locator("#explored").inner_text()


@pytest.fixture(scope="module")
def demo_user(server: Server, visits: Visit) -> Visitor:
    """A user with the demo: reading it takes longer than what most tests look at."""
    visitor = visits(server)
    visitor.take_demo()
    return visitor


@pytest.fixture
def user(demo_user: Visitor) -> Visitor:
    demo_user.said.clear()
    return demo_user


def test_anonymity_sets_follow_the_ticks(user: Visitor) -> None:
    user.goto("/explore")
    _tick(user, ["AGEP", "SEX"])
    expected = so.anonymity_sets(so.demo(), ["AGEP", "SEX"])
    user.page.wait_for_function(
        "text => document.querySelector('#explored').innerText.includes(text)",
        arg=f"{expected.unique:,}",
    )
    assert f"{expected.records:,}" in _shown(user)
    user.page.wait_for_selector("#explored svg")
    assert "so.anonymity_sets(" in user.page.locator(".again").text_content()
    assert user.barriers() == []
    _tick(user, [])
    user.page.wait_for_function("!document.querySelector('#explored svg')")
    assert user.said == []


def test_the_lists_of_suda_are_linked(user: Visitor) -> None:
    user.goto("/explore/suda")
    _tick(user, NAMES)
    user.press("Measure")
    found = so.suda(so.demo(), NAMES)
    assert f"{len(found.special_uniques):,}" in _shown(user)
    worst = found.set_contributions.head(1).to_dicts()[0]
    lists = user.page.locator(".lists")
    lists.get_by_role("link", name=worst["set"].replace(" x ", " × "), exact=True).click()
    rows = user.page.locator("table:has(#list-sets) tbody tr").all()
    assert len(rows) == 1
    columns = {
        cell.inner_text().partition(" = ")[0]
        for cell in user.page.locator("table:has(#list-values) tbody th").all()
    }
    assert columns <= set(worst["columns"])
    assert user.page.locator("table:has(#list-records) tbody tr").count() > 0
    user.page.get_by_role("link", name="Show everything").click()
    user.page.locator(".lists").get_by_role("link", name="SEX", exact=True).click()
    names = user.page.locator("table:has(#list-sets) tbody th").all_inner_texts()
    assert names
    assert all("SEX" in name.split(" × ") for name in names)
    assert user.misfits() == []
    assert user.said == []


@pytest.mark.parametrize(
    ("view", "fields", "expected"),
    [
        ("risk", {"size": "2"}, "so.qar("),
        ("contributions", {"size": "2"}, "so.contributions("),
        ("eliminate", {"share": "1%", "size": "2"}, "so.eliminate("),
        ("population", {"population": "7,000,000".replace(",", "")}, "so.population_uniqueness("),
        ("diversity", {}, "so.diversity("),
    ],
)
def test_every_measure_has_its_text_its_chart_and_its_command(
    user: Visitor, view: str, fields: dict[str, str], expected: str
) -> None:
    user.goto(f"/explore/{view}")
    _tick(user, ["SEX", "MSP", "RAC1P"])
    for name, value in fields.items():
        user.page.fill(f"#{name}", value)
    if view == "diversity":
        user.page.select_option("#sensitive", "EDU")
    user.press("Measure")
    user.page.wait_for_selector("#explored svg")
    assert len(_shown(user)) > 100
    user.page.locator("#explored .glossary summary").click()  # the terms of the trade, explained
    assert user.page.locator("#explored .definitions dd").first.is_visible()
    assert expected in user.page.locator(".again").text_content()
    assert user.misfits() == []
    assert user.said == []


def test_the_risk_is_that_of_the_function(user: Visitor) -> None:
    user.goto("/explore/risk")
    _tick(user, NAMES)
    user.page.fill("#size", "2")
    user.press("Measure")
    risk = so.qar(so.demo(), NAMES, size=2).risk
    figures = [float(one) for one in re.findall(r"0?\.\d{3,}", _shown(user))]
    assert any(abs(one - risk) < 5e-4 for one in figures)


def test_what_cannot_be_measured_is_a_sentence(user: Visitor) -> None:
    user.goto("/explore/risk")
    _tick(user, ["SEX"])
    user.page.fill("#size", "many")
    user.press("Measure")
    assert "is no number" in user.page.locator("main").inner_text()
    user.goto("/explore/risk")
    _tick(user, ["SEX"])
    user.page.fill("#size", "3")
    user.press("Measure")
    assert "3" in user.page.locator(".message.urgent").inner_text()


def test_hostile_names_are_text(server: Server, visit: Visit, tmp_path: Path) -> None:
    name = '<img src=x onerror=alert(1)>"&{{7*7}}'
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow([name, "age"])
    rows.writerows([["<script>alert(1)</script>" if n % 7 else "=1+1", n % 9] for n in range(60)])
    file = tmp_path / "hostile.csv"
    file.write_text(text.getvalue(), encoding="utf-8")
    user = visit(server)
    user.upload(file)
    user.goto("/explore/suda")
    _tick(user, [name, "age"])
    user.press("Measure")
    assert user.page.locator("main img, main script").count() == 0
    assert name in user.page.locator("main").inner_text()
    assert user.said == []


def test_rare_values_and_records_are_hidden_unless_the_server_allows_them(
    a_server: AnyServer, visit: Visit, tmp_path: Path
) -> None:
    user = visit(a_server())
    user.upload(csv_file(tmp_path))
    user.goto("/explore/suda")
    _tick(user, ["age", "sex", "zip"])
    user.press("Measure")
    assert "--record-view" in _shown(user)
    assert user.page.locator("#list-records").count() == 0
    assert "fewer than three records" in _shown(user)
    # what nobody should learn is proposed first, and not what everybody knows
    user.goto("/explore/diversity")
    assert user.page.input_value("#sensitive") == "diagnosis"


def test_explore_in_french_on_a_telephone(server: Server, visit: Visit, tmp_path: Path) -> None:
    user = visit(server, width=360, language="fr-FR", scheme="dark")
    user.upload(csv_file(tmp_path))
    user.goto("/explore/suda")
    _tick(user, ["age", "sex", "zip"])
    user.press("Mesurer")
    assert "Ensembles de colonnes" in _shown(user)
    user.page.get_by_role("button", name="English").click()
    user.page.wait_for_selector("html[lang=en]")
    assert "Sets of columns" in _shown(user)  # what was measured is said in either language
    assert "singled out by sets" in _shown(user)
    user.page.get_by_role("button", name="français").click()
    user.page.wait_for_selector("html[lang=fr]")
    assert "individualisés" in _shown(user)
    assert not user.overflows()
    assert user.barriers() == []
