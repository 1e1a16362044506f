"""A small survey that every command on treatments is run on."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    """Return a file of 240 people: age, sex and region are known, and income is not."""
    rng = np.random.default_rng(17)
    path = tmp_path / "survey.csv"
    pl.DataFrame(
        {
            "name": [f"p{number}" for number in range(240)],
            "age": rng.integers(20, 60, 240),
            "sex": rng.choice(["f", "m"], 240),
            "region": rng.choice(["north", "south", "east"], 240),
            "income": rng.integers(1, 9, 240) * 1000,
        }
    ).write_csv(path)
    return path


@pytest.fixture
def steps(tmp_path: Path) -> Path:
    """Return a file of steps for it."""
    path = tmp_path / "steps.yaml"
    path.write_text("steps:\n  - drop: [name]\n  - recode: age\n    width: 10\n")
    return path
