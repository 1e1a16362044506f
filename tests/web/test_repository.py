"""Repository: browse, search, publish, dispute and prove, with the numbers of the functions."""

from __future__ import annotations

import html
import json
import re
import shutil
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn

import singleout as so
from singleout.core.language import spoken
from singleout.repository.documents.bodies import HolderEntry
from singleout.repository.documents.keys import HolderKey, default_key_file
from singleout.repository.documents.record import Record
from singleout.repository.documents.submission import Submission
from singleout.repository.store.store import Store
from singleout.web import jobs
from singleout.web.answering import Held
from singleout.web.companions import Unanswered
from singleout.web.repositories.fields import names_in
from singleout.web.repositories.opening import opened
from singleout.web.repositories.where import PRACTICE_FILE
from singleout.web.server_folder import server_folder
from singleout.web.settings import WebSettings
from singleout.web.work import Task, called, function_named
from singleout.web.workspaces import Workspace, write_json
from web_local import Caller
from web_server import AnyServer, Visit

PEOPLE = "age,sex,town\n" + "".join(
    f"{number % 90},{'FM'[number % 2]},{'Ely' if number % 5 else 'Ham'}\n" for number in range(3000)
)
NEAR = {"qi": "PC4, Sex, Age:width=5", "population": "PC4=1056", "date": "2021-01-01"}


@pytest.fixture(scope="module")
def practice(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a repository to practise with; each user gets a copy."""
    folder = tmp_path_factory.mktemp("made") / "practice"
    with opened({"kind": "practice", "target": str(folder / PRACTICE_FILE)}):
        pass
    return folder


def _ask(workspace: Workspace, function: str, *, patience: float = 0, **arguments: Any) -> Any:
    """Answer in this process; a mistake is not made a sentence of."""
    del patience
    outcome = called(
        lambda: function_named(function)(Held(workspace), **arguments), lambda *_: None, spoken()
    )
    assert outcome.get("kind") != "Mistake", outcome
    if "error" in outcome:
        raise Unanswered(outcome["error"])
    return json.loads(json.dumps(outcome["answer"]))


def _work(arguments: list[str]) -> None:
    """Do a job in this process."""
    folder = Path(arguments[1])
    spec = json.loads((folder / "spec.json").read_text("utf-8"))
    task = Task(Workspace(folder.parents[1]), folder)
    outcome = called(
        lambda: function_named(spec["function"])(task, **spec["arguments"]),
        lambda *_: None,
        spec["language"],
    )
    write_json(folder / "result.json", outcome["answer"])


@pytest.fixture
def user(
    tmp_path: Path, practice: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Caller]]:
    """A function that makes a user of a server of its own; all work is done in this process."""
    monkeypatch.setattr(jobs, "run_beside", _work)
    monkeypatch.setattr("singleout.web.repositories.asking.ask", _ask)
    monkeypatch.setattr("singleout.web.pages.predict.ask", _ask)
    monkeypatch.setattr(
        "singleout.web.repositories.opening._make",
        lambda file: shutil.copytree(practice, file.parent),
    )
    with ExitStack() as stack:

        def make(**settings: Any) -> Caller:
            folder = stack.enter_context(server_folder(tmp_path))
            caller = Caller(WebSettings(folder=folder.path, **settings))
            caller.get("/")
            return caller

        yield make


@pytest.fixture
def learner(user: Callable[..., Caller]) -> Caller:
    """A user with a repository to practise with."""
    made = user()
    assert made.post("/repository/choose", {"kind": "practice"}).status_code == 303
    return made


def _main(caller: Caller, path: str, **options: Any) -> str:
    """What a page says, in plain text."""
    answer = caller.get(path, **options)
    assert answer.status_code == 200, (answer.status_code, answer.text[-1500:])
    inside = answer.text[answer.text.index("<main") :]
    plain = html.unescape(re.sub(r"<[^>]+>", " ", inside)).replace("\u200b", "")
    return re.sub(r"\s+", " ", plain)


def _ids(caller: Caller, path: str = "/repository") -> list[str]:
    found = re.findall(r"record\?id=(sha256(?:%3A|:)[0-9a-f]{64})", caller.get(path).text)
    return list(dict.fromkeys(one.replace("%3A", ":") for one in found))


def _file(caller: Caller) -> Path:
    (found,) = caller.settings.folder.rglob(PRACTICE_FILE)
    return found


def _try(caller: Caller, **fields: Any) -> Any:
    given = {"column": ["age", "sex"], "of": ["age", "sex"], "coding": ["width=10", ""]}
    return caller.post("/repository/publish/try", {**given, "population": "City=Delft", **fields})


# ---- look


def test_a_newcomer_browses_page_by_page_and_opens_a_record(learner: Caller) -> None:
    first = learner.get("/repository").text
    assert "Your repository to practise with" in first
    pages = [_ids(learner)]
    while found := re.search(r"before=(\d+)", first):
        first = learner.get(f"/repository?before={found[1]}").text
        pages.append(_ids(learner, f"/repository?before={found[1]}"))
    with so.Repository(_file(learner)) as repository:
        known = sum(records for _, records in repository.quasi_identifiers())
        told = so.repository.what_becomes_public(repository.content(pages[1][0]))
    every = [one for page in pages for one in page]
    assert len(every) == len(set(every)) == known
    text = _main(learner, f"/repository/record?id={pages[1][0]}")
    for line in told.splitlines()[1:]:
        assert line.removeprefix("- ") in text
    assert "0 if all cells are equally full" in text  # what the distance means stands under it
    assert "What it predicts" in text
    assert "singleout repository table" in text


def test_a_search_says_how_it_was_found_and_what_that_does(learner: Caller) -> None:
    text = _main(learner, "/repository/search", params={**NEAR, "people": "1,000"})
    with so.Repository(_file(learner)) as repository:
        answer = repository.query(["PC4", "Sex", "Age:width=5"], {"PC4": "1056"}, people=1000)
        predicted = answer.predict(1000)
    assert "A larger population." in text
    assert str(answer.path[0]) in text
    assert f"{predicted.share:.1%}" in text
    assert "--date 2021-01-01" in text
    nothing = _main(learner, "/repository/search", params={"qi": "Zodiac"})
    assert "There is no record of Zodiac in everybody" in nothing
    assert "Try a larger population" in nothing


def _contradicting(path: Path) -> Path:
    """Make a personal repository in which two holders disagree."""
    so.Repository.init(path).close()
    for number, kappa in enumerate((0.2, 0.5)):
        with so.Repository(path, key=HolderKey(bytes([number]) * 32)) as repository:
            repository.publish(Record.legacy_tuple(["age"], {"City": "Urk"}, kappa, cells=95))
    return path


def test_where_holders_disagree_the_range_is_shown_and_a_moderator_ends_it(
    user: Callable[..., Caller], tmp_path: Path
) -> None:
    reader = user(repository=str(_contradicting(tmp_path / "two.db")))
    search = {"qi": "age", "population": "City=Urk", "people": "40"}
    text = _main(reader, "/repository/search", params=search)
    assert "they publish distances between 0.2 and 0.5 nats" in text
    assert str(tmp_path) not in text
    waiting = _ids(reader, "/repository/disputes")
    assert len(waiting) == 2
    form = {"record": waiting[0], "what": "choose", "reason": "The register had duplicates."}
    assert reader.post("/repository/change", form).status_code == 303
    assert _ids(reader, "/repository/disputes") == []
    assert "The register had duplicates." in _main(reader, f"/repository/record?id={waiting[1]}")
    assert "superseded" in _main(reader, f"/repository/record?id={waiting[1]}")


def test_a_record_becomes_a_question_of_predict(learner: Caller) -> None:
    with so.Repository(_file_of(learner)) as repository:
        record = repository.query(["Age"], {"Country": "Belgium"}).record
        large = repository.query(["Age", "NIS"], {"Country": "Belgium"}).record
    assert learner.post("/repository/predict", {"record": record.id}).status_code == 303
    text = _main(learner, "/predict")
    assert "11,500,000" in learner.get("/predict").text
    assert "Age" in text
    refused = learner.post("/repository/predict", {"record": large.id})
    assert refused.status_code == 422
    assert "58,100 possible cells" in refused.text


def _file_of(caller: Caller) -> Path:
    caller.get("/repository")  # which makes it
    return _file(caller)


# ---- publish


def test_just_what_was_shown_becomes_public(learner: Caller) -> None:
    learner.upload("people.csv", PEOPLE.encode())
    assert "Tick columns" in _main(learner, "/repository/publish")
    before = _ids(learner)
    assert _try(learner).status_code == 303
    text = _main(learner, "/repository/publish")
    key = _file(learner).parent / "holder.key"
    people = learner.settings.folder / "again.csv"
    people.write_text(PEOPLE)
    expected = so.publishable(people, ["age:width=10", "sex"], {"City": "Delft"}, key=key)
    for line in so.repository.what_becomes_public(expected).splitlines()[1:]:
        assert line.removeprefix("- ") in text
    assert _ids(learner) == before  # nothing was written
    other = learner.post("/repository/publish", {"record": "sha256:" + "0" * 64})
    assert other.status_code == 409
    assert learner.post("/repository/publish", {"record": expected.id}).status_code == 303
    assert "It is published" in _main(learner, "/repository/publish")
    assert _ids(learner)[0] == expected.id
    assert "singleout publish people.csv --qi age:width=10,sex" in text
    learner.upload("others.csv", PEOPLE.encode())
    assert learner.post("/repository/publish", {"record": expected.id}).status_code == 409


def test_the_gate_refuses_in_plain_words_with_what_would_pass(learner: Caller) -> None:
    learner.upload("people.csv", PEOPLE.encode())
    assert _try(learner, population="town=Ham").status_code == 303
    text = _main(learner, "/repository/publish")
    assert "The gate refuses this" in text
    assert "public records need 1,000" in text
    assert "Publish this" not in text
    fine = {"coding": ["", ""], "population": "", "cells": "90000000"}
    assert _try(learner, column=["age", "sex", "town"], **fine).status_code == 303
    assert "Nothing was published" not in _main(learner, "/repository/publish")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"column": []}, "Tick at least one column"),
        ({"column": ["name"]}, "no such column"),
        ({"population": "=="}, "no term of a population"),
        ({"date": "yesterday"}, "is no day"),
        ({"called": "Age"}, "does not say what a column is called"),
        ({"coding": ["width=x", ""]}, "width"),
        ({"tier": "secret"}, "no such choice"),
        ({"vocabulary": "../x"}, "not the identity"),
    ],
)
def test_what_cannot_be_is_a_sentence(
    learner: Caller, fields: dict[str, Any], sentence: str
) -> None:
    learner.upload("people.csv", PEOPLE.encode())
    answer = _try(learner, **fields)
    assert answer.status_code == 422
    assert sentence in html.unescape(answer.text)


# ---- who may do what


def test_a_user_never_names_a_path_of_the_server(user: Callable[..., Caller]) -> None:
    caller = user()
    for address in ("/etc/passwd", "file:///etc/passwd", "../a.db", "postgresql://a@b/c", "", "x"):
        form = {"kind": "address", "address": address}
        assert caller.post("/repository/choose", form).status_code == 422
    secret = {"kind": "address", "address": "https://zoe:hush@repository.example"}
    assert caller.post("/repository/choose", secret).status_code == 422
    assert caller.post("/repository/choose", {"kind": "server"}).status_code == 422
    assert "A repository to practise with" in _main(caller, "/repository")
    assert caller.get("/repository/search").status_code == 409


@pytest.mark.parametrize(
    "settings", [{"token": "t"}, {"read_only": True}, {"read_only": True, "publish": True}]
)
def test_nothing_is_signed_for_others_unless_the_server_says_so(
    user: Callable[..., Caller], tmp_path: Path, settings: dict[str, Any]
) -> None:
    caller = user(repository=str(_contradicting(tmp_path / "two.db")), **settings)
    caller.get("/?token=t")
    caller.get("/")
    record = _ids(caller)[0]
    form = {"record": record, "what": "dispute", "reason": "No."}
    assert caller.post("/repository/change", form).status_code == 403
    assert _try(caller).status_code == 403
    text = _main(caller, f"/repository/record?id={record}")
    assert "--publish" in text
    assert "Dispute it" not in text
    if "read_only" in settings:
        form = {"kind": "address", "address": "https://repository.example"}
        assert caller.post("/repository/choose", form).status_code == 403


def test_the_server_lends_its_key_if_it_was_told_to(
    user: Callable[..., Caller], tmp_path: Path
) -> None:
    file = str(_contradicting(tmp_path / "two.db"))
    caller = user(repository=file, token="t", publish=True)
    caller.get("/?token=t")
    assert "Let them all stand" in _main(caller, f"/repository/record?id={_ids(caller)[0]}")
    # an address that a user types is another matter
    caller.post("/repository/choose", {"kind": "address", "address": "http://127.0.0.1:9"})
    form = {"record": "sha256:" + "0" * 64, "what": "dispute", "reason": "No."}
    assert caller.post("/repository/change", form).status_code == 403


def test_what_a_key_may_not_do_is_said(
    user: Callable[..., Caller], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, mine = HolderKey(b"o" * 32), HolderKey(b"m" * 32)
    file = tmp_path / "others.db"
    with Store.create(file, name="Others", personal=False, owner=owner) as store:
        caller = user(repository=str(file))
        monkeypatch.setenv("SINGLEOUT_KEY", str(tmp_path / "none.key"))
        assert "needs a key that the repository knows" in _main(caller, "/repository/disputes")
        assert not default_key_file().exists()  # to look makes no key
        mine.save(tmp_path / "mine.key")
        monkeypatch.setenv("SINGLEOUT_KEY", str(tmp_path / "mine.key"))
        text = _main(caller, "/repository/disputes")
        assert "must be registered in the repository" in text
        assert mine.id in text
        entry = HolderEntry(name="Mine", public_key=mine.public, roles=("holder",))
        store.append(Submission.sign(entry, owner))
    text = _main(caller, "/repository/disputes")
    assert "As a holder you may publish" in text
    assert "the key needs the role of moderator" in text
    caller.upload("people.csv", PEOPLE.encode())
    _try(caller)
    shown = re.search(r'name="record" value="([^"]+)"', caller.get("/repository/publish").text)
    assert shown is not None
    assert caller.post("/repository/publish", {"record": shown[1]}).status_code == 303
    text = _main(caller, f"/repository/record?id={shown[1]}")
    assert "Withdraw it" in text
    assert "Set it apart" not in text
    ruling = {"record": shown[1], "what": "quarantined", "reason": "So."}
    refused = caller.post("/repository/change", ruling)
    assert refused.status_code == 422
    assert "moderator" in refused.text
    secret = (tmp_path / "mine.key").read_text().splitlines()[1]
    pages = ("/repository", "/repository/publish", "/repository/disputes")
    assert all(secret not in caller.get(path).text for path in pages)


def test_a_dispute_is_heard_and_a_withdrawal_leaves_the_hash(learner: Caller) -> None:
    record = _ids(learner)[0]
    evil = "<script>alert(1)</script>"
    form = {"record": record, "what": "dispute", "reason": evil}
    answer = learner.post("/repository/change", form)
    assert answer.headers["location"] == f"/repository/record?id={record}"
    page = learner.get("/repository/disputes").text
    assert "<script>alert" not in page
    assert _ids(learner, "/repository/disputes") == [record]
    assert learner.post("/repository/change", {**form, "reason": " "}).status_code == 422
    assert learner.post("/repository/change", {**form, "what": "delete"}).status_code == 422
    assert learner.post("/repository/change", form).status_code == 422  # it is disputed already
    learner.post("/repository/change", {**form, "what": "withdraw"})
    text = _main(learner, f"/repository/record?id={record}")
    assert "A record that was withdrawn" in text
    assert "that is final" in text
    assert record in text
    assert learner.another().get("/repository/disputes").status_code == 409


# ---- proof


def test_a_whole_log_is_shown_with_its_head_and_a_changed_one_with_the_entry(
    user: Callable[..., Caller], tmp_path: Path
) -> None:
    file = _contradicting(tmp_path / "two.db")
    caller = user(repository=str(file))
    assert "Check the log now" in _main(caller, "/repository/proof")
    caller.post("/repository/proof")
    text = _main(caller, "/repository/proof")
    with so.Repository(file) as repository:
        head = repository.head()
    assert f"The log is whole: {head.size} entries" in text
    assert head.root in text
    assert f"It continues the log of {head.size} entries" in text
    with sqlite3.connect(file) as connection:
        connection.execute('UPDATE entries SET leaf = replace(leaf, "valid", "Valid")')
    connection.close()
    caller.post("/repository/proof")
    text = _main(caller, "/repository/proof")
    assert "The log is not whole" in text
    assert re.search(r"Entry \d+ is not as it was", text)
    assert str(tmp_path) not in text
    file.unlink()
    caller.post("/repository/proof")
    assert "There is no repository at 'two.db'" in _main(caller, "/repository/proof")


# ---- a service


@contextmanager
def _served(path: Path) -> Iterator[str]:
    """Serve a repository on a free port of this machine, and give its URL."""
    from singleout.repository.service.app import create_app

    options: dict[str, Any] = {"log_level": "critical", "lifespan": "on", "ws": "none"}
    server = uvicorn.Server(uvicorn.Config(create_app(path), access_log=False, **options))
    listening = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        end = time.monotonic() + 30
        while not server.started and time.monotonic() < end:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
        listening.close()


def test_a_service_is_browsed_searched_and_proven(
    user: Callable[..., Caller], tmp_path: Path
) -> None:
    caller = user()
    with _served(_contradicting(tmp_path / "two.db")) as url:
        caller.post("/repository/choose", {"kind": "address", "address": url})
        assert len(_ids(caller)) == 2
        assert len(_ids(caller, "/repository/disputes")) == 2
        search = {"qi": "age", "population": "City=Urk", "people": "40"}
        assert "The holders disagree" in _main(caller, "/repository/search", params=search)
        caller.post("/repository/proof")
        text = _main(caller, "/repository/proof")
        assert "The log is whole" in text
        assert "A mirror checks the rest" in text
    lost = caller.get("/repository")
    assert lost.status_code == 422
    assert "cannot be reached" in lost.text
    assert "Look at another repository" in lost.text  # no dead end


# ---- every form, with nonsense; both languages

HOSTILE = ["", "-1", "1e999", "é" * 300, "<script>", "\x00", "a=b=c"]
FORMS = {
    "/repository/choose": ("address",),
    "/repository/predict": ("record",),
    "/repository/change": ("record", "what", "reason"),
    "/repository/publish": ("record",),
    "/repository/publish/try": (
        *("column", "of", "coding", "population", "tier", "vocabulary", "called", "date"),
        *("coverage", "fraction", "counts", "cells", "licence", "norm", "supersedes"),
    ),
}
ASKED = {
    "/repository": ("before",),
    "/repository/record": ("id",),
    "/repository/search": ("qi", "population", "people", "date"),
    "/repository/disputes": ("before",),
}


def test_no_form_of_the_area_breaks_the_server(learner: Caller) -> None:
    learner.upload("people.csv", PEOPLE.encode())
    record = _ids(learner)[0]
    good: dict[str, Any] = {"kind": "address", "record": record, "id": record, "what": "dispute"}
    good |= {"reason": "So.", "qi": "Age", "column": ["age"], "of": ["age"], "coding": [""]}
    good |= {"coverage": "sample"}
    for path, fields in (FORMS | ASKED).items():
        for field in fields:
            for value in HOSTILE:
                given = {name: good[name] for name in ("kind", *fields) if name in good}
                given[field] = value
                if path in FORMS:
                    answer = learner.post(path, given)
                else:
                    answer = learner.get(path, params=given)
                assert answer.status_code < 500, (path, field, value, answer.text[-800:])
    assert learner.get("/repository").status_code == 200


def test_every_page_speaks_french(learner: Caller) -> None:
    learner.upload("people.csv", PEOPLE.encode())
    _try(learner)
    french = {"headers": {"accept-language": "fr"}}
    for path, words in {
        "/repository": "Fiches, les plus récentes d'abord",
        "/repository/search?qi=Age&people=40": "Fiches qui répondent",
        "/repository/publish": "Ce qui deviendrait public, et rien d'autre",
        "/repository/disputes": "Les états d'une fiche",
        "/repository/proof": "Vérifier le journal maintenant",
        f"/repository/record?id={_ids(learner)[0]}": "Ce qu'elle prédit",
    }.items():
        assert words in _main(learner, path, **french)


def test_attributes_are_read_as_commands_read_them() -> None:
    assert names_in(r"PC4, Sex+Age:width=5, a\,b") == ["PC4", "Sex", "Age:width=5", "a,b"]


# ---- in a browser


def test_a_holder_publishes_and_somebody_disputes(
    a_server: AnyServer, visit: Visit, tmp_path: Path
) -> None:
    repository = str(_contradicting(tmp_path / "two.db"))
    holder = visit(a_server("--repository", repository), width=360)
    (tmp_path / "people.csv").write_text(PEOPLE)
    holder.upload(tmp_path / "people.csv")
    holder.goto("/repository/publish")
    for name in ("age", "sex"):
        holder.page.locator(f'input[name="column"][value="{name}"]').check()
    holder.page.fill("#population", "==")
    holder.page.get_by_role("button", name="See what would become public").click()
    holder.page.wait_for_selector("#problem .message")  # and what was filled in stays
    assert "is no term of a population" in holder.page.inner_text("#problem")
    holder.page.fill("#population", "City=Delft")
    holder.press("See what would become public")
    assert "even-odds question" in holder.page.inner_text("#found")
    assert holder.barriers() == []
    assert not holder.overflows()
    holder.press("Publish this")
    with holder.page.expect_navigation():
        holder.page.get_by_role("link", name="Look at the record").click()
    holder.page.fill("#reason-dispute", "The register had duplicates.")
    holder.press("Dispute it")
    assert "The register had duplicates." in holder.page.inner_text("main")
    assert holder.barriers() == []
    assert not holder.overflows()
