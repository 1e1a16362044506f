"""Local recoding by peeling, against a straightforward polars implementation of the same peel.

At each node of the ranked lattice polars adds up the records of each class among the remaining
combinations, and takes off those of k records. On larger tables both go through the first nodes
only; their names say how many. What the whole recoding publishes is checked by pycanon.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from numpy.typing import NDArray
from pycanon import anonymity

from bench import data
from bench.case import Contender, Prepared, case
from singleout.core.arrays import I32
from singleout.core.table import Column, Table, smallest_codes
from singleout.kernels import compiling
from singleout.treatment.hierarchies.hierarchy import Hierarchy
from singleout.treatment.lattice import Lattice, lattice_of
from singleout.treatment.local import peeling
from singleout.treatment.local.classes import Ground
from singleout.treatment.local.publish import publish
from singleout.treatment.local.recode import LocalRecoding, local_recode

K = 5
ADULT = (
    *("age", "education", "marital-status", "native-country", "occupation", "race"),
    *("salary-class", "sex", "workclass"),
)
CENSUS = (
    *("AAGE", "ASEX", "ARACE", "AMARITL", "AHGA", "ACLSWKR", "AMJOCC", "PENATVTY", "AREORGN"),
)
Sizes = NDArray[np.int64]

# compiled loops are timed, also where none was compiled before
compiling.SMALL_WORK = 0


@case("local-recoding/income", "Adult, k = 5; quick: four of its nine columns.")
def income(quick: bool) -> Prepared:
    frame = pl.read_csv(data.shared("data/adult.csv"), separator=";", infer_schema=False)
    names = ADULT[:4] if quick else ADULT
    return _prepared(_lattice(frame, names, "adult"), 0.0530 if not quick else 1.0)


@case("local-recoding/census", "Census-Income, 9 columns, k = 5.")
def census(quick: bool) -> Prepared:
    path = data.shared("data/census_income_kdd_299285.csv.gz")
    frame = pl.read_csv(path, infer_schema=False, columns=list(CENSUS))
    return _prepared(_lattice(frame, CENSUS, "census"), 0.0219, first=30 if quick else 300)


@case("local-recoding/large", "Persons drawn from a model of Census-Income, 9 columns, k = 5.")
def large(quick: bool) -> Prepared:
    frame = pl.read_parquet(data.large_file(quick), columns=list(CENSUS))
    return _prepared(_lattice(frame, CENSUS, "census"), 1.0, first=30)


def _lattice(frame: pl.DataFrame, names: Sequence[str], prefix: str) -> Lattice:
    columns = [_column(frame[name].cast(pl.String)) for name in names]
    trees = [
        Hierarchy.of_rows(column.name, _rows(prefix, column.name)).fit(column) for column in columns
    ]
    return lattice_of(Table(columns), trees)


def _column(series: pl.Series) -> Column:
    text = series.fill_null("").str.strip_chars().str.replace_all(";", ",", literal=True)
    values = text.unique().sort()
    codes = text.replace_strict(values, pl.arange(0, len(values), eager=True)).to_numpy()
    return Column(series.name, smallest_codes(codes, len(values)), values.to_list())


def _rows(prefix: str, name: str) -> list[list[str]]:
    path: Path = data.shared(f"data/hierarchies/{prefix}_hierarchy_{name}.csv")
    with path.open(newline="") as file:
        return list(csv.reader(file, delimiter=";"))


def _prepared(lattice: Lattice, target: float, first: int = 0) -> Prepared:
    ground = Ground.of(lattice)
    nodes = peeling.all_nodes(ground)
    words = ""
    if first:
        everyone = np.arange(len(ground.counts))
        ranked = np.argsort(peeling.mean_losses(ground, nodes, everyone, ground.counts))
        nodes = np.ascontiguousarray(nodes[ranked[:first]])
        words = f", the first {first} nodes"
    contenders = [
        Contender(f"singleout{words}", lambda: _ours(ground, nodes), ours=True),
        Contender(f"polars{words}", _polars(ground, nodes)),
        Contender("singleout, the whole recoding", lambda: local_recode(lattice, K), ours=True),
    ]

    @cache
    def checked() -> str:
        return _checked(lattice, local_recode(lattice, K), target)

    shape = lattice.records, len(lattice.trees)
    return Prepared(shape, contenders, lambda a: a, _differs, lambda _: checked())


def _ours(ground: Ground, nodes: I32) -> Sizes:
    """Return the sizes of the classes that are taken off, in order."""
    of_group = peeling.peeled(ground, nodes, K, K - 1)
    kept = of_group >= 0
    return np.sort(np.bincount(of_group[kept], ground.counts[kept]).astype(np.int64))


def _polars(ground: Ground, nodes: I32) -> Callable[[], Sizes]:
    labels = {
        f"{j}/{level}": ground.maps[j, level, ground.codes[:, j]]
        for j in range(ground.columns)
        for level in range(int(ground.levels[j]))
    }
    whole = pl.DataFrame(labels).with_columns(
        count=pl.Series(ground.counts), id=pl.Series(np.arange(len(ground.counts)))
    )

    def run() -> Sizes:
        left, ahead, sizes = whole, nodes, [np.zeros(0, dtype=np.int64)]
        records = ground.records
        while len(ahead) and records >= K:
            ids, counts = left["id"].to_numpy(), left["count"].to_numpy()
            ranks = peeling.mean_losses(ground, ahead, ids, counts)
            ahead = ahead[np.argsort(ranks, kind="stable")]
            half, at = records // 2, 0
            while at < len(ahead) and records > max(half, K - 1):
                keys = [f"{j}/{level}" for j, level in enumerate(ahead[at].tolist())]
                sized = left.with_columns(size=pl.col("count").sum().over(keys))
                taken = sized.filter(pl.col("size") >= K)
                if len(taken):
                    found = taken.group_by(keys).agg(pl.col("count").sum())["count"]
                    sizes.append(found.to_numpy())
                    left = sized.filter(pl.col("size") < K).drop("size")
                    records -= int(found.sum())
                at += 1
            ahead = ahead[at:]
        return np.sort(np.concatenate(sizes))

    return run


def _differs(answer: Any, ours: Any) -> str:
    if isinstance(answer, LocalRecoding):  # more than the classes of the peel
        return "" if int(answer.sizes.min()) >= K else "a class has too few records"
    same = np.array_equal(answer, ours)
    return "" if same else f"{len(answer):,} classes, not these {len(ours):,}"


def _checked(lattice: Lattice, recoding: LocalRecoding, target: float) -> str:
    """Say what is wrong with a recoding: its loss, or its k as pycanon counts it."""
    if recoding.loss > target:
        return f"a loss of {recoding.loss:.4f}, above {target}"
    published = {column.name: column.codes for column in publish(lattice, recoding)}
    k = anonymity.k_anonymity(pd.DataFrame(published), list(published))
    return "" if k >= K else f"k = {k} by pycanon"
