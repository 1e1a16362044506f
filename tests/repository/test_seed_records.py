"""The records that come with the package: made by the script, and intervals cover the tables."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import polars as pl
import pytest
from gated_tables import DATA, exact_singletons

from singleout.repository.answering.prediction import predict_from
from singleout.repository.client.seed import read_seed
from singleout.repository.documents.record import Record

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "make_seed_repository.py"
PEOPLE = (10, 100, 1_000)

pytestmark = pytest.mark.skipif(not DATA.exists(), reason="needs the shared data")


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_seed_repository", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def counted(table: pl.DataFrame, names: list[str]) -> np.ndarray:
    """Return the people of each cell, counted here: a band is the age divided by its width."""
    cells = []
    for name in names:
        column, _, width = name.partition(":width=")
        cells.append(pl.col(column) // int(width) if width else pl.col(column))
    return table.group_by(*cells).agg(pl.col("people").sum())["people"].to_numpy()


@pytest.fixture(scope="module")
def made() -> tuple[dict[str, Any], list[tuple[Record, np.ndarray]]]:
    """The seed made again, and for each record its exact counts."""
    module, tables = script(), []
    original = module.made

    def noted(table: pl.DataFrame, names: list[str], *given: Any, **how: Any) -> Iterator[Record]:
        for record in original(table, names, *given, **how):
            tables.append((record, counted(table, names)))
            yield record

    module.made = noted
    return module.seed(everywhere=False), tables


def test_the_seed_is_what_the_script_makes_of_the_public_tables(
    made: tuple[dict[str, Any], list[tuple[Record, np.ndarray]]],
) -> None:
    assert json.loads(json.dumps(made[0])) == json.loads(json.dumps(read_seed()))


def test_intervals_cover_all_seed_records(
    made: tuple[dict[str, Any], list[tuple[Record, np.ndarray]]],
) -> None:
    covered, bounded, tried = [], [], set()
    for index, (record, counts) in enumerate(made[1]):
        people = PEOPLE[index % len(PEOPLE)]
        exact = exact_singletons(counts, people)
        prediction = predict_from(record, people)
        (low, high), (least, most) = prediction.mean_interval(), prediction.bounds
        room = 1e-9 * people
        covered.append(low - room <= exact <= high + room)
        bounded.append(least - room <= exact <= most + room)
        tried.add(record.id)
    whole = [Record.of(each) for each in read_seed()["records"]]
    assert tried == {each.id for each in whole if not each.legacy}
    assert np.mean(covered) >= 0.94
    assert all(bounded)
