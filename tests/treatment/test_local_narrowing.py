"""Classes that publish intervals of their own values are cut as far as they hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import singleout as so
from singleout.treatment.hierarchies.propose import propose
from singleout.treatment.hierarchies.publish import order_of
from singleout.treatment.lattice import lattice_of
from singleout.treatment.local import narrowing
from singleout.treatment.local.narrowing import cut_by_order
from singleout.treatment.local.recode import LocalRecoding, local_recode
from singleout.treatment.local.sensitive import Sensitive, criteria_of


@pytest.mark.parametrize("k", [2, 5, 20])
def test_classes_of_one_column_have_no_more_records_than_they_need(k: int) -> None:
    numbers = pl.DataFrame({"x": np.random.default_rng(0).normal(size=3_000)})
    found = so.suggest(numbers, quasi_identifiers="x", k=k)
    sizes = found.apply().to_frame()["x"].value_counts()["count"]
    assert k <= sizes.min()
    assert sizes.max() < 2 * k
    assert found.after.k == sizes.min()
    assert found.loss < 2 * k / 3_000


class Problem:
    """A recoding of a table by ordered columns, before and after classes are cut."""

    def __init__(self, data: dict[str, list[Any]], k: int, rule: dict[str, Any]) -> None:
        table = so.read(data)
        names = [name for name in data if name != "s"]
        trees = [propose(table[name]).fit(table[name]) for name in names]
        self.lattice = lattice_of(table, trees)
        orders = [order_of(table[name]) for name in names]
        self.ranks = [
            None if order is None else order.ranks(table[name].levels)
            for name, order in zip(names, orders, strict=True)
        ]
        codes = table["s"].codes.astype(np.int64)
        self.sensitive = Sensitive(codes, np.full(table["s"].levels, 0.7), **rule) if rule else None
        self.k = k
        self.before = local_recode(self.lattice, k, self.sensitive)
        self.after = cut_by_order(self.lattice, self.before, k, self.ranks, self.sensitive)

    def lost(self, recoding: LocalRecoding) -> float:
        """Return the sum of how many ranks each record's intervals have beyond one.

        A class in which some values are missing has no interval: it loses the whole column.
        """
        total = 0.0
        for number in range(len(recoding)):
            codes = self.lattice.groups[recoding.groups_of_class(number)]
            for j, ranks in enumerate(self.ranks):
                if ranks is None:
                    continue
                of_class = ranks[codes[:, j]]
                share = (of_class.max() - of_class.min()) / max(self.lattice.trees[j].size - 1, 1)
                if (of_class < 0).any() and (of_class >= 0).any():
                    share = 1.0
                total += recoding.sizes[number] * float(share)
        return total

    def holds(self, recoding: LocalRecoding) -> bool:
        criteria, _ = criteria_of(self.lattice, self.sensitive)
        histograms = criteria.histograms(recoding.of_group, len(recoding))
        return bool((criteria.lacks(histograms, recoding.sizes) == 0).all())


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    rows = draw(st.integers(8, 60))
    some = {"min_size": rows, "max_size": rows}
    data = {
        "a": draw(st.lists(st.integers(0, 200), **some)),
        "b": draw(st.lists(st.sampled_from([None, 0.5, 1.5, 2.25, 7.0, 9.5]), **some)),
        "c": draw(st.lists(st.sampled_from(["x", "y", "z"]), **some)),
        "s": draw(st.lists(st.sampled_from(["p", "q", "r"]), **some)),
    }
    rule = draw(st.sampled_from([{}, {"distinct_l": 2}, {"t": 0.4}]))
    return Problem(data, draw(st.integers(2, 4)), rule)


@given(problems())
def test_parts_hold_what_classes_held_and_lose_no_more(problem: Problem) -> None:
    before, after = problem.before, problem.after
    assert after.sizes.min() >= problem.k
    assert after.sizes.sum() == before.sizes.sum()
    assert ((after.of_group < 0) == (before.of_group < 0)).all()
    pairs = np.unique(np.stack([after.of_group, before.of_group]), axis=1)
    assert len(np.unique(pairs[0])) == pairs.shape[1]  # each part lies in one class
    assert problem.lost(after) <= problem.lost(before) + 1e-9
    assert after.loss <= before.loss + 1e-9
    assert problem.holds(after)


@given(problems())
def test_no_class_can_be_cut_in_the_middle_of_what_it_has(problem: Problem) -> None:
    assume(problem.sensitive is None)
    after = problem.after
    for number in range(len(after)):
        groups = after.groups_of_class(number)
        for j, ranks in enumerate(problem.ranks):
            if ranks is None or (ranks[problem.lattice.groups[groups, j]] < 0).any():
                continue
            of_group = ranks[problem.lattice.groups[groups, j]]
            sizes = problem.lattice.sizes[groups]
            for rank in np.unique(of_group)[:-1]:
                left = int(sizes[of_group <= rank].sum())
                assert min(left, int(sizes.sum()) - left) < problem.k


def test_histograms_in_parts_say_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    data = {"a": rng.normal(size=400).tolist(), "s": rng.choice(list("pqr"), 400).tolist()}
    whole = Problem(data, 3, {"distinct_l": 2}).after
    monkeypatch.setattr(narrowing, "_AT_ONCE", 20)
    parts = Problem(data, 3, {"distinct_l": 2}).after
    assert (whole.of_group == parts.of_group).all()
    assert len(whole) > 20
