"""Rows of numbers on the page, the data they are about, and what other tools answered."""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import singleout as so

PROJECT = Path(__file__).resolve().parents[2]
SHARED = PROJECT.parent / "shared"
PAGE = PROJECT / "docs/how-to/coming-from.md"
GOLDENS = SHARED / "goldens"
ADULT = SHARED / "data/adult.csv"
TESTDATA = SHARED / "data/sdcmicro_testdata.csv"
KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
RECODED = ["urbrur", "roof", "walls", "sex", "age"]
COLUMNS = {
    "9": [
        "sex", "age", "race", "marital-status", "education", "native-country", "workclass",
        "occupation", "salary-class",
    ],
    "5": ["sex", "age", "race", "education", "native-country"],
    "4": ["sex", "age", "race", "marital-status"],
}  # fmt: skip


Cells = tuple[str, ...]
ROWS: dict[str, Callable[[], Cells]] = {}


def row(label: str) -> Callable[[Callable[[], Cells]], Callable[[], Cells]]:
    """Say which row of the page a function computes."""

    def register(compute: Callable[[], Cells]) -> Callable[[], Cells]:
        assert label not in ROWS
        ROWS[label] = compute
        return compute

    return register


def golden(name: str) -> list[dict[str, str]]:
    with (GOLDENS / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def golden_numbers(name: str, column: str) -> np.ndarray:
    return np.array([float(line[column]) for line in golden(name)])


def number(value: float | None) -> str:
    return "none" if value is None else f"{value:.4g}"


def listed(values: Any) -> str:
    return ", ".join(f"{value:g}" for value in values)


@cache
def adult_table() -> so.Table:
    return so.read(ADULT)


@cache
def adult_strings() -> pl.DataFrame:
    return pl.read_csv(ADULT, separator=";", infer_schema=False)


def frame(columns: dict[str, Any], index: list[int] | None = None) -> Any:
    return pytest.importorskip("pandas").DataFrame(columns, index=index)
