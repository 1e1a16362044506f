"""QaR: the distinct values of every set of three columns, and the contribution of every record.

The tables are made up, of the shapes that surveys and registers have. Peers count one column set
after the other, as they must: by distinct packed keys (polars), by SELECT DISTINCT (duckdb), by the
number of groups (pandas). On large tables they get a few column sets, drawn at random, and their
time is scaled to all of them; the name says how many.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
from numpy.typing import NDArray

from bench.case import Contender, Prepared, case
from bench.data import Coded, made_up
from bench.threads import single, threads
from singleout.kernels import compiling
from singleout.kernels.distinct.count import column_sets, distinct_counts, distinct_counts_of
from singleout.kernels.distinct.prepared import Prepared as LaidOut
from singleout.kernels.distinct.prepared import prepare
from singleout.kernels.distinct.uniqueness import unique_bits, unique_sums
from singleout.kernels.entropy.record import record_entropy
from singleout.kernels.removal.leave_one_out import TailSettings, risks_without
from singleout.methods.qar.measure import ones_for_certainty, position, risk_of
from singleout.treatment.eliminate import eliminate

SIZE, ALPHA, TAIL = 3, 0.01, 0.05

# compiled loops are timed, also where none was compiled before and small tables would do without
compiling.SMALL_WORK = 0

# how many values each column has, and how they are spread
SURVEY = [("answer", k) for k in (5, 5, 5, 7, 5, 11, 11, 11, 11, 6, 10, 10, 5, 11, 7, 11)]
SURVEY += [("number", 24), ("number", 22)]
MIXED = [("answer", k) for k in (2, 2, 3, 4, 5, 5, 5, 5, 6, 7, 7, 8, 9, 10, 10, 11, 11, 11, 11, 5)]
MIXED += [("number", 90), ("number", 30), ("number", 60), ("rare", 25), ("rare", 100)]
MIXED += [("answer", 12), ("rare", 400), ("rare", 3000), ("even", 20_000), ("number", 1500)]
REGISTER = [("answer", k) for k in (2, 3, 5, 5, 5, 7, 8, 10, 11, 11)]
REGISTER += [("number", 90), ("number", 30), ("number", 60), ("rare", 25), ("rare", 100)]
REGISTER += [("rare", 400), ("rare", 3000), ("even", 25_000), ("number", 1500), ("rare", 10_000)]
LARGE = [("answer", k) for k in (2, 5, 7, 10, 11)]
LARGE += [("number", 90), ("number", 60), ("rare", 25), ("rare", 400)]
LARGE += [("rare", 3000), ("even", 25_000), ("number", 1500)]


@case("qar-counts/survey", "All sets of 3 columns of a survey.")
def survey(quick: bool) -> Prepared:  # noqa: ARG001
    return _counts(made_up(12_129, tuple(SURVEY), 11), peers_count=816, with_pandas=True)


@case("qar-counts/mixed", "All sets of 3 columns of a survey with detailed codes.")
def mixed(quick: bool) -> Prepared:
    return _counts(made_up(10_000 if quick else 100_000, tuple(MIXED), 2), peers_count=200)


@case("qar-counts/register", "All sets of 3 columns of a register.")
def register(quick: bool) -> Prepared:
    return _counts(made_up(20_000 if quick else 1_000_000, tuple(REGISTER), 3), peers_count=40)


@case("qar-counts/large", "All sets of 3 columns of a large register.")
def large(quick: bool) -> Prepared:
    return _counts(made_up(30_000 if quick else 10_000_000, tuple(LARGE), 4), peers_count=8)


@case("qar-contributions/survey", "The risk of a survey without each of its records.")
def contributions(quick: bool) -> Prepared:  # noqa: ARG001
    table = made_up(12_129, tuple(SURVEY), 11)
    laid = prepare(table.columns, table.levels)
    distinct = distinct_counts_of(laid, SIZE)
    flags = _flags(laid, len(distinct))
    records = 400  # the vectorised way gets some records, and its time is scaled to all

    def recomputed() -> NDArray[np.float64]:
        return np.array([_risk(distinct - flags[i], laid.records - 1) for i in range(records)])

    share = laid.records / records
    contenders = [
        Contender("singleout", lambda: _risks_without(laid, distinct), ours=True),
        Contender("distinct counts alone", lambda: (distinct_counts_of(laid, SIZE), None)[1]),
        Contender("numpy on H - U, 1 record at a time", recomputed, scale=share),
    ]
    return Prepared(table.shape, contenders, lambda a: a, _risks_differ)


@case("qar-contributions/mixed", "Contributions, U+ and U* of a survey with detailed codes.")
def contributions_with_uniqueness(quick: bool) -> Prepared:
    table = made_up(10_000 if quick else 100_000, tuple(MIXED), 2)

    def whole() -> NDArray[np.float64]:
        laid = prepare(table.columns, table.levels)
        distinct = distinct_counts_of(laid, SIZE)
        plus, times = unique_sums(laid, SIZE, distinct)
        risks = _risks_without(laid, distinct)
        return np.stack([plus / laid.records, times, risks])

    def counts() -> None:
        distinct_counts(table.columns, table.levels, SIZE)

    contenders = [
        Contender("singleout", whole, ours=True),
        Contender("distinct counts alone", counts, ours=True),
    ]
    return Prepared(table.shape, contenders, lambda a: a, _risks_differ)


def _counts(table: Coded, peers_count: int, *, with_pandas: bool = False) -> Prepared:
    """Return a case of distinct counts; peers get ``peers_count`` of the column sets."""
    sets = column_sets(len(table.columns), SIZE)
    chosen = np.sort(np.random.default_rng(1).permutation(len(sets))[: min(peers_count, len(sets))])
    some = sets[chosen].tolist()
    scale = len(sets) / len(some)
    words = "" if len(some) == len(sets) else f", {len(some)} of {len(sets):,} sets"
    frame = pl.DataFrame({f"c{i}": codes for i, codes in enumerate(table.columns)})
    contenders = [
        Contender("singleout", lambda: _ours(table, None), ours=True),
        Contender("singleout, 1 thread", lambda: _ours(table, 1), ours=True),
        Contender(f"polars, packed keys{words}", _polars(frame, table, some), scale=scale),
        Contender(f"duckdb{words}", _duckdb(frame, some), scale=scale),
    ]
    if with_pandas:
        contenders.append(Contender(f"pandas{words}", _pandas(table, some), scale=scale))

    def canonical(answer: Any) -> NDArray[np.int64]:
        found = np.asarray(answer, dtype=np.int64)
        return found[chosen] if len(found) == len(sets) else found

    return Prepared(table.shape, contenders, canonical, _counts_differ)


def _ours(table: Coded, number: int | None) -> NDArray[np.int64]:
    with threads(number):
        return distinct_counts(table.columns, table.levels, SIZE)


def _polars(frame: pl.DataFrame, table: Coded, sets: list[list[int]]) -> Callable[[], list[int]]:
    """Count distinct keys, packed into 32 bits where they fit, all column sets in one query."""

    def key(columns: list[int]) -> pl.Expr:
        a, b, c = columns
        space = table.levels[a] * table.levels[b] * table.levels[c]
        kind = pl.UInt32 if space <= 1 << 32 else pl.UInt64
        x, y, z = (pl.col(f"c{i}").cast(kind) for i in columns)
        return ((x * table.levels[b] + y) * table.levels[c] + z).n_unique().alias(str(columns))

    keys = [key(columns) for columns in sets]
    return lambda: list(frame.select(keys).row(0))


def _duckdb(frame: pl.DataFrame, sets: list[list[int]]) -> Callable[[], list[int]]:
    connection = duckdb.connect()
    if single():
        connection.execute("SET threads = 1")
    connection.register("arrow", frame.to_arrow())
    connection.execute("CREATE TABLE coded AS SELECT * FROM arrow")

    def counted() -> list[int]:
        found = []
        for a, b, c in sets:
            query = f"SELECT count(*) FROM (SELECT DISTINCT c{a}, c{b}, c{c} FROM coded)"
            row = connection.execute(query).fetchone()
            found.append(int(row[0]) if row else 0)
        return found

    return counted


def _pandas(table: Coded, sets: list[list[int]]) -> Callable[[], list[int]]:
    frame = pd.DataFrame({f"c{i}": codes for i, codes in enumerate(table.columns)})
    return lambda: [frame.groupby([f"c{i}" for i in s], sort=False).ngroups for s in sets]


def _risks_without(laid: LaidOut, distinct: NDArray[np.int64]) -> NDArray[np.float64]:
    order = np.argsort(distinct, kind="stable")
    k, g = position(len(distinct), TAIL)
    top = order[np.searchsorted(distinct[order], distinct[order[k - 1]]) :]
    asked = TailSettings(k, g, len(distinct), ones_for_certainty(len(distinct), ALPHA), ALPHA, TAIL)
    bits = unique_bits(laid, SIZE, top)
    below = distinct[order[: len(order) - len(top)]]
    return risks_without(
        bits,
        distinct[top],
        laid.records,
        asked,
        lambda counts: _risk(np.append(below, counts), laid.records - 1),
    )


def _risk(distinct: NDArray[np.int64], records: int) -> float:
    return risk_of(distinct, records, ALPHA, TAIL)


@cache
def _flags(laid: LaidOut, sets: int) -> NDArray[np.uint8]:
    bits = unique_bits(laid, SIZE, np.arange(sets))
    return np.unpackbits(bits.view(np.uint8), axis=1, bitorder="little")[:, : laid.records].T.copy()


def _counts_differ(answer: NDArray[np.int64], ours: NDArray[np.int64]) -> str:
    wrong = int((answer != ours).sum())
    return f"{wrong:,} of {len(ours):,} counts differ" if wrong else ""


def _risks_differ(answer: Any, ours: NDArray[np.float64]) -> str:
    if answer is None:  # the counts, timed beside it
        return ""
    gap = float(np.abs(answer - ours[: len(answer)]).max())
    return f"risks differ by {gap:.1e}" if gap > 1e-11 else ""


@case("qar-entropy/survey", "The entropy of every record of a survey.")
def entropies(quick: bool) -> Prepared:  # noqa: ARG001
    table = made_up(12_129, tuple(SURVEY), 11)
    sets = column_sets(len(table.columns), SIZE)
    records = 200  # of one column set; its time is scaled to all records and sets
    values = np.stack([table.columns[c] for c in sets[500]], axis=1)

    def by_definition() -> None:
        below = np.array(
            [(values <= values[i]).all(axis=1).sum() for i in range(records)], dtype=np.int64
        )
        np.array([(below <= mine).sum() for mine in below])

    scale = len(sets) * table.shape[0] / records
    contenders = [
        Contender("singleout", lambda: record_entropy(table.columns, SIZE), ours=True),
        Contender("numpy, the O(L^2) definition", by_definition, scale=scale),
    ]
    return Prepared(table.shape, contenders, lambda a: a, _risks_differ)


@case("qar-elimination/survey", "Removing 2,500 records, each time the one that adds most.")
def elimination(quick: bool) -> Prepared:  # noqa: ARG001
    table = made_up(12_129, tuple(SURVEY), 11)
    frame = pl.DataFrame(dict(zip(table.names, table.columns, strict=True)))
    removals, steps = 2_500, 5  # computing everything anew gets a few steps, and is scaled

    def anew() -> NDArray[np.int64]:
        kept = np.arange(table.shape[0])
        for _ in range(steps):
            laid = prepare([codes[kept] for codes in table.columns], table.levels)
            risks = _risks_without(laid, distinct_counts_of(laid, SIZE))
            kept = np.delete(kept, int(np.argmin(risks)))
        return np.setdiff1d(np.arange(table.shape[0]), kept)

    def ours() -> NDArray[np.int64]:
        return eliminate(frame, records=removals, criterion="contribution", every=1).order

    def differ(answer: NDArray[np.int64], first: NDArray[np.int64]) -> str:
        same = set(answer.tolist()) == set(first[: len(answer)].tolist())
        return "" if same else "other records are removed first"

    contenders = [
        Contender("singleout", ours, ours=True),
        Contender("all contributions anew at each step", anew, scale=removals / steps),
    ]
    return Prepared(table.shape, contenders, lambda a: a, differ)
