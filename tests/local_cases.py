"""Small random tables with random hierarchies, for tests of local recoding."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from hypothesis import strategies as st

from singleout.core.table import Column, Table, smallest_codes
from singleout.treatment.hierarchies.hierarchy import Hierarchy
from singleout.treatment.lattice import Lattice, lattice_of


@dataclass(frozen=True)
class Case:
    """Records as numbers of rows of hierarchies, whose rows lead from a value to ``*``."""

    rows: list[list[list[str]]]
    records: list[tuple[int, ...]]

    @cached_property
    def lattice(self) -> Lattice:
        columns = []
        for j, rows in enumerate(self.rows):
            codes = np.array([record[j] for record in self.records])
            values = [row[0] for row in rows]
            columns.append(Column(f"c{j}", smallest_codes(codes, len(values)), values))
        trees = [
            Hierarchy.of_rows(column.name, rows).fit(column)
            for column, rows in zip(columns, self.rows, strict=True)
        ]
        return lattice_of(Table(columns), trees)

    @property
    def combinations(self) -> list[tuple[int, ...]]:
        """The combinations of the lattice, in its order."""
        return [tuple(row) for row in self.lattice.groups.tolist()]

    @property
    def counts(self) -> dict[tuple[int, ...], int]:
        return dict(zip(self.combinations, self.lattice.sizes.tolist(), strict=True))


def hierarchy_over(values: int, heights: list[int]) -> list[list[str]]:
    """Return a hierarchy whose levels take so many neighbours together."""
    rows = []
    for value in range(values):
        width, row = 1, [f"v{value}"]
        for level, height in enumerate(heights):
            width *= height
            row.append(f"{level}:{value // width}")
        rows.append([*row, "*"])
    return rows


@st.composite
def cases(draw: st.DrawFn, most_records: int = 60) -> Case:
    columns = draw(st.integers(1, 4))
    rows = [
        hierarchy_over(draw(st.integers(1, 9)), draw(st.lists(st.integers(2, 3), max_size=2)))
        for _ in range(columns)
    ]
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    power = draw(st.sampled_from([0.7, 1, 3]))
    n = draw(st.integers(6, most_records))
    codes = [(len(tree) * rng.random(n) ** power).astype(int) for tree in rows]
    return Case(rows, list(zip(*(code.tolist() for code in codes), strict=True)))
