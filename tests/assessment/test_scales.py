"""The scales and the two matrices of Sondeck and Laurent."""

from __future__ import annotations

from typing import Any

import pytest

import naive_assess
from singleout.assessment.rating.scales import (
    EXPLOITABILITIES,
    EXPLOITABILITY,
    INFERENCES,
    RISK,
    RISKS,
    SEVERITIES,
    Exposure,
    inference_level,
    named_level,
    parse_exposure,
)
from singleout.errors import BadChoice


def test_the_exploitability_matrix_is_figure_1() -> None:
    assert {n: EXPLOITABILITY[n - 1] for n in (1, 2, 3, 4)} == naive_assess.FIGURE_1


def test_the_risk_matrix_is_figure_2() -> None:
    assert {n: RISK[n - 1] for n in (1, 2, 3, 4)} == naive_assess.FIGURE_2


@pytest.mark.parametrize("matrix", [EXPLOITABILITY, RISK])
def test_no_matrix_falls_where_a_level_rises(matrix: tuple[tuple[int, ...], ...]) -> None:
    for line in [*matrix, *zip(*matrix, strict=True)]:
        assert list(line) == sorted(line)


def test_levels_are_named_as_in_the_paper() -> None:
    assert SEVERITIES == ("Negligible", "Limited", "Significant", "Maximum")
    assert INFERENCES == ("Weak", "Moderate", "Severe", "Critical")
    assert EXPLOITABILITIES == ("Very difficult", "Difficult", "Easy", "Very easy")
    assert RISKS == ("Minor", "Significant", "Severe", "Critical")
    assert named_level(3, EXPLOITABILITIES) == "3-Easy"


@pytest.mark.parametrize(
    ("given", "level"),
    [
        *((word, 1) for word in ("IR", "RI", "ir", " ri ", 1, "1", "1-RI", "1 - IR")),
        *((word, 2) for word in ("IE", "EI", 2, "2-EI", "2-ie", Exposure.IE)),
        *((word, 3) for word in ("ER", "RE", 3, "3-RE")),
        *((word, 4) for word in ("EE", 4, "4-EE", "4")),
    ],
)
def test_an_exposure_can_be_spelled_in_many_ways(given: Any, level: int) -> None:
    assert parse_exposure(given) == level


@pytest.mark.parametrize("given", ["XX", "", 0, 5, "1-EE", True, 2.0, None, ["EE"], "5-EE", "EE4"])
def test_what_is_no_exposure_is_refused_with_what_would_work(given: Any) -> None:
    with pytest.raises(BadChoice, match=r"is not an exposure; choose one of IR \(1\), IE \(2\)"):
        parse_exposure(given)


@pytest.mark.parametrize(
    ("rate", "level"),
    [(-0.1, 1), (0, 1), (0.2499, 1), (0.25, 2), (0.4999, 2), (0.5, 3), (0.75, 4), (1, 4)],
)
def test_a_rate_on_a_bound_belongs_to_the_level_above(rate: float, level: int) -> None:
    assert inference_level(rate) == level
