"""The foundation of the web application: pages, languages, themes, charts, jobs."""

from __future__ import annotations

from web_server import PATIENCE, Server, Visit


def test_the_start_page_needs_nothing_but_this_server(server: Server, visit: Visit) -> None:
    user = visit(server)
    assert user.page.title() == "Start – singleout"
    assert all(request.startswith(server.base) for request in user.requests)
    assert user.said == []


def test_the_demo_is_read_and_assessed_in_the_background(server: Server, visit: Visit) -> None:
    user = visit(server)
    user.take_demo()
    assert "7,634" in user.page.inner_text("main")
    user.goto("/assess")
    user.page.get_by_role("button", name="Assess the data").click()
    user.page.wait_for_selector(".job")
    user.wait_for_jobs()
    user.page.wait_for_selector(".report svg", timeout=PATIENCE)  # the report, with its pictures
    assert "risk" in user.page.inner_text("main")
    assert user.said == []


def test_the_language_is_that_of_the_browser_until_another_is_chosen(
    server: Server, visit: Visit
) -> None:
    user = visit(server, language="fr-FR")
    assert user.page.get_attribute("html", "lang") == "fr"
    user.page.get_by_role("button", name="English").click()
    assert user.page.get_attribute("html", "lang") == "en"
    user.goto("/")
    assert user.page.get_attribute("html", "lang") == "en"


def test_the_theme_is_that_of_the_system_until_another_is_chosen(
    server: Server, visit: Visit
) -> None:
    def ground(user: object) -> str:
        return str(user.page.evaluate("getComputedStyle(document.documentElement).backgroundColor"))  # type: ignore[attr-defined]

    dark = visit(server, scheme="dark")
    assert ground(dark) == "rgb(20, 24, 28)"
    dark.page.get_by_role("button", name="Light", exact=True).click()
    assert ground(dark) == "rgb(255, 255, 255)"
    light = visit(server)
    light.page.get_by_role("button", name="Dark", exact=True).click()
    assert ground(light) == "rgb(20, 24, 28)"
