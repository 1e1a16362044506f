"""SUDA: the minimal sample uniques of every record, on tables of the shapes that files have.

Peers look at one set of columns after the other: which records are alone in it (polars, on packed
keys), and which of these in none of the sets with one column less. On large tables they get a few
sets, drawn at random, and their time is scaled to all of them; the name says how many. The package
`suda` from PyPI takes part on Adult only: it is slow, and its scores are wrong, since it does not
check that uniques are minimal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from numpy.typing import NDArray

from bench.case import AbsentError, Contender, Prepared, case
from bench.data import Coded, adult, made_up
from bench.threads import threads
from singleout.kernels.uniques.search import MinimalUniques, minimal_uniques
from singleout.methods.suda.measure import Scoring, weighted, weights

Set = tuple[int, ...]
Flags = NDArray[np.bool_]

# how many values each column has, and how they are spread
SMALL = [("answer", k) for k in (2, 3, 4, 5, 6, 7, 8, 12)] + [("number", 40), ("rare", 60)]
SURVEY = [("answer", k) for k in (2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 10)]
SURVEY += [("number", 90), ("rare", 100)]
BROAD = [
    ("answer", k) for k in (2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 11)
]
BROAD += [("number", 30), ("number", 60), ("rare", 20)]
DETAILED = [("answer", k) for k in (2, 5, 9)]
DETAILED += [("number", 90), ("rare", 300), ("rare", 900), ("number", 1500), ("even", 4882)]
REGISTER = [("answer", k) for k in (2, 2, 3, 4, 5, 5, 6, 7, 8, 9)]
REGISTER += [("number", 90), ("rare", 100)]
SIXTY = [("answer", 2 + place % 9) for place in range(56)]
SIXTY += [("number", 60), ("number", 30), ("rare", 25), ("rare", 40)]

OF_ADULT = {3: 16_096, 9: 62_809}  # minimal uniques, from the verified specification


@case("suda/small", "Sets of up to 3 columns of a small survey.")
def small(quick: bool) -> Prepared:  # noqa: ARG001
    return _prepared(made_up(10_000, tuple(SMALL), 21), 3)


@case("suda/income", "Sets of up to 3 columns of Adult.")
def of_adult(quick: bool) -> Prepared:  # noqa: ARG001
    return _prepared(adult(), 3, uniques=OF_ADULT[3], with_pypi=True)


@case("suda/income-unlimited", "Sets of all sizes of Adult.")
def of_adult_unlimited(quick: bool) -> Prepared:  # noqa: ARG001
    return _prepared(adult(), 9, uniques=OF_ADULT[9])


@case("suda/survey", "Sets of up to 3 columns of a survey.")
def survey(quick: bool) -> Prepared:
    return _prepared(made_up(20_000 if quick else 100_000, tuple(SURVEY), 22), 3, peers=200)


@case("suda/survey-unlimited", "Sets of all sizes of columns of a survey.")
def survey_unlimited(quick: bool) -> Prepared:
    return _prepared(made_up(5_000 if quick else 100_000, tuple(SURVEY), 22), 15, peers=40)


@case("suda/broad", "Sets of up to 4 columns of a survey with many questions.")
def broad(quick: bool) -> Prepared:
    return _prepared(made_up(2_000 if quick else 10_000, tuple(BROAD), 23), 4, peers=400)


@case("suda/detailed", "Sets of up to 3 columns with detailed codes.")
def detailed(quick: bool) -> Prepared:
    return _prepared(made_up(10_000 if quick else 50_000, tuple(DETAILED), 24), 3)


@case("suda/register", "Sets of up to 3 columns of a register.")
def register(quick: bool) -> Prepared:
    return _prepared(made_up(30_000 if quick else 1_000_000, tuple(REGISTER), 25), 3, peers=40)


@case("suda/sixty-columns", "Sets of up to 3 of sixty columns.")
def sixty(quick: bool) -> Prepared:
    return _prepared(made_up(2_000 if quick else 10_000, tuple(SIXTY), 26), 3, peers=400)


@case("suda/sixty-columns-large", "Sets of up to 3 of sixty columns, and many records.")
def sixty_large(quick: bool) -> Prepared:
    return _prepared(made_up(4_000 if quick else 100_000, tuple(SIXTY), 26), 3, peers=100)


@dataclass(frozen=True, eq=False)
class _Ours:
    """What a peer's answer is compared with.

    Parameters
    ----------
    per_set
        How many minimal uniques each of the sets has that the peer looks at.
    scores
        The score of each record.
    total
        How many minimal uniques there are.
    """

    per_set: NDArray[np.int64]
    scores: NDArray[np.float64]
    total: int


def _prepared(
    table: Coded,
    max_size: int,
    *,
    peers: int | None = None,
    uniques: int | None = None,
    with_pypi: bool = False,
) -> Prepared:
    """Return a case; the peer gets ``peers`` of the sets, all if not given."""
    some, sets = _drawn(len(table.columns), max_size, peers)
    words = "" if len(some) == sets else f", {len(some)} of {sets:,} sets"
    frame = pl.DataFrame(dict(zip(table.names, table.columns, strict=True)))
    by_set = _SetBySet(frame, table.names, table.levels)
    known = by_set.parts(some) if len(some) < sets else {}
    contenders = [
        Contender("singleout", lambda: _found(table, max_size, None), ours=True),
        Contender("singleout, 1 thread", lambda: _found(table, max_size, 1), ours=True),
        Contender(
            f"polars, set by set{words}", lambda: by_set(some, known), scale=sets / len(some)
        ),
    ]
    if with_pypi:
        contenders.append(Contender("suda 0.2.2 from PyPI", _pypi(table, max_size)))
    per_set = _per_set(table, max_size, some)

    def canonical(answer: Any) -> Any:
        if not isinstance(answer, MinimalUniques):
            return answer
        by_size = answer.by_size
        weight = weights(len(table.columns), max_size, Scoring.LATTICE)
        return _Ours(per_set(answer), weighted(by_size.T, weight), int(by_size.sum()))

    def published(ours: _Ours) -> str:
        wrong = uniques is not None and ours.total != uniques
        return f"{ours.total:,} minimal uniques instead of {uniques:,}" if wrong else ""

    return Prepared(table.shape, contenders, canonical, _difference, published)


def _drawn(width: int, max_size: int, most: int | None) -> tuple[list[Set], int]:
    """Return sets of columns, small ones first, and how many there are in all."""
    total = sum(comb(width, size) for size in range(1, max_size + 1))
    every = (s for size in range(1, max_size + 1) for s in combinations(range(width), size))
    if most is None or most >= total:
        return list(every), total
    chosen = set(np.random.default_rng(1).choice(total, most, replace=False).tolist())
    return [members for number, members in enumerate(every) if number in chosen], total


def _found(table: Coded, max_size: int, number: int | None) -> MinimalUniques:
    with threads(number):
        return minimal_uniques(table.columns, table.levels, max_size)


def _per_set(
    table: Coded, max_size: int, sets: Sequence[Set]
) -> Callable[[MinimalUniques], NDArray[np.int64]]:
    """Return what counts our minimal uniques in some sets; searched once more, with a list."""
    masks = [sum(1 << column for column in members) for members in sets]
    listed: list[MinimalUniques] = []

    def count(answer: MinimalUniques) -> NDArray[np.int64]:
        if not listed:
            listed.append(minimal_uniques(table.columns, table.levels, max_size, keep=True))
        if not np.array_equal(listed[0].by_variable, answer.by_variable):
            raise ValueError("The search does not give the same twice.")
        order = np.argsort(np.array(masks, dtype=np.uint64))
        wanted = np.array(masks, dtype=np.uint64)[order]
        totals = np.zeros(len(masks), dtype=np.int64)
        for _, held in listed[0].listed():
            place = np.minimum(np.searchsorted(wanted, held), len(wanted) - 1)
            hits = place[wanted[place] == held]
            totals[order] += np.bincount(hits, minlength=len(masks))
        return totals

    return count


class _SetBySet:
    """Which records are alone in each set of columns, by polars."""

    def __init__(self, frame: pl.DataFrame, names: Sequence[str], levels: Sequence[int]) -> None:
        self._frame, self._names, self._levels = frame, names, levels

    def alone(self, columns: Set) -> Flags:
        """Return for each record whether no other has its key."""
        key = pl.lit(0, dtype=pl.UInt64)
        space = 1
        for column in columns:
            space *= self._levels[column]
            key = key * self._levels[column] + pl.col(self._names[column]).cast(pl.UInt64)
        if space > 1 << 64:  # too many for one key
            key = pl.struct([self._names[column] for column in columns])
        return self._frame.select(key.is_unique()).to_series().to_numpy()

    def parts(self, sets: Sequence[Set]) -> dict[Set, Flags]:
        """Return the same for all sets with one column less than one of these."""
        smaller = {part for columns in sets for part in combinations(columns, len(columns) - 1)}
        return {part: self.alone(part) for part in smaller if part}

    def __call__(self, sets: Sequence[Set], known: dict[Set, Flags]) -> NDArray[np.int64]:
        """Count the minimal uniques in each set; ``known`` is what is not counted here."""
        found = dict(known)
        counts = []
        for columns in sets:
            alone = self.alone(columns)
            minimal = alone.copy()
            for part in combinations(columns, len(columns) - 1):
                if part:
                    minimal &= ~found[part]
            counts.append(int(minimal.sum()))
            if not known:
                found[columns] = alone
        return np.array(counts)


def _pypi(table: Coded, max_size: int) -> Callable[[], pd.Series]:
    try:
        from suda import suda
    except ImportError:
        raise AbsentError("The package suda is not installed.") from None
    frame = pd.DataFrame(dict(zip(table.names, table.columns, strict=True)))
    # it changes the frame that it is given
    return lambda: suda(frame.copy(), max_msu=max_size)["suda"]


def _difference(answer: Any, ours: _Ours) -> str:
    if isinstance(answer, _Ours):
        same = np.array_equal(answer.scores, ours.scores)
        return "" if same else "other scores with another number of threads"
    if isinstance(answer, pd.Series):
        wrong = int((answer.fillna(0).to_numpy(dtype=np.float64) != ours.scores).sum())
        return f"the scores of {wrong:,} of {len(ours.scores):,} records" if wrong else ""
    wrong = int((answer != ours.per_set).sum())
    return f"{wrong:,} of {len(answer):,} sets have other counts" if wrong else ""
