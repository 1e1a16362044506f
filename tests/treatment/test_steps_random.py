"""Random lists of steps: no row is lost, no other column changes, no value comes from nowhere."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import singleout as so
from singleout.core.table import Table
from singleout.treatment.steps.apply import apply_steps
from singleout.treatment.steps.models import Drop, Shuffle
from singleout.treatment.steps.steps import Steps

LEAVES = "abcdef"
HIERARCHY = [[leaf, "early" if leaf < "d" else "late", "*"] for leaf in LEAVES]

rows = st.lists(
    st.tuples(
        st.none() | st.integers(-30, 120),
        st.none() | st.sampled_from(LEAVES),
        st.none() | st.floats(-5, 5, width=16),
        st.sampled_from(["0100", "0101", "10", "2000"]),
    ),
    min_size=1,
    max_size=40,
)
number_steps = st.one_of(
    st.builds(lambda w, o: {"width": w, "offset": o}, st.integers(1, 40), st.integers(-9, 9)),
    st.builds(
        lambda c: {"cuts": sorted(c)}, st.sets(st.integers(-40, 130), min_size=1, max_size=4)
    ),
    st.builds(lambda t: {"top": t}, st.integers(-40, 130)),
    st.builds(lambda b: {"bottom": b}, st.integers(-40, 130)),
    st.builds(lambda r: {"round": r}, st.sampled_from([0.5, 1, 5, 10, 7])),
    st.builds(lambda r: {"rare": r}, st.integers(1, 6)),
)
steps = st.one_of(
    st.builds(lambda n, s: {"recode": n, **s}, st.sampled_from(["n", "x"]), number_steps),
    st.builds(lambda v: {"recode": "v", "hierarchy": HIERARCHY, "level": v}, st.integers(0, 2)),
    st.just({"recode": "code", "prefix": 1}),
    st.builds(
        lambda k, c: {"suppress": "records", "k": k, "columns": c},
        st.integers(2, 6),
        st.lists(st.sampled_from(["n", "v", "x", "code"]), min_size=1, max_size=3, unique=True),
    ),
    st.builds(
        lambda c, w: {"suppress": "cells", "columns": [c], "where": w},
        st.sampled_from(["n", "v", "x"]),
        st.sampled_from(["code = '10'", "code != '2000'", "code is null"]),
    ),
    st.builds(
        lambda w: {"suppress": "records", "where": w, "rows": "remove"},
        st.sampled_from(["code = '77'", "code = '2000' and code = '10'"]),  # nobody meets them
    ),
    st.builds(
        lambda c, s: {"shuffle": c, "seed": s},
        st.just("records") | st.lists(st.sampled_from(["n", "v"]), min_size=1, unique=True),
        st.integers(0, 99),
    ),
)


def values(table: Table, name: str) -> list[Any]:
    column = table[name]
    return [column.value(code) for code in column.codes.tolist()]


def usable(chosen: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out what would recode a column twice, since text is no number any more."""
    seen: set[str] = set()
    kept = []
    for step in chosen:
        name = step.get("recode")
        if name in seen:
            continue
        if name is not None:
            seen.add(name)
        kept.append(step)
    return kept


@given(rows, st.lists(steps, max_size=6))
def test_random_steps_keep_rows_columns_and_hierarchies(
    data: list[tuple[Any, ...]], chosen: list[dict[str, Any]]
) -> None:
    names = ["n", "v", "x", "code"]
    table = so.read({name: [row[i] for row in data] for i, name in enumerate(names)})
    longest = max(len(row[3]) for row in data)
    given_steps = [s for s in usable(chosen) if s.get("recode") != "code" or longest > 1]
    listed = Steps.of({"steps": given_steps, "perturb": True})
    before = {name: values(table, name) for name in names}
    found = apply_steps(table, listed)
    assert {name: values(table, name) for name in names} == before
    assert found.table.rows == table.rows
    assert found.kept is None
    changed = {name for step in listed for name in step.columns_changed}
    order = found.rows.tolist()
    assert sorted(order) == list(range(table.rows))
    if not any(isinstance(step, Shuffle) and step.of_records for step in listed):
        assert found.order is None
    for name in names:
        after = values(found.table, name)
        if name not in changed:
            assert after == [before[name][row] for row in order]
        column = found.table[name]
        assert int(column.sizes.min()) > 0 or name not in changed
        assert len(found.shares[name]) == column.levels
        assert ((found.shares[name] >= 0) & (found.shares[name] <= 1)).all()
    allowed = {None, *(label for row in HIERARCHY for label in row)}
    assert set(values(found.table, "v")) <= allowed
    for row in found.log.iter_rows(named=True):
        assert row["column"] is None or row["column"] in changed


@given(rows, st.lists(st.sampled_from(["n", "v", "x"]), unique=True))
def test_what_is_not_dropped_stays(data: list[tuple[Any, ...]], gone: list[str]) -> None:
    names = ["n", "v", "x", "code"]
    table = so.read({name: [row[i] for row in data] for i, name in enumerate(names)})
    listed = Steps.of([Drop(drop=[name]) for name in gone])
    found = apply_steps(table, listed)
    assert found.table.columns == tuple(name for name in names if name not in gone)
    for name in found.table.columns:
        assert found.table[name] is table[name]
