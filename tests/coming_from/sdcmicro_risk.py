"""sdcMicro 5.8.1 on its own data: individual risk and log-linear models."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest

import singleout as so
from coming_from.rows import (
    KEYS,
    ROWS,
    TESTDATA,
    Cells,
    golden,
    golden_numbers,
    row,
)


@cache
def individual() -> Any:
    return so.individual_risk(TESTDATA, KEYS, "sampling_weight", "ori_hid")


def exact_risk(f: int, p: float) -> float:
    """The mean of 1/F, by hand: F has a negative binomial distribution."""
    terms = (
        math.exp(
            math.lgamma(h) - math.lgamma(f) - math.lgamma(h - f + 1)
            + f * math.log(p) + (h - f) * math.log1p(-p)
        ) / h
        for h in range(f, int(40 * f / p))
    )  # fmt: skip
    return math.fsum(terms)


def risk_row(f: int, decimals: int) -> Callable[[], Cells]:
    def compute() -> Cells:
        theirs = golden_numbers("sdcmicro_testdata_individual_risk_hh.csv", "risk")
        record = int(np.argmax(individual().matches == f))
        ours = float(individual().risk[record])
        assert ours == pytest.approx(exact_risk(f, 0.01), rel=1e-9)
        assert theirs[record] == pytest.approx(0.01 / (f - 0.99))
        return f"{theirs[record]:.{decimals}f}", f"{ours:.{decimals}f}"

    return compute


for _f, _decimals in ((3, 6), (4, 6), (5, 6), (107, 10)):
    ROWS[f"individual risk, f = {_f}, F = {100 * _f:,}"] = risk_row(_f, _decimals)


@row("records whose individual risk differs, and by how much at most")
def records_that_differ() -> Cells:
    theirs = golden_numbers("sdcmicro_testdata_individual_risk_hh.csv", "risk")
    excess = theirs / individual().risk - 1
    different = np.abs(excess) > 1e-9
    assert np.array_equal(different, individual().matches >= 3)
    assert individual().matches[excess.argmax()] == 3
    return f"{different.sum():,} of 4,580", f"{excess.max():.2%} above"


@row("expected re-identifications")
def expected() -> Cells:
    (theirs,) = golden_numbers("sdcmicro_testdata_global_risk_hh.csv", "risk_ER")
    return f"{theirs:.4f}", f"{individual().expected:.4f}"


@row("global risk")
def global_risk() -> Cells:
    (theirs,) = golden_numbers("sdcmicro_testdata_global_risk_hh.csv", "risk")
    return f"{theirs:.7f}", f"{individual().global_risk:.7f}"


@row("expected re-identifications with households")
def expected_of_households() -> Cells:
    (theirs,) = golden_numbers("sdcmicro_testdata_global_risk_hh.csv", "hier_risk_ER")
    return f"{theirs:.4f}", f"{individual().household.sum():.4f}"


@row("global risk with households")
def global_risk_of_households() -> Cells:
    (theirs,) = golden_numbers("sdcmicro_testdata_global_risk_hh.csv", "hier_risk")
    return f"{theirs:.6f}", f"{individual().household.mean():.6f}"


# the log-linear model


@cache
def occurring() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the cells that occur, their counts, and the fit of main effects, by hand."""
    codes = pl.read_csv(TESTDATA).select(KEYS).to_numpy()
    cells, counts = np.unique(codes, axis=0, return_counts=True)
    shares = [[(codes[:, j] == value).mean() for j, value in enumerate(cell)] for cell in cells]
    return cells, counts, len(codes) * np.prod(shares, axis=1)


def per_cell(counts: np.ndarray, rates: np.ndarray) -> tuple[float, float]:
    """Return tau1 and tau2 for a sampling fraction of 0.01, divided by the cells that occur."""
    v = rates[counts == 1] * 0.99
    return float(np.exp(-v).sum() / len(counts)), float((-np.expm1(-v) / v).sum() / len(counts))


def poisson_fit(counts: np.ndarray, terms: np.ndarray, offset: Any = 0.0) -> np.ndarray:
    """Fit a Poisson regression by iterated least squares."""
    fitted = counts + 0.1
    linear = np.log(fitted)
    for _ in range(60):
        working = linear - offset + (counts - fitted) / fitted
        weighted = terms * fitted[:, None]
        linear = terms @ np.linalg.solve(weighted.T @ terms, weighted.T @ working) + offset
        fitted = np.exp(linear)
    return fitted


def slopes(method: str) -> tuple[float, float]:
    """Return what sdcMicro's glm computes: mu for lambda, and codes taken for quantities."""
    cells, counts, _ = occurring()
    known = dict(zip(map(tuple, cells.tolist()), counts.tolist(), strict=True))
    grid = np.array(list(itertools.product(*(np.unique(column) for column in cells.T))))
    of_cell = np.array([known.get(tuple(cell), 0) for cell in grid.tolist()], dtype=float)
    weights = 100 * of_cell
    terms = np.column_stack([np.ones(len(grid)), grid])
    if method == "weightedLLM":
        fitted = poisson_fit(of_cell, np.column_stack([terms, weights]))
    elif method == "CE":
        offset = np.divide(of_cell, weights, out=np.zeros_like(of_cell), where=weights > 0)
        fitted = poisson_fit(of_cell, terms, np.log(offset + 0.1))
    else:
        fitted = poisson_fit(of_cell, terms)
    return per_cell(of_cell[of_cell > 0], fitted[of_cell > 0])


@cache
def main_effects() -> tuple[float, float]:
    weights = so.Population(weights="sampling_weight")
    found = so.population_uniqueness(TESTDATA, KEYS, weights, "loglinear")
    first = found.model_search[0]
    assert first["pairs"] == []
    cells, counts, fitted = occurring()
    by_hand = per_cell(counts, fitted / 0.01)
    assert (first["tau1"] / len(cells), first["tau2"] / len(cells)) == pytest.approx(by_hand)
    return first["tau1"], first["tau2"]


def model_row(method: str) -> Callable[[], Cells]:
    def compute() -> Cells:
        (line,) = golden(f"sdcmicro_testdata_modrisk_{method}.csv")
        theirs = float(line["gr1"]), float(line["gr2"])
        _, counts, fitted = occurring()
        reproduced = per_cell(counts, fitted) if method == "IPF" else slopes(method)
        assert theirs == pytest.approx(reproduced, rel=1e-9)
        ours = [tau / len(counts) for tau in main_effects()]
        return tuple(", ".join(f"{value:.4f}" for value in pair) for pair in (theirs, ours))

    return compute


for _method in ("default", "PML", "CE", "weightedLLM", "IPF"):
    ROWS[f"`modRisk`, {_method}: gr1, gr2"] = model_row(_method)
