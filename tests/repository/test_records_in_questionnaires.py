"""Questions whose distributions are published as summaries, or are records; tables of records."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from singleout.errors import BadChoice, InputError
from singleout.predict import Questionnaire
from singleout.repository.answering.memory import RecordList
from singleout.repository.answering.prediction import predict_from
from singleout.repository.answering.query import find
from singleout.repository.answering.sources import read_questionnaire, summary_of_record
from singleout.repository.answering.table import table
from singleout.repository.documents.keys import HolderKey
from singleout.repository.documents.record import Record
from singleout.repository.documents.submission import Submission
from singleout.repository.store.store import Store

URK = Record.legacy_tuple(["age"], {"City": "Urk"}, 0.4011, cells=95)
HELD = RecordList([URK])

BY_RECORD = """
population: 20000
people: 40
questions:
  - name: age
    record:
      quasi_identifier: [age]
      population: {City: Urk}
"""


def test_a_question_may_be_known_by_a_summary_only() -> None:
    asked = Questionnaire.from_dict(
        {
            "people": 40,
            "population": 20_000,
            "questions": [{"name": "age", "summary": {"cells": 95, "kl": 0.4011}}],
        }
    )
    assert len(asked["age"].coding().options) == 95
    assert asked["age"].coding().shares.sum() == pytest.approx(1)
    assert any("stand-in" in note for note in asked.notes)
    risk = asked.risk(people=40)
    assert risk.unique == pytest.approx(predict_from(URK, 40).share, rel=1e-3)


def test_a_summary_of_all_numbers_keeps_its_sums() -> None:
    summary = {"cells": 95, "kl": 0.1, "power_sums": [0.0125, 0.00018]}
    asked = Questionnaire.from_dict({"questions": [{"name": "age", "summary": summary}]})
    shares = asked["age"].coding().shares
    assert (shares**2).sum() == pytest.approx(0.0125, rel=0.01)


def test_a_question_may_name_a_record(tmp_path: Path) -> None:
    file = tmp_path / "asked.yaml"
    file.write_text(BY_RECORD, encoding="utf-8")
    asked = read_questionnaire(file, source=HELD)
    assert len(asked["age"].coding().options) == 95
    assert any("From a record: age in City=Urk" in note for note in asked.notes)


def test_a_record_is_not_read_where_repositories_are_not_known(tmp_path: Path) -> None:
    file = tmp_path / "asked.yaml"
    file.write_text(BY_RECORD, encoding="utf-8")
    with pytest.raises(InputError, match="read_questionnaire"):
        Questionnaire.read(file)
    with pytest.raises(InputError, match="say where with repository"):
        read_questionnaire(file)
    file.write_text(BY_RECORD.replace("[age]", "[shoe]"), encoding="utf-8")
    with pytest.raises(InputError, match="no record of shoe"):
        read_questionnaire(file, source=HELD)


def test_a_record_is_named_by_known_keys() -> None:
    with pytest.raises(BadChoice, match="Did you mean 'quasi_identifier'"):
        summary_of_record({"quasi_identifer": ["age"]}, HELD)
    bare = RecordList([Record.legacy_tuple(["age"], {}, 0.1)])
    with pytest.raises(BadChoice, match="give cells"):
        summary_of_record({"quasi_identifier": ["age"]}, bare)
    found, _ = summary_of_record({"quasi_identifier": ["age"], "cells": "95"}, bare)
    assert found == {"cells": 95, "kl": 0.1}


def test_a_summary_that_nothing_has_is_refused_with_its_place() -> None:
    question = {"name": "age", "summary": {"cells": 95, "kl": 9.0}}
    with pytest.raises(InputError, match="is it in bits"):
        Questionnaire.from_dict({"questions": [question]})
    both = {"name": "age", "summary": {"cells": 95, "kl": 0.1}, "shares": {"a": 1.0}}
    with pytest.raises(InputError, match="needs one of"):
        Questionnaire.from_dict({"questions": [both]})


# ---- tables of a record


def test_the_table_of_a_record_falls_with_the_people() -> None:
    found = table(URK)
    chances = [row["all_unique"] for row in found.rows]
    assert chances == sorted(chances, reverse=True)
    assert found.rows[0]["people"] == 2
    assert found.to_frame().height == len(found.rows)
    assert found.to_dict()["record"] == URK.id
    assert "2 people: all unique" in str(found)


def test_the_chance_that_all_are_unique_is_near_that_of_the_thesis() -> None:
    """(4.3): the uniform chance times exp(-k² κ / N), good for small groups."""
    row = table(Record.legacy_tuple(["age"], {"City": "Laren"}, 0.0914, cells=95), [10]).rows[0]
    uniform = math.prod(1 - i / 95 for i in range(10))
    assert row["all_unique"] == pytest.approx(uniform * math.exp(-100 * 0.0914 / 95), rel=0.03)


def test_a_table_needs_numbers_of_people() -> None:
    with pytest.raises(BadChoice, match="1 to 200"):
        table(URK, [])


# ---- a store on disk


def test_a_question_reads_its_record_from_a_repository_on_disk(tmp_path: Path) -> None:
    key = HolderKey.make()
    file = tmp_path / "mine.db"
    with Store.create(file, name="mine", personal=True, owner=key) as store:
        mine = Record.of(URK.to_dict() | {"holder": key.id})
        store.append(Submission.sign(mine, key), public_key=key.public_bytes)
        assert find(store, ["age"], {"City": "Urk"}).predict(40).share == pytest.approx(
            0.506, abs=6e-4
        )
    asked = tmp_path / "asked.yaml"
    named = BY_RECORD.replace("    record:\n", f"    record:\n      repository: {file}\n")
    asked.write_text(named, encoding="utf-8")
    assert len(read_questionnaire(asked)["age"].coding().options) == 95
