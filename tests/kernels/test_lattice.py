"""The lattice search against every node, looked at record by record."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_lattice
from lattices import Problem, problems, random_lattice
from singleout.core.progress import listening
from singleout.kernels.lattice import search as kernel
from singleout.kernels.lattice import tables
from singleout.treatment.full_domain import FullDomain, SensitiveCaps, frontier, search

METRICS = ["loss", "geometric", "entropy"]


def assert_is(found: FullDomain, node: naive_lattice.Node | None, problem: Problem) -> None:
    """Compare what was found with the best of all nodes, or with that there is none."""
    assert found.complete
    assert found.reached == (node is not None)
    if node is None:
        assert found.suppressed > found.limit
        return
    assert found.score == pytest.approx(node.score, rel=1e-9, abs=1e-9)
    assert (found.levels, found.suppressed) == (node.levels, node.suppressed)
    assert tuple(found.kept[problem.lattice.of_record].tolist()) == node.kept


@given(problems(), st.integers(1, 6), st.integers(0, 12), st.sampled_from(METRICS), st.data())
def test_the_best_node_is_that_of_looking_at_all(
    problem: Problem, k: int, limit: int, metric: str, data: st.DataObject
) -> None:
    fixed = data.draw(
        st.none() | st.lists(st.integers(0, 3), min_size=(w := len(problem.trees)), max_size=w)
    )
    found = search(problem.lattice, k, limit, metric, fixed=fixed)
    importance = problem.lattice.importance.tolist()
    node = naive_lattice.search(
        problem.records, problem.trees, k, limit, metric, importance, fixed=fixed
    )
    assert_is(found, node, problem)


@given(problems(), st.integers(1, 4), st.integers(0, 12), st.sampled_from(METRICS), st.data())
def test_the_best_node_below_caps_is_that_of_looking_at_all(
    problem: Problem, k: int, limit: int, metric: str, data: st.DataObject
) -> None:
    widths = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=2))
    cap = st.sampled_from([0.25, 1 / 3, 0.5, 0.6, 0.75, 1.0, 2.0])
    caps = [data.draw(st.lists(cap, min_size=w, max_size=w)) for w in widths]
    value = st.tuples(*(st.integers(0, w - 1) for w in widths))
    n = len(problem.records)
    values = data.draw(st.lists(value, min_size=n, max_size=n))
    columns = [
        (np.array([row[c] for row in values]), np.array(caps[c])) for c in range(len(widths))
    ]
    sensitive = SensitiveCaps.of_records(problem.lattice, columns)
    found = search(problem.lattice, k, limit, metric, sensitive)
    node = naive_lattice.search(
        problem.records,
        problem.trees,
        k,
        limit,
        metric,
        problem.lattice.importance.tolist(),
        values,
        caps,
    )
    assert_is(found, node, problem)


@given(problems(), st.integers(1, 6), st.integers(0, 12), st.sampled_from(METRICS))
def test_keys_of_several_words_and_pauses_change_nothing(
    problem: Problem, k: int, limit: int, metric: str
) -> None:
    plain = search(problem.lattice, k, limit, metric)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "_BITS", 4)
        patch.setattr(kernel, "_WORK", 1)
        patch.setattr(kernel, "_STAMPS", 3)
        patch.setattr(kernel, "_ROOM", 3)
        other = search(problem.lattice, k, limit, metric)
    assert (other.levels, other.suppressed) == (plain.levels, plain.suppressed)
    assert other.score == pytest.approx(plain.score, rel=1e-12)
    assert (other.kept == plain.kept).all()
    assert other.checked == plain.checked


@given(problems(), st.lists(st.integers(1, 6), min_size=1, max_size=3), st.data())
def test_a_frontier_is_the_searches_one_by_one(
    problem: Problem, ks: list[int], data: st.DataObject
) -> None:
    limits = data.draw(st.lists(st.integers(0, 10), min_size=1, max_size=3))
    points = frontier(problem.lattice, ks, limits)
    assert [(point.k, point.limit) for point in points] == [(k, lim) for k in ks for lim in limits]
    for point in points:
        alone = search(problem.lattice, point.k, point.limit)
        assert (point.levels, point.suppressed) == (alone.levels, alone.suppressed)
        assert point.score == alone.score


def test_progress_grows_up_to_all_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    problem = random_lattice(rng, records=300, columns=5)
    monkeypatch.setattr(kernel, "_WORK", 100)
    reports: list[tuple[int, int]] = []
    with listening(lambda _, done, total: reports.append((done, total))):
        search(problem, 3, 10)
    done = [part for part, total in reports if total]
    assert len(done) > 5
    assert done == sorted(done)
    assert {total for _, total in reports if total} == {problem.nodes}
    assert 0 < done[0] <= done[-1] <= problem.nodes


class Patience:
    """Says yes when it was asked often enough."""

    def __init__(self, times: int) -> None:
        self.times = times

    def __call__(self) -> bool:
        self.times -= 1
        return self.times < 0


def test_a_search_that_is_stopped_returns_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = random_lattice(np.random.default_rng(4), records=300, columns=5)
    monkeypatch.setattr(kernel, "_WORK", 100)
    whole = search(problem, 3, 10)
    for patience in (0, 30, 60, 90):
        part = search(problem, 3, 10, stop=Patience(patience))
        assert not part.complete
        assert len(part.kept) == len(problem.sizes)
        if part.reached:
            assert part.suppressed <= 10
            assert part.score >= whole.score
    assert whole.complete


def test_an_interrupted_search_returns_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = random_lattice(np.random.default_rng(4), records=300, columns=5)
    monkeypatch.setattr(kernel, "_WORK", 100)
    best = search(problem, 3, 10).score

    def interrupting(patience: Patience) -> bool:
        if patience():
            raise KeyboardInterrupt
        return False

    for patience in (0, 5, 30, 60, 90):
        part = search(problem, 3, 10, stop=partial(interrupting, Patience(patience)))
        assert part.interrupted
        assert not part.complete
        assert part.reached
        assert part.suppressed <= 10
        assert part.score >= best
    with pytest.raises(KeyboardInterrupt):  # of several nothing can be left out
        frontier(problem, [3, 5], [10], stop=partial(interrupting, Patience(30)))


def test_a_search_ends_with_its_work_and_always_in_the_same_place() -> None:
    problem = random_lattice(np.random.default_rng(5), records=400, columns=15, levels=4)
    found, again = (search(problem, 5, 20, work=20_000_000) for _ in range(2))
    assert not found.complete
    assert not found.interrupted
    assert found.reached
    assert (found.levels, found.checked) == (again.levels, again.checked)
    small = random_lattice(np.random.default_rng(4), records=300, columns=5)
    assert search(small, 3, 10, work=20_000_000).complete


def test_a_large_lattice_ends_with_its_budget() -> None:
    problem = random_lattice(np.random.default_rng(5), records=400, columns=15, levels=4)
    assert problem.nodes == 4**15
    found = search(problem, 5, 20, most=2_000)
    assert not found.complete
    assert found.reached
    assert found.suppressed <= 20
    assert found.checked <= 2_000
