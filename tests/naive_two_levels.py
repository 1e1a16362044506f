"""The two-level stand-in as the specification says it: (M*, s2, s3), with M* solved for entropy."""

from __future__ import annotations

import math

import numpy as np


def levels(many: float, s2: float, s3: float) -> tuple[np.ndarray, np.ndarray]:
    """Return two levels and their numbers of cells, with moments M, 1, s2 and s3."""
    constant, linear = np.linalg.solve([[many, 1.0], [1.0, s2]], [-s2, -s3])
    root = math.sqrt(linear * linear - 4 * constant)
    nodes = np.array([(-linear - root) / 2, (-linear + root) / 2])
    return nodes, np.linalg.solve([[1.0, 1.0], nodes], [many, 1.0])


def entropy(many: float, s2: float, s3: float) -> float:
    nodes, cells = levels(many, s2, s3)
    return -float((cells * nodes * np.log(nodes)).sum())


def stand_in(cells: int, kl: float, s2: float, s3: float) -> tuple[np.ndarray, np.ndarray]:
    """Bisect M* between its least and N; the entropy grows with it."""
    wanted = math.log(cells) - kl
    low, high = 1 / s2 * (1 + 1e-9), float(cells)
    while levels(low, s2, s3)[0][1] > 1:  # no cell is more likely than 1
        low += (high - low) * 0.01
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if entropy(middle, s2, s3) > wanted else (middle, high)
    return levels(high, s2, s3)
