"""pycanon 1.0.1.post2, which is run: missing values, the index of a frame, l, beta, delta and t."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

import singleout as so
from coming_from.rows import (
    ADULT,
    ROWS,
    Cells,
    frame,
    listed,
    number,
    row,
)


def anonymity() -> Any:
    return pytest.importorskip("pycanon.anonymity", reason="the bench group is not installed")


@cache
def adult_frame() -> Any:
    return pytest.importorskip("pandas").read_csv(ADULT, sep=";")


def one_missing() -> Any:
    return frame(
        {"area": ["n", "n", None, "s", "s"], "disease": ["flu", "cold", "flu", "flu", "cold"]}
    )


@row("k, l, α of five records, one without an area")
def pycanon_missing() -> Cells:
    data, them = one_missing(), anonymity()
    alpha, k = them.alpha_k_anonymity(data, ["area"], ["disease"])
    ours = so.diversity(data, "area", "disease")
    theirs = (k, them.l_diversity(data, ["area"], ["disease"]), alpha)
    return listed(theirs), listed((ours.k, ours.distinct_l, ours.alpha))


def four(index: list[int]) -> Any:
    columns = {"area": ["n", "s", "n", "s"], "disease": ["cold", "flu", "cold", "flu"]}
    return frame(columns, index)


@row("l, α of four records, index 1, 0, 2, 3")
def pycanon_index() -> Cells:
    data, them = four([1, 0, 2, 3]), anonymity()
    theirs = them.l_diversity(data, ["area"], ["disease"])
    alpha, _ = them.alpha_k_anonymity(data, ["area"], ["disease"])
    ours = so.diversity(data, "area", "disease")
    return listed((theirs, alpha)), listed((ours.distinct_l, ours.alpha))


@row("l of the same records, index 10, 11, 12, 13")
def pycanon_other_index() -> Cells:
    data = four([10, 11, 12, 13])
    with pytest.raises(IndexError):
        anonymity().l_diversity(data, ["area"], ["disease"])
    return "`IndexError`", str(so.diversity(data, "area", "disease").distinct_l)


@cache
def adult_diversity(sensitive: str) -> Any:
    return so.diversity(adult_frame(), ["sex", "race"], sensitive)


def pycanon_adult(function: str, sensitive: str) -> Any:
    return getattr(anonymity(), function)(adult_frame(), ["sex", "race"], [sensitive])


def entropy_row(sensitive: str) -> Callable[[], Cells]:
    def compute() -> Cells:
        ours = adult_diversity(sensitive).entropy_l
        theirs = pycanon_adult("entropy_l_diversity", sensitive)
        assert math.floor(ours) == theirs
        return str(theirs), f"{ours:.2f}"

    return compute


for _sensitive in ("education", "occupation"):
    ROWS[f"entropy l of {_sensitive}, Adult"] = entropy_row(_sensitive)


@row("recursive (c, l) of counts 5, 1, 1, for l = 3")
def pycanon_recursive() -> Cells:
    data = frame({"area": ["n"] * 7, "disease": ["flu"] * 5 + ["cold", "cancer"]})
    c, l = anonymity().recursive_c_l_diversity(data, ["area"], ["disease"])  # noqa: E741
    assert l == 3
    ours = so.diversity(data, "area", "disease").columns["disease"].recursive_c(3)
    return f"c = {c}", f"c above {ours:g}"


@row("recursive (c, l) of education, Adult, for l = 12")
def pycanon_recursive_adult() -> Cells:
    c, l = pycanon_adult("recursive_c_l_diversity", "education")  # noqa: E741
    assert l == adult_diversity("education").distinct_l == 12
    return (
        f"c = {c}",
        f"c above {adult_diversity('education').columns['education'].recursive_c(l):g}",
    )


def two_classes() -> Any:
    return frame({"area": list("nnss"), "disease": ["flu", "flu", "cold", "cold"]})


@row("enhanced β of two classes with one disease each")
def pycanon_enhanced() -> Cells:
    theirs = anonymity().enhanced_beta_likeness(two_classes(), ["area"], ["disease"])
    return number(theirs), number(so.diversity(two_classes(), "area", "disease").enhanced_beta)


@row("enhanced β of education, Adult")
def pycanon_enhanced_adult() -> Cells:
    theirs = pycanon_adult("enhanced_beta_likeness", "education")
    return number(theirs), number(adult_diversity("education").enhanced_beta)


@row("δ of the classes flu, cancer and flu, flu")
def pycanon_delta() -> Cells:
    data = frame({"area": list("nnss"), "disease": ["flu", "cancer", "flu", "flu"]})
    theirs = anonymity().delta_disclosure(data, ["area"], ["disease"])
    ours = so.diversity(data, "area", "disease")
    assert ours.columns["disease"].occurring_delta == pytest.approx(theirs)
    return number(theirs), number(ours.delta)


@row("δ of education, Adult")
def pycanon_delta_adult() -> Cells:
    theirs = pycanon_adult("delta_disclosure", "education")
    ours = adult_diversity("education")
    assert ours.columns["education"].occurring_delta == pytest.approx(theirs)
    return number(theirs), number(ours.delta)


@row("t of the classes 1, 1 and 2, 3, stored as text")
def pycanon_text() -> Cells:
    data = frame({"area": list("nnss"), "stage": ["1", "1", "2", "3"]})
    theirs = anonymity().t_closeness(data, ["area"], ["stage"])
    nominal = so.diversity(data, "area", "stage", scale="nominal").t
    assert nominal == pytest.approx(theirs)
    return number(theirs), number(so.diversity(data, "area", "stage").t)


@row("average risk of classes of 3 and 1 records")
def average_risk() -> Cells:
    risk = so.attacker_risk({"area": ["n", "n", "n", "s"]}, ["area"])
    over_classes = (1 / 3 + 1) / 2
    return number(over_classes), number(risk.prosecutor.success)
