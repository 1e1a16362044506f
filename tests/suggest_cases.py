"""Tables to suggest treatments for, and a score of what was written that reads files alone."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import singleout as so

KNOWN = ["age", "sex", "region", "job"]
PLAN: dict[str, Any] = {
    "columns": {
        **{name: {"role": "quasi-identifier", "exposure": "EE"} for name in KNOWN},
        "illness": {"role": "sensitive", "moral": 4},
        "name": {"role": "direct-identifier"},
    }
}


def people(size: int = 300) -> pl.DataFrame:
    """People with a rare region, many ages, and five illnesses."""
    rng = np.random.default_rng(1)
    return pl.DataFrame(
        {
            "name": [f"Person {i}" for i in range(size)],
            "age": rng.integers(18, 90, size),
            "sex": rng.choice(["f", "m"], size),
            "region": rng.choice(["n", "s", "w", "e"], size, p=[0.5, 0.3, 0.15, 0.05]),
            "job": rng.choice(list("abcdefgh"), size),
            "illness": rng.choice(["flu", "cold", "hiv", "cancer", "none"], size),
            "income": rng.integers(1000, 5000, size),
        }
    )


def measured(path: Path, plan: Any) -> dict[str, Any]:
    """Return what an assessment of a file finds."""
    table = so.read(path)
    given = so.Plan.of(plan).within(table.columns)
    found = so.assess(table, given, advice=False)
    return {
        "records": table.rows,
        "k": found.anonymity.k,
        "unique_share": found.anonymity.unique_share,
        "highest_risk": found.level,
    }


class Score:
    """What a written CSV file has: its Loss by the hierarchy files, its classes, its mistakes.

    Loss of a column = (sum of shares - n/D) / (n - n/D), D the number of leaves; an empty cell and
    a record that is not there have the share 1.
    """

    def __init__(
        self,
        path: Path,
        original: pl.DataFrame,
        hierarchies: Mapping[str, Path],
        separator: str = ",",
        also: Sequence[str] = (),
    ) -> None:
        names = [*hierarchies, *also]
        published = pl.read_csv(path, separator=separator, infer_schema=False).select(names)
        self.by_column: dict[str, float] = {}
        self.uncovered = 0
        for name, file in hierarchies.items():
            with file.open(newline="", encoding="utf-8") as text:
                rows = list(csv.reader(text, delimiter=";"))
            share: dict[str | None, float] = {None: 1.0}
            for level in zip(*rows, strict=True):
                for label, times in Counter(level).items():
                    share[label] = max(share.get(label, 0.0), times / len(rows))
            n, leaves = len(original), len(rows)
            times_of = Counter(published[name].to_list())
            total = sum(share[label] * times for label, times in times_of.items())
            total += n - len(published)
            self.by_column[name] = (total - n / leaves) / (n - n / leaves)
            if len(published) == n:
                of_value = {row[0]: {*row, None} for row in rows}
                pairs = Counter(zip(original[name], published[name], strict=True))
                self.uncovered += sum(
                    times for (old, new), times in pairs.items() if new not in of_value[old]
                )
        self.loss = sum(self.by_column.values()) / len(self.by_column)
        columns = [published[name].to_list() for name in hierarchies]
        self.classes = Counter(zip(*columns, strict=True))
        self.smallest = min(self.classes.values())
        self.published = published
