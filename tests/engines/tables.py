"""The tables that every engine is asked about: small, and hostile in one way each."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl

# what quoting must survive; no database here takes a NUL
HOSTILE_NAMES = (
    'double "quote" "',
    "single 'quote' '",
    "back `tick` `",
    "[brackets] ]",
    "semi;colon; --",
    "per%cent %s %(x)s %%",
    "back\\slash \\",
    "select",
    "order by",
    "new\nline",
    "a.b",
    "größe 身長",
    "{braces} ${x} :name ?",
    "/* comment",
    "x'); DROP TABLE canary; --",
)

TEXTS = ("a", "A", "a ", "ä", "Ä", "a\u0308", "", " ", "á", "ß", "ss", "é", "e\u0301", "z", "Z")


@cache
def adult(folder: Path) -> pl.DataFrame:
    """30,162 people of the census, as numbers and text."""
    return pl.read_csv(folder / "adult.csv", separator=";")


@cache
def some_adults(folder: Path) -> pl.DataFrame:
    """The first of them, for questions that take long."""
    return adult(folder).head(3000)


@cache
def people() -> pl.DataFrame:
    """Two hundred people without missing values; sums of their weights are exact."""
    rng = np.random.default_rng(7)
    size = 200
    return pl.DataFrame(
        {
            "age": rng.integers(20, 60, size),
            "sex": rng.choice(["f", "m"], size),
            "zip": rng.choice(["0100", "0101", "1000", "100"], size),
            "region": rng.choice(["north", "South", "süd"], size),
            "children": rng.integers(0, 4, size),
            "illness": rng.choice(["flu", "cold", "none", "None"], size),
            "weight": rng.integers(1, 40, size) / 4,
        }
    )


@cache
def nulls() -> pl.DataFrame:
    """A table with missing values in every column; NaN is one of them, and -0.0 equals 0.0."""
    rng = np.random.default_rng(11)
    size = 60
    columns = {
        "age": pl.Series(rng.integers(30, 34, size), dtype=pl.Int64),
        "income": pl.Series(rng.choice([0.0, -0.0, 1.5, float("nan")], size), dtype=pl.Float64),
        "sex": pl.Series(rng.choice(["f", "m", ""], size), dtype=pl.String),
        "born": pl.Series([date(1990, 1, int(d)) for d in rng.integers(1, 4, size)], dtype=pl.Date),
        "nothing": pl.Series([None] * size, dtype=pl.Int64),
    }
    return pl.DataFrame(
        {
            name: values.set(pl.Series(rng.random(size) < 0.2), None)
            for name, values in columns.items()
        }
    )


@cache
def one_row() -> pl.DataFrame:
    """One person."""
    return pl.DataFrame(
        {"age": [41], "sex": ["f"], "zip": [None]},
        schema={"age": pl.Int64, "sex": pl.String, "zip": pl.String},
    )


@cache
def empty() -> pl.DataFrame:
    """Nobody."""
    return people().head(0)


@cache
def hostile_names() -> pl.DataFrame:
    """Column names that break out of careless quoting."""
    rng = np.random.default_rng(13)
    return pl.DataFrame({name: rng.integers(0, 3, 40) for name in HOSTILE_NAMES})


@cache
def name_beyond_two_bytes() -> pl.DataFrame:
    """A column name that MariaDB has no room for: its names are of the first plane of Unicode."""
    return pl.DataFrame({"😀": [1, 1, 2], "é": [1, 2, 2]})


@cache
def names_of_two_cases() -> pl.DataFrame:
    """Column names that differ only in case, which files and PostgreSQL tell apart."""
    return pl.DataFrame({"age": [1, 1, 2, 2], "Age": [1, 2, 3, 4], "AGE": [5, 5, 5, 5]})


@cache
def large_integers() -> pl.DataFrame:
    """Integers that floating point would make equal."""
    values = [2**53, 2**53 + 1, 2**53 + 2, -(2**53) - 1, 2**63 - 1, 2**63 - 2, -(2**63), 0, 0, 1]
    return pl.DataFrame(
        {"key": values, "part": [0, 1] * 5}, schema={"key": pl.Int64, "part": pl.Int64}
    )


@cache
def kinds() -> pl.DataFrame:
    """Dates, timestamps, decimals, booleans, numbers of several widths; some missing."""
    rng = np.random.default_rng(17)
    size = 80
    days = [date(1969, 12, 30) + timedelta(days=int(d)) for d in rng.integers(0, 4, size)]
    timestamps = [
        datetime(2024, 2, 29, 23, 59, 59) + timedelta(microseconds=int(m))
        for m in rng.integers(0, 3, size)
    ]
    # 1.50 and 1.5 are one number; 0.1 has no exact floating-point number
    amounts = [Decimal(text) for text in ("1.50", "1.5", "0.10", "-3.25", "12345678.90")]
    frame = pl.DataFrame(
        {
            "day": pl.Series(days, dtype=pl.Date),
            "moment": pl.Series(timestamps, dtype=pl.Datetime("us")),
            "amount": pl.Series(
                [amounts[i] for i in rng.integers(0, 5, size)], dtype=pl.Decimal(12, 2)
            ),
            "yes": pl.Series(rng.random(size) < 0.3, dtype=pl.Boolean),
            "small": pl.Series(rng.integers(-2, 3, size), dtype=pl.Int32),
            "real": pl.Series(rng.choice([0.1, 0.30000000000000004, 0.3, 1e300, -1e-300], size)),
        }
    )
    gaps = pl.Series(rng.random(size) < 0.1)
    return frame.with_columns(frame["day"].set(gaps, None), frame["yes"].set(gaps.reverse(), None))


@cache
def texts() -> pl.DataFrame:
    """Text that differs only by case, trailing space, accent or normal form."""
    every = [*TEXTS, *TEXTS, None, "a", "A "]
    return pl.DataFrame(
        {"text": every, "half": [index % 2 for index in range(len(every))]},
        schema={"text": pl.String, "half": pl.Int64},
    )


SMALL = (nulls, one_row, hostile_names, large_integers, kinds, texts)  # with oddities of all kinds
