"""Real tables with their hierarchies as lattices, and the score of a published file.

The scorer reads labels from files alone: it shares no code with what it checks.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from singleout.core.table import Column, Table, smallest_codes
from singleout.treatment.hierarchies.hierarchy import Hierarchy
from singleout.treatment.lattice import Lattice, lattice_of
from singleout.treatment.local.publish import publish
from singleout.treatment.local.recode import LocalRecoding

ADULT = [
    "age",
    "education",
    "marital-status",
    "native-country",
    "occupation",
    "race",
    "salary-class",
    "sex",
    "workclass",
]
CENSUS = ["AAGE", "ASEX", "ARACE", "AMARITL", "AHGA", "ACLSWKR", "AMJOCC", "PENATVTY", "AREORGN"]


def adult_frame(data: Path) -> pl.DataFrame:
    return pl.read_csv(data / "adult.csv", separator=";", infer_schema=False)


def census_frame(data: Path) -> pl.DataFrame:
    path = data / "census_income_kdd_299285.csv.gz"
    frame = pl.read_csv(path, infer_schema=False, columns=CENSUS).select(CENSUS)
    text = pl.all().fill_null("").str.strip_chars().str.replace_all(";", ",", literal=True)
    return frame.with_columns(text)


def hierarchy_rows(data: Path, prefix: str, column: str) -> list[list[str]]:
    path = data / "hierarchies" / f"{prefix}_hierarchy_{column}.csv"
    with path.open(newline="") as file:
        return list(csv.reader(file, delimiter=";"))


def encoded(frame: pl.DataFrame) -> Table:
    columns = []
    for series in frame.get_columns():
        values, codes = np.unique(series.to_numpy().astype(str), return_inverse=True)
        columns.append(Column(series.name, smallest_codes(codes, len(values)), values.tolist()))
    return Table(columns)


def lattice_from(frame: pl.DataFrame, data: Path, prefix: str, columns: Sequence[str]) -> Lattice:
    table = encoded(frame.select(columns))
    trees = [
        Hierarchy.of_rows(name, hierarchy_rows(data, prefix, name)).fit(table[name])
        for name in columns
    ]
    return lattice_of(table, trees)


def write_published(lattice: Lattice, recoding: LocalRecoding, path: Path) -> None:
    """Write what is published, in the order of the records."""
    columns = {
        name: np.array([str(label) for label in column.labels], dtype=object)[column.codes]
        for name, column in zip(lattice.columns, publish(lattice, recoding), strict=True)
    }
    pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String)).write_csv(path, separator=";")


class Score:
    """What a published file has: its loss, its smallest class, and cells that do not cover."""

    def __init__(self, path: Path, original: pl.DataFrame, data: Path, prefix: str) -> None:
        published = pl.read_csv(path, separator=";", infer_schema=False)
        losses, self.uncovered = [], 0
        for name in published.columns:
            rows = hierarchy_rows(data, prefix, name)
            of_value = {row[0]: row for row in rows}
            share: dict[str, float] = {}
            for level in zip(*rows, strict=True):
                for label, times in Counter(level).items():
                    share[label] = max(share.get(label, 0), times / len(rows))
            found = sum(share[label] for label in published[name])
            n, one = len(published), len(published) / len(rows)
            losses.append((found - one) / (n - one))
            pairs = zip(original[name], published[name], strict=True)
            self.uncovered += sum(label not in of_value[value] for value, label in pairs)
        self.loss = sum(losses) / len(losses)
        self.classes = Counter(published.iter_rows())
        self.smallest = min(self.classes.values())
        self.rows = len(published)
