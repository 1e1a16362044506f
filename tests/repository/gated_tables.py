"""Tables of counts to gate and predict from: real ones, and generated ones."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl

from singleout.core.counts import SizeProfile
from singleout.repository.documents.record import Deviations, Gated, Numbers, Record
from singleout.repository.gate.gate import Released, release

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"

Table = tuple[np.ndarray, int]  # people per occupied cell, possible cells


def gated(counts: np.ndarray, cells: int, key: bytes, tier: str = "public") -> Record | None:
    """Return the record that the gate would let pass; None if it refuses."""
    sizes, sets = np.unique(counts[counts > 0], return_counts=True)
    found = release(SizeProfile(sizes, sets), cells, tier=tier, key=key)
    if not isinstance(found, Released):
        return None
    names = ("people", "cells", "support", "largest", "kappa", "s2", "s3", "small")
    numbers = {name: getattr(found, name) for name in names}
    return Record(
        quasi_identifier=({"attribute": "age"},),
        numbers=Numbers(**numbers, sd=Deviations(**found.sd)),
        gate=Gated(tier=tier, price=found.price, cost=found.cost),
    )


def exact_singletons(counts: np.ndarray, people: int) -> float:
    """Return the expected number of unique people among so many, drawn without replacement.

    Somebody in a cell of c people is alone if the others are drawn from outside the cell.
    """
    total = int(counts.sum())
    sizes, times = np.unique(counts[counts > 0], return_counts=True)
    alone = np.ones(len(sizes))
    for drawn in range(people - 1):
        alone *= np.maximum(total - sizes - drawn, 0) / (total - 1 - drawn)
    return float(people / total * (times * sizes * alone).sum())


def generated(number: int, seed: int = 5) -> Iterator[Table]:
    """Yield populations of many shapes: even, skewed, with heavy cells, sparse."""
    rng = np.random.default_rng(seed)
    for index in range(number):
        people, cells = int(10 ** rng.uniform(3.1, 5.3)), int(10 ** rng.uniform(1, 3.7))
        power = rng.choice([0.1, 0.3, 1.0, 3.0])
        if index % 3 == 0:
            shares = rng.dirichlet(np.full(cells, power))
        elif index % 3 == 1:
            shares = np.arange(1, cells + 1.0) ** -power
        else:
            shares = rng.lognormal(0, power, cells)
        yield rng.multinomial(people, shares / shares.sum()), cells


@cache
def real_tables(number: int = 60) -> tuple[Table, ...]:
    """Return Belgian municipalities by age, and Dutch postcodes by age band and sex."""
    belgium = pl.read_csv(DATA / "be_municipality_age.csv")
    found: list[Table] = [
        (np.array(row[0]), 106)
        for row in belgium.sort("NIS")
        .group_by("NIS", maintain_order=True)
        .agg("number")[["number"]]
        .iter_rows()
    ]
    columns = ["inwoners_man", "inwoners_vrouw"]
    dutch = pl.read_csv(DATA / "nl_pc4_age5_sex_2021.csv.gz", infer_schema_length=0).with_columns(
        pl.col(columns).cast(pl.Int64, strict=False).fill_null(0)
    )
    grouped = dutch.group_by("postcode", maintain_order=True).agg(*columns)
    found += [(np.array([*row[1], *row[2]]), 2 * len(row[1])) for row in grouped.iter_rows()]
    large = [table for table in found if table[0].sum() >= 1_500]
    picked = np.random.default_rng(2).permutation(len(large))[:number]
    return tuple(large[index] for index in picked)
