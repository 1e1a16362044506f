"""Log-linear models: fits, the test of Skinner and Shlomo, and tau against known populations."""

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_population as naive
import singleout as so
from singleout.methods.population import loglinear as module
from singleout.methods.population.forest import Cells, Forest, pairs_by_information
from singleout.methods.population.loglinear import CELL_LIMIT, loglinear, loglinear_interval

SHARED = Path(__file__).parents[3] / "shared"
needs_shared = pytest.mark.skipif(not SHARED.exists(), reason="needs ../shared")
KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]


def cells_of(records: np.ndarray, levels: tuple[int, ...]) -> Cells:
    combinations, sizes = np.unique(records, axis=0, return_counts=True)
    return Cells(tuple(combinations.T.astype(np.int64)), levels, sizes * 1.0)


def related(people: int, rng: np.random.Generator, levels: int = 12) -> np.ndarray:
    """Four columns: the second depends on the first, the fourth on the third."""
    law = rng.dirichlet(np.full(levels, 0.8))
    first, third = rng.choice(levels, people, p=law), rng.choice(levels, people, p=law)
    near = rng.integers(-1, 2, (2, people))
    return np.column_stack([first, (first + near[0]) % levels, third, (third + near[1]) % levels])


def truth(population: np.ndarray, sampled: np.ndarray) -> tuple[float, float]:
    """Population uniques among sample uniques, and the sum of 1/F over sample uniques."""
    keys, people = np.unique(population, axis=0, return_counts=True)
    everybody = dict(zip(map(tuple, keys.tolist()), people.tolist(), strict=True))
    seen, counts = np.unique(population[sampled], axis=0, return_counts=True)
    shared = [everybody[tuple(key)] for key in seen[counts == 1].tolist()]
    return sum(many == 1 for many in shared), sum(1 / many for many in shared)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_main_effects_are_products_of_margins(seed: int) -> None:
    rng = np.random.default_rng(seed)
    records = rng.integers(0, 3, (40, 3))
    cells = cells_of(records, (3, 3, 3))
    fitted = Forest(cells, ()).expected(cells.codes)
    for index, value in enumerate(fitted):
        product = 40.0
        for column in range(3):
            product *= (records[:, column] == cells.codes[column][index]).mean()
        assert value == pytest.approx(product)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6))
def test_the_closed_form_is_what_proportional_fitting_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells = cells_of(rng.integers(0, 3, (60, 4)), (3, 3, 3, 3))
    pairs = [(0, 1), (1, 2)]
    table = module._all_cells(cells)
    terms = [(0,), (1,), (2,), (3,), *pairs]
    fitted = module._fit(table, terms, np.full(table.shape, 60 / table.size))
    assert fitted[cells.codes] == pytest.approx(
        Forest(cells, pairs).expected(cells.codes), rel=1e-4
    )
    for term in terms:
        assert module._sum_to(fitted, term) == pytest.approx(module._sum_to(table, term), abs=1e-4)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.05, 0.9))
def test_tau_and_the_test_are_those_of_the_paper(seed: int, pi: float) -> None:
    rng = np.random.default_rng(seed)
    cells = cells_of(rng.integers(0, 4, (50, 3)), (4, 4, 4))
    found = loglinear(cells, pi, rng)
    assert isinstance(found.fitted, np.ndarray)
    counts = module._all_cells(cells).astype(int).ravel().tolist()
    fitted = found.fitted.ravel().tolist()
    assert (found.step.tau1, found.step.tau2) == pytest.approx(naive.taus(counts, fitted, pi))
    assert found.step.test == pytest.approx(naive.test_statistic(counts, fitted, pi))


def test_circles_are_left_out() -> None:
    rng = np.random.default_rng(1)
    cells = cells_of(related(3000, rng), (12, 12, 12, 12))
    pairs = pairs_by_information(cells)
    assert set(pairs[:2]) == {(0, 1), (2, 3)}
    assert len(pairs) == 3


def test_cells_are_drawn_as_the_model_says() -> None:
    rng = np.random.default_rng(2)
    cells = cells_of(related(5000, rng), (12, 12, 12, 12))
    forest = Forest(cells, [(0, 1), (2, 3)])
    drawn = np.column_stack(forest.draw(200_000, rng))
    for pair in ((0, 1), (2, 3)):
        table = np.zeros((12, 12))
        np.add.at(table, (drawn[:, pair[0]], drawn[:, pair[1]]), 1)
        assert table / 200_000 == pytest.approx(cells.table(pair) / 5000, abs=0.004)


@pytest.mark.parametrize("limit", [CELL_LIMIT, 100])
def test_the_search_finds_the_pairs_and_tau_is_true(
    monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    # with all cells in a table, and where they are too many for one
    monkeypatch.setattr(module, "CELL_LIMIT", limit)
    rng = np.random.default_rng(3)
    ratios = []
    for _ in range(5):
        population = related(30_000, rng)
        sampled = rng.random(30_000) < 0.1
        cells = cells_of(population[sampled], (12, 12, 12, 12))
        found = loglinear(cells, 0.1, rng)
        assert found.search[0].test > 5  # independence: terms are missing
        assert found.accepted
        assert set(found.step.pairs) == {(0, 1), (2, 3)}
        tau1, tau2 = truth(population, sampled)
        ratios.append([found.step.tau1 / tau1, found.step.tau2 / tau2])
    assert np.mean(ratios, axis=0) == pytest.approx([1, 1], abs=0.12)


def test_replicates_are_fitted_anew_and_scatter_around_their_truth() -> None:
    rng = np.random.default_rng(4)
    population = related(30_000, rng)
    cells = cells_of(population[rng.random(30_000) < 0.2], (12, 12, 12, 12))
    estimates, truths = loglinear_interval(loglinear(cells, 0.2, rng), 0.2, rng)
    assert np.median(estimates / truths) == pytest.approx(1, abs=0.15)


@needs_shared
def test_sdcmicro_takes_the_fitted_sample_count_for_the_rate_of_the_population() -> None:
    """SdcMicro 5.8.1 divides by the cells that occur, and has mu where lambda = mu / pi belongs."""
    table = so.read(SHARED / "data/sdcmicro_testdata.csv")
    counts = so.count(table, KEYS)
    levels = tuple(len(values) + 1 for values in counts.values)
    cells = Cells(tuple(c.astype(np.int64) for c in counts.codes), levels, counts.sizes * 1.0)
    pi = cells.records / 458_000
    fitted = Forest(cells, ()).expected(cells.codes)
    wrong = fitted * pi  # so that mu / pi is mu
    theirs = [float(value) / len(counts) for value in module._taus(cells.sizes, wrong, pi)]
    with (SHARED / "goldens/sdcmicro_testdata_modrisk_IPF.csv").open() as file:
        (golden,) = csv.DictReader(file)
    assert theirs == pytest.approx([float(golden["gr1"]), float(golden["gr2"])], abs=5e-4)
    ours = [value / len(counts) for value in module._taus(cells.sizes, fitted, pi)]
    assert ours == pytest.approx([0.0133, 0.0362], abs=1e-3)


def test_lambda_is_right_and_mu_is_wrong_by_simulation() -> None:
    rng = np.random.default_rng(6)
    population = rng.choice(10, (40_000, 4), p=rng.dirichlet(np.full(10, 0.7)))
    sampled = rng.random(40_000) < 0.02
    cells = cells_of(population[sampled], (10,) * 4)
    fitted = Forest(cells, ()).expected(cells.codes)
    tau1, tau2 = truth(population, sampled)
    ours, wrong = (module._taus(cells.sizes, mu, 0.02) for mu in (fitted, fitted * 0.02))
    assert ours == pytest.approx([tau1, tau2], rel=0.35)
    assert wrong[0] > 2 * tau1
    assert wrong[1] > 2 * tau2
