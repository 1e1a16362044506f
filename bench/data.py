"""The data that cases share: real files from ../shared, and a large generated table."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bench.case import AbsentError

__all__ = ["CENSUS_LEFT_OUT", "Coded", "adult", "census", "coded", "large", "large_file"]

CHECKOUT = Path(__file__).resolve().parents[1]
SHARED = CHECKOUT.parent / "shared"
LARGE_ROWS, QUICK_ROWS, SEED = 5_000_000, 500_000, 20240601
CENSUS_LEFT_OUT = ("MARSUPWT", "INCOME", "SPLIT")  # weight, outcome, and train or test


@dataclass(frozen=True)
class Coded:
    """A table as dense codes from 0, of one or two bytes a cell."""

    names: list[str]
    columns: list[NDArray[Any]]
    levels: list[int]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.columns[0]), len(self.columns)


def coded(frame: pl.DataFrame) -> Coded:
    """Encode a frame, by polars: what is benchmarked has no part in making the data."""
    columns = [_dense(series) for series in frame.get_columns()]
    return Coded(frame.columns, columns, [int(codes.max()) + 1 for codes in columns])


def _dense(series: pl.Series) -> NDArray[Any]:
    if isinstance(series.dtype, pl.Categorical):
        series = series.to_physical()
    ranks = series.rank("dense").to_numpy() - 1
    return ranks.astype(np.uint8 if ranks.max() < 1 << 8 else np.uint16)


@cache
def adult() -> Coded:
    """Return UCI Adult, 9 columns."""
    return coded(_text(shared("data/adult.csv"), separator=";"))


@cache
def census(columns: tuple[str, ...] = ()) -> Coded:
    """Return some columns of Census-Income, or the 40 that describe a person."""
    frame = _text(shared("data/census_income_kdd_299285.csv.gz"), separator=",")
    return coded(frame.select(columns) if columns else frame.drop(CENSUS_LEFT_OUT))


@cache
def large(quick: bool) -> Coded:
    """Return the large generated table."""
    return coded(pl.read_parquet(large_file(quick)))


def large_file(quick: bool) -> Path:
    """Return the path of the large generated table, made the first time it is asked for."""
    rows = QUICK_ROWS if quick else LARGE_ROWS
    maker = shared("bench/make_large.py")
    shared("data/census_income_kdd_299285.csv.gz")  # the maker fits its model to it
    path = CHECKOUT / "bench" / "data" / f"large-{rows}.parquet"
    if not path.exists():
        print(f"Generating {rows:,} rows into {path.name}, once", file=sys.stderr)
        path.parent.mkdir(exist_ok=True)
        unfinished = path.with_suffix(".part")
        command: Sequence[str | Path] = [sys.executable, maker, str(rows), str(SEED), unfinished]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        unfinished.rename(path)
    return path


def shared(name: str) -> Path:
    """Return a file of ../shared, or raise `AbsentError`."""
    path = SHARED / name
    if not path.exists():
        raise AbsentError(f"../shared/{name} is not beside this checkout.")
    return path


def _text(path: Path, *, separator: str) -> pl.DataFrame:
    """Read every cell as text, so that none is reinterpreted and none is missing."""
    frame = pl.read_csv(path, separator=separator, infer_schema=False)
    return frame.with_columns(pl.all().fill_null(""))
