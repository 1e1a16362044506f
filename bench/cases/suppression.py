"""Suppression of cells of Adult without age, k = 5, beside the same peel in polars.

The peer blanks ever larger sets of columns, as the specification says: at each set, classes of at
least k of the remaining records are done with. It has no borrowing and no improvement, so it blanks
more cells; what is compared is that the result holds. sdcMicro 5.8.1 took 390 s for its own way.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import polars as pl

import singleout as so
from bench.case import Contender, Prepared, case
from bench.data import adult
from singleout.treatment.suppression.function import suppress_cells
from singleout.treatment.suppression.result import Suppressed

K = 5
MOST_CELLS = 12_942  # of the specification's peel
BLANK = -1


@case("suppression/income", "Cells of Adult without age, 5 records alike.")
def income(quick: bool) -> Prepared:  # noqa: ARG001
    coded = adult()
    names = [name for name in coded.names if name != "age"]
    columns = dict(zip(coded.names, coded.columns, strict=True))
    frame = pl.DataFrame({name: columns[name] for name in names}).cast(pl.Int32)
    table = so.read(frame)
    contenders = [
        Contender("singleout, peel", lambda: suppress_cells(table, names, K), ours=True),
        Contender(
            "singleout, wildcard",
            lambda: suppress_cells(table, names, K, method="wildcard"),
            ours=True,
        ),
        Contender("polars, plain peel", lambda: _polars(frame, names)),
    ]
    return Prepared((frame.height, len(names)), contenders, _left, _difference, _published)


def _polars(frame: pl.DataFrame, names: list[str]) -> pl.DataFrame:
    rest, done = frame, []
    values = {name: frame[name].n_unique() for name in names}
    sets = [some for size in range(len(names) + 1) for some in combinations(names, size)]
    for blank in sorted(sets, key=lambda some: (len(some), -sum(values[c] for c in some))):
        shown = [name for name in names if name not in blank]
        size = pl.len().over(shown) if shown else pl.len()
        enough = rest.select(size >= K).to_series()
        if enough.len() == 1:
            enough = pl.repeat(enough[0], rest.height, eager=True)
        whole = rest.filter(enough)
        done.append(whole.with_columns(pl.lit(BLANK, pl.Int32).alias(name) for name in blank))
        rest = rest.filter(~enough)
        if rest.is_empty():
            break
    return pl.concat([*done, rest])


def _left(answer: Any) -> tuple[str, int]:
    """Return how many records are left in small classes, and how many cells are blank."""
    if isinstance(answer, Suppressed):
        return str(answer.method), answer.left if answer.method == "wildcard" else answer.cells
    return "polars", int(sum((answer[name] == BLANK).sum() for name in answer.columns))


def _difference(answer: tuple[str, int], ours: tuple[str, int]) -> str:
    """Another way may blank more cells, but not fewer, and wildcards may leave nobody."""
    way, number = answer
    if way == "wildcard":
        return f"{number:,} records are left" if number else ""
    return f"{number:,} cells are fewer than {ours[1]:,}" if number < ours[1] else ""


def _published(ours: tuple[str, int]) -> str:
    if ours[1] <= MOST_CELLS:
        return ""
    return f"{ours[1]:,} cells are more than the {MOST_CELLS:,} of the specification"
