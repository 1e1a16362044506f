"""What can be said of the contributions of records once they are known."""

import json
import pickle
from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_qar
from ess_like import ess_like_frame
from singleout.errors import BadChoice
from singleout.methods.qar.contribution_result import RecordContributions, rank_combination
from singleout.methods.qar.contributions import contributions
from singleout.methods.qar.reasons import combination_columns, unique_combinations


@pytest.fixture(scope="module")
def survey() -> RecordContributions:
    frame = ess_like_frame(1_500)
    return contributions(frame, ordinal=frame.columns, pls="linear")


@pytest.mark.parametrize(("width", "size"), [(1, 1), (5, 1), (6, 2), (9, 3), (7, 7), (8, 5)])
def test_combinations_are_numbered_in_lexicographic_order(width: int, size: int) -> None:
    expected = list(combinations(range(width), size))
    found = combination_columns(np.arange(len(expected)), width, size)
    assert [tuple(row) for row in found.tolist()] == expected


record = st.tuples(*[st.integers(0, 3)] * 4)


@given(st.lists(record, min_size=1, max_size=25), st.integers(1, 4), st.data())
def test_the_combinations_that_make_a_record_unique_are_those_of_the_naive_twin(
    records: list[tuple[int, ...]], size: int, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(records) - 1))
    expected = np.flatnonzero(naive_qar.unique_flags(records, size)[place])
    codes = [np.array(column) for column in zip(*records, strict=True)]
    order = np.arange(len(naive_qar.column_sets(4, size)))
    found = unique_combinations(codes, size, place, order, len(order))
    assert found.tolist() == expected.tolist()
    backwards = unique_combinations(codes, size, place, order[::-1], 2)
    assert backwards.tolist() == expected[::-1][:2].tolist()


@given(st.lists(st.integers(1, 5), min_size=1, max_size=12), st.floats(0, 1), st.data())
def test_the_cluster_is_who_lowers_the_count_at_the_heavier_rank_of_the_threshold(
    counts: list[int], g: float, data: st.DataObject
) -> None:
    distinct = np.array(counts)
    k = data.draw(st.integers(1, len(counts)))
    unique = np.array(
        data.draw(st.lists(st.booleans(), min_size=len(counts), max_size=len(counts)))
    )
    rank = rank_combination(distinct, k, g)
    if k == len(counts):
        assert rank is None
        return
    assert rank is not None
    tied = distinct == distinct[rank.number]
    assert rank.ties == tied.sum()
    heavier = k if g >= 0.5 else k - 1  # an index, from 0
    before, after = np.sort(distinct)[heavier], np.sort(distinct - unique)[heavier]
    assert (unique[tied].sum() >= rank.needed) == (after < before)


def test_to_frame_has_a_row_for_each_record(survey: RecordContributions) -> None:
    frame = survey.to_frame()
    assert frame.columns == [
        "record", "cluster", "contribution", "uniqueness_plus", "uniqueness_star", "unique_in",
        "entropy", "pls_score", "filtered_entropy",
    ]  # fmt: skip
    assert frame["record"].to_list() == list(range(1, 1_501))
    assert np.array_equal(frame["contribution"], survey.contribution)


def test_top_gives_the_largest_contributions_with_their_reasons(
    survey: RecordContributions,
) -> None:
    top = survey.top(4)
    assert top["contribution"].to_list() == sorted(survey.contribution.tolist(), reverse=True)[:4]
    for row in top.to_dicts():
        reasons = survey.reasons(row["record"])
        assert reasons.height == row["unique_in"]
        assert reasons["theta"].is_sorted(descending=True)
        assert reasons["theta"].sum() == pytest.approx(row["uniqueness_plus"])
        first = ", ".join(reasons["columns"][:3])
        assert row["unique_for"] == f"{first} and {row['unique_in'] - 3:,} more"
    assert survey.top(0).height == 0


def test_a_record_that_is_never_unique_has_no_reasons() -> None:
    found = contributions({"a": [1, 1, 2], "b": [1, 1, 2]}, size=2)
    assert found.unique_in.tolist() == [0, 0, 1]
    words = dict(zip(*found.top(3)["record", "unique_for"], strict=True))
    assert words == {1: "unique in none", 2: "unique in none", 3: "a+b"}
    assert found.reasons(1).height == 0
    assert found.top(3, reasons=0)["unique_for"].to_list().count("unique in 1") == 1


def test_asking_for_what_is_not_there_says_what_is(survey: RecordContributions) -> None:
    with pytest.raises(BadChoice, match=r"no record 1501 .* between 1 and 1500"):
        survey.reasons(1501)
    with pytest.raises(BadChoice, match="0 or more, not -1"):
        survey.top(-1)
    plain = contributions({"a": [1, 2, 2], "b": [1, 1, 2]}, size=1)
    assert plain.entropy is None
    assert plain.pls is None
    assert plain.filtered_entropy is None


def test_filtered_entropy_is_zero_where_removal_is_predicted_to_raise_the_risk(
    survey: RecordContributions,
) -> None:
    assert survey.entropy is not None
    assert survey.pls is not None
    lowers = survey.pls.score > survey.pls.cutoff
    assert 0 < lowers.sum() < survey.records
    assert np.array_equal(survey.filtered_entropy[lowers], survey.entropy[lowers])
    assert not survey.filtered_entropy[~lowers].any()


def test_correlations_are_given_for_each_pair_of_measures(survey: RecordContributions) -> None:
    frame = survey.correlations
    assert frame.height == 7 * 6 // 2
    row = frame.row(by_predicate=(pl.col("measure") == "uniqueness_plus")
                    & (pl.col("other") == "entropy"), named=True)  # fmt: skip
    expected = np.corrcoef(survey.uniqueness_plus, survey.entropy)[0, 1]
    assert row["pearson"] == pytest.approx(expected)
    assert frame["kendall"].is_between(-1, 1).all()


def test_correlations_with_what_does_not_vary_are_null() -> None:
    found = contributions({"a": [1, 1, 1], "b": [2, 2, 2]}, size=1)
    assert found.correlations["pearson"].to_list() == [None] * 6
    assert found.within_clusters["kendall"].to_list() == [None] * 3


def test_the_clusters_are_correlated_each_for_itself(survey: RecordContributions) -> None:
    rows = {row["among"]: row for row in survey.within_clusters.to_dicts()}
    inside = rows["in the cluster"]
    assert inside["records"] == survey.cluster.sum()
    assert rows["others"]["records"] == (~survey.cluster).sum()
    expected = np.corrcoef(
        survey.contribution[survey.cluster], survey.uniqueness_plus[survey.cluster]
    )[0, 1]
    assert inside["pearson"] == pytest.approx(expected)


def test_to_dict_is_json_without_single_records_but_the_top(survey: RecordContributions) -> None:
    answer = json.loads(json.dumps(survey.to_dict(top=2), allow_nan=False))
    assert answer["risk"] == survey.risk
    assert len(answer["top"]) == 2
    assert answer["lowering"] == (survey.contribution > 0).sum()
    assert answer["pls"]["factors"] == 3
    assert answer["rank_quasi_identifier"] == survey.rank_quasi_identifier


def test_the_picture_samples_many_records_and_says_so(survey: RecordContributions) -> None:
    small = json.dumps(survey.plot().to_dict())
    assert "1,500 records; above 0" in small
    assert "250 with the largest U+" in small
    large = contributions(ess_like_frame(4_000)).plot().to_dict()
    assert max(len(values) for values in large["datasets"].values()) == 2_500
    assert "a sample of 2,500 of 4,000 records" in large["vconcat"][0]["title"]["subtitle"]
    assert len(json.dumps(large)) < 600_000


def test_words_and_html(survey: RecordContributions) -> None:
    assert str(survey).startswith(f"T = {survey.risk:.4f}; removing any one of ")
    assert "<table" in survey._repr_html_()
    nothing = contributions({"a": [1, 1, 1]}, size=1)
    assert str(nothing).endswith("removing any one of the records would not lower it")


def test_a_result_cannot_be_changed_and_can_be_kept(survey: RecordContributions) -> None:
    with pytest.raises(ValueError, match="read-only"):
        survey.contribution[0] = 1
    again = pickle.loads(pickle.dumps(survey))
    assert np.array_equal(again.contribution, survey.contribution)
    assert again.top(2).equals(survey.top(2))


def test_clusters_are_spoken_of_only_where_a_picture_shows_them(
    survey: RecordContributions,
) -> None:
    assert survey.cluster_shift is not None
    assert survey.has_clusters == (abs(survey.cluster_shift) >= 2)
    known = np.column_stack([np.ones(1_500), survey.uniqueness_plus, survey.cluster])
    fitted = np.linalg.solve(known.T @ known, known.T @ survey.contribution)
    residual = survey.contribution - known @ fitted
    assert survey.cluster_shift == pytest.approx(fitted[2] / residual.std(), rel=1e-6)
    assert contributions(ess_like_frame(4_000)).has_clusters
    hidden = replace(survey, contribution=survey.uniqueness_plus + np.sin(survey.record))
    assert not hidden.has_clusters


@pytest.mark.parametrize("columns", [18, 19])
def test_the_clusters_are_told_apart_by_the_heavier_rank(columns: int) -> None:
    frame = ess_like_frame(3_000, seed=3)
    if columns == 19:  # g = .2: rank k carries the weight
        frame = frame.with_columns(more=np.random.default_rng(0).integers(0, 8, 3_000))
    found = contributions(frame)
    rows = found.within_clusters["pearson"].to_list()
    assert min(rows[1:]) > 0.6 > rows[0]
