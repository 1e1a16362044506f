"""SUDA as a result: the verified values, the paper's example, and every way to look at it."""

from __future__ import annotations

import json
from itertools import chain, combinations
from math import factorial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import naive_suda
from singleout.errors import BadChoice, UndefinedMeasure
from singleout.methods.suda.function import suda
from singleout.methods.suda.result import Suda

CASES = ["ihsn", "ihsn_M2", "nested40x6", "nested40x6_M3", "nested40x6_missing"]
CONVENTIONS = {
    "lattice": "is_factorial",
    "normalised": "is_paper_M",
    "ihsn": "is_sdcmicro_original_scores_FALSE",
}
IHSN = [
    (0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 1, 1), (0, 1, 2, 0), (1, 0, 2, 2),
    (0, 1, 2, 0), (0, 0, 3, 1), (0, 1, 4, 2), (0, 0, 0, 1), (0, 0, 0, 1),
]  # fmt: skip


@pytest.fixture(scope="module")
def verified(golden: Path) -> dict[str, Any]:
    values: dict[str, Any] = json.loads((golden / "suda-golden.json").read_text())
    return values


def frame(rows: Any, names: Any) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=list(names), orient="row")


def of_case(case: dict[str, Any], scoring: str) -> Suda:
    code = case["missing_code"]
    rows = [[None if cell == code else cell for cell in row] for row in case["table"]]
    return suda(
        frame(rows, case["names"]),
        max_size=case["M"],
        sampling_fraction=case["dis_fraction"],
        scoring=scoring,
        missing="value" if code is None else "never",
        list_uniques=True,
    )


@pytest.mark.parametrize("scoring", CONVENTIONS)
@pytest.mark.parametrize("name", CASES)
def test_every_verified_value_in_every_convention(
    verified: dict[str, Any], name: str, scoring: str
) -> None:
    case = verified[name]
    found = of_case(case, scoring)
    largest = case["M"]
    assert (found.unique, found.in_pairs) == (case["n_unique"], case["n_records_in_pairs"])
    assert found.dis == pytest.approx(case["DIS"], rel=1e-12)
    assert 1 + (8 - len(case["names"])) / 20 == pytest.approx(case["Q"])
    names = case["names"]
    expected = [(msu[0] + 1, tuple(names[c] for c in msu[1:])) for msu in case["msus"]]
    assert sorted(found.uniques) == sorted(expected)
    sizes = np.array(case["msu_counts_by_size"])
    assert found.counts_by_size.tolist() == sizes[:, :largest].tolist()
    assert not sizes[:, largest:].any()
    np.testing.assert_allclose(
        found.proportion_of_lattice, case["proportion_of_lattice"], rtol=1e-12
    )
    measure = case["measures"][CONVENTIONS[scoring]]
    np.testing.assert_allclose(found.weights, measure["weights"][:largest], rtol=1e-12)
    np.testing.assert_allclose(found.score, measure["score"], rtol=1e-12)
    np.testing.assert_allclose(found.dis_score, measure["dis_suda"], rtol=1e-9)
    np.testing.assert_allclose(
        found.contributions, measure["record_contribution"], rtol=1e-12, atol=1e-15
    )
    of_columns = dict(found.variable_contributions.select("variable", "share").rows())
    assert of_columns == pytest.approx(
        {key: pct / 100 for key, pct in measure["attribute_contribution_pct"].items()}, rel=1e-12
    )
    values = measure["attribute_value_contribution_pct_of_total"]
    expected_values = {
        (column, value): pct / 100 for column in values for value, pct in values[column].items()
    }
    shares = {
        (row["variable"], row["value"]): row["share"]
        for row in found.value_contributions.to_dicts()
        if row["value"] != "(missing)"
    }
    assert shares == pytest.approx(expected_values, rel=1e-12, abs=1e-15)


def test_the_ten_records_that_other_tools_get_wrong() -> None:
    # scores of the IHSN guide; PyPI suda 0.2.2 has no check for minimality
    found = suda(frame(IHSN, "abcd"), max_size=None)
    assert found.score.tolist() == [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]
    assert found.special_uniques.tolist() == [3, 5, 7, 8]


def test_pypi_suda_gives_other_scores_for_the_same_records() -> None:
    peer = pytest.importorskip("suda", reason="the bench group is not installed")
    pandas = pytest.importorskip("pandas")
    records = pandas.DataFrame(IHSN, columns=list("abcd"))
    theirs = peer.suda(records, max_msu=2)["suda"].tolist()
    ours = suda(frame(IHSN, "abcd"), max_size=2).score.tolist()
    twin = naive_suda.scores(naive_suda.minimal_uniques(IHSN), 10, 4, 4)
    assert ours == [float(score) for score in twin]
    assert ours != theirs
    assert [theirs[place] for place in (2, 4, 6, 7)] == [12, 18, 12, 16]
    # and those of larger sets, none of which is minimal, as well
    more = peer.suda(pandas.DataFrame(IHSN, columns=list("abcd")), max_msu=4)["suda"].tolist()
    assert [more[place] for place in (2, 4, 6, 7)] == [16, 23, 16, 21]


# ---- the worked example of the paper

MSUS = [(1, 2), (1, 5), (1, 8), (1, 6, 9), (5, 8, 12), (2, 5, 6, 8, 11)]


@pytest.fixture(scope="module")
def example() -> Suda:
    """A table whose first record has exactly these MSUs: every set without one of them is shared.

    For each largest set of attributes that holds no MSU there is a record that agrees with the
    first one on it, and nowhere else.
    """
    attributes = range(1, 13)
    every = chain.from_iterable(combinations(attributes, size) for size in range(12, 0, -1))
    shared: list[set[int]] = []
    for members in map(set, every):
        if any(set(msu) <= members for msu in MSUS) or any(members <= more for more in shared):
            continue
        shared.append(members)
    rows = [[0] * 12]
    rows += [
        [0 if attribute in members else number for attribute in attributes]
        for number, members in enumerate(shared, start=1)
    ]
    return suda(frame(rows, [str(a) for a in attributes]), max_size=None, list_uniques=True)


def test_the_record_of_the_paper_has_the_uniques_of_table_2_2(example: Suda) -> None:
    mine = [tuple(map(int, columns)) for record, columns in example.uniques if record == 1]
    assert sorted(mine) == sorted(MSUS)
    assert example.counts_by_size[0].tolist() == [0, 3, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0]


def test_the_record_of_the_paper_has_its_score_and_contributions(example: Suda) -> None:
    s2, s3, s5 = factorial(10), factorial(9), factorial(7)
    score = 3 * s2 + 2 * s3 + s5
    assert example.score[0] == score
    assert example.contributions[0, 0] == pytest.approx((3 * s2 + s3) / score, rel=1e-14)
    # Table A.3 prints 0 of size 5 for attribute 5, and 100 % beside it: {2,5,6,8,11} holds it
    assert example.contributions[0, 4] == pytest.approx((s2 + s3 + s5) / score, rel=1e-14)
    occurrences = example.found.by_variable[:, 0, :]
    sizes = {1: (3, 1, 0), 8: (1, 1, 1), 5: (1, 1, 1), 2: (1, 0, 1), 6: (0, 1, 1), 9: (0, 1, 0)}
    sizes |= {11: (0, 0, 1), 12: (0, 1, 0), 3: (0, 0, 0), 4: (0, 0, 0), 7: (0, 0, 0)}
    for attribute, expected in sizes.items():
        assert tuple(occurrences[[1, 2, 4], attribute - 1].tolist()) == expected


# ---- every way to look at it

PEOPLE = {
    "age": [21, 21, 34, 34, 80, 80, 80, 34],
    "job": ["student", "student", "nurse", "nurse", "retired", "student", "retired", "vet"],
    "marital": ["single", "single", "married", "married", "widowed", "widowed", "widowed", None],
}


@pytest.fixture
def people() -> Suda:
    return suda(PEOPLE, sampling_fraction=0.05, list_uniques=True)


def test_the_riskiest_records_come_first_with_the_reason_in_words(people: Suda) -> None:
    top = people.risky()
    assert top["record"].to_list() == [8, 6]
    assert top["because"].to_list() == [
        "job=vet alone identifies this record; so does marital=(missing)",
        "age=80 with job=student alone identifies this record; so does job=student with "
        "marital=widowed",
    ]
    assert people.risky(1, reasons=1)["because"].item() == (
        "job=vet alone identifies this record; so does 1 more set"
    )
    assert len(people.risky(0)) == 0
    with pytest.raises(BadChoice, match=r"n must be .* not -1"):
        people.risky(-1)
    with pytest.raises(BadChoice, match=r"reasons must be .* not 0"):
        people.risky(reasons=0)


def test_three_columns_and_many_reasons_are_put_into_words() -> None:
    rows = [(1, 1, 1, 1), (1, 1, 0, 0), (1, 0, 1, 0), (0, 1, 1, 0), (0, 0, 0, 0), (0, 0, 0, 0)]
    words = suda(frame(rows, "abcd"), max_size=None).risky(10, reasons=1)
    because = dict(words.select("record", "because").rows())
    assert because[1] == "d=1 alone identifies this record; so does 1 more set"
    binary = [(1, 1, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1), (0, 1, 0)] + [(0, 0, 0), (0, 0, 1)] * 2
    found = suda(frame(binary, "abc"))
    assert "a=1 with b=1 and c=1 alone identifies this record" in found.risky()["because"].to_list()


def test_uniques_are_listed_only_if_asked_for(people: Suda) -> None:
    assert list(people.uniques) == list(people.uniques)  # each time anew
    assert sorted(people.uniques) == [
        (6, ("age", "job")),
        (6, ("job", "marital")),
        (8, ("job",)),
        (8, ("marital",)),
    ]
    with pytest.raises(UndefinedMeasure, match="list_uniques=True"):
        _ = suda(PEOPLE).uniques


def test_dis_needs_a_sampling_fraction() -> None:
    found = suda(PEOPLE)
    for name in ("dis", "dis_score"):
        with pytest.raises(UndefinedMeasure, match="give it as sampling_fraction"):
            getattr(found, name)
    assert not found.has_dis_score
    assert found.to_dict()["dis"] is None
    assert "dis_score" not in found.to_frame().columns
    assert "DIS" not in str(found)


def test_a_frame_has_one_row_for_each_record_with_m_beside_the_score(people: Suda) -> None:
    rows = people.to_frame()
    assert rows.columns == [
        "record", "score", "max_size", "proportion_of_lattice", "dis_score",
        "unique", "kind", "smallest_size",
        "uniques_of_size_1", "uniques_of_size_2", "uniques_of_size_3",
        "contribution of age", "contribution of job", "contribution of marital",
    ]  # fmt: skip
    assert rows["record"].to_list() == list(range(1, 9))
    assert rows["max_size"].unique().to_list() == [3]
    assert rows.row(5)[-3:] == (0.5, 1.0, 0.5)
    assert rows.row(0)[-3:] == (0.0, 0.0, 0.0)


def test_a_dictionary_is_what_json_can_hold(people: Suda) -> None:
    answer = json.loads(json.dumps(people.to_dict(top=1), allow_nan=False))
    assert answer["uniques_by_size"] == {"1": 2, "2": 2, "3": 0}
    assert answer["special_uniques"] == 2
    assert answer["highest_score"] == 4
    assert answer["total_score"] == 6
    assert len(answer["risky"]) == 1
    assert [row["share"] for row in answer["value_contributions"]] == [pytest.approx(2 / 6)]
    assert answer["variable_contributions"][1]["share"] == pytest.approx(4 / 6)
    assert answer["max_size"] == 3


def test_values_are_shares_of_the_file_and_of_their_column(people: Suda) -> None:
    rows = {(row["variable"], row["value"]): row for row in people.value_contributions.to_dicts()}
    vet = rows["job", "vet"]
    assert (vet["records"], vet["share"]) == (1, pytest.approx(2 / 6))
    assert vet["share_of_variable"] == pytest.approx(2 / 4)  # as sdcMicro has it
    assert rows["marital", "(missing)"]["records"] == 1
    for column in people.columns:
        parts = [row["share_of_variable"] for key, row in rows.items() if key[0] == column]
        assert sum(parts) == pytest.approx(1)


def test_it_says_in_a_sentence_what_was_found(people: Suda) -> None:
    assert str(people) == (
        "2 of 8 records are singled out by sets of up to 3 of 3 columns, and 2 are special "
        "uniques; the highest score (M=3) is 4, of record 8; a match with a unique record is right "
        "in 1.7% of the cases (DIS)"
    )
    single = suda(PEOPLE, max_size=1)
    assert "singled out by single columns, and at least 1 is a special unique" in str(single)
    nobody = suda({"a": [1, 1]})
    assert str(nobody).endswith("0 are special uniques")
    assert "<table" in people._repr_html_()


def test_nothing_of_the_result_can_be_changed(people: Suda) -> None:
    arrays = (people.score, people.counts_by_size, people.contributions, people.record)
    for array in (*arrays, people.dis_score, people.counts_by_variable):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
    with pytest.raises(AttributeError):
        people.max_size = 2  # type: ignore[misc]


def test_special_uniques_are_unique_on_fewer_than_all_columns() -> None:
    # the first record needs both columns; the last is told by one
    found = suda({"a": [1, 1, 2, 2, 2, 2, 9], "b": [1, 2, 1, 2, 1, 2, 1]}, max_size=None)
    assert found.unique == 3
    assert found.counts_by_size.any(axis=1).tolist() == [True, True, *[False] * 4, True]
    assert found.special_uniques.tolist() == [7]
    only = suda({"a": [1, 2]})
    assert len(only.special_uniques) == 0  # one column has no smaller set
    assert only.with_uniques == 2


def panels(found: Suda) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Return each panel of the picture with its data."""
    drawn = found.plot().to_dict()
    below = drawn["vconcat"]
    return [
        (panel, drawn["datasets"][panel.get("data", drawn.get("data"))["name"]]) for panel in below
    ]


def test_the_pictures_show_scores_contributions_and_sizes(people: Suda) -> None:
    drawn = panels(people)
    titles = [panel["title"]["text"] for panel, _ in drawn]
    assert titles == [
        "How far the records stand out",
        "What each column contributes",
        "At which sizes the columns single records out",
        "Which sets of columns carry the scores",
    ]
    (panel, records), (_, columns), (_, sizes), (_, sets) = drawn
    assert {row["column"]: row["share"] for row in sets} == pytest.approx(
        {"job": 1 / 3, "marital": 1 / 3, "age x job": 1 / 6, "job x marital": 1 / 6}
    )
    assert sum(bar["records"] for bar in records) == 2
    assert "M = 3" in panel["encoding"]["x"]["title"]
    assert [row["column"] for row in columns] == ["job", "marital", "age"]
    cells = {(row["column"], row["size"]): row for row in sizes}
    assert cells["job", 2]["uniques"] == 2
    assert cells["job", 2]["share"] == 1
    assert cells["age", 3]["share"] == 0


def test_a_table_without_uniques_has_a_picture_too() -> None:
    ((_, rows),) = panels(suda({"a": [1, 1], "b": [2, 2]}))
    assert rows == [{"words": "No set of up to 2 columns singles out a record."}]


def test_the_picture_of_many_columns_shows_those_that_contribute_most() -> None:
    rng = np.random.default_rng(5)
    columns = {f"c{place}\x1b": rng.integers(0, 9, 60) for place in range(40)}
    panel, rows = panels(suda(columns, max_size=2))[1]
    assert len(rows) == 30
    assert rows[0]["share"] >= rows[-1]["share"]
    assert all(row["column"].isprintable() for row in rows)
    assert "the first 30 of 40 columns" in panel["title"]["subtitle"]
