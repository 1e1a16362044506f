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
from scipy.special import ndtr

from bench.case import AbsentError

__all__ = [
    "CENSUS_LEFT_OUT",
    "Coded",
    "adult",
    "census",
    "coded",
    "drawn",
    "large",
    "large_file",
    "large_folder",
    "made_up",
]

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
    return drawn(QUICK_ROWS if quick else LARGE_ROWS)


def drawn(rows: int) -> Path:
    """Return the path of a generated table of so many persons, made the first time."""
    return _generated(rows, SEED, CHECKOUT / "bench" / "data" / f"large-{rows}.parquet")


def large_folder(files: int, quick: bool) -> Path:
    """Return a folder of that many files, each of the rows of `large_file`, all different."""
    rows = QUICK_ROWS if quick else LARGE_ROWS
    folder = CHECKOUT / "bench" / "data" / f"{files}-times-{rows}"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(files):
        name = f"{number:02}.parquet"
        whole = _generated(rows, SEED + number, CHECKOUT / "bench" / "data" / f"{rows}-{name}")
        if not (folder / name).exists():
            (folder / name).hardlink_to(whole)
    return folder


def _generated(rows: int, seed: int, path: Path) -> Path:
    """Draw persons into a file, unless it is there."""
    maker = shared("bench/make_large.py")
    shared("data/census_income_kdd_299285.csv.gz")  # the maker fits its model to it
    if not path.exists():
        print(f"Generating {rows:,} rows into {path.name}, once", file=sys.stderr)
        path.parent.mkdir(exist_ok=True)
        unfinished = path.with_suffix(".part")
        command: Sequence[str | Path] = [sys.executable, maker, str(rows), str(seed), unfinished]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        unfinished.rename(path)
    return path


@cache
def made_up(records: int, columns: tuple[tuple[str, int], ...], seed: int) -> Coded:
    """Return a made-up table: columns by how their values are spread, and how many there are.

    The columns depend on each other through four hidden traits, as answers of one person do.
    """
    rng = np.random.default_rng(seed)
    traits = rng.standard_normal((records, 4), dtype=np.float32)
    codes = []
    for kind, levels in columns:
        loadings = rng.standard_normal(4).astype(np.float32)
        loadings *= np.float32(0.65) / np.linalg.norm(loadings)
        own = np.float32(0.76) * rng.standard_normal(records, dtype=np.float32)
        edges = np.cumsum(_spread(kind, levels, rng))[:-1]
        found = np.searchsorted(edges, ndtr(traits @ loadings + own))
        codes.append(found.astype(np.uint8 if levels <= 256 else np.uint16))
    names = [f"c{place}" for place in range(len(codes))]
    return Coded(names, codes, [levels for _, levels in columns])


def _spread(kind: str, levels: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return the share of each value."""
    place = np.arange(levels)
    if kind == "answer":  # to a question
        shares = rng.dirichlet(np.full(levels, 1.5))
    elif kind == "number":  # bell-shaped, heaped on multiples of five
        shares = np.exp(-0.5 * ((place / levels - 0.45) / 0.22) ** 2) + 0.02
        shares[::5] *= 2
    elif kind == "rare":  # a few values are common, most are rare
        shares = 1 / (place + 3.0)
    else:  # even
        shares = np.ones(levels)
    total: float = shares.sum()
    return np.asarray(shares / total, dtype=np.float64)


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
