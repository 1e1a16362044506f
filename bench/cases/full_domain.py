"""Full-domain search: the level of each column that gives k = 5 and loses least.

The peer is a straightforward search of the same lattice by polars: nodes in the order of what their
generalisation costs, a group-by for each on combinations that were counted once, until none that is
left can be better. It is given the cheapest order, and has no other bound. ARX 3.9.2 needed for
the same answers, on two cores: Adult 155, 1,235, 957 and 3,220 ms for limits of 0, 2, 5 and 100 %,
census 1,691, 15,675 and 12,982 ms for 0, 2 and 100 %.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import polars as pl

from bench.case import Contender, Prepared, case
from bench.data import shared
from singleout.io.read import read
from singleout.treatment.full_domain import FullDomain, search
from singleout.treatment.hierarchies.hierarchy import Hierarchy
from singleout.treatment.lattice import Lattice, lattice_of

ADULT = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"]
ADULT += ["occupation", "salary-class"]
CENSUS = ["AAGE", "ASEX", "ARACE", "AMARITL", "AHGA", "ACLSWKR", "AMJOCC", "PENATVTY", "AREORGN"]
K = 5

Answer = tuple[tuple[int, ...], int, float]  # levels, suppressed records, score


@case("full-domain/income", "The optimum of Adult, k = 5, 2 % suppressed (ARX 3.9.2: 1,235 ms).")
def of_adult(quick: bool) -> Prepared:  # noqa: ARG001
    return _prepared("adult", 0.02, ((0, 3, 0, 2, 2, 1, 1, 2, 0), 506, 0.35748248986666664))


@case(
    "full-domain/income-any",
    "The optimum of Adult, k = 5, any number suppressed (ARX 3.9.2: 3,220 ms).",
)
def of_adult_any(quick: bool) -> Prepared:  # noqa: ARG001
    return _prepared("adult", 1, ((0, 3, 0, 0, 2, 1, 1, 1, 0), 2_553, 0.22770032318888891))


@case("full-domain/census", "The optimum of Census-Income, k = 5, 2 % suppressed (ARX: 15,675 ms).")
def of_census(quick: bool) -> Prepared:  # noqa: ARG001
    return _prepared("census", 0.02, ((3, 0, 0, 1, 2, 1, 1, 1, 1), 5_815, 0.16532138224444443))


def _prepared(name: str, share: float, recorded: Answer) -> Prepared:
    lattice = _lattice(name)
    limit = int(share * lattice.records)
    contenders = [
        Contender("singleout", lambda: _plain(search(lattice, K, limit)), ours=True),
        Contender("polars, node by node", _by_polars(lattice, limit)),
    ]
    return Prepared(
        (lattice.records, len(lattice.trees)),
        contenders,
        lambda answer: answer,
        _difference,
        lambda ours: _difference(ours, recorded),
    )


def _plain(found: FullDomain) -> Answer:
    return found.levels, found.suppressed, found.score


def _difference(answer: Answer, ours: Answer) -> str:
    if answer[:2] != ours[:2] or abs(answer[2] - ours[2]) > 1e-9:
        return f"levels {answer[0]} with {answer[1]:,} suppressed and a loss of {answer[2]:.6f}"
    return ""


def _by_polars(lattice: Lattice, limit: int) -> Callable[[], Answer]:
    """Return the search by polars."""
    losses = lattice.losses()
    frame = pl.DataFrame({"n": lattice.sizes})
    for j, tree in enumerate(lattice.trees):
        codes = lattice.groups[:, j]
        labels = [
            pl.Series(f"{j}:{level}", tree.maps[level][codes]) for level in range(tree.levels)
        ]
        lost = [pl.Series(f"{j}-{level}", losses[j, level][codes]) for level in range(tree.levels)]
        frame = frame.with_columns(*labels, *lost)
    cells = [
        [_mean(losses[j, level][lattice.groups[:, j]], lattice) for level in range(tree.levels)]
        for j, tree in enumerate(lattice.trees)
    ]

    def run() -> Answer:
        nodes = list(product(*(range(tree.levels) for tree in lattice.trees)))
        costs = [sum(c[level] for c, level in zip(cells, node, strict=True)) for node in nodes]
        best: Answer = ((), 0, 2.0)
        for place in np.argsort(costs, kind="stable").tolist():
            if costs[place] >= best[2]:
                break
            node = nodes[place]
            names = [f"{j}:{level}" for j, level in enumerate(node)]
            lost = pl.sum_horizontal(f"{j}-{level}" for j, level in enumerate(node))
            groups = frame.group_by(names).agg(pl.col("n").sum(), lost.first().alias("lost"))
            small = groups.filter(pl.col("n") < K)
            suppressed = int(small["n"].sum())
            added = float((small["n"] * (1 - small["lost"])).sum())
            score = costs[place] + added / lattice.records
            if suppressed <= limit and score < best[2]:
                best = (node, suppressed, score)
        return best

    return run


def _mean(lost: np.ndarray, lattice: Lattice) -> float:
    return float(lost @ lattice.sizes) / lattice.records


def _lattice(name: str) -> Lattice:
    """Return the lattice of a data set and its recorded hierarchies."""
    if name == "adult":
        columns = ADULT
        frame = pl.read_csv(shared("data/adult.csv"), separator=";", infer_schema=False)
    else:
        columns = CENSUS
        frame = pl.read_csv(shared("data/census_income_kdd_299285.csv.gz"), infer_schema=False)
    text = pl.all().fill_null("").str.strip_chars().str.replace_all(";", ",", literal=True)
    table = read(frame.select(columns).with_columns(text))
    trees = []
    for column in columns:
        lines = shared(f"data/hierarchies/{name}_hierarchy_{column}.csv").read_text("utf-8")
        rows = [line.split(";") for line in lines.splitlines()]
        trees.append(Hierarchy.of_rows(column, rows).fit(table[column]))
    return lattice_of(table, trees)
