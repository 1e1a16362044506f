"""The PyPI package suda 0.2.2, which is run: scores, DIS-SUDA, index, missing values."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

import singleout as so
from coming_from.rows import (
    ROWS,
    SHARED,
    Cells,
    frame,
    listed,
    number,
    row,
)


@cache
def ihsn() -> dict[str, Any]:
    case = json.loads((SHARED / "spec/suda-golden.json").read_text(encoding="utf-8"))["ihsn"]
    return dict(case)


def pypi_suda(data: Any, largest: int) -> Any:
    module = pytest.importorskip("suda", reason="the bench group is not installed")
    return module.suda(data, max_msu=largest)


def ihsn_frame() -> Any:
    rows = ihsn()["table"]
    return frame(dict(zip(ihsn()["names"], map(list, zip(*rows, strict=True)), strict=True)))


def ihsn_row(largest: int) -> Callable[[], Cells]:
    def compute() -> Cells:
        theirs = pypi_suda(ihsn_frame(), largest)["suda"]
        ours = so.suda(ihsn_frame(), ihsn()["names"], largest).score
        return listed(theirs[theirs > 0]), listed(ours[ours > 0])

    return compute


for _largest in (2, 3, 4):
    ROWS[f"scores of the IHSN guide's ten records, M = {_largest}"] = ihsn_row(_largest)


@row("DIS-SUDA of the first of them with a score")
def pypi_dis() -> Cells:
    theirs = pypi_suda(ihsn_frame(), 2)["dis-suda"]
    assert (theirs == 0).all()
    ours = so.suda(ihsn_frame(), ihsn()["names"], 2, sampling_fraction=0.01)
    return number(theirs[2]), number(ours.dis_score[2])


@row("score of the record (2, 2) of (1, 1), (1, 2), (2, 2), (3, 2), index 3, 2, 1, 0")
def pypi_index() -> Cells:
    columns = {"a": [1, 1, 2, 3], "b": [1, 2, 2, 2]}
    assert pypi_suda(frame(columns), 2)["suda"].tolist() == [2, 1, 2, 2]
    theirs = pypi_suda(frame(columns, [3, 2, 1, 0]), 2)["suda"]
    ours = so.suda(frame(columns, [3, 2, 1, 0]), ["a", "b"]).score
    return f"{theirs[1]}; 2 with index 0, 1, 2, 3", f"{ours[2]:g}, whatever the index"


@row("score of the record (missing, 1) of (1, 1), (1, 2), (missing, 1), (2, 1), (2, 2)")
def pypi_missing() -> Cells:
    data = {"a": [1.0, 1.0, None, 2.0, 2.0], "b": [1, 2, 1, 1, 2]}
    ours, never = (so.suda(data, ["a", "b"], missing=m).score[2] for m in ("value", "never"))
    return f"{pypi_suda(frame(data), 2)['suda'][2]:g}", f'{ours:g}; `missing="never"` {never:g}'


@row("columns of your own frame afterwards, of 4")
def pypi_columns() -> Cells:
    theirs, ours = ihsn_frame(), ihsn_frame()
    pypi_suda(theirs, 2)
    so.suda(ours, ihsn()["names"], 2)
    return str(len(theirs.columns)), str(len(ours.columns))
