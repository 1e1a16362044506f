"""Estimates where the truth is known: Adult is the population, and a part of it the sample."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

import singleout as so
from coming_from.rows import COLUMNS, ROWS, Cells, adult_strings, number

Pair = tuple[float, float]


def sampled(pi: float) -> np.ndarray:
    return np.random.default_rng(1).random(len(adult_strings())) < pi


def sizes(people: pl.DataFrame, names: list[str]) -> np.ndarray:
    return people.select(pl.len().over(names)).to_series().to_numpy()


def shown(pair: Pair) -> str:
    return ", ".join(f"{value:.1f}" for value in pair)


def snb_row(columns: str, pi: float) -> Callable[[], Cells]:
    def compute() -> Cells:
        people, names = adult_strings(), COLUMNS[columns]
        sample = people.filter(pl.Series(sampled(pi)))
        found = so.population_uniqueness(sample, names, len(people), "snb").estimates["snb"]
        truth = float((sizes(people, names) == 1).mean())
        return number(truth), "not run", number(found.share)

    return compute


def matches(rates: np.ndarray, pi: float) -> Pair:
    """Return tau1 and tau2 from the rates of the cells of sample uniques."""
    v = rates * (1 - pi)
    return float(np.exp(-v).sum()), float((-np.expm1(-v) / v).sum())


def tau_row(columns: str, pi: float) -> Callable[[], Cells]:
    def compute() -> Cells:
        names, chosen = COLUMNS[columns], sampled(pi)
        people = adult_strings()
        sample = people.filter(pl.Series(chosen))
        alone = sizes(sample, names) == 1
        everybody = sizes(people, names)[chosen][alone]
        truth = float((everybody == 1).sum()), float((1 / everybody).sum())
        shares = [sizes(sample, [name])[alone] / len(sample) for name in names]
        theirs = matches(len(sample) * np.prod(shares, axis=0), pi)  # mu, not mu / pi
        first = so.population_uniqueness(sample, names, len(people), "loglinear").model_search[0]
        assert first["pairs"] == []
        ours = first["tau1"], first["tau2"]
        for right, wrong, near in zip(truth, theirs, ours, strict=True):
            assert abs(near - right) < abs(wrong - right)
        return shown(truth), shown(theirs), shown(ours)

    return compute


for _columns in COLUMNS:
    for _pi in (0.1, 0.2, 0.5):
        ROWS[f"SNB, {_columns} columns, π = {_pi}"] = snb_row(_columns, _pi)
for _columns in ("5", "4"):
    for _pi in (0.1, 0.2, 0.5):
        ROWS[f"τ1, τ2, {_columns} columns, π = {_pi}"] = tau_row(_columns, _pi)
