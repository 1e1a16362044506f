"""Lattices to test searches on: random small ones, and those of the recorded answers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
from hypothesis import strategies as st

from singleout.io.read import read
from singleout.treatment.hierarchies.hierarchy import Hierarchy, Tree
from singleout.treatment.lattice import Lattice, lattice_of

SHARED = Path(__file__).resolve().parents[2] / "shared"
ADULT = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"]
ADULT += ["occupation", "salary-class"]
CENSUS = ["AAGE", "ASEX", "ARACE", "AMARITL", "AHGA", "ACLSWKR", "AMJOCC", "PENATVTY", "AREORGN"]


@dataclass(frozen=True)
class Problem:
    lattice: Lattice
    records: list[tuple[int, ...]]  # codes

    @property
    def trees(self) -> tuple[Tree, ...]:
        return self.lattice.trees


@st.composite
def hierarchies(draw: st.DrawFn, name: str, values: int) -> Hierarchy:
    """Some tree over the values v0, v1, …"""
    rows = [[f"v{value}"] for value in range(values)]
    labels = list(range(values))
    for level in range(draw(st.integers(0, 2))):
        above = {label: draw(st.integers(0, values // 2)) for label in sorted(set(labels))}
        labels = [above[label] for label in labels]
        for row, label in zip(rows, labels, strict=True):
            row.append(f"{level}:{label}")
    return Hierarchy.of_rows(name, [[*row, "*"] for row in rows])


@st.composite
def problems(draw: st.DrawFn, most: int = 25) -> Problem:
    """Small tables with missing values, hierarchies with values that do not occur, importance."""
    width = draw(st.integers(1, 4))
    sizes = [draw(st.integers(1, 5)) for _ in range(width)]
    values = [[*(f"v{value}" for value in range(size)), None] for size in sizes]
    rows = draw(
        st.lists(
            st.tuples(*(st.sampled_from(of_column) for of_column in values)),
            min_size=1,
            max_size=most,
        )
    )
    names = [f"c{place}" for place in range(width)]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    table = read(frame)
    trees = [
        draw(hierarchies(name, size)).fit(table[name])
        for name, size in zip(names, sizes, strict=True)
    ]
    importance = {name: float(draw(st.integers(1, 3))) for name in names}
    codes = np.stack([table[name].codes for name in names], axis=1)
    return Problem(lattice_of(table, trees, importance), list(map(tuple, codes.tolist())))


def random_lattice(
    rng: np.random.Generator, records: int, columns: int, levels: int = 3
) -> Lattice:
    """A lattice over columns of 8 values, halved on each level up to the last."""
    names = [f"c{place}" for place in range(columns)]
    table = read(pl.DataFrame({name: rng.integers(0, 8, records).astype(str) for name in names}))
    rows = [
        [str(value), *(f"{level}:{value >> level}" for level in range(1, levels - 1)), "*"]
        for value in range(8)
    ]
    return lattice_of(table, [Hierarchy.of_rows(name, rows).fit(table[name]) for name in names])


@cache
def recorded(name: str) -> Lattice:
    """The lattice of ``adult`` or ``census``, as ARX was given it."""
    data = SHARED / "data"
    if name == "adult":
        columns = ADULT
        frame = pl.read_csv(data / "adult.csv", separator=";", infer_schema=False)
    else:
        columns = CENSUS
        file = data / "census_income_kdd_299285.csv.gz"
        frame = pl.read_csv(file, columns=columns, infer_schema=False)
    text = pl.all().fill_null("").str.strip_chars().str.replace_all(";", ",", literal=True)
    table = read(frame.select(columns).with_columns(text))
    trees = []
    for column in columns:
        lines = (data / "hierarchies" / f"{name}_hierarchy_{column}.csv").read_text("utf-8")
        rows = [line.split(";") for line in lines.splitlines()]
        trees.append(Hierarchy.of_rows(column, rows).fit(table[column]))
    return lattice_of(table, trees)
