"""Log-linear models: Skinner and Shlomo (2008), Assessing identification risk in survey microdata.

The records of cell k are Poisson with mean mu_k = pi lambda_k, and log mu is a sum of main effects
and pairs. Given the fit, a sample unique has none of its kind outside the sample with probability
exp(-v), v = lambda (1 - pi):

    tau1 = sum over sample uniques of exp(-v)            (population uniques in the sample)
    tau2 = sum over sample uniques of (1 - exp(-v)) / v  (expected correct matches)

A model with too few terms makes tau too small or too large. Their test compares the spread of the
counts with the fit where it matters for tau1,

    B = sum of a (f - mu) + b ((f - mu)^2 - f),  a = (1-pi) lambda e^-lambda,
                                                 b = (1-pi)^2 lambda e^-lambda / (2 pi)

over all cells, and its variance is V = sum of a^2 mu + 2 b^2 mu^2: B / sqrt(V) far above 0 says
that terms are missing, far below that there are too many. Pairs are added until it is within 1.96.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from singleout.core.arrays import F64, sums
from singleout.methods.population.forest import Cells, Forest, Pair, pairs_by_information

__all__ = ["CELL_LIMIT", "LogLinear", "Step", "loglinear", "loglinear_interval"]

CELL_LIMIT = 2**17  # a table of all cells up to this size is fitted with any pairs
_SIGNIFICANT = 1.96
_DRAWS = 100_000  # cells drawn from a model for a sum over cells that are not stored
_WORK = 600_000  # records or cells over all replicates
_REPLICATES = 200
_SWEEPS = 200


@dataclass(frozen=True)
class Step:
    """A model of the search: its pairs, what it says, and the test of Skinner and Shlomo."""

    pairs: tuple[Pair, ...]
    tau1: float
    tau2: float
    test: float  # B / sqrt(V)


@dataclass(frozen=True, eq=False)
class LogLinear:
    """The model that was chosen, and those before it.

    Parameters
    ----------
    step
        The model chosen.
    search
        All models tried, in order.
    cells
        How many value combinations are possible.
    """

    step: Step
    search: tuple[Step, ...]
    cells: float
    fitted: F64 | Forest = field(repr=False)

    @property
    def accepted(self) -> bool:
        """Whether the test finds neither too few nor too many terms."""
        return abs(self.step.test) <= _SIGNIFICANT


def _weights(fitted: F64, pi: float) -> tuple[F64, F64]:
    rate = fitted / pi
    a = (1 - pi) * rate * np.exp(-rate)
    return a, a * (1 - pi) / (2 * pi)


def _taus(counts: F64, fitted: F64, pi: float) -> tuple[float, float]:
    v = fitted[counts == 1] * (1 - pi) / pi
    with np.errstate(invalid="ignore", divide="ignore"):
        matches = np.where(v > 0, -np.expm1(-v) / v, 1.0)
    return float(np.exp(-v).sum()), float(matches.sum())


def _test(counts: F64, fitted: F64, pi: float, empty: tuple[float, float]) -> float:
    """Return B / sqrt(V) of the cells given, and of empty ones by their sums."""
    a, b = _weights(fitted, pi)
    gap = counts - fitted
    bias = float((a * gap + b * (gap**2 - counts)).sum()) + empty[0]
    variance = float((a**2 * fitted + 2 * b**2 * fitted**2).sum()) + empty[1]
    return float(bias / np.sqrt(variance)) if variance > 0 else 0.0


def _empty_sums(
    cells: Cells, own: F64, forest: Forest, pi: float, rng: np.random.Generator
) -> tuple[float, float]:
    """Return the sums of B and V over the cells that do not occur.

    The sum over all cells of mu g(mu) is n times the mean of g over cells drawn from the model;
    the cells that occur, whose fitted counts are ``own``, are taken off.
    """
    count = int(min(_DRAWS, max(50_000, 2 * cells.records)))
    drawn = forest.sample(count, rng).fitted

    def terms(fitted: F64) -> tuple[F64, F64]:
        a, b = _weights(fitted, pi)
        return -a * fitted + b * fitted**2, a**2 * fitted + 2 * b**2 * fitted**2

    sums = []
    for everywhere, occurring in zip(terms(drawn), terms(own), strict=True):
        total = cells.records * float(np.mean(everywhere / np.maximum(drawn, 1e-300)))
        sums.append(total - float(occurring.sum()))
    return sums[0], max(0.0, sums[1])


def _search_forest(cells: Cells, pi: float, rng: np.random.Generator) -> LogLinear:
    pairs = pairs_by_information(cells)
    steps, best, chosen = [], None, None
    for count in range(len(pairs) + 1):
        forest = Forest(cells, pairs[:count])
        fitted = forest.expected(cells.codes)
        test = _test(cells.sizes, fitted, pi, _empty_sums(cells, fitted, forest, pi, rng))
        step = Step(tuple(pairs[:count]), *_taus(cells.sizes, fitted, pi), test)
        steps.append(step)
        if best is None or abs(test) < abs(best.test):
            best, chosen = step, forest
        if abs(test) <= _SIGNIFICANT:
            break
    assert best is not None
    assert chosen is not None
    return LogLinear(best, tuple(steps), cells.possible, chosen)


# ---- tables of all cells, fitted by iterative proportional fitting


def _all_cells(cells: Cells) -> F64:
    keys = np.ravel_multi_index(cells.codes, cells.levels)
    return sums(keys, cells.sizes, int(cells.possible)).reshape(cells.levels)


def _sum_to(table: F64, keep: Sequence[int]) -> F64:
    others = tuple(axis for axis in range(table.ndim) if axis not in keep)
    total: F64 = table.sum(axis=others, keepdims=True)
    return total


def _fit(table: F64, terms: Sequence[Sequence[int]], start: F64, sweeps: int = _SWEEPS) -> F64:
    """Scale the start until it has the margins of the table (Deming and Stephan)."""
    wanted = [_sum_to(table, term) for term in terms]
    fitted = start
    for _ in range(sweeps):
        change = 0.0
        for term, margin in zip(terms, wanted, strict=True):
            now = _sum_to(fitted, term)
            factor = np.divide(margin, now, out=np.zeros_like(now), where=now > 0)
            change = max(change, float(np.abs(now - margin).max()))
            fitted = fitted * factor
        if change < 1e-6 * max(1.0, float(table.sum()) * 1e-3):
            break
    return fitted


def _next_pair(table: F64, fitted: F64, left: Sequence[Pair]) -> Pair:
    """Return the pair of columns whose counts the model fits worst."""

    def misfit(pair: Pair) -> float:
        seen, now = _sum_to(table, pair), _sum_to(fitted, pair)
        some = seen > 0
        return float((seen[some] * np.log(seen[some] / now[some])).sum())

    return max(left, key=misfit)


def _search_table(cells: Cells, pi: float) -> LogLinear:
    table = _all_cells(cells)
    mains: list[Sequence[int]] = [(axis,) for axis in range(table.ndim)]
    left = list(combinations(range(table.ndim), 2))
    pairs: list[Pair] = []
    fitted = _fit(table, mains, np.full(table.shape, table.sum() / table.size))
    steps, best, chosen = [], None, None
    while True:
        test = _test(table, fitted, pi, (0.0, 0.0))
        step = Step(tuple(pairs), *_taus(table, fitted, pi), test)
        steps.append(step)
        if best is None or abs(test) < abs(best.test):
            best, chosen = step, fitted
        if abs(test) <= _SIGNIFICANT or not left:
            break
        pairs.append(_next_pair(table, fitted, left))
        left.remove(pairs[-1])
        fitted = _fit(table, [*mains, *pairs], fitted)
    assert chosen is not None
    return LogLinear(best, tuple(steps), cells.possible, chosen)


def loglinear(cells: Cells, pi: float, rng: np.random.Generator) -> LogLinear:
    """Search for the model, and return it with its tau1 and tau2."""
    if cells.possible <= CELL_LIMIT:
        return _search_table(cells, pi)
    return _search_forest(cells, pi, rng)


def loglinear_interval(model: LogLinear, pi: float, rng: np.random.Generator) -> tuple[F64, F64]:
    """Return tau1 of samples drawn from the model, fitted anew, and their true numbers."""
    if isinstance(model.fitted, Forest):
        drawn = _draw_forest(model.fitted, pi, rng)
    else:
        drawn = _draw_table(model.fitted, model.step.pairs, pi, rng)
    estimates, truths = np.array(drawn).T
    return estimates, truths


def _truth(alone: F64, pi: float, rng: np.random.Generator) -> float:
    """Draw how many sample uniques, by their fitted counts, are population uniques."""
    return float((rng.random(len(alone)) < np.exp(-alone * (1 - pi) / pi)).sum())


def _draw_table(
    fitted: F64, pairs: Sequence[Pair], pi: float, rng: np.random.Generator
) -> list[tuple[float, float]]:
    terms = [*((axis,) for axis in range(fitted.ndim)), *pairs]
    answers = []
    for _ in range(int(np.clip(_WORK // fitted.size, 20, _REPLICATES))):
        table = rng.poisson(fitted).astype(np.float64)
        anew = _fit(table, terms, fitted, sweeps=5)
        answers.append((_taus(table, anew, pi)[0], _truth(fitted[table == 1], pi, rng)))
    return answers


def _draw_forest(forest: Forest, pi: float, rng: np.random.Generator) -> list[tuple[float, float]]:
    records = round(forest.records)
    # a random number for each value: equal sums are equal combinations, but for one in 2**40
    marks = [rng.integers(0, 2**63, levels, dtype=np.int64) for levels in forest.levels]
    answers = []
    for _ in range(int(np.clip(_WORK // max(1, records), 20, _REPLICATES))):
        drawn = forest.sample(records, rng)
        alone = drawn.alone(marks)
        anew = forest.refitted(drawn).expected(drawn.codes)[alone]
        tau1, _ = _taus(np.ones(len(alone)), anew, pi)
        answers.append((tau1, _truth(drawn.fitted[alone], pi, rng)))
    return answers
