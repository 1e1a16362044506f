"""The levels of inference: how far a rate tells a sensitive value. Sondeck and Laurent, 4.2."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from singleout.report.say import say, words

__all__ = [
    "DIGITS",
    "INFERENCES",
    "INFERENCE_BOUNDS",
    "inference_level",
    "inference_levels",
    "level_name",
    "level_names",
]

INFERENCES = ("Weak", "Moderate", "Severe", "Critical")
INFERENCE_BOUNDS = (0.25, 0.5, 0.75)  # a rate on a bound belongs to the level above it

DIGITS = 12  # a rate that misses a bound by less does so by the rounding of sums


def inference_level(rate: float, bounds: Sequence[float] = INFERENCE_BOUNDS) -> int:
    """Return the level of a rate: 1 below 0.25, 2 below 0.5, 3 below 0.75, and 4 from there on.

    ``bounds`` are others, where a plan has them.

    Examples
    --------
    >>> [inference_level(rate) for rate in (0.0, 0.25, 0.669, 0.75)]
    [1, 2, 3, 4]
    """
    return int(inference_levels(rate, bounds))


def inference_levels(
    rates: ArrayLike, bounds: Sequence[float] = INFERENCE_BOUNDS
) -> NDArray[np.int64]:
    """Return the level of each of many rates.

    Examples
    --------
    >>> inference_levels([0.1, 0.4999999999999999, 0.9]).tolist()
    [1, 3, 4]
    """
    rounded = np.round(np.asarray(rates, dtype=np.float64), DIGITS)
    return np.asarray(1 + np.searchsorted(bounds, rounded, side="right"))


# ---- words for people; files and JSON have the English names


def level_name(scale: str, level: int) -> str:
    """Return what a level is called: of a risk, severity, exploitability, exposure or inference.

    >>> level_name("inference", 3)
    'Severe'
    """
    return say(f"levels.{scale}.{level}")


def level_names(scale: str) -> tuple[str, ...]:
    """Return what the levels of a scale are called, from 1.

    >>> level_names("inference")
    ('Weak', 'Moderate', 'Severe', 'Critical')
    """
    return tuple(level_name(scale, int(level)) for level in words(f"levels.{scale}"))
