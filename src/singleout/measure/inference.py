"""The levels of inference: how far a rate tells a sensitive value. Sondeck and Laurent, 4.2."""

from __future__ import annotations

from bisect import bisect_right

__all__ = ["INFERENCES", "INFERENCE_BOUNDS", "inference_level"]

INFERENCES = ("Weak", "Moderate", "Severe", "Critical")
INFERENCE_BOUNDS = (0.25, 0.5, 0.75)  # a rate on a bound belongs to the level above it


def inference_level(rate: float) -> int:
    """Return the level of a rate: 1 below 0.25, 2 below 0.5, 3 below 0.75, and 4 from there on.

    Examples
    --------
    >>> [inference_level(rate) for rate in (0.0, 0.25, 0.669, 0.75)]
    [1, 2, 3, 4]
    """
    return 1 + bisect_right(INFERENCE_BOUNDS, rate)
