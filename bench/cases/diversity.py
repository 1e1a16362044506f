"""Diversity: k, l, alpha, t, beta and delta of one sensitive column within classes.

pycanon looks at one class after the other, so that its time grows with their number. On the whole
of Census-Income it would take hours; it gets some records, and its time is scaled by how many
classes the whole table has for each of theirs. The name says how many records. Polars has no such
measures; most of them are written here as one would, with groupings and joins.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

import singleout as so
from bench import data
from bench.case import Contender, Prepared, case
from bench.data import Coded
from singleout.core.table import Column, Table

# eight columns that others could know, and what they want to know
CENSUS_8 = ("AAGE", "ASEX", "ARACE", "AREORGN", "AMARITL", "AHGA", "ACLSWKR", "PENATVTY")
SENSITIVE = "AMJOCC"
SOME = 1000  # records for pycanon

Numbers = dict[str, float | None]


@case("diversity/census", "Census-Income, 8 known columns and the occupation.")
def census(quick: bool) -> Prepared:
    return _prepared(
        data.census((*CENSUS_8, SENSITIVE)), CENSUS_8, SENSITIVE, 200 if quick else SOME
    )


@case("diversity/income", "UCI Adult, 8 known columns and the occupation.")
def adult(quick: bool) -> Prepared:
    table = data.adult()
    known = tuple(name for name in table.names if name != "occupation")
    return _prepared(table, known, "occupation", 200 if quick else SOME)


def _prepared(coded: Coded, known: tuple[str, ...], sensitive: str, some: int) -> Prepared:
    table = _table(coded)
    rng = np.random.default_rng(5)
    rows = np.sort(rng.choice(coded.shape[0], min(some, coded.shape[0]), replace=False))
    part = table.take(rows)
    whole, theirs = (so.anonymity_sets(t, known).sets for t in (table, part))
    frame = pl.DataFrame(dict(zip(coded.names, coded.columns, strict=True)))
    pandas = pd.DataFrame({name: frame[name].to_numpy()[rows] for name in coded.names})
    # pycanon takes numbers for ordered, so that the codes are given as such to all
    contenders = [
        Contender("singleout", lambda: _numbers(table, known, sensitive), ours=True),
        Contender("polars", _polars(frame, known, sensitive)),
        Contender(
            f"pycanon, {len(rows):,} records",
            _pycanon(pandas, list(known), [sensitive]),
            scale=whole / theirs,
        ),
    ]
    # pycanon rounds the entropy l down
    rounded = {"entropy_l": math.floor(_numbers(part, known, sensitive)["entropy_l"] or 0)}
    expected = {
        "whole": _numbers(table, known, sensitive),
        "part": _numbers(part, known, sensitive) | rounded,
    }

    def beside_ours(answer: Numbers | tuple[str, Numbers]) -> tuple[Numbers, Numbers]:
        of, numbers = answer if isinstance(answer, tuple) else ("whole", answer)
        return numbers, expected[of]

    return Prepared(coded.shape, contenders, beside_ours, _difference)


def _table(coded: Coded) -> Table:
    columns = zip(coded.names, coded.columns, coded.levels, strict=True)
    return Table(Column(name, codes, range(levels)) for name, codes, levels in columns)


def _numbers(table: Table, known: tuple[str, ...], sensitive: str) -> Numbers:
    found = so.diversity(table, known, sensitive)
    names = ("k", "distinct_l", "entropy_l", "recursive_l", "alpha", "t", "beta", "enhanced_beta")
    column = found.columns[sensitive]
    return {name: getattr(found, name) for name in names} | {"delta": column.occurring_delta}


def _polars(frame: pl.DataFrame, known: tuple[str, ...], sensitive: str) -> Callable[[], Numbers]:
    """Count the pairs and the classes; all measures but t, recursive l and enhanced beta."""

    def run() -> Numbers:
        records = frame.height
        priors = frame.group_by(sensitive).agg((pl.len() / records).alias("p"))
        pairs = frame.group_by(*known, sensitive).len("n").join(priors, on=sensitive)
        of = pairs.group_by(*known).agg(pl.col("n").sum().alias("k"))
        q = pl.col("n") / pl.col("k")
        numbers = pairs.join(of, on=known).with_columns(
            q.alias("alpha"),
            (q * q.log()).alias("bits"),
            (q / pl.col("p") - 1).alias("beta"),
            (q / pl.col("p")).log().abs().alias("delta"),
        )
        of_class = numbers.group_by(*known).agg(
            pl.col("k").first(),
            pl.len().alias("distinct_l"),
            (-pl.col("bits").sum()).exp().alias("entropy_l"),
            pl.col("alpha", "beta", "delta").max(),
        )
        least = of_class.select(pl.col("k", "distinct_l", "entropy_l").min())
        most = of_class.select(pl.col("alpha", "beta", "delta").max())
        return {**least.row(0, named=True), **most.row(0, named=True)}

    return run


def _pycanon(
    frame: pd.DataFrame, known: list[str], sensitive: list[str]
) -> Callable[[], tuple[str, Numbers]]:
    from pycanon import anonymity

    def run() -> tuple[str, Numbers]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of how it groups
            alpha, k = anonymity.alpha_k_anonymity(frame, known, sensitive)
            anonymity.recursive_c_l_diversity(frame, known, sensitive)  # of the rarest value
            anonymity.enhanced_beta_likeness(frame, known, sensitive)  # also where there is none
            return "part", {
                "k": k,
                "distinct_l": anonymity.l_diversity(frame, known, sensitive),
                "entropy_l": anonymity.entropy_l_diversity(frame, known, sensitive),
                "alpha": alpha,
                "t": anonymity.t_closeness(frame, known, sensitive),
                "beta": anonymity.basic_beta_likeness(frame, known, sensitive),
                "delta": anonymity.delta_disclosure(frame, known, sensitive),
            }

    return run


def _difference(answer: tuple[Numbers, Numbers], _: Any) -> str:
    """Compare an answer with ours on the same records."""
    theirs, ours = answer
    wrong = [
        f"{name} {number}, ours {ours[name]}"
        for name, number in theirs.items()
        if number != ours[name] and not math.isclose(number or 0, ours[name] or 0, rel_tol=1e-9)
    ]
    return "; ".join(wrong)
