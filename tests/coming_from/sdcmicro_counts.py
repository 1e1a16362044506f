"""sdcMicro 5.8.1: what a missing value matches, recoding, and SUDA."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import numpy as np
import polars as pl
import pytest

import singleout as so
from coming_from.rows import (
    ADULT,
    COLUMNS,
    KEYS,
    RECODED,
    ROWS,
    SHARED,
    TESTDATA,
    Cells,
    adult_strings,
    golden,
    golden_numbers,
    listed,
    row,
)

EIGHT = {
    "A": [2, 3, 2, 2, 3, 3, 1, 2],
    "B": [3, 3, 3, 3, 3, 3, 4, 3],
    "C": [1, 3, None, 2, 1, 1, None, 1],
    "weight": [18, 45.5, 39, 17, 92, 8, 123.5, 51],
}


@row("f of the [eight records](missing-values.md#eight-records-to-check-by-hand)")
def sizes_of_eight() -> Cells:
    ours = so.anonymity_sets(EIGHT, ["A", "B", "C"])
    same = so.anonymity_sets(EIGHT, ["A", "B", "C"], missing="wildcard")
    return listed(same.per_record), listed(ours.per_record)


@row("F of the eight records")
def weights_of_eight() -> Cells:
    ours = so.anonymity_sets(EIGHT, ["A", "B", "C"], weight="weight")
    same = so.anonymity_sets(EIGHT, ["A", "B", "C"], weight="weight", missing="wildcard")
    return listed(same.weighted_per_record), listed(ours.weighted_per_record)


@row("k of the rows (1, blank) and (1, 2)")
def blanked() -> Cells:
    rows = {"A": [1, 1], "B": [None, 2]}
    wildcard, value = (
        so.anonymity_sets(rows, ["A", "B"], missing=m).k for m in ("wildcard", "value")
    )
    return str(wildcard), str(value)


def recoded(step: str) -> pl.DataFrame:
    """Recode as R's cut does with breaks 0, 10, ... 100: age 0 is in no interval, and missing."""
    table = pl.read_csv(TESTDATA)
    if step == "original":
        return table
    decade = pl.when(pl.col("age") > 0).then((pl.col("age") - 1) // 10)
    table = table.with_columns(decade.alias("age"))
    if step == "age decades":
        return table
    return table.with_columns(pl.col("roof").replace({6: 5, 9: 5}))


def recode_row(step: str, column: str) -> Callable[[], Cells]:
    def ours(missing: str) -> float:
        data = recoded(step)
        if column.startswith("lt"):
            sizes = so.anonymity_sets(data, RECODED, missing=missing).per_record
            return float((sizes < int(column[2:])).sum())
        found = so.individual_risk(data, RECODED, "sampling_weight", "ori_hid", missing=missing)
        return float(found.expected if column == "risk_ER" else found.household.sum())

    def compute() -> Cells:
        (theirs,) = (
            float(line[column])
            for line in golden("sdcmicro_testdata_recode_steps.csv")
            if line["step"] == step
        )
        # with the same policy only the approximation for f > 2 is left, at most 0.05 %
        assert ours("wildcard") == pytest.approx(theirs, rel=5e-4)
        form = ".0f" if column.startswith("lt") else ".4f"
        same = ours("wildcard")
        return format(theirs, form), f"{ours('value'):{form}}; wildcard {same:{form}}"

    return compute


for _step, _named in (
    ("age decades", "age in decades"),
    ("roof 5,6,9 grouped", "age in decades, roof grouped"),
):
    for _column, _what in (
        ("lt2", "unique records"),
        ("lt3", "records below 3-anonymity"),
        ("risk_ER", "expected re-identifications"),
        ("hier_risk_ER", "the same with households"),
    ):
        ROWS[f"{_named}: {_what}"] = recode_row(_step, _column)


def unrecoded(column: str) -> Callable[[], Cells]:
    def compute() -> Cells:
        line = golden("sdcmicro_testdata_recode_steps.csv")[0]
        found = so.individual_risk(TESTDATA, RECODED, "sampling_weight", "ori_hid")
        ours = found.expected if column == "risk_ER" else found.household.sum()
        return f"{float(line[column]):.4f}", f"{ours:.4f}"

    return compute


ROWS["not recoded: expected re-identifications"] = unrecoded("risk_ER")
ROWS["not recoded: the same with households"] = unrecoded("hier_risk_ER")


@cache
def suda_of(name: str, max_size: int | None) -> so.Suda:
    data, columns = (TESTDATA, KEYS) if name == "testdata" else (ADULT, COLUMNS["9"])
    return so.suda(data, columns, max_size, sampling_fraction=0.01)


@row("SUDA, testdata, `max_size=3`: records with a score, sum of scores")
def suda_testdata() -> Cells:
    theirs = golden_numbers("sdcmicro_testdata_suda2.csv", "score")
    assert np.array_equal(suda_of("testdata", None).score, theirs)
    ours = suda_of("testdata", 3).score
    return tuple(f"{(score > 0).sum()}, {score.sum():,.0f}" for score in (theirs, ours))


@row("SUDA, Adult, `max_size=3`: records with a score, sum of scores")
def suda_adult() -> Cells:
    (line,) = golden("sdcmicro_adult_suda2_summary.csv")
    whole, ours = suda_of("adult", None).score, suda_of("adult", 3).score
    assert [whole.sum(), whole.max()] == [float(line["sum_score"]), float(line["max_score"])]
    theirs = f"{int(line['n_pos']):,}, {int(line['sum_score']):,}"
    return theirs, f"{(ours > 0).sum():,}, {ours.sum():,.0f}"


@row("DIS-SUDA, Adult, `max_size=3`: mean")
def dis_adult() -> Cells:
    (line,) = golden("sdcmicro_adult_suda2_summary.csv")
    assert suda_of("adult", None).dis_score.mean() == pytest.approx(float(line["mean_dis"]))
    return f"{float(line['mean_dis']):.4f}", f"{suda_of('adult', 3).dis_score.mean():.4f}"


@row("contributions of education and of the same as numbers, Adult")
def contributions() -> Cells:
    spec = (SHARED / "spec/suda.md").read_text(encoding="utf-8")
    theirs = re.search(r"sdcMicro gives (\S+) % and (\S+) % on Adult", spec)
    assert theirs is not None
    same = adult_strings()["education"].rank("dense").alias("education-num")
    found = so.suda(adult_strings().with_columns(same), max_size=None)
    shares = dict(found.variable_contributions.select("variable", "share").rows())
    ours = f"{shares['education']:.1%}, {shares['education-num']:.1%}"
    return f"{theirs[1]}%, {theirs[2]}%", ours


@row("unique records in DIS, Adult")
def uniques_of_dis() -> Cells:
    spec = (SHARED / "spec/suda.md").read_text(encoding="utf-8")
    theirs = re.search(r"sdcMicro counts (\S+) of 15,512 on Adult", spec)
    assert theirs is not None
    return theirs[1], f"{suda_of('adult', 3).unique:,}"
