"""Every state of a record, every way from one to another, and each way that is closed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest
from store_cases import ALICE, BOB, MODERATOR, Place, body, record, send

from singleout.errors import BadSubmission, NotAllowed
from singleout.repository.documents.record import Record
from singleout.repository.store.admitted.states import (
    STATES,
    TRANSITIONS,
    RecordState,
    check_transition,
)
from singleout.repository.store.store import Store

BAD = {"kappa": 99.0}
# the same people in half of the cells
OTHER = {
    "kappa": 0.693,
    "support": 50,
    "largest": 80,
    "s2": 39 / 1999,
    "s3": 39 * 38 / (1999 * 1998),
}


def statement(kind: str, about: Record, **fields: str) -> dict[str, object]:
    return body(kind, record=about.id, reason="because", **fields)


def make_valid(store: Store, city: str = "Urk") -> Record:
    sent = record({"City": city})
    assert send(store, sent).state == "valid"
    return sent


def make_quarantined(store: Store, city: str = "Urk") -> Record:
    sent = record({"City": city}, numbers=BAD)
    assert send(store, sent).state == "quarantined"
    return sent


def make_disputed(store: Store, city: str = "Urk") -> Record:
    sent = make_valid(store, city)
    send(store, statement("dispute", sent), BOB)
    return sent


def make_superseded(store: Store, city: str = "Urk") -> Record:
    sent = make_valid(store, city)
    send(store, record({"City": city}, supersedes=sent.id, software="corrected"))
    return sent


def make_withdrawn(store: Store, city: str = "Urk") -> Record:
    sent = make_valid(store, city)
    send(store, statement("withdrawal", sent))
    return sent


MADE: dict[RecordState, Callable[..., Record]] = {
    "valid": make_valid,
    "quarantined": make_quarantined,
    "disputed": make_disputed,
    "superseded": make_superseded,
    "withdrawn": make_withdrawn,
}


def become(store: Store, sent: Record, state: RecordState) -> None:
    """Submit what asks for a state."""
    if state == "disputed":
        send(store, statement("dispute", sent), BOB)
    elif state == "superseded":
        corrected = sent.model_dump(mode="json", exclude_none=True)
        send(store, Record.of({**corrected, "supersedes": sent.id, "software": "corrected again"}))
    elif state == "withdrawn":
        send(store, statement("withdrawal", sent))
    else:
        send(store, statement("ruling", sent, state=state), MODERATOR)


# D5 of the design, written down once more: the program has its own table
ALLOWED: dict[RecordState, set[RecordState]] = {
    "valid": {"quarantined", "disputed", "superseded", "withdrawn"},
    "quarantined": {"valid", "superseded", "withdrawn"},
    "disputed": {"valid", "quarantined", "superseded", "withdrawn"},
    "superseded": {"withdrawn"},
    "withdrawn": set(),
}


@pytest.mark.parametrize("old", MADE)
def test_every_transition_happens_or_is_refused_as_the_design_says(
    place: Place, old: RecordState
) -> None:
    store = place.create()
    for new in MADE:
        sent = MADE[old](store, f"To {new}")
        assert store.record(sent.id).state == old
        size = store.size
        if new in ALLOWED[old]:
            become(store, sent, new)
            assert store.record(sent.id).state == new
            assert store.history(sent.id)[-1].state == new
        else:
            with pytest.raises(BadSubmission, match=f"is {old} and cannot become {new}"):
                become(store, sent, new)
            assert (store.size, store.record(sent.id).state) == (size, old)
    store.verify()


def test_a_forbidden_transition_says_what_would_work() -> None:
    with pytest.raises(BadSubmission, match="it can only become withdrawn"):
        check_transition("r", "superseded", "valid")
    with pytest.raises(BadSubmission, match="that is final"):
        check_transition("r", "withdrawn", "valid")
    assert {**ALLOWED, "submitted": {"valid", "quarantined", "disputed"}} == {
        old: set(after) for old, after in TRANSITIONS.items()
    }
    assert set(TRANSITIONS) == set(STATES)
    assert all("submitted" not in after for after in TRANSITIONS.values())


def test_a_withdrawn_record_keeps_its_hash_only(place: Place) -> None:
    store = place.create()
    sent = record({"City": "Urk"}, software="a word that is nowhere else")
    receipt = send(store, sent)
    kept = store.charge({"City": "Urk"})
    send(store, statement("withdrawal", sent))
    found = store.record(sent.id)
    assert (found.id, found.record, found.state) == (sent.id, None, "withdrawn")
    (entry,) = store.entries(receipt.index, receipt.index + 1)
    assert entry.submission is None
    everything = b"".join(one.leaf + (one.outcome or b"") for one in store.entries())
    assert b"a word that is nowhere else" not in everything
    assert b"kappa" not in everything
    assert store.charge({"City": "Urk"}) == kept == 0.25  # it was public, and stays charged
    assert store.records_for(sent.qid_key, {"City": "Urk"}) == []
    assert store.quasi_identifiers() == []
    store.verify(receipt.head)


def test_two_holders_who_disagree_are_both_disputed(place: Place) -> None:
    store = place.create()
    mine = record({"City": "Urk"})
    hers = record({"City": "Urk"}, holder=BOB, numbers=OTHER)
    send(store, mine)
    receipt = send(store, hers, BOB)
    assert receipt.state == "disputed"
    assert mine.id in receipt.reasons[0]
    assert store.record(mine.id).state == "disputed"
    assert {one.id for one in store.records_of_key(mine.key)} == {mine.id, hers.id}
    store.verify()


def test_two_holders_within_the_noise_agree(place: Place) -> None:
    store = place.create()
    mine = record({"City": "Urk"})
    sd = mine.numbers.sd.kappa
    assert sd is not None
    hers = record({"City": "Urk"}, holder=BOB, numbers={"kappa": 2 * sd})
    send(store, mine)
    assert send(store, hers, BOB).state == "valid"
    assert store.record(mine.id).state == "valid"


@pytest.mark.parametrize("chosen", ["mine", "hers", None])
def test_a_moderator_resolves_a_dispute_by_one_record_or_lets_all_stand(
    file_place: Place, chosen: str | None
) -> None:
    store = file_place.create()
    records = {
        "mine": record({"City": "Urk"}),
        "hers": record({"City": "Urk"}, holder=BOB, numbers=OTHER),
    }
    send(store, records["mine"])
    send(store, records["hers"], BOB)
    resolution = body("resolution", key=records["mine"].key, reason="audited")
    if chosen is not None:
        resolution["chosen"] = records[chosen].id
    with pytest.raises(NotAllowed, match="needs the role moderator"):
        send(store, resolution, ALICE)
    send(store, resolution, MODERATOR)
    states = {name: store.record(one.id).state for name, one in records.items()}
    expected = {name: "valid" if chosen in (None, name) else "superseded" for name in records}
    assert states == expected
    with pytest.raises(BadSubmission, match="there is no dispute"):
        send(store, resolution, MODERATOR)
    store.verify()


def test_a_resolution_names_a_disputed_record_of_its_key(file_place: Place) -> None:
    store = file_place.create()
    sent = make_disputed(store)
    other = record({"City": "Ede"})
    send(store, other)
    with pytest.raises(BadSubmission, match="not among the disputed ones"):
        send(
            store,
            body("resolution", key=sent.key, chosen=other.id, reason="audited"),
            MODERATOR,
        )


def test_a_dispute_between_records_ends_when_one_is_corrected(place: Place) -> None:
    store = place.create()
    mine = record({"City": "Urk"})
    hers = record({"City": "Urk"}, holder=BOB, numbers=OTHER)
    send(store, mine)
    send(store, hers, BOB)
    better = record({"City": "Urk"}, holder=BOB, supersedes=hers.id)
    assert send(store, better, BOB).state == "valid"
    assert store.record(mine.id).state == "valid"
    assert store.record(hers.id).state == "superseded"
    store.verify()


def test_a_dispute_between_records_ends_when_one_is_withdrawn_but_a_stated_one_does_not(
    file_place: Place,
) -> None:
    store = file_place.create()
    mine = record({"City": "Urk"})
    hers = record({"City": "Urk"}, holder=BOB, numbers=OTHER)
    send(store, mine)
    send(store, hers, BOB)
    send(store, statement("withdrawal", hers), BOB)
    assert store.record(mine.id).state == "valid"
    send(store, statement("dispute", mine), BOB)
    again = record({"City": "Urk"}, holder=BOB, numbers={**OTHER, "kappa": 0.694})
    send(store, again, BOB)
    send(store, statement("withdrawal", again), BOB)
    assert store.record(mine.id).state == "disputed"
    store.verify()


def test_a_holder_corrects_only_its_own_record_of_the_same_key(file_place: Place) -> None:
    store = file_place.create()
    sent = make_valid(store)
    with pytest.raises(BadSubmission, match="publish the new record as its correction"):
        send(store, record({"City": "Urk"}, software="once more"))
    with pytest.raises(NotAllowed, match="only that holder corrects it"):
        send(store, record({"City": "Urk"}, holder=BOB, supersedes=sent.id), BOB)
    with pytest.raises(BadSubmission, match="another quasi-identifier, population or date"):
        send(store, record({"City": "Ede"}, supersedes=sent.id))
    with pytest.raises(BadSubmission, match="There is no record"):
        send(store, record({"City": "Urk"}, supersedes="sha256:" + "0" * 64))
    later = record({"City": "Urk"}, day=date(2027, 1, 1))
    assert send(store, later).state == "valid"  # another date is another key


def test_statements_about_records_need_their_roles(file_place: Place) -> None:
    store = file_place.create()
    sent = make_valid(store)
    with pytest.raises(NotAllowed, match="only it or a moderator withdraws it"):
        send(store, statement("withdrawal", sent), BOB)
    with pytest.raises(NotAllowed, match="may not rule on records"):
        send(store, statement("ruling", sent, state="quarantined"), ALICE)
    send(store, statement("ruling", sent, state="quarantined"), MODERATOR)
    send(store, statement("withdrawal", sent), MODERATOR)
    with pytest.raises(BadSubmission, match="There is no record"):
        send(store, body("dispute", record="sha256:" + "0" * 64, reason="?"), BOB)
