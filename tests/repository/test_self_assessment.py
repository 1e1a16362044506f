"""What a person can know of herself: computed locally, with what she disclosed before."""

from __future__ import annotations

import socket
import stat
from pathlib import Path

import pytest

from singleout.errors import BadChoice, UnreadableFile
from singleout.predict import Distribution, for_person
from singleout.repository.answering.ledger import DisclosureLedger
from singleout.repository.answering.memory import RecordList
from singleout.repository.answering.person import person
from singleout.repository.answering.query import find
from singleout.repository.documents.record import Record

MARGINS = {"sex": {"F": 510, "M": 490}, "age": {"30": 0.02, "31": 0.98}}
MINE = {"sex": "F", "age": 30}


def test_her_own_cell_gives_her_chance_and_her_set() -> None:
    found = person(100, probability=0.01)
    twin = for_person([0.01, 0.99], 0.01, people=100)
    assert found.unique == pytest.approx(twin.unique)
    assert found.expected_set == pytest.approx(twin.expected_set)
    assert "nobody else has your values" in str(found)


def test_public_margins_are_multiplied_and_bounded() -> None:
    found = person(200, values=MINE, margins=MARGINS)
    assert found.probability == pytest.approx(0.51 * 0.02)
    assert found.probability_range == pytest.approx((0.0, 0.02))
    assert found.unique is not None
    assert found.unique_range[0] <= found.unique <= found.unique_range[1]
    assert found.set_range[0] <= (found.expected_set or 0) <= found.set_range[1]
    assert found.counted == ("sex", "age")


def test_a_distribution_with_names_is_a_margin() -> None:
    ages = Distribution.from_counts({"30": 2, "31": 98})
    assert person(50, values={"age": "30"}, margins={"age": ages}).probability == 0.02


def test_without_her_values_she_gets_the_average_and_a_warning() -> None:
    answer = find(RecordList([Record.legacy_tuple(["age"], {}, 0.1, cells=95)]), ["age"])
    found = person(40, record=answer)
    assert found.unique is None
    assert found.average is not None
    assert found.average.share == pytest.approx(answer.predict(40).share)
    assert any("averages" in warning for warning in found.warnings)
    assert "average person" in str(found)
    assert found.to_frame().height == 1


def test_a_rare_combination_is_called_rare() -> None:
    record = Record.of(
        {
            "quasi_identifier": [{"attribute": "age"}],
            "numbers": {"cells": 95, "kappa": 0.1, "s2": 0.0125, "s3": 0.00018, "small": 0.1},
        }
    )
    assert any("rarer" in each for each in person(40, probability=0.0001, record=record).warnings)
    assert not person(40, probability=0.02, record=record).warnings
    assert any("fewer than nine" in each for each in person(40, record=record).warnings)


def test_what_was_disclosed_before_is_counted(tmp_path: Path) -> None:
    ledger = DisclosureLedger(tmp_path / "mine.json")
    alone = person(500, values={"age": 30}, margins=MARGINS, ledger=ledger)
    ledger.add({"sex": 0.51, "dialect": 0.05}, to="a pollster")
    after = person(500, values={"age": 30}, margins=MARGINS, ledger=ledger)
    assert (after.unique or 0) > (alone.unique or 0)
    assert set(after.counted) == {"age", "sex", "dialect"}
    assert any("disclosed before" in note for note in after.notes)
    ledger.add({"shoe": None})
    assert person(500, values={"age": 30}, margins=MARGINS, ledger=ledger).unique is None


def test_the_same_answer_twice_counts_once_and_the_rarest_counts(tmp_path: Path) -> None:
    ledger = DisclosureLedger(tmp_path / "mine.json")
    ledger.add({"age": 0.2})
    ledger.add({"age": 0.02})
    assert ledger.shares() == {"age": 0.02}
    assert len(ledger.entries) == 2


def test_the_ledger_is_hers_alone_and_holds_no_values(tmp_path: Path) -> None:
    ledger = DisclosureLedger(tmp_path / "mine.json")
    ledger.add({"sex": 0.51}, to="a pollster")
    assert stat.S_IMODE(ledger.path.stat().st_mode) == 0o600
    text = ledger.path.read_text(encoding="utf-8")
    assert '"F"' not in text
    ledger.path.write_text("no json", encoding="utf-8")
    with pytest.raises(UnreadableFile, match="no ledger"):
        _ = ledger.entries


def test_nothing_is_sent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a self-assessment asked somebody")

    for name in ("connect", "connect_ex", "sendto", "send", "sendall"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    ledger = DisclosureLedger(tmp_path / "mine.json")
    record = Record.legacy_tuple(["age"], {}, 0.1, cells=95)
    found = person(40, values=MINE, margins=MARGINS, record=record, ledger=ledger)
    assert found.unique is not None


def test_a_margin_without_her_value_is_refused_with_a_sentence() -> None:
    with pytest.raises(BadChoice, match="has no value 'X'"):
        person(40, values={"sex": "X"}, margins=MARGINS)
    with pytest.raises(BadChoice, match="how common each value is"):
        person(40, values={"sex": "F"}, margins={"sex": [1, 2]})
    unknown = person(40, values={"shoe": 44}, margins=MARGINS)
    assert any("shoe" in warning for warning in unknown.warnings)
