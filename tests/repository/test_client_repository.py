"""so.Repository: the same tests for a file and for a service on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from client_cases import KEYS, as_role, for_others, record, served

import singleout as so
from singleout.errors import BadChoice, BadSubmission, NotAllowed, NotPublishable, UndefinedMeasure
from singleout.predict.singletons.singletons import Singletons
from singleout.repository.client.repository import Repository
from singleout.repository.documents.record import Record
from singleout.repository.documents.vocabulary import Vocabulary

_cities = count()


class Place:
    """Where a repository is, for people of every role."""

    def __init__(self, target: str | Path) -> None:
        self.target = target

    def open(self, role: str = "holder") -> Repository:
        return as_role(self.target, role)

    def record(self, holder: str = "holder", **changes: Any) -> Record:
        return record(KEYS[holder], f"City {next(_cities)}", **changes)


@pytest.fixture(scope="module", params=["file", "service"])
def place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    path = for_others(tmp_path_factory.mktemp(request.param) / "store.db")
    if request.param == "file":
        yield Place(path)
        return
    with served(path) as url:
        yield Place(url)


QI = ["age:width=5", "sex"]


# ---- publish and query


def test_a_published_record_answers_and_predicts(place: Place) -> None:
    given = place.record()
    with place.open() as repository:
        receipt = repository.publish(given)
        assert (receipt.state, receipt.reasons, receipt.id) == ("valid", (), given.id)
        answer = repository.query(QI, given.population)
        assert answer.record == given
        assert answer.exact
        assert [step.kind for step in answer.path] == ["exact"]
        predicted = answer.predict(people=100)
        assert isinstance(predicted, Singletons)
        assert 0 <= predicted.bounds[0] <= predicted.mean <= predicted.bounds[1] < 100
        assert repository.predict(QI, given.population, people=100).mean == predicted.mean


def test_a_part_of_a_population_is_answered_by_the_whole(place: Place) -> None:
    given = place.record()
    with place.open() as repository:
        repository.publish(given)
        part = {**given.population.to_dict(), "district": "North"}
        answer = repository.query(QI, part, people=100)
        assert answer.record == given
        assert [step.kind for step in answer.path] == ["super-population"]


def test_plain_values_and_several_records_can_be_published(place: Place) -> None:
    with place.open() as repository:
        receipt = repository.publish(place.record().to_dict())
        assert receipt.state == "valid"
        both = repository.publish([place.record(), place.record()])
        assert [one.state for one in both] == ["valid", "valid"]
        assert both[0].index < both[1].index


def test_what_was_never_published_is_said_with_what_is_near(place: Place) -> None:
    with place.open() as repository:
        repository.publish(place.record())
        answer = repository.query(["age:width=5", "shoe size"], {"City": "Atlantis"})
        assert not answer.found
        assert any("age:width=5" in near for near in answer.nearest)
        with pytest.raises(UndefinedMeasure, match="no record of age:width=5, shoe size"):
            answer.predict(people=10)


def test_an_impossible_record_is_set_apart_with_the_reason(place: Place) -> None:
    numbers = {"people": 20_000, "cells": 100, "kappa": 5.0}
    with place.open() as repository:
        given = place.record(numbers=numbers)
        receipt = repository.publish(given)
        assert receipt.state == "quarantined"
        assert receipt.reasons
        assert not repository.query(QI, given.population).found
        with place.open("moderator") as moderator:
            moderator.rule(given, "valid", "checked by hand")
        assert repository.query(QI, given.population).record == given


def test_a_spent_budget_is_refused_with_the_reason(place: Place) -> None:
    first = place.record()
    with place.open() as repository:
        for year in range(4):
            repository.publish(_on(first, f"{2020 + year}-01-01"))
        with pytest.raises(NotPublishable, match="budget is spent") as refusal:
            repository.publish(_on(first, "2025-01-01"))
        assert refusal.value.reasons


def _on(given: Record, day: str) -> Record:
    return Record.of({**given.to_dict(), "reference_date": day})


def test_vocabularies_are_added_once_and_found_by_their_attributes(place: Place) -> None:
    words = Vocabulary.of(
        {
            "name": "w",
            "version": "1",
            "attributes": {
                "City": {},
                "district of w": {"determines": {"City": {"North": "Wtown"}}},
            },
        }
    )
    given = record(KEYS["holder"], "Wtown", vocabulary=words.hash)
    with place.open() as repository:
        repository.publish(given, vocabulary=words)
        size = repository.head().size
        repository.add_vocabulary(words)
        assert repository.head().size == size
        assert repository.vocabulary_for(["district of w"]) == words


# ---- disputes


def test_a_disputed_record_shows_the_range_and_is_resolved(place: Place) -> None:
    mine = place.record()
    city = mine.population.to_dict()["City"]
    theirs = record(KEYS["other"], city, step=3.5)
    with place.open() as holder, place.open("other") as other:
        holder.publish(mine)
        assert other.publish(theirs).state == "disputed"
        answer = holder.query(QI, mine.population)
        assert answer.record == mine  # the most pessimistic one
        assert answer.range == (mine.kappa, theirs.kappa)
        with place.open("moderator") as moderator:
            moderator.resolve(mine, theirs, "theirs is the register")
        assert holder.query(QI, mine.population).record == theirs
        states = [row.state for row in holder.history(mine)]
        assert states[0] == "valid"
        assert states[-1] == "superseded"


def test_a_withdrawn_record_leaves_its_hash(place: Place) -> None:
    given = place.record()
    with place.open() as repository:
        repository.publish(given)
        with pytest.raises(NotAllowed), place.open("other") as other:
            other.withdraw(given, "not mine")
        repository.withdraw(given, "the register was wrong")
        assert not repository.query(QI, given.population).found
        with pytest.raises((BadChoice, NotAllowed), match=r"withdrawn|hash"):
            repository.table(given.id)
        with pytest.raises(BadSubmission, match="withdrawn"):
            repository.dispute(given, "too late")


# ---- analyze and decide


def test_decisions_are_made_and_kept_with_their_hash(place: Place) -> None:
    given = place.record()
    with place.open() as repository:
        repository.publish(given)
        strict, mild = {"unique": 0.01}, {"unique": 0.8}
        refused = repository.decide(QI, given.population, policy=strict, people=50)
        assert not refused.is_accepted
        accepted = repository.decide(QI, given.population, policy=mild, people=50, subject="a poll")
        assert accepted.is_accepted
        assert repository.keep(accepted).state == "accepted"


def test_records_are_composed_and_tabulated(place: Place) -> None:
    one = place.record()
    other = record(
        KEYS["holder"],
        one.population.to_dict()["City"],
        quasi_identifier=[{"attribute": "income"}],
        numbers={"people": 20_000, "cells": 10, "kappa": 0.2, "sd": {"kappa": 0.002}},
    )
    with place.open() as repository:
        repository.publish([one, other])
        both = repository.compose([one.id, repository.query(["income"], one.population)])
        assert both.record.cells == 1000
        assert both.kappa == pytest.approx(one.kappa + 0.2)
        rows = repository.table(one.id, [10, 100]).rows
        assert [row["people"] for row in rows] == [10, 100]


# ---- inventories


def test_a_record_that_is_not_named_by_a_text_gets_a_sentence(place: Place) -> None:
    with place.open() as repository, pytest.raises(BadChoice, match="by its id"):
        repository.table(["age", "sex"])  # type: ignore[arg-type]


def test_inventories_are_registered_matched_and_missed(place: Place) -> None:
    given = place.record()
    city = given.population.to_dict()
    name = f"poll in {city['City']}"
    poll = {"what": "questionnaire", "name": name, "attributes": ["age", "sex"], "population": city}
    with place.open() as repository:
        repository.publish(given)
        register = {**poll, "what": "dataset", "name": f"register of {name}", "identified": True}
        repository.inventory.add({**register, "attributes": ["age:width=5", "sex", "name"]})
        repository.inventory.add(poll)
        found = repository.inventory.match(name, people=100)
        touched = next(one for one in found.touched if [*map(str, one.quasi_identifier)] == QI)
        assert touched.finer
        assert touched.risk is not None
        assert touched.risk.unique == pytest.approx(repository.predict(QI, city, people=100).share)
        (link,) = [one for one in found.links if one.name == f"register of {name}"]
        assert [*map(str, link.shared)] == QI
        missed = [one for one in repository.inventory.demand() if name in one.names]
        assert [[*map(str, one.quasi_identifier)] for one in missed] == [["age", "sex"]]
        corrected = {
            **poll,
            "supersedes": next(each.id for each in repository.inventory if each.entry.name == name),
            "attributes": QI,
        }
        repository.inventory.add(corrected)
        assert all(name not in one.names for one in repository.inventory.demand())
        with pytest.raises(BadChoice, match="neither a file nor a registered inventory"):
            repository.inventory.match("no such poll")


# ---- trust


def test_verify_returns_the_head_and_a_mirror_answers_like_the_original(
    place: Place, tmp_path: Path
) -> None:
    given = place.record()
    with place.open() as repository:
        repository.publish(given)
        head = repository.verify()
        assert head.size == repository.head().size
        with repository.mirror(tmp_path / "copy.db") as copy:
            assert copy.verify() == head
            assert copy.query(QI, given.population).record == given
            with pytest.raises(NotAllowed, match=r"mirror|key"):
                as_role(copy.location, "holder").publish(place.record())
        later = place.record()
        repository.publish(later)
        with repository.mirror(tmp_path / "copy.db") as copy:
            assert copy.query(QI, later.population).record == later
            assert copy.verify().size == head.size + 1


def test_a_mirror_is_not_made_over_something_else(place: Place, tmp_path: Path) -> None:
    Repository.init(tmp_path / "mine.db").close()
    with place.open() as repository:
        with pytest.raises(BadChoice, match="another repository"):
            repository.mirror(tmp_path / "mine.db")
        if not repository.is_remote:
            with pytest.raises(BadChoice, match="the repository itself"):
                repository.mirror(place.target)


def test_who_is_not_registered_is_told_so(place: Place) -> None:
    stranger = so.Repository(place.target, key=_stranger())
    with stranger, pytest.raises(NotAllowed, match="not registered"):
        stranger.publish(place.record("holder"))


def _stranger() -> Any:
    from singleout.repository.documents.keys import HolderKey

    return HolderKey(b"x" * 32)


# ---- from data to an answer


def test_data_are_published_and_predicted_from(place: Place) -> None:
    with place.open() as repository:
        made = so.publishable(
            so.demo(),
            ["AGEP:width=10", "SEX"],
            {"City": f"City {next(_cities)}"},
            key=KEYS["holder"],
        )
        assert isinstance(made, Record)
        repository.publish(made)
        answer = repository.query(["SEX", "AGEP:width=10"], made.population)
        assert answer.record.kappa == made.kappa
