"""Individual risk of each record, beside the size of each record's set, which is half of the work.

The peer takes the same sums by class in polars and puts them into the approximation that sdcMicro
has for classes of three records and more. What is compared is how many records match each record.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

import singleout as so
from bench import data
from bench.case import Contender, Prepared, case

ROWS, COLUMNS, SEED = 1_000_000, 8, 20240602


@case("individual/large", "Persons drawn from a model of Census-Income, with made-up weights.")
def large(quick: bool) -> Prepared:
    frame = pl.read_parquet(data.drawn(data.QUICK_ROWS if quick else ROWS))
    names = frame.columns[:COLUMNS]
    rng = np.random.default_rng(SEED)
    weights = rng.gamma(4.0, 25.0, frame.height) + 1
    homes = rng.integers(0, frame.height // 3 + 1, frame.height)
    frame = frame.select(names).with_columns(weight=weights, home=homes)
    table = so.read(frame)
    contenders = [
        Contender("singleout, individual risk", lambda: _risks(table, names), ours=True),
        Contender("singleout, set sizes", lambda: _sizes(table, names), ours=True),
        Contender(
            "singleout, household risk", lambda: _risks(table, names, household="home"), ours=True
        ),
        Contender("polars, approximate risk", lambda: _polars(frame, names)),
    ]
    return Prepared((frame.height, len(names)), contenders, _canonical, _difference)


def _risks(table: so.Table, names: list[str], **more: Any) -> so.IndividualRisk:
    found = so.individual_risk(table, names, "weight", **more)
    _ = found.risk, found.household
    return found


def _sizes(table: so.Table, names: list[str]) -> NDArray[Any]:
    return so.anonymity_sets(table, names).per_record


def _polars(frame: pl.DataFrame, names: list[str]) -> tuple[NDArray[Any], NDArray[Any]]:
    sums = frame.select(f=pl.len().over(names), people=pl.col("weight").sum().over(names))
    f, people = (sums[name].to_numpy() for name in ("f", "people"))
    p = f / people
    odds = p / (1 - p)
    larger = np.where(f == 2, odds + odds**2 * np.log(p), p / (f - (1 - p)))
    return f, np.where(f == 1, -odds * np.log(p), larger)


def _canonical(answer: Any) -> NDArray[np.int64]:
    """Return how many records match each record."""
    if isinstance(answer, so.IndividualRisk):
        return answer.matches
    return np.asarray(answer[0] if isinstance(answer, tuple) else answer).astype(np.int64)


def _difference(sizes: NDArray[np.int64], ours: NDArray[np.int64]) -> str:
    different = int((sizes != ours).sum())
    return f"{different:,} records match another number of records" if different else ""
