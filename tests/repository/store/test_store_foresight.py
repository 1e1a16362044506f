"""Submissions that are appended at once come to what they come to one after the other."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from store_cases import ADMINISTRATOR, ALICE, BOB, STRANGER, Place, body, record, send

from singleout.errors import BadSubmission, NotAllowed, NotPublishable, SingleoutError
from singleout.repository.documents.submission import Submission
from singleout.repository.store.kept.statements import Prepared
from singleout.repository.store.kept.stored import Receipt
from singleout.repository.store.store import Store

WORDS = {"name": "people", "version": "1", "attributes": {"age": {"kind": "integer"}}}
CITIES = ("Urk", "Ede", "Epe", "Oss", "Ens")


def _drawn(rng: random.Random) -> Any:
    """A record of a city, of a part of one, or of everybody; some contradict others."""
    where: dict[str, Any] = rng.choice(
        [
            *({"City": city} for city in 4 * CITIES),
            *({"City": city, "sex": "F"} for city in CITIES),
            *({"City": city, "age": {"from": 18, "to": 64}} for city in CITIES),
            {"Region": "N"},
            {},
        ]
    )
    qid = rng.choice([("age", "sex"), ("age",), ("PC4",)])
    holder = rng.choice([ALICE, ALICE, BOB])
    tier = rng.choice(["public", "public", "registered"])
    size = rng.choice([20, 21, 40]) if where else 2000
    numbers = {"kappa": rng.choice([0.0, 0.0, 0.0, 0.3, 9.0])}
    return Submission.sign(
        record(where, qid, holder=holder, tier=tier, size=size, numbers=numbers), holder
    )


def _shown(answer: Receipt | SingleoutError) -> tuple[str, ...]:
    if isinstance(answer, Receipt):
        return (answer.id, answer.state, *answer.reasons)
    return type(answer).__name__, str(answer)


def _one_by_one(store: Store, signed: list[Submission]) -> list[Receipt | SingleoutError]:
    found: list[Receipt | SingleoutError] = []
    for one in signed:
        try:
            found.append(store.append(one))
        except SingleoutError as error:
            found.append(error)
    return found


@pytest.mark.parametrize("seed", range(3))
def test_together_is_the_same_as_one_by_one(place: Place, tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    signed = [_drawn(rng) for _ in range(60)]
    signed.insert(40, signed[3])  # sent again
    together = place.create()
    beside = Place(tmp_path / "beside.sqlite", tmp_path)
    alone = beside.create()
    answers = [one for start in (0, 30) for one in together.append_all(signed[start:][:30])]
    expected = _one_by_one(alone, signed[:60])
    assert [_shown(one) for one in answers] == [_shown(one) for one in expected]
    assert {_shown(one)[0] for one in answers} >= {"BadSubmission", "NotPublishable"}
    together.verify()
    beside.close()


def test_siblings_that_are_published_together_are_compared(place: Place, tmp_path: Path) -> None:
    rng = random.Random(1)
    signed = [_sibling(rng, number) for number in range(160)]
    together = place.create()
    beside = Place(tmp_path / "beside.sqlite", tmp_path)
    answers = [one for start in (0, 20, 90) for one in together.append_all(_slice(signed, start))]
    expected = _one_by_one(beside.create(), signed)
    assert [_shown(one) for one in answers] == [_shown(one) for one in expected]
    states = {one.state for one in answers if isinstance(one, Receipt)}
    assert states == {"valid", "quarantined", "disputed"}
    assert 10 < sum("unusual beside" in " ".join(_shown(one)) for one in answers) < 80
    together.verify()
    beside.close()


def _slice(signed: list[Submission], start: int) -> list[Submission]:
    return signed[start : {0: 20, 20: 90, 90: 160}[start]]


def _sibling(rng: random.Random, number: int) -> Submission:
    """A record of a city; some are of a city before, by another holder, who may disagree."""
    holder = BOB if number % 8 == 7 else ALICE
    city = rng.randrange(number) if number % 8 == 7 else number
    numbers = {"kappa": rng.choice([0.2, 0.21, 0.22, 0.23, 0.24, 0.3, 0.55, -0.9])}
    numbers |= {"s2": 0.0185, "s3": 0.00036}
    qid = ("sex",) if number % 5 else ("age",)
    return Submission.sign(
        record({"City": f"City {city}"}, qid, holder=holder, numbers=numbers), holder
    )


def test_new_cities_take_a_handful_of_statements(
    file_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = file_place.create()
    vocabulary = send(store, body("vocabulary", vocabulary=WORDS), ADMINISTRATOR).id
    store.append_all([_of(f"first{number}", vocabulary) for number in range(3)])
    asked = 0
    before = Prepared._text

    def counted(self: Prepared, *given: Any) -> Any:
        nonlocal asked
        asked += 1
        return before(self, *given)

    monkeypatch.setattr(Prepared, "_text", counted)
    counts = []
    for some in (range(100), range(100, 300)):
        asked = 0
        answers = store.append_all([_of(f"city{number}", vocabulary) for number in some])
        assert all(isinstance(one, Receipt) and one.state == "valid" for one in answers)
        counts.append(asked)
    assert counts[0] == counts[1] < 45
    store.verify()


def _of(city: str, vocabulary: str) -> bytes:
    return Submission.sign(record({"City": city}, vocabulary=vocabulary), ALICE).text


def test_what_is_refused_does_not_stop_the_others(place: Place) -> None:
    store = place.create()
    forged = Submission.sign(record({"City": "Ede"}), ALICE).text.replace(b"Ede", b"Epe")
    sent = record({"City": "Urk"})
    answers = store.append_all(
        [
            Submission.sign(sent, ALICE).text,
            forged,
            b"{}",
            Submission.sign(record({"City": "Oss"}, holder=STRANGER), STRANGER).text,
            Submission.sign(record({"City": "Ens"}, size=1), ALICE).text,
            Submission.sign(body("withdrawal", record=sent.id, reason="sorry"), ALICE).text,
            Submission.sign(record({"City": "Epe"}), ALICE).text,
        ]
    )
    kinds = [type(one) for one in answers]
    assert kinds == [
        *(Receipt, BadSubmission, BadSubmission, NotAllowed, NotPublishable, Receipt, Receipt)
    ]
    assert store.record(sent.id).state == "withdrawn"
    assert store.append_all([]) == []
    store.verify()
