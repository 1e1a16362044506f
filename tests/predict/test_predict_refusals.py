"""What cannot be meant is refused in one sentence, and never with a traceback or a warning."""

from __future__ import annotations

import math
import warnings

import numpy as np
import polars as pl
import pytest
from scipy import stats

from singleout.errors import BadChoice
from singleout.predict import (
    Distribution,
    correlated,
    for_person,
    group_sizes,
    singletons,
    uniqueness_probability,
)

SHARES = [0.5, 0.3, 0.2]
TABLE = {"a": [1, 2]}
JOINT = [[0.3, 0.2], [0.1, 0.4]]
NORMAL = {"covariance": [[1, 0.5], [0.5, 1]], "widths": [1, 1], "method": "simulate"}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (lambda: Distribution.from_table(TABLE, 5), "names of columns"),
        (lambda: Distribution.from_table(TABLE, [5]), "names of columns"),
        (lambda: Distribution.from_table({"n": [1, 2]}, counts="n"), "no column beside 'n'"),
        (lambda: Distribution.from_counts([3, 2], cells=10**400), "at most 1e\\+300"),
        (lambda: Distribution.from_counts([3, 2], cells=np.complex64(5)), "must be a number"),
        (lambda: Distribution.from_counts([3, 2], cells=True), "must be a number"),
        (lambda: Distribution.from_probabilities(np.array([1 + 0j])), "list of numbers"),
        (lambda: Distribution.from_probabilities([10**400]), "list of numbers"),
        (lambda: Distribution.from_scipy(stats.norm([0, 1], 1), 1), "2 distributions at once"),
        (lambda: Distribution.from_scipy(stats.norm(math.nan, 1), 1), "does not exist"),
        (lambda: Distribution.from_scipy(stats.norm(), 1, 1e18), "offset is 1e\\+18"),
        (lambda: Distribution.from_summary(cells=10, power_sums="ab"), "one to 8 numbers"),
        (lambda: Distribution.from_summary(cells=10**400, kl=0.1), "at most 1e\\+300"),
        (lambda: Distribution.from_summary(cells=np.complex64(5), kl=0.1), "number of possible"),
        (lambda: correlated(5, **NORMAL, rng="a"), "rng must be"),
        (lambda: correlated(5, **NORMAL, rng=-1), "rng must be"),
        (lambda: correlated(5, joint=JOINT, rng=1), "rng= goes with covariance="),
        (lambda: correlated(5, joint=JOINT, offsets=[0, 0]), "offsets= goes with covariance="),
        (lambda: group_sizes(SHARES, 3).at_most("a"), "whole number from 0"),
        (lambda: group_sizes(SHARES, 3).at_most(1.5), "whole number from 0"),
        (lambda: group_sizes(SHARES, 3).at_most(True), "whole number from 0"),
        (lambda: group_sizes(SHARES, 100, up_to=3).at_most(5), "up_to=5"),
        (lambda: group_sizes(SHARES, 10**30), "people must be at most"),
        (lambda: for_person(SHARES, 0.5, 10, sample=0), "sample must be a whole number"),
        (lambda: singletons(pl.DataFrame(TABLE), 2), "data and not a distribution"),
        (lambda: singletons(SHARES, 3, np.array([True, False])), "must be True, False or None"),
        (lambda: singletons(SHARES, 3).quantile(np.complex64(0.5)), "must be a share from 0 to 1"),
    ],
)
def test_it_is_refused_in_a_sentence(asked, said):
    with pytest.raises(BadChoice, match=said) as refused:
        asked()
    assert str(refused.value).endswith(".")


def test_more_cells_than_atoms_are_no_trouble():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        spread = Distribution(np.array([1e-300]), np.array([1e300]), 1e300)
        assert uniqueness_probability(spread, 3).probability == 1
        assert group_sizes(spread, 3).unique == pytest.approx(3)
        assert singletons(spread, 3).mean == pytest.approx(3)
    assert str(spread).startswith("about 10^300 cells")
