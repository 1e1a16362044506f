"""What kind of unique a record is, how far is searched by itself, and what that leaves open."""

from __future__ import annotations

import csv
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_suda
import singleout as so
from singleout.errors import BadChoice, UndefinedMeasure
from singleout.methods.suda import size as sizes
from singleout.methods.suda.function import suda
from singleout.methods.suda.result import Suda
from singleout.methods.suda.size import largest_cheap

SEVEN = ["PUMA", "AGEP", "SEX", "MSP", "RAC1P", "INDP_CAT", "EDU"]
Rows = list[tuple[Any, ...]]


def frame(rows: Rows) -> pl.DataFrame:
    names = [f"v{column}" for column in range(len(rows[0]))]
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.Int64), orient="row")


@pytest.fixture(scope="module")
def everything() -> Suda:
    return suda(so.demo(), SEVEN, sampling_fraction=0.01, threshold=0.7)


# ---- how far is searched


def test_all_sizes_are_searched_where_that_is_quick(everything: Suda) -> None:
    assert everything.max_size == 7
    assert everything.notes == ()
    assert (everything.unique, len(everything.special_uniques), everything.undecided) == (
        5470, 5470, 0,
    )  # fmt: skip
    assert everything.dis_score[951] == pytest.approx(0.781, abs=5e-4)


@pytest.mark.parametrize(("size", "expected"), [(1, 0.0), (2, 0.031), (3, 0.457), (6, 0.781)])
def test_a_smaller_m_understates_the_risk_of_one_record(size: int, expected: float) -> None:
    found = suda(so.demo(), SEVEN, max_size=size, sampling_fraction=0.01)
    assert found.dis_score[951] == pytest.approx(expected, abs=5e-4)


@given(st.floats(0.001, 0.9), st.integers(0, 10_000))
def test_where_every_unique_has_a_score_they_stand_for_the_population_that_dis_estimates(
    fraction: float, seed: int
) -> None:
    # the sum over unique records of 1 / DIS-SUDA = U + P (1 - f) / f
    rng = np.random.default_rng(seed)
    found = suda(frame(rng.integers(0, 3, (40, 5)).tolist()), sampling_fraction=fraction)
    alone = found.is_unique
    total = (1 / found.dis_score[alone]).sum()
    assert total == pytest.approx(found.unique + found.in_pairs * (1 - fraction) / fraction)


def test_a_table_that_is_too_large_is_searched_as_far_as_is_quick_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sizes, "_CHEAP", 63 * 6_000)
    found = suda(so.demo(), SEVEN, sampling_fraction=0.01)
    explicit = suda(so.demo(), SEVEN, max_size=3, sampling_fraction=0.01)
    assert (found.max_size, found.undecided) == (3, 2030)
    assert found.score.tolist() == explicit.score.tolist()
    assert str(found).startswith("3,440 of 7,634 records are singled out by sets of up to 3 of 7")
    assert "and at least 3,440 are special uniques" in str(found)
    limited, undecided, understated = found.notes
    assert limited.startswith("Sets of up to 3 of 7 columns were searched: all 127 sets of ")
    assert undecided.startswith("2,030 of 5,470 unique records have no minimal unique of up to 3")
    assert "understated" in understated
    rows = found.to_frame()
    unknown = rows.filter(pl.col("kind") == "undecided")
    assert len(unknown) == 2030
    for name in ("score", "proportion_of_lattice", "dis_score", "contribution of AGEP"):
        assert unknown[name].null_count() == 2030
        assert rows[name].null_count() == 2030
    assert int(np.isnan(found.dis_score).sum()) == 2030
    assert found.to_dict()["dis_intervals"]["not known"] == 2030
    # what the user asks for explicitly keeps its numbers
    assert explicit.to_frame()["dis_score"].null_count() == 0
    assert explicit.to_frame()["kind"].to_list() == rows["kind"].to_list()


def test_at_least_three_columns_are_combined_however_large_the_table() -> None:
    assert largest_cheap(20, 10**8) == 3
    assert largest_cheap(2, 10**9) == 2
    assert largest_cheap(64, 2) == 64  # two records differ in one column at a time
    assert [largest_cheap(m, 100_000) for m in (8, 12, 20, 40)] == [8, 12, 3, 3]


def test_a_word_that_is_no_size_is_refused() -> None:
    with pytest.raises(BadChoice, match=r"max_size must be .*'auto'"):
        suda({"a": [1, 2]}, max_size="automatic")


# ---- the kinds


@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.tuples(*[st.one_of(st.none(), st.integers(0, 2))] * width), min_size=1, max_size=12
        )
    ),
    st.integers(1, 4),
    st.sampled_from(["value", "never"]),
)
def test_the_kind_of_every_record_agrees_with_a_search_by_hand(
    rows: Rows, max_size: int, missing: str
) -> None:
    found = suda(frame(rows), max_size=max_size, missing=missing)
    expected = naive_suda.kinds(rows, min(max_size, len(rows[0])), never=missing == "never")
    table = found.to_frame().select("unique", "kind", "smallest_size").rows()
    assert table == expected
    counted = [kind for _, kind, _ in expected if kind]
    assert found.records_by_kind == {
        kind: counted.count(kind)
        for kind in ("special", "random", "undecided", "by-missing")
        if kind in counted
    }
    assert int(found.is_unique.sum()) == found.unique


def test_dis_suda_is_counted_in_the_intervals_of_sdcmicro(everything: Suda) -> None:
    rows = dict(everything.dis_intervals.rows())
    assert list(rows) == [
        "0", "(0, 0.1]", "(0.1, 0.2]", "(0.2, 0.3]", "(0.3, 0.4]", "(0.4, 0.5]", "(0.5, 0.6]",
        "(0.6, 0.7]", "> 0.7",
    ]  # fmt: skip
    assert sum(rows.values()) == 7634
    assert (rows["0"], rows["> 0.7"]) == (2164, 6)
    assert everything.summary["above_threshold"] == 6
    assert everything.to_frame()["above_threshold"].sum() == 6


def test_the_intervals_are_those_of_sdcmicro_on_its_own_data(real_data: Path) -> None:
    with (real_data.parent / "goldens" / "sdcmicro_testdata_suda2.csv").open() as stream:
        theirs = np.array([float(row["disScore"]) for row in csv.DictReader(stream)])
    keys = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
    found = suda(real_data / "sdcmicro_testdata.csv", keys, None, 0.01, missing="never")
    edges = np.array([-1, *np.arange(0, 0.8, 0.1) + np.finfo(float).eps, np.inf])
    counts = np.histogram(theirs, edges)[0].tolist()
    assert sum(counts) == found.records
    assert found.dis_intervals["records"].to_list() == counts


def test_a_threshold_needs_a_dis_suda() -> None:
    data = {"a": [1, 1, 2], "b": [1, 2, 2]}
    with pytest.raises(BadChoice, match="give sampling_fraction or weights as well"):
        suda(data, threshold=0.1)
    with pytest.raises(BadChoice, match="threshold must be a share"):
        suda(data, sampling_fraction=0.1, threshold=2)
    wide = {f"c{column}": [1, 2, 2] for column in range(29)}
    with pytest.raises(BadChoice, match="at most 28 columns, not 29"):
        suda(wide, max_size=2, sampling_fraction=0.1, threshold=0.5)
    with pytest.raises(UndefinedMeasure, match="no threshold"):
        _ = suda(data, sampling_fraction=0.1).above_threshold


def test_percentages_are_given_as_the_paper_has_them(everything: Suda) -> None:
    shares = everything.to_frame()
    percents = everything.to_frame(in_percent=True)
    for name in ("proportion_of_lattice", "contribution of AGEP"):
        assert percents[name].to_list() == pytest.approx([100 * each for each in shares[name]])
    assert percents["score"].to_list() == shares["score"].to_list()


# ---- which sets of columns carry the scores


def test_sets_of_columns_that_no_table_of_columns_shows(everything: Suda) -> None:
    three = suda(so.demo(), SEVEN, max_size=3).set_contributions
    first = three.row(0, named=True)
    assert (first["set"], first["size"], first["records"]) == ("AGEP x INDP_CAT x EDU", 3, 1347)
    assert first["share"] == pytest.approx(0.139, abs=5e-4)
    assert first["columns"] == ["AGEP", "INDP_CAT", "EDU"]
    for sets in (three, everything.set_contributions):
        assert sets["share"].sum() == pytest.approx(1)
        assert sets["share"].is_sorted(descending=True)


@given(
    st.lists(st.tuples(*[st.one_of(st.none(), st.integers(0, 2))] * 4), min_size=1, max_size=12),
    st.integers(1, 4),
    st.sampled_from(["lattice", "ihsn"]),
    st.sampled_from(["value", "never"]),
)
def test_every_set_contributes_what_a_search_by_hand_finds(
    rows: Rows, max_size: int, scoring: str, missing: str
) -> None:
    found = suda(frame(rows), None, max_size, None, scoring, missing).set_contributions
    uniques = naive_suda.minimal_uniques(rows, max_size, never=missing == "never")
    expected = naive_suda.set_contributions(uniques, len(rows), 4, max_size, scoring)
    by_hand = {
        tuple(f"v{c}" for c in columns): (records, float(share))
        for columns, (records, share) in expected.items()
    }
    ours = {tuple(row["columns"]): (row["records"], row["share"]) for row in found.to_dicts()}
    assert {columns: records for columns, (records, _) in ours.items()} == {
        columns: records for columns, (records, _) in by_hand.items()
    }
    for columns, (_, share) in ours.items():
        assert share == pytest.approx(by_hand[columns][1])


# ---- one record


def test_one_record_has_the_table_of_the_paper() -> None:
    # a table whose first record has exactly the MSUs of Table 2.2
    msus = [(1, 2), (1, 5), (1, 8), (1, 6, 9), (5, 8, 12), (2, 5, 6, 8, 11)]
    shared: list[set[int]] = []
    for members in (set(c) for n in range(12, 0, -1) for c in combinations(range(1, 13), n)):
        if not any(set(msu) <= members for msu in msus) and not any(members <= s for s in shared):
            shared.append(members)
    rows = [
        [0] * 12,
        *([0 if a in s else n for a in range(1, 13)] for n, s in enumerate(shared, 1)),
    ]
    names = [str(attribute) for attribute in range(1, 13)]
    one = suda(pl.DataFrame(rows, schema=names, orient="row")).of_record(1)
    assert one.sizes == [2, 3, 5]
    table = {row["variable"]: row for row in one.to_frame().to_dicts()}
    # Table A.3, but for attribute 5 of size 5: it prints 0, and 100 % beside it
    printed = {
        "1": (3, 1, 0, 100, 50, 0),
        "8": (1, 1, 1, 100 / 3, 50, 100),
        "5": (1, 1, 1, 100 / 3, 50, 100),
        "2": (1, 0, 1, 100 / 3, 0, 100),
        "6": (0, 1, 1, 0, 50, 100),
        "9": (0, 1, 0, 0, 50, 0),
        "11": (0, 0, 1, 0, 0, 100),
        "3": (0, 0, 0, 0, 0, 0),
    }
    for attribute, expected in printed.items():
        row = table[attribute]
        counts = [row[f"uniques_of_size_{size}"] for size in (2, 3, 5)]
        percents = [row[f"percent_of_size_{size}"] for size in (2, 3, 5)]
        assert (*counts, *percents) == pytest.approx(expected)
    assert one.to_frame()["variable"][0] == "1"
    assert one.uniques is not None
    assert one.uniques[0] == ("1", "2")
    assert str(one).startswith("Record 1 has 6 minimal uniques of up to 12 columns, and the score")
    assert one.to_dict()["uniques_by_size"]["2"] == 3


def test_a_record_that_is_not_there_is_refused_and_direct_identifiers_are_never_shown() -> None:
    table = so.read({"name": ["x", "y", "z"], "a": [1, 1, 2]})
    found = suda(table.with_roles({"name": "direct-identifier"}), ["name", "a"])
    assert found.of_record(3).values == ("", "2")
    with pytest.raises(BadChoice, match="There is no record 4"):
        found.of_record(4)


# ---- the list of minimal uniques


def test_all_minimal_uniques_are_listed_in_frames() -> None:
    found = suda({"a": [1, 1, 2], "b": [5, 6, 6]}, list_uniques=True)
    (rows,) = found.listed_uniques()
    assert sorted(rows.rows()) == [(1, 1, "b", "5"), (2, 2, "a x b", "1 x 6"), (3, 1, "a", "2")]
    assert sum(len(part) for part in found.listed_uniques(at_once=2)) == 3
    (none,) = suda({"a": [1, 1]}, list_uniques=True).listed_uniques()
    assert none.columns == ["record", "size", "columns", "values"]
