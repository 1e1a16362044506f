"""What is asked for in vain is counted by names that the repository has, and by nothing else."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from client_cases import as_role, served
from service_cases import client, made, record, relaxed

from run_command import singleout
from singleout.repository.service import demand as demand_of_service
from singleout.repository.service.demand import DemandCounts
from singleout.repository.store.store import Store

ASKED = {"quasi_identifier": ["age:width=5", "sex"], "population": {"sex": "F", "street": "Elm"}}


@pytest.fixture(autouse=True)
def own_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SINGLEOUT_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("SINGLEOUT_KEY", str(tmp_path / "holder.key"))


def test_only_known_names_are_counted_and_only_often_asked_ones_shown(tmp_path: Path) -> None:
    made(tmp_path / "r.sqlite", tmp_path)
    store = Store.open(tmp_path / "r.sqlite", key_file=tmp_path / "repository.key")
    counts = DemandCounts(store)
    for _ in range(5):
        counts.add((("age:width=5", "sex"), ("City", "street")), {"age", "sex", "City"})
        counts.add((("secret",), ()), {"age", "sex"})
        counts.add(None, {"age"})
    counts.add((("sex",), ()), {"sex"})
    assert counts.to_dict()["combinations"] == [
        {"quasi_identifier": ["age:width=5", "sex"], "population": ["City"], "asked": 5}
    ]
    off = DemandCounts(store, counting=False)
    for _ in range(5):
        off.add((("sex",), ()), {"sex"})
    assert off.to_dict()["combinations"] == []
    off.flush()
    assert store.demand_counts() == {}
    store.close()


def test_counts_reach_the_store_without_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demand_of_service, "_EVERY", 0.0)
    target = tmp_path / "r.sqlite"
    people = made(target, tmp_path)
    with client(target, relaxed(tmp_path)) as asks:
        asks.post("/submissions", people.submission(record(people.keys["holder"])))
        for _ in range(5):
            asks.post("/query", ASKED)
        with Store.open(target, key_file=tmp_path / "repository.key") as other:
            deadline = time.monotonic() + 30
            while not other.demand() and time.monotonic() < deadline:
                time.sleep(0.01)
            assert [each["asked"] for each in other.demand()] == [5]


def test_a_service_counts_questions_without_an_answer(tmp_path: Path) -> None:
    target = tmp_path / "r.sqlite"
    people = made(target, tmp_path)
    with client(target, relaxed(tmp_path)) as asks:
        done = asks.post("/submissions", people.submission(record(people.keys["holder"])))
        assert done.status_code == 201, done.text
        for _ in range(3):
            assert asks.post("/query", ASKED).json()["found"] is False
            assert asks.post("/predict", {**ASKED, "people": 10}).status_code == 404
            known = {**ASKED, "population": {"City": "Urk"}}
            assert asks.post("/query", known).json()["found"] is True
        found = asks.get("/demand").json()
        assert found["combinations"] == [
            {"quasi_identifier": ["age:width=5", "sex"], "population": ["sex"], "asked": 6}
        ]
        assert "Elm" not in asks.get("/demand").text
    with client(target, relaxed(tmp_path, demand=False)) as asks:
        for _ in range(6):
            asks.post("/query", ASKED)
        assert asks.get("/demand").json()["combinations"] == []
    assert b"Elm" not in target.read_bytes()


def test_the_demand_list_of_a_service_has_both(tmp_path: Path) -> None:
    import httpx

    people = made(tmp_path / "r.sqlite", tmp_path)
    settings = {"key_file": tmp_path / "repository.key"}
    with served(tmp_path / "r.sqlite", **settings) as url:
        sent = people.submission(record(people.keys["holder"]))
        httpx.post(f"{url}/v1/submissions", json=sent).raise_for_status()
        for _ in range(5):
            httpx.post(f"{url}/v1/query", json=ASKED)
        with as_role(url, "other") as repository:
            (asked,) = repository.inventory.demand().asked
            assert asked["asked"] == 5
        shown = singleout("repository", "demand", url, cwd=tmp_path)
        assert "Asked the service in vain" in shown.stdout, shown.stderr
