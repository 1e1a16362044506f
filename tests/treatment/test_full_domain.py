"""Full-domain search: the recorded optima of ARX, and what the arguments do."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from math import log2

import numpy as np
import polars as pl
import pytest

from lattices import SHARED, random_lattice, recorded
from singleout.errors import BadChoice
from singleout.io.read import read
from singleout.treatment.full_domain import SensitiveCaps, frontier, search
from singleout.treatment.hierarchies.hierarchy import Hierarchy
from singleout.treatment.lattice import Lattice, lattice_of

METRICS = {"loss_arith": "loss", "loss_geo": "geometric", "nue_sum": "entropy"}
FILES = {
    "arx_adult_optimal.csv": ("adult", 32),
    "arx_adult_k5_clean.csv": ("adult", 8),
    "arx_adult_loss_geo.csv": ("adult", 4),
    "arx_census_k5_clean.csv": ("census", 3),
}


def lines(file: str) -> Iterator[dict[str, str]]:
    path = SHARED / "goldens" / file
    if not path.exists() or not (SHARED / "data").is_dir():
        pytest.skip("needs the recorded answers in ../shared/goldens and their data")
    with path.open(encoding="utf-8", newline="") as text:
        yield from csv.DictReader(text)


@pytest.mark.parametrize("file", FILES)
def test_node_suppressed_records_and_score_are_those_of_arx(file: str) -> None:
    name, number = FILES[file]
    recordings = list(lines(file))
    assert len(recordings) == number
    lattice = recorded(name)
    assert {int(line["lattice"]) for line in recordings} == {lattice.nodes}
    for line in recordings:
        limit = int(float(line["suppression_limit"]) * lattice.records)
        found = search(lattice, int(line["k"]), limit, METRICS[line["metric"]])
        assert "".join(map(str, found.levels)) == line["levels"], line
        assert found.suppressed == int(line["suppressed"])
        assert found.score == pytest.approx(float(line["score"]), rel=1e-9)
        assert found.complete
        assert found.reached
        gone = int(lattice.sizes[~found.kept].sum())
        assert gone == found.suppressed


def test_a_frontier_of_adult_is_that_of_arx() -> None:
    found = [line for line in lines("arx_adult_optimal.csv") if line["metric"] == "loss_arith"]
    lattice = recorded("adult")
    shares = [0, 0.02, 0.05, 1]
    points = frontier(lattice, [3, 5, 10, 20], [int(s * lattice.records) for s in shares])
    levels = ["".join(map(str, point.levels)) for point in points]
    assert levels == [line["levels"] for line in found]
    assert [point.suppressed for point in points] == [int(line["suppressed"]) for line in found]


@pytest.fixture
def six() -> Lattice:
    """The six rows of the specification of metrics."""
    rows = [("34", "m"), ("34", "m"), ("45", "f"), ("45", "m"), ("66", "f"), ("70", "f")]
    table = read(pl.DataFrame(rows, schema=["age", "sex"], orient="row"))
    young, old = ["<50", "*"], [">=50", "*"]
    age = [["34", *young], ["45", *young], ["66", *old], ["70", *old]]
    sex = [["f", "*"], ["m", "*"]]
    trees = [
        Hierarchy.of_rows("age", age).fit(table["age"]),
        Hierarchy.of_rows("sex", sex).fit(table["sex"]),
    ]
    return lattice_of(table, trees)


def test_losses_of_the_six_rows_are_those_of_the_specification(six: Lattice) -> None:
    arithmetic = search(six, 2, 1, "loss", fixed=[1, 0])
    assert (arithmetic.levels, arithmetic.suppressed) == ((1, 0), 1)
    assert arithmetic.score == pytest.approx(0.3056, abs=5e-5)
    geometric = search(six, 2, 1, "geometric", fixed=[1, 0])
    assert geometric.score == pytest.approx(0.2981, abs=5e-5)


def test_a_single_suppressed_record_is_charged_in_full(six: Lattice) -> None:
    found = search(six, 2, 1, "entropy", fixed=[1, 0])
    assert (found.levels, found.suppressed) == ((1, 0), 1)
    # ARX says 6: log2(4/2) for the age 45 of the suppressed record, nothing for suppressing it
    assert found.score == pytest.approx(6 - log2(4 / 2) + log2(6 / 2) + log2(6 / 3))


def test_of_equal_scores_the_lower_levels_win_and_first_columns_are_raised_first() -> None:
    table = read(pl.DataFrame({"one": ["a", "b"], "two": ["a", "b"]}))
    rows = [["a", "*"], ["b", "*"]]
    trees = [Hierarchy.of_rows(name, rows).fit(table[name]) for name in ("one", "two")]
    lattice = lattice_of(table, trees)
    assert search(lattice, 1, 0).levels == (0, 0)
    only = lattice_of(table, trees[:1])
    everything = search(only, 2, 2)  # level 1 keeps both, and loses as much
    assert (everything.levels, everything.suppressed, everything.score) == ((0,), 2, 1.0)
    # raising one column or the other is the same where a pair differs in either
    pairs = read(pl.DataFrame({"one": ["a", "a", "b", "b"], "two": ["a", "b", "a", "b"]}))
    trees = [Hierarchy.of_rows(name, rows).fit(pairs[name]) for name in ("one", "two")]
    assert search(lattice_of(pairs, trees), 2, 0).levels == (1, 0)


def test_importance_decides_which_column_is_kept() -> None:
    pairs = read(pl.DataFrame({"one": ["a", "a", "b", "b"], "two": ["a", "b", "a", "b"]}))
    rows = [["a", "*"], ["b", "*"]]
    trees = [Hierarchy.of_rows(name, rows).fit(pairs[name]) for name in ("one", "two")]
    found = search(lattice_of(pairs, trees, {"one": 3.0}), 2, 0)
    assert found.levels == (0, 1)
    assert found.score == pytest.approx(0.25)


def test_a_share_equal_to_its_cap_breaks_the_policy() -> None:
    table = read(pl.DataFrame({"one": ["a", "a", "a", "a", "b", "b", "b", "b"]}))
    tree = Hierarchy.of_rows("one", [["a", "*"], ["b", "*"]]).fit(table["one"])
    lattice = lattice_of(table, [tree])
    codes = np.array([0, 0, 1, 1, 0, 1, 1, 1])  # value 0: half of a, 3 of 8 in all
    cap = 0.1 + 0.2 + 0.2  # 0.5 but for rounding
    at_the_cap = SensitiveCaps.of_records(lattice, [(codes, np.array([cap, 1.0]))])
    assert search(lattice, 1, 0, sensitive=at_the_cap).levels == (1,)
    above = SensitiveCaps.of_records(lattice, [(codes, np.array([0.51, 1.0]))])
    assert search(lattice, 1, 0, sensitive=above).levels == (0,)


def test_caps_can_need_more_suppression_further_up() -> None:
    # of b all have the value: 2 records go; merged with a, all 6 would
    table = read(pl.DataFrame({"one": ["a", "a", "a", "a", "b", "b"]}))
    tree = Hierarchy.of_rows("one", [["a", "*"], ["b", "*"]]).fit(table["one"])
    lattice = lattice_of(table, [tree])
    codes = np.array([0, 1, 1, 1, 0, 0])
    caps = SensitiveCaps.of_records(lattice, [(codes, np.array([0.5, 1.0]))])
    found = search(lattice, 2, 2, sensitive=caps)
    assert (found.levels, found.suppressed, found.reached) == ((0,), 2, True)
    nothing = search(lattice, 2, 0, sensitive=caps)
    assert (nothing.reached, nothing.complete, nothing.suppressed) == (False, True, 2)


def test_a_policy_out_of_reach_is_told_with_the_nearest_node(six: Lattice) -> None:
    found = search(six, 7, 0)
    assert (found.reached, found.complete, found.suppressed) == (False, True, 6)
    assert not found.kept.any()
    held = search(six, 3, 1, fixed=[0, 0])
    assert (held.reached, held.levels, held.suppressed) == (False, (0, 0), 6)


def test_a_column_held_fixed_is_not_touched() -> None:
    lattice = random_lattice(np.random.default_rng(8), records=200, columns=3)
    found = search(lattice, 5, 0, fixed=[0, 2, 2])
    assert found.levels[0] == 0
    assert found.reached
    free = search(lattice, 5, 0)
    assert free.score <= found.score


def test_columns_with_very_many_values_need_several_words() -> None:
    rng = np.random.default_rng(6)
    names = ["a", "b", "c", "d", "e"]
    frame = pl.DataFrame({name: rng.permutation(20_000).astype(str) for name in names})
    table = read(frame)
    rows = [[str(v), str(v // 5_000), "*"] for v in range(20_000)]
    trees = [Hierarchy.of_rows(name, rows).fit(table[name]) for name in names]
    found = search(lattice_of(table, trees), 5, 0)  # 75 bits
    assert found.levels == (1, 1, 1, 1, 1)
    assert found.suppressed == 0


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        ({"k": 0}, "k must be a whole number of records, 1 or more, not 0"),
        ({"limit": -1}, "limit must be a whole number of records, 0 or more, not -1"),
        ({"metric": "los"}, "'los' is not a metric; choose one of loss, geometric, entropy"),
        ({"fixed": [1]}, "fixed has 1 levels for 2 columns; give one for each"),
        ({"fixed": [1, -1]}, "A level of fixed must be a whole number, 0 or more, not -1"),
        ({"most": 0}, "most must be a whole number of nodes, 1 or more, or None for all, not 0"),
    ],
)
def test_a_bad_choice_is_refused_with_a_sentence(
    six: Lattice, choice: dict[str, object], sentence: str
) -> None:
    arguments: dict[str, object] = {"k": 2, "limit": 0, **choice}
    with pytest.raises(BadChoice) as refused:
        search(six, **arguments)  # type: ignore[arg-type]
    assert sentence in str(refused.value)


def test_caps_must_fit_the_lattice(six: Lattice) -> None:
    with pytest.raises(BadChoice, match="a cap for each value"):
        SensitiveCaps(np.zeros((5, 2), dtype=np.int64), np.ones(3))
    with pytest.raises(BadChoice, match="count them in those of the lattice"):
        search(six, 2, 0, sensitive=SensitiveCaps(np.zeros((9, 1), dtype=np.int64), np.ones(1)))
