"""Answers that are kept: found again for the same question, never for another, never half."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from singleout.engines.checkpoint import Checkpoint, fingerprint
from singleout.engines.spark.distinct import EncodedTable
from singleout.errors import BadChoice
from singleout.io.read import read
from singleout.kernels.uniques.search import Task


def test_answers_come_back_as_they_were(tmp_path: Path) -> None:
    arrays = [np.arange(6, dtype=np.int32).reshape(2, 3), np.array([True, False]), np.empty(0)]
    answer = {"a": (1, None, "ä", [2.5, True]), 3: tuple(arrays), "big": 2**80}
    checkpoint, key = Checkpoint.at(tmp_path), fingerprint("a")
    checkpoint.keep(key, answer)
    (found,) = checkpoint.find(key) or (None,)
    assert found["a"] == answer["a"]
    assert found["big"] == 2**80
    for one, other in zip(found[3], arrays, strict=True):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        assert (one == other).all()


@pytest.mark.parametrize("answer", [{1, 2}, np.array([object()]), Task(0, 1, 2)])
def test_what_is_not_plain_is_refused_and_nothing_is_pickled(tmp_path: Path, answer: Any) -> None:
    with pytest.raises(TypeError, match=f"{type(answer).__name__} cannot be kept"):
        Checkpoint.at(tmp_path).keep(fingerprint("a"), answer)
    assert list(tmp_path.iterdir()) == []


def test_fingerprints_of_equal_things_are_equal_and_of_others_not() -> None:
    table = EncodedTable.of(read({"a": [1, 2, 2], "b": ["x", None, "y"]}))
    things: list[Any] = [
        "1", 1, 1.0, True, None, (1,), (1, 1), ((1,), 1), (1, (1,)), [1], {"a": 1}, {"b": 1},
        ("array", 0), ["array", 0], Task(0, 1, 2), Task(0, 1, 3), table,
        EncodedTable.of(read({"a": [1, 2, 2]})), np.arange(3), np.arange(3, dtype=np.int32),
        np.arange(4).reshape(2, 2), np.arange(4),
    ]  # fmt: skip
    prints = [fingerprint(thing) for thing in things]
    assert len(set(prints)) == len(prints)
    again = [*things[:16], EncodedTable.of(read({"a": [1, 2, 2], "b": ["x", None, "y"]}))]
    assert [fingerprint(thing) for thing in again] == prints[:17]
    assert fingerprint("ab", "c") != fingerprint("a", "bc")
    with pytest.raises(TypeError, match="object cannot be kept"):
        fingerprint(object())


def test_distinct_counts_depend_on_the_records_and_not_on_their_order() -> None:
    rng = np.random.default_rng(3)
    table = read({name: rng.integers(0, 5, 200) for name in "abc"})
    shuffled = table.take(rng.permutation(200))
    assert EncodedTable.of(table).fingerprint == EncodedTable.of(shuffled).fingerprint
    changed = table.take(np.append(np.arange(199), 0))
    assert EncodedTable.of(table).fingerprint != EncodedTable.of(changed).fingerprint
    swapped = table.select(["b", "a", "c"])
    assert EncodedTable.of(table).fingerprint != EncodedTable.of(swapped).fingerprint


def test_an_answer_is_found_under_its_own_name_only(tmp_path: Path) -> None:
    kept = Checkpoint.at(tmp_path / "new" / "folder")
    key, other = fingerprint("a"), fingerprint("b")
    assert kept.find(key) is None
    kept.keep(key, None)
    assert kept.find(key) == (None,)
    assert kept.find(other) is None
    file = next((tmp_path / "new").rglob("*.npz"))
    (file.parent.parent / other[:2]).mkdir(exist_ok=True)
    file.rename(file.parent.parent / other[:2] / f"{other}.npz")  # renamed by somebody
    assert kept.find(other) is None


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "other", "version", "pickle"])
def test_a_damaged_answer_is_as_good_as_none(tmp_path: Path, damage: str) -> None:
    kept, key = Checkpoint.at(tmp_path), fingerprint("a")
    kept.keep(key, np.arange(1000, dtype=np.int64))
    (file,) = tmp_path.rglob("*.npz")
    whole = file.read_bytes()
    if damage == "pickle":
        np.savez(file, plan=np.array([{"format": 1}], dtype=object))
    elif damage == "version":
        plan = json.dumps({"format": "other", "of": key, "answer": 1}).encode()
        np.savez(file, plan=np.frombuffer(plan, dtype=np.uint8))
    else:
        flipped = bytearray(whole)
        flipped[len(whole) // 2] ^= 255
        file.write_bytes(
            {"cut": whole[:-7], "flipped": bytes(flipped), "empty": b"", "other": b"text"}[damage]
        )
    assert kept.find(key) is None
    kept.keep(key, np.arange(3))
    found = kept.find(key)
    assert found is not None
    assert found[0].tolist() == [0, 1, 2]


def test_a_file_that_is_being_written_is_no_answer(tmp_path: Path) -> None:
    kept, key = Checkpoint.at(tmp_path), fingerprint("a")
    kept.keep(key, 1)
    (file,) = tmp_path.rglob("*.npz")
    file.rename(file.with_suffix(".123-0.partial"))
    assert kept.find(key) is None


def test_only_the_owner_may_read_the_folder(tmp_path: Path) -> None:
    kept = Checkpoint.at(tmp_path / "kept")
    kept.keep(fingerprint("a"), 1)
    assert (tmp_path / "kept").stat().st_mode & 0o077 == 0


def test_a_folder_that_may_not_be_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write anywhere
    with pytest.raises(BadChoice, match="cannot be written to"):
        Checkpoint.at(tmp_path)


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadChoice, match="cannot be used"):
        Checkpoint.at(tmp_path / "file")
    kept = Checkpoint.at(tmp_path / "kept")
    key = fingerprint("a")
    (tmp_path / "kept" / key[:2]).touch()
    with pytest.raises(BadChoice, match="cannot be used"):
        kept.keep(key, 1)
