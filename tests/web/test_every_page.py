"""Every page, looked at once: in French, on three widths, light and dark, and for barriers.

What Explore measures is looked at by the tests that measure it. With SINGLEOUT_SCREENS=FOLDER the
pages are also drawn into a folder, for somebody to look at.
"""

from __future__ import annotations

import os
import re
from functools import partial
from pathlib import Path
from urllib.parse import urlencode

import pytest

from singleout.web.pages import PAGES
from web_files import csv_file
from web_server import PATIENCE, Server, Visit, Visitor

MEASURED = ("suda", "risk", "contributions", "eliminate", "population", "diversity")
EMPTY = ("/?first=data", "/predict", "/predict/places", "/person", "/nowhere")
FILLED = (
    "/",
    "/assess",
    "/explore/sets",
    *(f"/explore/{view}" for view in MEASURED),
    "/treat",
    "/treat/policy",
    "/treat/policy/0",
    "/treat/tree?column=diagnosis",
    "/treat/files",
    "/predict",
    "/predict/rounding",
    "/predict/places",
    "/person",
)
NO_PAGES = re.compile(
    r"""/(look|charts|jobs|static)/.*|.*\.(yaml|csv|css|js)|/assess/.+|/explore|/range
    |/treat/(column|effect)|/repository.*""",
    re.VERBOSE,
)


def draw(user: Visitor, path: str, width: int, scheme: str) -> None:
    """Write a picture of the page, if somebody has asked for pictures."""
    folder = os.environ.get("SINGLEOUT_SCREENS")
    if folder:
        name = re.sub(r"\W+", "-", path).strip("-") or "start"
        Path(folder).mkdir(parents=True, exist_ok=True)
        file = Path(folder) / f"{name}-{width}-{scheme}.png"
        user.page.screenshot(path=file, full_page=True, animations="disabled")


def look_at(user: Visitor, paths: tuple[str, ...]) -> list[str]:
    """Return what is wrong with pages, on every width and in both schemes."""
    wrong = []
    for path in paths:
        user.goto(path)
        user.wait_for_jobs()
        user.page.wait_for_function(
            "() => !document.querySelector('.htmx-request')", timeout=PATIENCE
        )
        if user.page.locator(".vega").count():
            user.page.wait_for_selector(".vega svg", timeout=PATIENCE)
        found = [*user.misfits(partial(draw, user, path)), *structure(user)]
        wrong += [f"{path}: {one}" for one in found]
    return wrong


def structure(user: Visitor) -> list[str]:
    """Return what every page has, and this one lacks."""
    needed = {
        "one main heading": "main h1",
        "a way to the content": "a.skip",
        "a switch of languages": 'button[name="language"][aria-pressed="true"]',
        "a switch of themes": 'button[name="theme"][aria-pressed="true"]',
        "a way to every area": "nav .areas a",
    }
    return [what for what, where in needed.items() if not user.page.locator(where).count()]


def test_pages_without_data_fit_every_screen_and_have_no_barrier(
    server: Server, visit: Visit
) -> None:
    user = visit(server, language="fr-FR")
    assert look_at(user, EMPTY) == []
    user.said = [one for one in user.said if "404" not in one]  # the page that does not exist
    assert user.said == []


@pytest.fixture(scope="module")
def worker(server: Server, visits: Visit, tmp_path_factory: pytest.TempPathFactory) -> Visitor:
    """Somebody who has done everything once, with one small file."""
    user = visits(server, language="fr-FR", width=1440)
    user.upload(csv_file(tmp_path_factory.mktemp("every"), 90))
    token = user.page.get_attribute('meta[name="csrf"]', "content")

    def send(path: str, **fields: object) -> None:
        answer = user.page.request.post(
            f"{server.base}{path}",
            data=urlencode({"csrf": token, **fields}, doseq=True),
            headers={"content-type": "application/x-www-form-urlencoded"},
            max_redirects=0,
        )
        assert answer.status == 303, (path, answer.status, answer.text()[-500:])

    send("/plan/column", name="trk", role="other")
    send("/plan/policy", k="3", highest_risk="3")
    send("/treat/steps", column="age", do="width", width="20")
    send("/predict/example")
    send("/predict/places", by="sex", columns="zip", people="40")
    for path, given in (("/assess", {}), ("/treat/policy", {"k": "3"})):
        send(path, **given)
        user.goto(path)
        user.wait_for_jobs()
    return user


def test_every_page_fits_every_screen_and_has_no_barrier(worker: Visitor) -> None:
    worker.said.clear()
    worker.goto("/treat/policy")  # searched for in English, by a program that sends the form
    assert "The frontier" not in worker.page.inner_text("main")
    assert look_at(worker, FILLED) == []
    assert worker.page.get_attribute("html", "lang") == "fr"
    assert worker.said == []


def test_no_page_is_forgotten() -> None:
    routes = [route for router in PAGES for route in router.routes]
    paths = {getattr(one, "path", "") for one in routes if "GET" in getattr(one, "methods", ())}
    seen = {path.partition("?")[0] for path in (*EMPTY, *FILLED)}
    patterns = [re.compile(re.sub(r"\{\w+\}", "[^/]+", path)) for path in paths]
    known = {one.pattern for one in patterns if any(map(one.fullmatch, seen))}
    missed = [path for path in paths if not NO_PAGES.fullmatch(path)]
    assert {re.sub(r"\{\w+\}", "[^/]+", path) for path in missed} <= known
