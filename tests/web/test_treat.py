"""From a file to a treated one that keeps the policy, in a real browser."""

from __future__ import annotations

import re
from pathlib import Path

import singleout as so
from singleout.assessment.plan.demo import demo_plan_text
from singleout.assessment.plan.plan import Plan
from web_files import SCRIPT, csv_file, hostile_file, messy_workbook
from web_server import PATIENCE, AnyServer, Server, Visit, Visitor

HOSTILE = ["", "-1", "1e999", "é" * 300, SCRIPT, "\x00", "0:age"]


def measured(user: Visitor, name: str) -> str:
    """What the table of measures says after the steps."""
    user.page.wait_for_selector(f"#after-{name}", timeout=PATIENCE)
    return user.page.inner_text(f"#after-{name}")


def add_step(user: Visitor, column: str, kind: str, **fields: str) -> None:
    """Choose a column and a step, fill in its fields, and send it."""
    user.page.select_option("#pick-column", column)
    user.page.wait_for_selector(f'input[name="column"][value="{column}"]', state="attached")
    if user.page.input_value("#pick-do") != kind:
        user.page.select_option("#pick-do", kind)
        user.page.wait_for_selector(f'input[name="do"][value="{kind}"]', state="attached")
    for name, value in fields.items():
        user.page.fill(f"form.step #{name}", value)
    user.page.locator("form.step button.main").click()
    user.page.wait_for_load_state()


def make_files(user: Visitor, *, report: bool) -> None:
    """Have the files written."""
    user.goto("/treat/files")
    user.page.set_checked('input[name="report"]', report)
    user.page.locator('form[action$="/treat/files"] button').click()
    user.wait_for_jobs()


def download(user: Visitor, name: str, folder: Path) -> Path:
    """Save a file that was written."""
    with user.page.expect_download() as downloading:
        user.page.locator(f'.files a[href$="/{name}"]').click()
    downloading.value.save_as(folder / name)
    return folder / name


def search(user: Visitor, **limits: str) -> None:
    """Ask for a policy with these limits and no others, and wait for what is found."""
    user.goto("/treat/policy")
    for name in ("k", "unique_share", "records_at_risk"):
        user.page.fill(f"#{name}", limits.get(name, ""))
    user.page.select_option("#highest_risk", limits.get("highest_risk", ""))
    user.page.locator('form[action$="/treat/policy"] button.main').click()
    user.wait_for_jobs()
    user.page.wait_for_selector(".vega svg", timeout=PATIENCE)


def test_a_messy_workbook_is_treated_until_it_meets_the_policy(
    server: Server, visit: Visit, tmp_path: Path
) -> None:
    user = visit(server)
    user.drop(messy_workbook(tmp_path))
    search(user, k="4", highest_risk="2")
    assert user.barriers() == []
    assert user.page.locator("table.points tr.chosen").count() == 1

    # a point of the frontier has its steps, and each column before and after
    user.page.locator("tr.chosen a").click()
    user.page.wait_for_selector("table.spread", timeout=PATIENCE)
    assert user.page.locator(".beside").count() >= 2
    assert user.barriers() == []
    user.page.locator("button.main").click()
    assert int(measured(user, "k")) >= 4
    # nobody has said what trk means, so nobody can say that the policy is kept
    assert "leaves the level of risk open" in user.page.inner_text("#effect")
    user.page.locator("#effect .message a", has_text="trk").click()
    user.page.locator("form.step button.main").click()
    user.page.wait_for_selector("ol.steps li:nth-child(2)")
    assert int(measured(user, "k")) >= 4
    assert "keeps the policy" in user.page.inner_text("#effect")

    make_files(user, report=True)
    treated = download(user, "treated.xlsx", tmp_path)
    steps = download(user, "steps.yaml", tmp_path)
    log = download(user, "log.csv", tmp_path)
    report = download(user, "report.html", tmp_path)
    with user.page.expect_download() as downloading:
        user.page.evaluate("location.assign('/plan.yaml')")
    downloading.value.save_as(tmp_path / "plan.yaml")
    found = so.assess(treated, tmp_path / "plan.yaml")
    assert found.met is True
    assert found.anonymity.k >= 4
    assert found.level <= 2
    assert so.Steps.read(steps).sentences
    assert log.read_text(encoding="utf-8").startswith("step,what,column,from,to,records")
    text = report.read_text(encoding="utf-8")
    assert "messy.xlsx" in text
    assert "After treatment" in text
    assert user.said == []


def test_the_demo_is_treated_by_a_point_of_the_frontier(
    server: Server, visit: Visit, tmp_path: Path
) -> None:
    user = visit(server)
    user.take_demo()
    search(user, k="3", unique_share="1")
    # not what is suggested, but more protection
    row = user.page.locator("table.points tbody tr", has=user.page.locator('td:text-is("10")'))
    row.locator("button").click()
    assert measured(user, "k") == "10"
    make_files(user, report=False)
    assert user.page.locator('.files a[href$="report.html"]').count() == 0
    plan = Plan.parse(demo_plan_text(), name="demo")
    sets = so.anonymity_sets(download(user, "treated.csv", tmp_path), list(plan.quasi_identifiers))
    assert sets.k >= 10
    assert sets.records == 7634


def test_steps_and_trees_are_edited_undone_taken_back_and_removed(
    server: Server, visit: Visit, tmp_path: Path
) -> None:
    user = visit(server)
    user.upload(csv_file(tmp_path))
    user.goto("/treat")
    before = measured(user, "unique_share")
    add_step(user, "age", "width", width="20", top="80")
    assert (
        user.page.locator("ol.steps li")
        .all_inner_texts()[0]
        .startswith("age becomes intervals of 20 (open from 80).")
    )
    recoded = measured(user, "unique_share")
    assert recoded != before
    add_step(user, "zip", "drop")
    dropped = measured(user, "unique_share")
    user.page.get_by_role("button", name="Undo").click()
    assert measured(user, "unique_share") == recoded
    user.page.get_by_role("button", name="Redo").click()
    assert measured(user, "unique_share") == dropped
    user.page.get_by_role("button", name="Move step 2 up").click()
    assert "zip" in user.page.locator("ol.steps li").first.inner_text()
    user.page.get_by_role("button", name="Remove step 1").click()
    assert measured(user, "unique_share") == recoded
    user.page.reload()
    assert measured(user, "unique_share") == recoded

    # a column opens what it had and what it has
    user.page.locator(".kept-columns summary", has_text="age").click()
    user.page.wait_for_selector(".kept-columns table.spread", timeout=PATIENCE)
    assert "80+" in user.page.inner_text(".kept-columns")
    assert user.barriers() == []

    # what cannot be done is a sentence above the form, and nothing is lost
    add_step(user, "age", "cuts", cuts="old")
    assert "“old” is no number" in user.page.inner_text("main [role=alert] .message")
    assert user.page.input_value("#cuts") == "old"
    assert user.page.locator("ol.steps li").count() == 1
    assert "so.treat" in user.page.locator(".again code").nth(1).text_content()
    assert (
        "singleout treat people.csv steps.yaml"
        in user.page.locator(".again code").first.text_content()
    )

    edit_a_tree(user, tmp_path)


def edit_a_tree(user: Visitor, folder: Path) -> None:
    """Put values under a node, undo that, take it back, and publish a level."""
    user.goto("/treat/tree?column=diagnosis")
    user.page.wait_for_selector(".tree")
    for value in ("flu", "colds"):
        user.page.check(f'input[name="node"][value$=":{value}"]')
    user.page.fill("#name", "<b>airways</b>")
    user.page.get_by_role("button", name="Put under one node").click()
    user.page.wait_for_selector('.tree .node-label:has-text("airways")')
    assert user.page.locator(".tree b").count() == 0
    assert user.barriers() == []
    user.page.get_by_role("button", name="Undo").click()
    user.page.wait_for_selector('.tree .node-label:has-text("airways")', state="detached")
    user.page.get_by_role("button", name="Redo").click()
    user.page.wait_for_selector('.tree .node-label:has-text("airways")')
    user.page.locator("table button", has_text="Publish this level").first.click()
    user.page.wait_for_selector("ol.steps")
    assert "level 1 of its hierarchy" in user.page.inner_text("ol.steps")
    user.page.wait_for_selector("table.effect", timeout=PATIENCE)
    with user.page.expect_download() as downloading:
        user.page.get_by_role("link", name="steps.yaml").click()
    steps = so.Steps.read(downloading.value.path())
    treated = so.treat(csv_file(folder), steps)
    assert set(treated.to_frame()["diagnosis"]) >= {"<b>airways</b>", "HIV", "asthma"}


def test_hostile_names_and_values_are_text_also_in_french(
    server: Server, visit: Visit, tmp_path: Path
) -> None:
    user = visit(server, width=360, scheme="dark", language="fr-FR")
    user.upload(hostile_file(tmp_path))
    for path in ("/treat", "/treat/policy", "/treat/files", f"/treat/tree?column={SCRIPT}"):
        user.goto(path)
        user.page.wait_for_selector("nav.parts")
        assert user.page.title() == "Traiter – singleout"
        assert not user.overflows()
        assert user.barriers() == []
    assert "Niveaux" in user.page.inner_text("main")
    assert user.dialogs == []
    assert user.said == []

    send_nonsense(user, server)


def send_nonsense(user: Visitor, server: Server) -> None:
    """Send every form of this area what nobody should: the server does not break."""
    token = user.page.get_attribute('meta[name="csrf"]', "content")
    fields = {
        "/treat/steps": ["column", "do", "width", "k", "where", "name", "value", "agreed"],
        "/treat/remove": ["number"],
        "/treat/move": ["number"],
        "/treat/clear": [],
        "/treat/policy": ["k", "method", "unique_share", "t", "max_suppressed", "keep-0"],
        "/treat/policy/choose": ["number"],
        "/treat/tree/edit": ["column", "do", "name", "node"],
        "/treat/tree/text": ["column", "text"],
        "/treat/tree/publish": ["column", "level"],
        "/treat/tree/proposed": ["column"],
        "/treat/files": ["ending"],
        "/treat/undo": ["tree"],
        "/treat/redo": ["tree"],
    }
    known = {"column": SCRIPT, "do": "width", "number": "0", "level": "1"}
    seen = set()
    for path, names in fields.items():
        for value in HOSTILE:
            sent = dict.fromkeys(names, value)
            for given in (sent, {**sent, **known}) if "column" in names else (sent,):
                answer = user.page.request.post(
                    f"{server.base}{path}", form={**given, "csrf": token}, max_redirects=0
                )
                assert answer.status < 500, (path, given, answer.text()[-400:])
                assert SCRIPT not in answer.text()
                seen.add(answer.status)
    assert {303, 422} <= seen
    for path in ("/treat", "/treat/tree", "/treat/column", "/treat/tree.csv", "/treat/policy/9"):
        for value in HOSTILE:
            answer = user.page.request.get(
                f"{server.base}{path}", params={"column": value, "do": value, "name": value}
            )
            assert answer.status < 500, (path, value)


def test_nothing_leaves_a_server_that_is_read_only(
    a_server: AnyServer, visit: Visit, tmp_path: Path
) -> None:
    server = a_server("--read-only", str(csv_file(tmp_path, 60)))
    user = visit(server)
    user.page.get_by_role("button", name=re.compile("people.csv")).click()
    user.wait_for_jobs()
    user.goto("/treat/files")
    assert "--read-only" in user.page.inner_text("main")
    token = user.page.get_attribute('meta[name="csrf"]', "content")
    posted = user.page.request.post(f"{server.base}/treat/files", form={"csrf": str(token)})
    assert posted.status == 403
    for path in ("/treat/steps.yaml", "/treat/tree.csv?column=age"):
        assert user.page.request.get(f"{server.base}{path}").status == 403
