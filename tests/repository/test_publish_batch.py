"""Several quasi-identifiers and populations of a file are gated together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from client_cases import KEYS, as_role, for_others, record, served

import singleout as so
from run_command import singleout
from singleout.errors import BadChoice, NotAllowed, NotPublishable
from singleout.repository.documents.bodies import TokenEntry
from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.submission import Submission
from singleout.repository.publishing.admission import refusals_in
from singleout.repository.publishing.batch import shares_of
from singleout.repository.publishing.question import batch_of
from singleout.repository.service.access import new_token, token_hash
from singleout.repository.store.store import Store

KEY = bytes(range(32))


@pytest.fixture(autouse=True)
def own_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SINGLEOUT_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("SINGLEOUT_KEY", str(tmp_path / "holder.key"))


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    random = np.random.default_rng(5)
    return pl.DataFrame(
        {
            "age": random.integers(0, 80, 9_000),
            "sex": random.choice(["F", "M"], 9_000),
            "city": random.choice(["Delft", "Ede", "Urk"], 9_000),
        }
    )


BATCH = """
records:
  - quasi_identifier: [age:width=10, sex]
    population: {city: Delft}
  - quasi_identifier: [sex]
    population: {city: Delft}
  - quasi_identifier: [age:width=10]
    population: city=Ede
"""


def test_a_batch_asks_each_population_for_what_is_wanted_of_it(
    people: pl.DataFrame, tmp_path: Path
) -> None:
    file = tmp_path / "batch.yaml"
    file.write_text(BATCH)
    found = so.publishable(people, batch=file, key=KEY)
    assert [(r.columns, str(r.population)) for r in found.records] == [
        (("age", "sex"), "city=Delft"),
        (("sex",), "city=Delft"),
        (("age",), "city=Ede"),
    ]
    # somebody of Delft is in two of the three
    assert {r.gate.price for r in found.records} == {0.125}
    plain = [
        {"quasi_identifier": ["age:width=10", "sex"], "population": {"city": "Delft"}},
        {"quasi_identifier": "sex", "population": {"city": "Delft"}},
        {"quasi_identifier": {"age": "width=10"}, "population": {"city": "Ede"}},
    ]
    again = so.publishable(people, batch=plain, key=KEY)
    assert [r.id for r in again.records] == [r.id for r in found.records]
    as_json = tmp_path / "batch.json"
    as_json.write_text(json.dumps({"records": plain}))
    assert batch_of(as_json) == batch_of(file)


def test_the_price_is_divided_by_the_most_records_of_a_person() -> None:
    names = [(DeclaredPopulation.of(one), [()] * number) for one, number in _ASKED]
    assert shares_of(names, None) == 3 + 1  # Delft has three, and everybody is in the country


_ASKED: list[tuple[Any, int]] = [({"city": "Delft"}, 3), ({"city": "Ede"}, 2), ({}, 1)]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("records: []", "name at least one"),
        ("records:\n- population: {city: Delft}", "quasi_identifier"),
        ("records:\n- quasi_identifier: [sex]\n- quasi_identifier: [sex]", "twice"),
        ("wanted: 5", "records"),
    ],
)
def test_a_batch_that_cannot_be_read_says_why(tmp_path: Path, given: str, sentence: str) -> None:
    file = tmp_path / "batch.yaml"
    file.write_text(given)
    with pytest.raises(BadChoice, match=sentence):
        batch_of(file)
    with pytest.raises(BadChoice, match="give the batch only"):
        so.publishable({"sex": ["F"]}, ["sex"], batch=file)


def test_a_batch_is_shown_and_published_from_the_command_line(
    people: pl.DataFrame, tmp_path: Path
) -> None:
    people.write_csv(tmp_path / "people.csv")
    (tmp_path / "batch.yaml").write_text(BATCH)
    assert singleout("repository", "init", "r.sqlite", cwd=tmp_path).returncode == 0
    words = ("publish", "people.csv", "--batch", "batch.yaml", "--repository", "r.sqlite")
    shown = singleout(*words, "--dry-run", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.count("What becomes public about") == 3
    sent = singleout(*words, "--json", cwd=tmp_path)
    assert sent.returncode == 0, sent.stderr
    assert len(json.loads(sent.stdout)["records"]) == 3
    both = singleout(*words, "--qi", "sex", cwd=tmp_path)
    assert (both.returncode, "leave out --qi" in both.stderr) == (2, True)


def test_a_ladder_of_widths_is_a_batch(people: pl.DataFrame, tmp_path: Path) -> None:
    people.write_csv(tmp_path / "people.csv")
    words = ("publish", "people.csv", "--qi", "age,sex", "--qi", "sex", "--dry-run", "--json")
    done = singleout(*words, "--width", "age=5,10,20", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    records = [each["record"] for each in json.loads(done.stdout)["records"]]
    codings = [[one["coding"] for one in each["quasi_identifier"]] for each in records]
    assert codings == [[f"width={w}", "identity"] for w in (5, 10, 20)] + [["identity"]]
    assert {each["gate"]["price"] for each in records} == {0.25 / 4}
    assert "no ladder" in singleout(*words, "--width", "5,10", cwd=tmp_path).stderr
    assert "in no --qi" in singleout(*words, "--width", "city=5,10", cwd=tmp_path).stderr


class _Asked:
    """A service that tells those with a token what registered records have cost."""

    def __init__(self, spent: dict[str, float], token: bool) -> None:
        self.spent = spent
        self.token = token

    def charge(self, population: DeclaredPopulation, cost: float, tier: str = "public") -> float:
        assert population.to_dict() == {"City": "Urk"}
        if tier == "registered" and not self.token:
            raise NotAllowed("The registered tier is for those who have a token.")
        return self.spent[tier] + cost


def test_the_budget_of_every_tier_that_reads_a_record_is_checked_before_it_is_made() -> None:
    new = record(KEYS["holder"])
    assert refusals_in(_Asked({"public": 0.5, "registered": 1.5}, True), new) == ()
    for spent in ({"public": 0.9, "registered": 1.0}, {"public": 0.5, "registered": 1.9}):
        (refusal,) = refusals_in(_Asked(spent, True), new)
        assert "budget is spent" in str(refusal)
    # others of the batch are borne too
    assert refusals_in(_Asked({"public": 0.5, "registered": 0.5}, True), new, None, [new]) == ()
    assert refusals_in(_Asked({"public": 0.6, "registered": 0.6}, True), new, None, [new])
    assert refusals_in(_Asked({"public": 0.5, "registered": 1.9}, False), new) == ()


def test_a_service_says_what_the_registered_tier_has_borne_to_who_has_a_token(
    tmp_path: Path,
) -> None:
    path, token = for_others(tmp_path / "others.sqlite"), new_token()
    with Store.open(path) as store:
        entry = TokenEntry(token_hash=token_hash(token), name="analysts", roles=("reader",))
        store.append(Submission.sign(entry, KEYS["administrator"]))
        for number in range(4):
            qid = [{"attribute": f"a{number}"}]
            new = record(
                KEYS["holder"],
                quasi_identifier=qid,
                access="registered",
                gate={"tier": "registered", "price": 0.5, "cost": 0.5},
            )
            store.append(Submission.sign(new, KEYS["holder"]))
    new = record(KEYS["holder"])
    with served(path) as url:
        with as_role(url, "holder") as without:
            assert refusals_in(without, new) == ()
            with pytest.raises(NotPublishable, match="budget is spent"):
                without.publish(new)
        with so.Repository(url, key=KEYS["holder"], token=token, purpose="a test") as known:
            (refusal,) = refusals_in(known, new)
            assert "2.25 of 2" in str(refusal)


def test_a_service_for_others_takes_records_with_a_vocabulary_only(tmp_path: Path) -> None:
    path = for_others(tmp_path / "others.sqlite")
    words = {"name": "w", "version": "1", "attributes": {"sex": {"values": ["F", "M"]}}}
    counted = {"sex": ["F", "M"], "n": [9_000, 9_100]}
    options = {"counts": "n", "key": KEYS["holder"]}
    with served(path, require_vocabulary=True) as url, as_role(url, "holder") as repository:
        assert repository.store.about["requires_vocabulary"] is True
        observed = so.publishable(counted, ["sex"], {"City": "Urk"}, **options)
        with pytest.raises(NotPublishable, match="with a vocabulary only"):
            repository.publish(observed)
        right = so.publishable(counted, ["sex"], {"City": "Urk"}, words, **options)
        assert repository.publish(right, vocabulary=words).state == "valid"
        assert repository.withdraw(right, "A test.").state == "accepted"
    with served(path) as url, as_role(url, "holder") as repository:
        assert repository.publish(observed).state == "valid"
