"""Safe by default: who may come in, what may be sent, what is kept and what is said."""

from __future__ import annotations

import gzip
import html
import io
import json
import os
import re
import time
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from singleout.assessment.plan.plan import Plan
from singleout.web import jobs
from singleout.web.pages.plan import changing_plan
from singleout.web.planning import with_column
from singleout.web.server_folder import server_folder
from singleout.web.settings import WebSettings
from singleout.web.workspaces import Workspace, Workspaces
from web_local import Caller

Callers = Callable[..., Caller]


@pytest.fixture
def caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callers]:
    """A function that makes an application; its jobs do not run."""
    monkeypatch.setattr(jobs, "run_beside", lambda _: None)
    monkeypatch.setattr("singleout.web.companions.run_beside", lambda _: None)
    with ExitStack() as stack:

        def make(**settings: Any) -> Caller:
            folder = stack.enter_context(server_folder(tmp_path))
            return Caller(WebSettings(folder=folder.path, **settings))

        yield make


def kept(caller: Caller) -> list[Path]:
    """The files that the application keeps of uploads."""
    return sorted(caller.settings.folder.rglob("upload-*"))


# ---- who may come in


def test_every_answer_forbids_what_pages_do_not_need(caller: Callers) -> None:
    user = caller()
    for path in ("/", "/nowhere", "/static/web.css", "/assess"):
        headers = user.get(path).headers
        policy = headers["content-security-policy"]
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-frame-options"] == "DENY"


def test_no_page_has_a_script_or_a_style_in_it(caller: Callers) -> None:
    page = caller().get("/").text
    assert re.search(r"<script(?![^>]*\ssrc=)", page) is None
    assert "<style" not in page
    assert re.search(r"\s(on\w+|style)=", page) is None


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "[", "a b"])
def test_a_name_that_was_bound_to_this_machine_is_refused(caller: Callers, host: str) -> None:
    assert caller().get("/", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("host", ["localhost:8719", "127.0.0.1", "[::1]:8719"])
def test_names_of_this_machine_are_known(caller: Callers, host: str) -> None:
    assert caller().get("/", headers={"host": host}).status_code == 200


def test_who_is_not_on_this_machine_needs_the_token_once(caller: Callers) -> None:
    user = caller(token="secret-token", host="0.0.0.0")
    refused = user.get("/", headers={"host": "server.example"})
    assert refused.status_code == 403
    assert "token" in refused.text
    assert user.get("/?token=wrong").status_code == 403
    let_in = user.get("/?token=secret-token&a=b")
    assert (let_in.status_code, let_in.headers["location"]) == (303, "/?a=b")
    assert user.get("/").status_code == 200
    assert user.another().get("/").status_code == 403


def test_cookies_are_for_this_server_only(caller: Callers) -> None:
    cookie = caller(secure=True).get("/").headers["set-cookie"]
    assert {"HttpOnly", "SameSite=Strict", "Secure"} <= set(cookie.split("; "))
    assert "Secure" not in caller().get("/").headers["set-cookie"]


@pytest.mark.parametrize("how", ["none", "wrong", "of another"])
def test_a_form_without_the_token_of_its_user_changes_nothing(caller: Callers, how: str) -> None:
    user = caller()
    user.get("/")
    other = user.another()
    token = {"none": None, "wrong": "0" * 64, "of another": other.csrf}[how]
    data = {} if token is None else {"csrf": token}
    assert user.ask("POST", "/data/demo", data=data).status_code == 403
    assert user.ask("POST", "/data/demo", data={"csrf": user.csrf}).status_code == 303


def test_a_form_of_another_site_is_refused_even_with_the_token(caller: Callers) -> None:
    user = caller()
    answer = user.post("/data/demo", headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403


def test_behind_a_proxy_everything_has_its_path(caller: Callers) -> None:
    user = caller(root_path="/singleout", hosts=("example.org",), secure=True)
    page = user.get("/", headers={"host": "example.org"})
    assert page.status_code == 200
    paths = re.findall(r'(?:href|src|action)="(/[^"]*)"', page.text)
    assert paths
    assert all(path.startswith("/singleout/") for path in paths)
    assert "Path=/singleout" in page.headers["set-cookie"]
    assert user.get("/singleout/", headers={"host": "example.org"}).status_code == 200


# ---- what may be sent


def test_a_file_that_is_too_large_is_refused_and_not_kept(caller: Callers) -> None:
    user = caller(max_upload=1000)
    assert user.upload("small.csv", b"a,b\n1,2\n").status_code == 303
    answer = user.upload("large.csv", b"x" * 1_200_000)
    assert answer.status_code == 413
    assert "--max-upload" in answer.text
    refused = user.upload("above.csv", b"x" * 2000)  # within what a form may add to its file
    assert refused.status_code == 413
    assert len(kept(user)) == 1


def bomb() -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"0" * 3_000_000)
    return held.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.xlsx", bomb()), ("a.csv.gz", gzip.compress(b"0" * 3_000_000))],
    ids=["workbook", "gzip"],
)
def test_a_file_that_unpacks_to_too_much_is_refused(
    caller: Callers, name: str, content: bytes
) -> None:
    user = caller(max_expanded=1_000_000)
    assert len(content) < 10_000
    assert user.upload(name, content).status_code == 413
    assert kept(user) == []
    assert caller(max_expanded=4_000_000).upload(name, content).status_code == 303


@pytest.mark.parametrize(
    "name",
    [
        "../../evil.csv",
        "..\\..\\evil.csv",
        "/etc/passwd",
        "a\x00.csv",
        "x" * 5000,
        "",
        "é\u202e.csv",
    ],
)
def test_the_name_of_a_file_never_becomes_a_path(caller: Callers, name: str) -> None:
    user = caller()
    before = set(user.settings.folder.parent.rglob("*evil*"))
    status = user.upload(name or " ", b"a,b\n1,2\n").status_code
    assert status in (303, 422)
    assert set(user.settings.folder.parent.rglob("*evil*")) == before
    assert all(re.fullmatch(r"upload-\d+\.\w+", path.name) for path in kept(user))


def test_only_what_the_server_was_started_with_is_read_when_it_is_read_only(
    caller: Callers, tmp_path: Path
) -> None:
    file = tmp_path / "given.csv"
    file.write_text("a,b\n1,2\n")
    user = caller(read_only=True, files=(str(file),))
    page = user.get("/").text
    assert 'type="file"' not in page
    assert "given.csv" in page
    assert user.upload("a.csv", b"a\n1\n").status_code == 403
    assert user.post("/data/address", {"address": "duckdb:///a.db#t"}).status_code == 403
    assert user.post("/data/offered", {"number": "0"}).status_code == 303
    assert user.post("/data/offered", {"number": "1"}).status_code == 422
    assert user.post("/data/offered", {"number": "-1"}).status_code == 422


def test_a_path_of_the_server_cannot_be_named_by_a_user(caller: Callers) -> None:
    user = caller()
    for address in ("/etc/passwd", "file:///etc/passwd", "../secret", "https://example.org/a"):
        assert user.post("/data/address", {"address": address}).status_code == 422


@pytest.mark.parametrize(
    "address",
    [
        "sqlite:////srv/others.db#t",
        "duckdb:///others.duckdb#t",
        "postgresql:///others#t",
        "postgresql://%2Frun%2Fpostgresql/others#t",
        "postgresql://db.example/others?passfile=/srv/secret#t",
        "mysql://db.example/others?unix_socket=/run/mysqld.sock#t",
    ],
)
def test_others_open_nothing_with_the_rights_of_whoever_runs_the_server(
    caller: Callers, address: str
) -> None:
    user = caller(token="secret-token")
    assert user.get("/?token=secret-token").status_code == 303
    assert user.post("/data/address", {"address": address}).status_code == 403
    other = "postgresql://user@db.example/people#t"
    assert user.post("/data/address", {"address": other}).status_code == 303


# ---- users


def test_two_users_have_nothing_in_common(caller: Callers) -> None:
    one = caller()
    two = one.another()
    assert one.upload("mine.csv", b"a,b\n1,2\n").status_code == 303
    (job,) = [path.name for path in one.settings.folder.rglob("jobs/*")]
    assert "mine.csv" in one.get("/").text
    assert "mine.csv" not in two.get("/").text
    assert one.get(f"/jobs/{job}").status_code == 200
    assert two.get(f"/jobs/{job}").status_code == 404
    assert two.post(f"/jobs/{job}/cancel").status_code == 404
    assert two.get(f"/jobs/{job}/files/report.html").status_code == 404


@pytest.mark.parametrize(
    "path", ["%2e%2e", "..%2f..%2fsecret", "%2e%2e%2fsecret", "0" * 16, "a" * 300]
)
def test_no_path_leads_out_of_a_workspace(caller: Callers, path: str) -> None:
    user = caller()
    assert user.get(f"/jobs/{path}").status_code in (404, 405)
    assert user.get(f"/static/{path}").status_code in (404, 405)
    user.post("/data/demo")
    (job,) = [found.name for found in user.settings.folder.rglob("jobs/*")]
    assert user.get(f"/jobs/{job}/files/{path}").status_code in (404, 405)


def test_what_a_user_deletes_is_gone(caller: Callers) -> None:
    user = caller()
    user.upload("mine.csv", b"a,b\n1,2\n")
    assert kept(user)
    assert user.post("/forget").status_code == 303
    assert kept(user) == []
    assert "mine.csv" not in user.get("/").text


def test_other_data_takes_the_place_of_the_file_before(caller: Callers) -> None:
    user = caller()
    user.upload("first.csv", b"a,b\n1,2\n")
    user.upload("second.csv", b"a,b\n1,2\n")
    assert len(kept(user)) == 1
    user.post("/data/other")
    assert kept(user) == []


def test_what_nobody_uses_any_more_is_deleted(caller: Callers) -> None:
    user = caller(idle=3600)
    user.upload("mine.csv", b"a,b\n1,2\n")
    (folder,) = (user.settings.folder / "workspaces").iterdir()
    workspaces = Workspaces(user.settings)
    long_ago = time.time() - 4000
    os.utime(folder / "state.json", (long_ago, long_ago))
    assert workspaces.sweep() == 0  # a job is under way
    for job in (folder / "jobs").iterdir():
        (job / "cancelled").touch()
    assert workspaces.sweep() == 1
    assert kept(user) == []
    assert user.post("/data/demo").status_code == 303  # a new workspace, after a new page


def test_who_comes_back_to_nothing_is_told_what_has_become_of_it(caller: Callers) -> None:
    user = caller()
    assert "was started anew" not in user.get("/").text
    user.upload("mine.csv", b"a,b\n1,2\n")
    after = caller()  # the server is started anew, and the browser has the cookie of before
    after.cookies |= user.cookies
    assert after.get("/assess").status_code == 303  # whatever page it is
    assert "was started anew" in after.get("/").text
    assert after.post("/data/demo").status_code == 303
    assert after.post("/data/other").status_code == 303
    assert "was started anew" not in after.get("/").text
    user.post("/forget")  # who has deleted it knows
    assert "was started anew" not in user.get("/").text


def test_a_page_that_needs_data_says_so_on_the_way_to_it(caller: Callers) -> None:
    user = caller()
    for path in ("/assess", "/explore/sets", "/treat", "/treat/policy", "/treat/tree"):
        sent = user.get(path)
        assert sent.status_code == 303
        assert "That page needs data" in user.get(sent.headers["location"]).text
    assert "That page needs data" not in user.get("/").text


def test_a_file_has_the_name_that_its_user_gave_it(caller: Callers) -> None:
    user = caller()
    user.upload("wards.xlsx", b"no workbook")
    (workspace,) = (user.settings.folder / "workspaces").iterdir()
    source = Workspace(workspace).source
    assert source is not None
    said = {"notes": [f"Row 1 of {Path(source.data).name} was left out."], "rows": 3}
    assert source.named(said) == {"notes": ["Row 1 of wards.xlsx was left out."], "rows": 3}


def test_two_changes_of_one_moment_are_both_kept(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "one")
    workspace.folder.mkdir()
    workspace.keep_plan(Plan.of({"columns": {}}))
    names = [f"column {number}" for number in range(8)]

    def state(name: str) -> None:
        with changing_plan(workspace) as (plan, _):
            workspace.keep_plan(with_column(plan, name, "other", {}, {}))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(state, names))
    kept = workspace.plan()
    assert kept is not None
    assert sorted(kept.columns) == names


def test_there_is_room_for_so_many_users_only(caller: Callers) -> None:
    first = caller(workspaces=2)
    assert first.get("/").status_code == 200
    assert first.another().get("/").status_code == 200
    refused = first.another().get("/")
    assert refused.status_code == 503
    assert "few minutes" in refused.text
    assert first.get("/").status_code == 200


def test_private_folders_are_private(caller: Callers) -> None:
    user = caller()
    user.upload("mine.csv", b"a,b\n1,2\n")
    folder = user.settings.folder
    assert folder.stat().st_mode & 0o077 == 0
    for path in folder.rglob("*"):
        assert path.is_file() or path.stat().st_mode & 0o077 == 0
    assert all(path.stat().st_mode & 0o077 == 0 for path in kept(user))


# ---- every form, with nonsense

HOSTILE = [
    "",
    "-1",
    "1e999",
    "0x1",
    "é" * 300,
    "<script>alert(1)</script>",
    "=1+1",
    "../..",
    "\x00",
]


def fields_of(endpoint: Any) -> list[str]:
    names = [name for name in endpoint.__annotations__ if name not in ("request", "return")]
    return names or ["name", "role", "exposure", "moral", "value", "level", "size"]


def test_no_form_breaks_the_server_whatever_it_is_sent(
    caller: Callers, monkeypatch: pytest.MonkeyPatch
) -> None:
    from singleout.report.say import say
    from singleout.web.pages import PAGES

    # the process that holds the table does not run here: who asks it is told so at once
    monkeypatch.setattr("singleout.web.companions._START", 0.0)
    not_held = say("web.errors.companion")
    user = caller(jobs_each=1000)
    user.post("/data/demo")
    answered = 0
    for route in [route for router in PAGES for route in router.routes]:
        path = getattr(route, "path", "")
        for method in getattr(route, "methods", ()):
            for value in HOSTILE:
                where = re.sub(r"\{\w+\}", value.replace("\x00", "0") or "x", path)
                fields = dict.fromkeys(fields_of(route.endpoint), value)
                if method == "POST":
                    answer = user.post(where, fields)
                else:
                    answer = user.get(where, params=fields)
                if answer.status_code == 503 and not_held in html.unescape(answer.text):
                    continue
                assert answer.status_code < 500, (method, where, value, answer.text[-800:])
                answered += 1
    assert answered > 100


def test_nothing_that_is_sent_is_executed_or_repeated_raw(caller: Callers) -> None:
    user = caller()
    evil = "<img src=x onerror=alert(1)>.csv"
    user.upload(evil, b"a,b\n1,2\n")
    page = user.get("/").text
    assert "<img src=x" not in page
    assert "&lt;img src=x" in page


def test_an_error_is_a_page_with_what_to_do_in_its_language(caller: Callers) -> None:
    user = caller()
    for language, words in (("en", "There is no such page"), ("fr", "Cette page n'existe pas")):
        answer = user.get("/nowhere", headers={"accept-language": language})
        assert answer.status_code == 404
        assert words in answer.text.replace("&#39;", "'")
        assert f'lang="{language}"' in answer.text
    fragment = user.get("/nowhere", headers={"HX-Request": "true"}).text
    assert "<html" not in fragment
    assert "There is no such page" in fragment


def test_a_mistake_is_a_sentence_and_the_log_has_no_values(
    caller: Callers, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("Jane Doe, 12 Main Street")

    user = caller()
    user.get("/")
    monkeypatch.setattr("singleout.web.pages.start.page", broken)
    with pytest.raises(RuntimeError):  # starlette raises it once more, for the server's log
        user.get("/")
    assert "Jane" not in json.dumps([record.getMessage() for record in caplog.records])
