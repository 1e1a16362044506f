"""From a file to the verdict, in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import singleout as so
from web_files import SCRIPT, csv_file, hostile_file, messy_workbook
from web_server import PATIENCE, Server, Visit, Visitor


def levels(user: Visitor) -> tuple[int, int]:
    """The lowest and the highest risk that the start page shows."""
    user.page.wait_for_selector("#range .scale", timeout=PATIENCE)
    scale = user.page.locator("#range .scale").first.locator("li")
    classes = [scale.nth(n).get_attribute("class") or "" for n in range(4)]
    low = next(n for n, one in enumerate(classes, start=1) if "here" in one)
    high = max([low, *(n for n, one in enumerate(classes, start=1) if "possible" in one)])
    return low, high


NOTHING_UNDER_WAY = "() => !document.querySelector('.htmx-request, .htmx-swapping, .htmx-settling')"


def state(user: Visitor, column: str, field: str, value: str) -> None:
    """State something about a column, and wait until the server has it and the page shows it."""
    form = user.page.locator("form.column", has=user.page.locator("h3", has_text=column)).first
    if form.locator("details:not([open]) > summary").count():
        form.locator("details > summary").click()
    with user.page.expect_response(re.compile(r"/plan/column$"), timeout=PATIENCE):
        form.locator(f'select[name="{field}"]').first.select_option(value)
    user.page.wait_for_function(NOTHING_UNDER_WAY, timeout=PATIENCE)


def test_a_messy_workbook_becomes_a_verdict(server: Server, visit: Visit, tmp_path: Path) -> None:
    user = visit(server)
    user.drop(messy_workbook(tmp_path))
    shown = user.page.inner_text("main")
    assert "240" in shown
    names = user.page.locator("form.column h3").all_inner_texts()
    assert names == ["age", "sex", "zip", "trk", "diagnosis"]
    user.page.wait_for_selector("#range .scale", timeout=PATIENCE)
    assert user.barriers() == []
    user.goto("/assess")
    user.page.locator('form[action$="/assess"] button').click()
    user.wait_for_jobs()
    assert "risk" in user.page.inner_text("#verdict").lower()
    assert user.barriers() == []
    assert not user.overflows()

    # a cell of the matrix opens its rows, a row its worst values, a record what singles it out
    user.page.locator(".matrix button.cell").first.click()
    user.page.wait_for_selector("#opened table")
    user.page.locator("#opened button.plain").first.click()
    user.page.wait_for_selector("#opened .told td:not(:empty)")
    user.page.locator("#records-title ~ p button").first.click()
    user.page.wait_for_selector("#record dl.facts")
    assert user.barriers() == []

    for language, word in (("English", "risk"), ("français", "risque")):
        user.page.get_by_role("button", name=language).click()
        user.page.wait_for_selector("#verdict")
        assert word in user.page.inner_text("#verdict").lower()
        with user.page.expect_download() as downloading:
            user.page.locator('a[href$="report.html"]').click()
        page = Path(downloading.value.path()).read_text(encoding="utf-8")
        assert f'<html lang="{language[:2].lower()}"' in page
        assert "messy.xlsx" in page
        assert "upload-" not in page  # the name is that of its user
    with user.page.expect_download() as downloading:
        user.page.locator('a[href$="report.json"]').click()
    assert json.loads(Path(downloading.value.path()).read_text(encoding="utf-8"))
    assert user.said == []


def test_the_range_narrows_as_answers_come(server: Server, visit: Visit, tmp_path: Path) -> None:
    user = visit(server)
    user.upload(csv_file(tmp_path, columns=("sex", "trk", "diagnosis")))
    state(user, "diagnosis", "moral", "3")
    before = levels(user)
    assert before[0] < before[1]
    assert "trk" in user.page.locator(".asked").inner_text()
    user.page.locator(".asked li", has_text="trk").get_by_role("button", name="Neither").click()
    user.page.wait_for_load_state()
    after = levels(user)
    assert after[0] == after[1] == before[0]
    assert "trk" not in user.page.locator("#range").inner_text()


def test_a_plan_is_saved_and_loaded_as_the_command_line_has_it(
    server: Server, visit: Visit, tmp_path: Path
) -> None:
    user = visit(server)
    file = csv_file(tmp_path)
    user.upload(file)
    state(user, "zip", "role", "quasi-identifier")
    state(user, "zip", "exposure", "ER")
    state(user, "diagnosis", "role", "sensitive")
    state(user, "diagnosis", "moral", "3")
    with user.page.expect_download() as downloading:
        user.page.get_by_role("link", name="Save the plan").click()
    saved = tmp_path / "plan.yaml"
    downloading.value.save_as(saved)
    plan = so.Plan.read(saved)
    assert plan.columns["zip"].exposure == 3
    assert plan.columns["diagnosis"].moral == 3
    assert so.assess(file, plan, advice=False).level in (1, 2, 3, 4)

    other = visit(server)
    other.upload(file)
    other.page.set_input_files("#plan-file", saved)
    other.page.get_by_role("button", name="Use this plan").click()
    other.page.wait_for_load_state()
    assert "As the plan says" in other.page.inner_text("form.column >> nth=2")
    with other.page.expect_download() as downloading:
        other.page.get_by_role("link", name="Save the plan").click()
    assert so.Plan.read(downloading.value.path()).to_yaml() == plan.to_yaml()


def test_names_and_values_of_the_data_are_only_text(
    server: Server, visit: Visit, tmp_path: Path
) -> None:
    user = visit(server)
    user.upload(hostile_file(tmp_path))
    assert SCRIPT in user.page.inner_text("main")
    role = user.page.locator('form.column select[name="role"]').first
    with user.page.expect_response(re.compile(r"/plan/column$")):
        role.select_option("quasi-identifier")
    user.page.wait_for_selector("#range .scale, #range .sentence", timeout=PATIENCE)
    user.goto("/assess")
    user.page.locator('form[action$="/assess"] button').click()
    user.wait_for_jobs()
    assert user.dialogs == []
    assert user.page.title() != "owned"
    assert user.page.locator("main script, main img, main svg[onload]").count() == 0
    assert user.said == []


def test_everything_can_be_done_by_keyboard(server: Server, visit: Visit, tmp_path: Path) -> None:
    user = visit(server)
    page = user.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")

    def reach(what: str, key: str = "Tab") -> None:
        for _ in range(120):
            page.keyboard.press(key)
            if page.evaluate("what => document.activeElement.matches(what)", what):
                shown = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
                assert shown != "none"
                return
        raise AssertionError(f"{key} does not reach {what}")

    reach("#file")
    file = csv_file(tmp_path, 90, ("age", "sex", "zip"))
    user.upload(file)  # the dialog of the system is not of the page
    page.wait_for_selector("#range .scale, #range .sentence", timeout=PATIENCE)
    page.focus("#main")
    reach('a.button[href$="/assess"]')
    page.keyboard.press("Enter")
    page.wait_for_url("**/assess")
    reach("button.main")
    page.keyboard.press("Enter")
    page.wait_for_selector(".job, #verdict")
    user.wait_for_jobs()
    reach("button.cell")
    page.keyboard.press("Enter")
    page.wait_for_selector("#opened table")

    treated = treat_by_keyboard(user, reach, tmp_path)
    assert so.anonymity_sets(treated, ["age", "sex", "zip"]).k >= 3


def treat_by_keyboard(user: Visitor, reach: Callable[..., None], folder: Path) -> Path:
    """Ask for a policy, take what is suggested, and save the treated file."""
    page = user.page
    reach('nav a[href$="/treat"]', "Shift+Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/treat")
    reach('a[href$="/treat/policy"]')
    page.keyboard.press("Enter")
    page.wait_for_url("**/treat/policy")
    reach("#k")
    page.keyboard.press("Control+A")
    page.keyboard.type("3")
    page.keyboard.press("Enter")
    page.wait_for_selector(".job, table.points", timeout=PATIENCE)
    user.wait_for_jobs()
    reach("table.points button.main")
    page.keyboard.press("Enter")
    page.wait_for_selector("ol.steps", timeout=PATIENCE)
    page.wait_for_selector("table.effect", timeout=PATIENCE)
    reach('a.button[href$="/treat/files"]')
    page.keyboard.press("Enter")
    page.wait_for_url("**/treat/files")
    reach('input[name="report"]')
    page.keyboard.press("Space")  # without the report, which takes longest
    reach("button.main")
    page.keyboard.press("Enter")
    page.wait_for_selector(".job, .files", timeout=PATIENCE)
    user.wait_for_jobs()
    reach('.files a[href$="treated.csv"]')
    with page.expect_download() as downloading:
        page.keyboard.press("Enter")
    downloading.value.save_as(folder / "treated.csv")
    return folder / "treated.csv"
