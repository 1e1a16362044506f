"""What a client does not take on trust, and what never leaves the machine."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from client_cases import KEYS, as_role, for_others, record, served

import singleout as so
from singleout.errors import (
    BadChoice,
    NotAllowed,
    StoreChanged,
    UnreachableData,
    UnreadableFile,
)
from singleout.repository.client.http import Connection, base_url
from singleout.repository.client.proofs import check_receipt
from singleout.repository.client.repository import Repository
from singleout.repository.client.seed import SEED_KEY, read_seed
from singleout.repository.documents.record import Record
from singleout.repository.documents.submission import Submission
from singleout.repository.documents.vocabulary import Vocabulary

QI = ["age:width=5", "sex"]


# ---- receipts and heads


def test_a_key_that_the_old_one_announced_is_accepted_from_a_service_and_no_other(
    tmp_path: Path,
) -> None:
    path = for_others(tmp_path / "r.db")
    with served(path) as url, as_role(url, "holder") as repository:
        port = int(url.rpartition(":")[2])
        old = repository.head()
        mirror = repository.mirror(tmp_path / "mirror.db")
        mirror.close()
    with as_role(path, "administrator") as here:
        done = here.rotate_key(reason="Every two years.")
        here.verify()
    with served(path, port=port) as url, as_role(url, "holder") as repository:
        assert (old.key, repository.head().key) == (done.old, done.new)
        assert repository.publish(record(KEYS["holder"])).state == "valid"
        with repository.mirror(tmp_path / "mirror.db") as mirror:
            assert mirror.verify().key == done.new
    with as_role(for_others(tmp_path / "other.db"), "administrator") as other:
        other.rotate_key()
    with (
        served(tmp_path / "other.db", port=port) as url,
        as_role(url, "holder") as repository,
        pytest.raises(StoreChanged, match=r"announced no such key|not signed by"),
    ):
        repository.head()


def test_a_receipt_that_proves_nothing_is_refused(tmp_path: Path) -> None:
    from dataclasses import replace

    with as_role(for_others(tmp_path / "r.db"), "holder") as repository:
        submission = Submission.sign(record(KEYS["holder"]), KEYS["holder"])
        receipt = repository.store.append(submission)
        public = repository.store.public_key
        check_receipt(receipt, submission, public)
        leaf = json.loads(receipt.leaf)
        wrong = [
            (replace(receipt, proof=()), "does not prove"),
            (replace(receipt, index=receipt.index - 1), "does not hold what was submitted"),
            (
                replace(receipt, leaf=json.dumps({**leaf, "submission": "sha256:0"}).encode()),
                "hold",
            ),
            (replace(receipt, leaf=receipt.leaf.replace(b'"time"', b'"Time"')), "does not prove"),
            (replace(receipt, leaf=b"{"), "does not hold"),
        ]
        for changed, sentence in wrong:
            with pytest.raises(StoreChanged, match=sentence):
                check_receipt(changed, submission, public)
        with pytest.raises(StoreChanged, match="not signed"):
            check_receipt(receipt, submission, KEYS["other"].public_bytes)


def test_a_service_restored_from_an_older_copy_is_noticed_at_the_first_question(
    tmp_path: Path,
) -> None:
    path = for_others(tmp_path / "r.db")
    older = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    given = record(KEYS["holder"])
    with served(path) as url:
        with as_role(url, "holder") as repository:
            repository.publish(given)
            assert repository.verify().size == 6
        port = int(url.rpartition(":")[2])
    for each in tmp_path.iterdir():
        each.unlink()
    for name, content in older.items():
        (tmp_path / name).write_bytes(content)
        (tmp_path / name).chmod(0o600)
    with served(path, port=port) as url, as_role(url, "holder") as repository:
        with pytest.raises(StoreChanged, match="older copy"):
            repository.query(QI, given.population)
        with pytest.raises(StoreChanged, match="older copy"):
            repository.publish(record(KEYS["holder"], "Laren"))


# ---- services that are none, lie, or cannot be reached


def answering(answer: Callable[[httpx.Request], httpx.Response]) -> Connection:
    return Connection("https://repository.example", transport=httpx.MockTransport(answer))


@pytest.mark.parametrize(
    ("response", "error", "sentence"),
    [
        (httpx.Response(200, text="<html>"), UnreachableData, "is no repository"),
        (httpx.Response(404, text="nothing"), UnreachableData, "is no repository"),
        (httpx.Response(403, text="no"), NotAllowed, "does not allow this"),
        (httpx.Response(500, json={"detail": "x", "error": "exit"}), so.SingleoutError, "x"),
        (
            httpx.Response(422, json={"detail": "no", "error": "NotPublishable", "reasons": ["a"]}),
            so.errors.NotPublishable,
            "a",
        ),
        (
            httpx.Response(422, json={"detail": "no", "error": "UnknownColumns"}),
            so.SingleoutError,
            "no",
        ),
    ],
)
def test_an_answer_that_is_none_is_a_sentence(
    response: httpx.Response, error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        answering(lambda _: response).get("")


def test_a_service_that_asks_to_wait_is_asked_again() -> None:
    answers = [
        httpx.Response(429, headers={"Retry-After": "0"}),
        httpx.Response(200, json={"a": 1}),
    ]
    assert answering(lambda _: answers.pop(0)).get("") == {"a": 1}
    problem = {"detail": "Too many requests.", "error": "NotAllowed"}
    busy = httpx.Response(429, headers={"Retry-After": "60"}, json=problem)
    with pytest.raises(NotAllowed, match="Too many"):
        answering(lambda _: busy).get("")


def test_no_network_is_a_sentence() -> None:
    def fail(_: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("no route")

    with pytest.raises(UnreachableData, match="cannot be reached"):
        answering(fail).get("")


def test_a_token_is_not_sent_where_everybody_can_read_it() -> None:
    with pytest.raises(BadChoice, match="use https"):
        Connection("http://repository.example", token="so_x")
    assert Connection("http://127.0.0.1:1", token="so_x").is_private
    with pytest.raises(BadChoice, match="must not hold a password"):
        base_url("https://user:secret@repository.example")


def test_a_record_with_another_hash_is_not_taken(tmp_path: Path) -> None:
    given = record(KEYS["holder"])
    with served(for_others(tmp_path / "r.db")) as url, as_role(url, "holder") as repository:
        repository.publish(given)
        store: Any = repository.store
        stored = store._connection.get(f"/records/{given.id}")
        stored["record"]["numbers"]["kappa"] = 0.0
        with pytest.raises(StoreChanged, match="another hash"):
            store._stored(stored)


# ---- files


def test_a_file_that_is_no_repository_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="There is no repository at"):
        so.Repository(tmp_path / "absent.db")
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    with pytest.raises(UnreadableFile, match="is no repository"):
        so.Repository(tmp_path / "x.csv")
    with pytest.raises(BadChoice, match="for services"):
        so.Repository(tmp_path / "x.csv", token="so_x")


# ---- a person's own values


def test_nothing_is_sent_when_a_person_looks_at_her_own_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = record(KEYS["holder"])
    with served(for_others(tmp_path / "r.db")) as url:
        with as_role(url, "holder") as repository:
            repository.publish(given)
            repository.mirror(tmp_path / "copy.db").close()

        def refuse(*_: object, **__: object) -> None:
            raise AssertionError("something is sent")

        for name in ("connect", "connect_ex", "send", "sendall", "sendto", "sendmsg"):
            monkeypatch.setattr(socket.socket, name, refuse, raising=False)
        mine = {"age:width=5": 34, "sex": "F"}
        margins = {"age": {"30": 300, "35": 700}, "sex": {"F": 510, "M": 490}}
        with Repository(tmp_path / "copy.db") as copy:
            found = copy.person(mine, given.population, people=100, margins=margins)
            assert found.probability == pytest.approx(0.3 * 0.51)
            assert found.average is not None
        with (
            Repository(url) as remote,
            pytest.raises(BadChoice, match="looked at on a copy here"),
        ):
            remote.person(mine, given.population, people=100)


def test_a_query_sends_the_question_and_no_value_of_a_person(tmp_path: Path) -> None:
    given = record(KEYS["holder"])
    with served(for_others(tmp_path / "r.db")) as url, as_role(url, "holder") as repository:
        repository.publish(given)
        sent: list[bytes] = []
        store: Any = repository.store
        store._connection._client.event_hooks["request"].append(
            lambda request: sent.append(request.read())
        )
        repository.predict(QI, given.population, people=12345)
        assert any(b"Urk" in body for body in sent)
        assert not any(b"12345" in body for body in sent)  # predictions are computed here


# ---- the seed


def test_the_seed_holds_the_printed_distances_and_what_they_predict() -> None:
    with so.Repository.seed() as repository:
        for town, oldest, share in (("Laren", 94, 0.623), ("Urk", 94, 0.506)):
            people = {"Municipality": town, "Age": {"from": 0, "to": oldest}}
            assert repository.predict(["Age"], people, people=40).share == pytest.approx(
                share, abs=0.001
            )
        for town, share in (("Amsterdam", 0.574), ("Overbetuwe", 0.588)):
            people = {"Municipality": town, "Age": {"from": 0, "to": 79}}
            found = repository.query(["Age"], people)
            assert found.record.legacy
            assert found.predict(40).share == pytest.approx(share, abs=0.001)
        whole = repository.query(["PC4", "Sex", "Age:width=5"], {"PC4": "1056"}, people=1000)
        assert str(whole.record.population) == "Municipality=Amsterdam"  # a postcode is in a town
        for country in ("Belgium", "Netherlands"):  # each has a vocabulary with an age
            assert repository.query(["Age"], {"Country": country}).exact
        assert repository.verify().size > 80


def test_the_seed_is_what_the_script_makes_of_the_public_tables(real_data: Path) -> None:
    import make_seed_repository as script

    assert real_data == script.DATA
    content = read_seed()
    words = script.belgian_words(script.belgian_ages())
    assert Vocabulary.of(content["vocabularies"][1]) == words
    made = list(script.of_belgians(script.belgian_ages(), words, [str(script.BELGIAN[0])]))
    seeded = [Record.of(each) for each in content["records"]]
    assert all(one.holder == SEED_KEY.id for one in seeded)
    assert {one.id for one in made} <= {one.id for one in seeded}
