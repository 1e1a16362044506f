"""Contributions of records: the verified values, real deletion, and what must not matter."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_qar
import singleout as so
from ess_like import RECORDS, ess_like_frame
from singleout.core import memory
from singleout.errors import BadChoice, UnknownColumns, UnusableColumn, UnusableTable
from singleout.methods.qar.contribution_result import RecordContributions
from singleout.methods.qar.contributions import contributions
from singleout.methods.qar.measure import position, risk_of


def frame_of(records: list[tuple[int, ...]]) -> pl.DataFrame:
    names = [f"c{place}" for place in range(len(records[0]))]
    return pl.DataFrame(records, schema=dict.fromkeys(names, pl.Int64), orient="row")


# ---- the verified values


def test_the_verified_values() -> None:
    frame = frame_of(naive_qar.golden_records())
    found = contributions(frame, ordinal=frame.columns)
    close = {"rel": 0, "abs": 1e-12}
    assert found.risk == pytest.approx(0.6756883097401, abs=5e-14)
    assert found.contribution[:5].tolist() == pytest.approx(
        [-3.12445592936e-5, 1.182024858614e-3, -1.260482493900e-3, -1.448995491804e-4,
         -1.690477882340e-3], **close,
    )  # fmt: skip
    assert found.uniqueness_plus[:5].tolist() == pytest.approx(
        [20.465, 33.3575, 19.8675, 25.0625, 2.4025], **close
    )
    assert found.uniqueness_star[:5].tolist() == pytest.approx(
        [19.535, 36.6425, 20.1325, 25.9375, 2.5975], **close
    )
    assert found.uniqueness_plus.sum() == pytest.approx(7366.35, abs=1e-9)
    assert found.uniqueness_star.sum() == pytest.approx(8278.65, abs=1e-9)
    assert found.unique_in.sum() == 15645
    assert found.entropy is not None
    assert found.entropy[:5].tolist() == pytest.approx(
        [2.432048567324, 2.359174089783, 2.583379822905, 2.438525311959, 2.402615312663], **close
    )


# ---- real deletion


@st.composite
def tables(draw: st.DrawFn) -> list[tuple[int, ...]]:
    """Tables with many ties: constant columns, wide ones, one record, few records, many columns."""
    width = draw(st.integers(1, 7))
    top = draw(st.lists(st.sampled_from([0, 1, 2, 4, 300]), min_size=width, max_size=width))
    record = st.tuples(*(st.integers(0, largest) for largest in top))
    return draw(st.lists(record, min_size=1, max_size=18))


@given(tables(), st.integers(1, 3), st.sampled_from([(0.01, 0.05), (0.05, 0.3), (0.2, 0.5)]))
def test_contributions_are_those_of_really_deleting_the_record(
    records: list[tuple[int, ...]], size: int, shares: tuple[float, float]
) -> None:
    size = min(size, len(records[0]))
    alpha, tail = shares
    found = contributions(frame_of(records), size=size, alpha=alpha, tail=tail)
    plus, star = naive_qar.uniqueness(records, size)
    assert found.uniqueness_plus.tolist() == pytest.approx(plus, abs=1e-12)
    assert found.uniqueness_star.tolist() == pytest.approx(star, abs=1e-12)
    flags = naive_qar.unique_flags(records, size)
    assert found.unique_in.tolist() == [sum(row) for row in flags]
    if len(records) > 1:
        expected = naive_qar.contributions(records, size, alpha=alpha, tail=tail)
        assert found.contribution.tolist() == pytest.approx(expected, abs=1e-11)


@given(tables(), st.integers(1, 3), st.sampled_from([(0.01, 0.05), (0.05, 0.3), (0.2, 0.5)]))
def test_unbiased_contributions_are_those_of_really_deleting_the_record(
    records: list[tuple[int, ...]], size: int, shares: tuple[float, float]
) -> None:
    size = min(size, len(records[0]))
    alpha, tail = shares
    found = contributions(
        frame_of(records), size=size, alpha=alpha, tail=tail, estimator="unbiased"
    )
    whole = risk_of(naive_qar.distinct_counts(records, size), len(records), alpha, tail, "unbiased")
    assert found.risk == whole
    for place in range(len(records) if len(records) > 1 else 0):
        rest = [*records[:place], *records[place + 1 :]]
        counts = naive_qar.distinct_counts(rest, size)
        expected = whole - risk_of(counts, len(rest), alpha, tail, "unbiased")
        assert found.contribution[place] == pytest.approx(expected, abs=1e-11)


@given(tables(), st.integers(1, 3), st.sampled_from([0.05, 0.3, 0.5]))
def test_the_cluster_is_who_lowers_the_count_at_the_heavier_rank(
    records: list[tuple[int, ...]], size: int, tail: float
) -> None:
    size = min(size, len(records[0]))
    found = contributions(frame_of(records), size=size, tail=tail)
    counts = np.array(naive_qar.distinct_counts(records, size))
    k, g = position(len(counts), tail)
    heavier = k if g >= 0.5 else k - 1  # an index, from 0
    for flags, inside in zip(
        naive_qar.unique_flags(records, size), found.cluster.tolist(), strict=True
    ):
        after = np.sort(counts - np.array(flags))
        assert inside == (k < len(counts) and after[heavier] < np.sort(counts)[heavier])


def test_where_every_combination_tells_all_apart_the_risk_stays_1() -> None:
    found = contributions({"a": range(9), "b": range(9), "c": range(9), "d": range(9)}, size=2)
    assert found.risk == 1
    assert found.contribution.tolist() == [0.0] * 9
    assert found.unique_in.tolist() == [6] * 9


def test_without_exceedances_the_contribution_is_that_to_the_threshold() -> None:
    found = contributions({"a": [1, 1, 2, 3], "b": [1, 1, 2, 3]}, size=1)
    assert found.dataset.exceedances == 0
    # 3/4 less 3/3 where one of the twins goes, less 2/3 where another goes
    assert found.contribution.tolist() == pytest.approx([-1 / 4, -1 / 4, 1 / 12, 1 / 12])


def test_one_record_contributes_nothing_and_it_is_said() -> None:
    found = contributions({"a": [1], "b": [2], "c": [3]}, ordinal=["a", "b", "c"], pls="linear")
    assert found.contribution.tolist() == [0.0]
    assert found.unique_in.tolist() == [1]
    assert any("only one record" in note for note in found.notes)


def test_two_records() -> None:
    found = contributions({"a": [1, 2], "b": [1, 1], "c": [1, 2]}, size=1)
    assert found.contribution.tolist() == [0.0, 0.0]  # T is 1 with two records and with one


# ---- what must not matter


def same(one: RecordContributions, other: RecordContributions) -> None:
    assert one.risk == other.risk
    assert np.array_equal(one.contribution, other.contribution)
    assert np.array_equal(one.uniqueness_plus, other.uniqueness_plus)
    assert np.array_equal(one.uniqueness_star, other.uniqueness_star)
    assert np.array_equal(one.unique_in, other.unique_in)
    assert np.array_equal(one.cluster, other.cluster)


@pytest.mark.parametrize("estimator", ["plotting", "unbiased"])
def test_the_order_of_columns_does_not_matter(estimator: str) -> None:
    frame = ess_like_frame(600)
    one = contributions(frame, estimator=estimator)
    other = contributions(frame[:, ::-1], estimator=estimator)
    same(one, other)


def test_the_number_of_threads_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = ess_like_frame(900)
    answers = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("SINGLEOUT_THREADS", threads)
        answers.append(contributions(frame, ordinal=frame.columns))
    for answer in answers[1:]:
        same(answers[0], answer)
        assert np.array_equal(answers[0].entropy, answer.entropy)


def test_the_order_of_records_does_not_matter() -> None:
    frame = ess_like_frame(400)
    order = np.random.default_rng(4).permutation(400)
    one, other = contributions(frame), contributions(frame[order])
    assert np.array_equal(one.contribution[order], other.contribution)
    assert np.array_equal(one.cluster[order], other.cluster)


# ---- choices


def test_dropped_records_keep_their_numbers_in_the_data() -> None:
    people = {"a": [1, None, 2, 2], "b": [1, 1, 2, 3], "c": [1, 1, 1, 1]}
    found = contributions(people, size=2, missing="drop")
    assert found.record.tolist() == [1, 3, 4]
    assert found.records == len(found.contribution) == 3
    assert found.to_frame()["record"].to_list() == [1, 3, 4]
    assert found.reasons(4)["columns"].to_list() == ["a+b", "b+c"]
    with pytest.raises(BadChoice, match="no record 2 among those counted"):
        found.reasons(2)
    as_value = contributions(people, size=2)
    assert as_value.record.tolist() == [1, 2, 3, 4]


def test_a_nominal_column_is_no_ordinal_one() -> None:
    people = {"age": [30, 41, 50], "town": ["x", "z", "y"], "sex": ["f", "m", "f"]}
    with pytest.raises(UnusableColumn, match=r"Column 'town' holds text .* not ordinal"):
        contributions(people, size=1, ordinal=["age", "town"])


def test_what_has_an_order_can_be_ordinal() -> None:
    levels = pl.Enum(["low", "high", "highest"])
    people = pl.DataFrame(
        {
            "age": [30, 41, 50],
            "written": ["10", "9", "100"],
            "born": pl.Series(["2001-02-03", "1999-01-01", "2000-01-01"]).str.to_date(),
            "level": pl.Series(["high", "low", "highest"], dtype=levels),
            "fit": [True, False, True],
        }
    )
    found = contributions(people, size=2, ordinal=people.columns)
    numbers = people.select(
        "age",
        pl.col("written").cast(pl.Int64),
        pl.col("born").dt.year(),
        pl.col("level").to_physical(),
        "fit",
    )
    expected = contributions(numbers, size=2, ordinal=people.columns)
    assert np.array_equal(found.entropy, expected.entropy)
    assert found.ordinal == tuple(people.columns)


@pytest.mark.parametrize(
    ("values", "ordinal"),
    [
        (["2001-02-03", "1999-01-01", "2000-01-01"], True),
        (["2001-02", "1999-01", "2000-12"], True),
        (["2001-02-03T10:00", "1999-01-01T23:59", "1999-01-01T00:00"], True),
        (["2001-02-03 10:00:01", "1999-01-01 23:59:00", "1999-01-01 00:00:59"], True),
        (["2001-02-30", "1999-01-01", "2000-01-01"], False),  # no such day
        (["2001-02-03", "1999-01", "2000-01-01"], False),
        (["2001-02-03T10:00", "2001-02-03 11:00", "1999-01-01 00:00"], False),
        (["03.02.2001", "01.01.1999", "01.01.2000"], False),
    ],
)
def test_iso_dates_that_are_text_are_ordinal(values: list[str], ordinal: bool) -> None:
    people = {"when": values, "age": [30, 41, 50]}
    if not ordinal:
        with pytest.raises(UnusableColumn, match="'when' holds text"):
            contributions(people, size=1, ordinal=["when", "age"])
        return
    ranks = [sorted(values).index(value) for value in values]
    expected = contributions({**people, "when": ranks}, size=1, ordinal=["when", "age"])
    found = contributions(people, size=1, ordinal=["when", "age"])
    assert np.array_equal(found.entropy, expected.entropy)


def test_a_score_of_ones_own_is_compared_with_the_contribution() -> None:
    frame = ess_like_frame(300)
    plain = contributions(frame)
    found = contributions(frame, score=plain.uniqueness_plus)
    assert found.to_frame()["score"].to_list() == plain.uniqueness_plus.tolist()
    first, *_, last = found.correlated(found.telling_pairs).to_dicts()
    assert (last["measure"], last["other"]) == ("uniqueness_plus", "uniqueness_star")
    by_score = found.correlated([("contribution", "score")]).to_dicts()[0]
    assert by_score["kendall"] == first["kendall"]


def test_scores_follow_the_records_that_are_chosen_and_kept() -> None:
    people = {"a": [1, None, 2, 2], "b": [1, 1, 2, 3], "c": [1, 1, 0, 1]}
    asked = {"size": 2, "missing": "drop", "where": "c = 1"}
    every = contributions(people, score=[1, 2, 3, 4], **asked)
    chosen = contributions(people, score=[1, 2, 4], **asked)
    assert every.score is not None
    assert every.score.tolist() == chosen.score.tolist() == [1, 4]
    assert contributions(people, size=2, missing="drop", score=[1, None, 3, 4]).score is not None


@pytest.mark.parametrize(
    ("score", "words"),
    [
        ([1, 2], "score has 2 numbers, and the data have 3 records"),
        ([[1], [2], [3]], r"score has the shape \(3, 1\)"),
        (["x", "y", "z"], "score must hold numbers"),
        ([1, np.nan, np.inf], "score is missing or infinite for 2 of 3 records"),
    ],
)
def test_scores_that_do_not_fit_are_refused(score: list[object], words: str) -> None:
    with pytest.raises(BadChoice, match=words):
        contributions({"a": [1, 2, 3], "b": [1, 1, 2]}, size=1, score=score)


def test_the_pictures_are_those_of_the_paper() -> None:
    frame = ess_like_frame(300)
    few = contributions(frame)
    drawn = few.plot().to_dict()
    assert len(drawn["vconcat"]) == 3  # Fig. 3, 4 and 2
    points, mean, _ = (_rows(drawn, layer) for layer in drawn["vconcat"][2]["layer"])
    assert mean == [{"plus": few.uniqueness_plus.mean(), "star": few.uniqueness_star.mean()}]
    assert [row["star"] for row in points] == few.uniqueness_star.tolist()

    every = contributions(frame, ordinal=frame.columns, pls="linear", score=few.unique_in)
    assert every.entropy is not None
    assert every.pls is not None
    drawn = every.plot().to_dict()
    *_, entropy, score, roc = drawn["vconcat"]
    assert [row["measure"] for row in _rows(drawn, entropy)] == every.entropy.tolist()  # Fig. 6
    assert [row["measure"] for row in _rows(drawn, score)] == few.unique_in.tolist()
    curves: dict[str, list[tuple[float, float]]] = {}
    for row in _rows(drawn, roc["layer"][1]):  # Fig. 8
        curves.setdefault(row["records"], []).append((row["true"], row["false"]))
    areas = (every.pls.auc_train, every.pls.auc_test)
    for (name, curve), area in zip(curves.items(), areas, strict=True):
        assert np.trapezoid(*np.array(curve).T) == pytest.approx(area)
        assert f"{area:.4f}" in name


def _rows(picture: dict[str, Any], panel: dict[str, Any]) -> list[dict[str, Any]]:
    data = panel["data"]
    rows: list[dict[str, Any]] = data.get("values") or picture["datasets"][data["name"]]
    return rows


def test_entropy_says_which_columns_it_leaves_out_and_where_missing_values_rank() -> None:
    people = {"a": [1, 2, 3], "b": [1, None, 2], "town": ["x", "y", "y"]}
    found = contributions(people, size=2, ordinal=["a", "b"])
    assert "Entropy uses 2 of the 3 columns: those named as ordinal." in found.notes
    assert "Missing values rank above all others in: b." in found.notes
    assert found.ordinal == ("a", "b")


def test_a_prediction_says_which_columns_have_no_order() -> None:
    people = {"a": [1, 2, 3, 1], "town": ["x", "y", "y", "z"]}
    found = contributions(people, size=1, tail=0.5, pls="linear")
    assert any("in the order of the alphabet: town;" in note for note in found.notes)


def test_predictions_are_areas_and_the_same_each_time() -> None:
    frame = ess_like_frame(1_000)
    for terms in ("linear", "quadratic"):
        one, other = (contributions(frame, pls=terms).pls for _ in range(2))
        assert one is not None
        assert other is not None
        assert one.auc_train is not None
        assert one.auc_test is not None
        assert 0.5 < one.auc_train <= 1
        assert 0 <= one.auc_test <= 1
        assert np.array_equal(one.score, other.score)
        seeded = contributions(frame, pls=terms, rng=7).pls
        assert seeded is not None
        assert not np.array_equal(one.score, seeded.score)


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"ordinal": ["a"], "size": 2}, "at least 2 ordinal columns"),
        ({"pls": "cubic"}, "'cubic' is not .*terms"),
        ({"alpha": 0.5}, "alpha is 0.5 and tail is 0.05"),
        ({"size": 4}, "size is 4"),
        ({"estimator": "best"}, "'best' is not .*estimator"),
    ],
)
def test_choices_without_meaning_are_refused(choices: dict[str, object], words: str) -> None:
    with pytest.raises(BadChoice, match=words):
        contributions({"a": [1, 2], "b": [1, 2], "c": [1, 2]}, **choices)


def test_ordinal_columns_must_be_among_those_combined() -> None:
    people = {"a": [1, 2], "b": [1, 2], "c": [1, 2]}
    with pytest.raises(UnknownColumns, match="Columns not found"):
        contributions(people, ["a", "b"], size=1, ordinal=["c"])


def test_columns_with_the_role_of_an_identifier_are_left_out() -> None:
    people = {"id": range(5), "a": [1, 1, 2, 2, 3], "b": [1, 2, 1, 2, 1]}
    table = so.read(people, roles={"id": "direct-identifier"})
    found = contributions(table, size=1)
    assert found.dataset.columns == ("a", "b")


def test_what_does_not_fit_into_memory_is_said_before_it_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frame = ess_like_frame(400)
    asked: dict[str, int] = {}
    monkeypatch.setattr(
        "singleout.methods.qar.contributions.require_memory",
        lambda needed, what: asked.update({what: needed}),
    )
    contributions(frame, ordinal=frame.columns)
    unique, entropy = asked
    assert unique.startswith("Finding which of 400 records are unique in 45 combinations")  # ties
    assert entropy == "The entropy of 400 records"
    assert asked[unique] > 45 * 400 // 8
    assert asked[entropy] > 400 * 29 * 2  # 29 bins of two bytes
    monkeypatch.undo()
    monkeypatch.setattr(memory, "available_memory", lambda: 1_000)
    with pytest.raises(UnusableTable, match=r"needs about .* of memory"):
        contributions(frame)


# ---- the paper's findings, on a table that is like its own


@pytest.fixture(scope="module")
def survey() -> RecordContributions:
    frame = ess_like_frame()
    return contributions(frame, ordinal=frame.columns, pls="linear")


def test_the_table_is_like_the_papers(survey: RecordContributions) -> None:
    assert survey.records == RECORDS
    assert 0.15 < survey.risk < 0.25  # 0.1949 in the paper
    assert 0.4 < (survey.unique_in == 0).mean() < 0.65  # 51.7 % in the paper


def test_uniqueness_goes_with_contribution_and_entropy_does_not(
    survey: RecordContributions,
) -> None:
    pairs = {(row["measure"], row["other"]): row for row in survey.correlations.to_dicts()}
    assert pairs["contribution", "uniqueness_plus"]["kendall"] > 0.5  # 0.66 in the paper
    assert pairs["uniqueness_plus", "uniqueness_star"]["pearson"] > 0.9  # 0.95 in the paper
    assert abs(pairs["contribution", "entropy"]["kendall"]) < 0.1


def test_the_number_of_bins_is_the_root_of_the_number_of_combinations(
    survey: RecordContributions,
) -> None:
    assert survey.entropy_bins == survey.to_dict()["entropy_bins"] == 29  # 28.57 for 816
    assert any(
        "816 combinations of 3 columns, ranks are cut into 29 bins" in n for n in survey.notes
    )
    assert contributions({"a": [1, 2], "b": [1, 2]}, size=1).entropy_bins is None


def test_most_of_the_top_by_uniqueness_contribute_more_than_the_median_record(
    survey: RecordContributions,
) -> None:
    top = np.argsort(-survey.uniqueness_plus, kind="stable")[:250]
    assert np.median(survey.contribution[top]) > 0 > np.median(survey.contribution)


def test_one_combination_explains_the_two_clusters(survey: RecordContributions) -> None:
    among = dict(zip(*survey.within_clusters["among", "pearson"], strict=True))
    assert among["in the cluster"] > 0.7
    assert among["others"] > 0.7
    assert among["all records"] < 0.5
    inside, others = survey.contribution[survey.cluster], survey.contribution[~survey.cluster]
    assert np.median(inside) < others.min()


def test_removing_the_records_with_the_largest_entropy_raises_the_risk(
    survey: RecordContributions,
) -> None:
    frame = ess_like_frame()
    assert survey.entropy is not None
    by_entropy, by_uniqueness = (
        np.argsort(-measure, kind="stable") for measure in (survey.entropy, survey.uniqueness_plus)
    )
    fifth = RECORDS // 5
    without = [
        contributions(frame[np.sort(order[fifth:])]).risk for order in (by_entropy, by_uniqueness)
    ]
    assert without[0] > survey.risk > without[1]
