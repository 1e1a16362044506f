"""The public function: any data, any criterion, and the result that it gives."""

import json
from typing import Any

import numpy as np
import polars as pl
import pytest

import naive_elimination
import naive_qar
import singleout as so
from ess_like import ess_like_frame
from singleout.errors import BadChoice, UndefinedMeasure, UnusableColumn, UnusableTable
from singleout.methods.qar.contributions import contributions
from singleout.methods.qar.function import qar
from singleout.methods.suda.function import suda
from singleout.treatment.eliminate import eliminate
from singleout.treatment.result import Elimination, draw


@pytest.fixture(scope="module")
def golden() -> pl.DataFrame:
    names = [f"c{index:02}" for index in range(12)]
    return pl.DataFrame(naive_qar.golden_records(), schema=names, orient="row")


@pytest.fixture(scope="module")
def survey() -> pl.DataFrame:
    return ess_like_frame()


# ---- what it answers


@pytest.mark.parametrize(
    "criterion", ["top-uniqueness", "contribution", "uniqueness-plus", "uniqueness-star", "entropy"]
)
@pytest.mark.parametrize("every", [100, None])
def test_the_risk_in_the_end_is_that_of_the_reduced_table(
    golden: pl.DataFrame, criterion: str, every: int | None
) -> None:
    result = eliminate(golden, records=150, criterion=criterion, every=every)
    assert result.risk[0] == qar(golden).risk
    assert result.risk[-1] == qar(result.table(golden)).risk
    assert result.reduction[-1] == 1 - result.risk[-1] / result.risk[0]
    assert len(set(result.order.tolist())) == 150
    assert (result.reduction <= result.bound + 1e-12).all()
    assert (result.achieved_top <= result.bound_top + 1e-12).all()


def test_proper_elimination_takes_the_largest_contribution_at_each_step(
    golden: pl.DataFrame,
) -> None:
    result = eliminate(golden, records=12, criterion="contribution", every=1)
    left = golden.with_row_index("number", offset=1)
    for gone, risk in zip(result.order.tolist(), result.risk[1:].tolist(), strict=True):
        measured = contributions(left.drop("number"))
        assert left["number"][int(measured.contribution.argmax())] == gone
        left = left.filter(pl.col("number") != gone)
        assert qar(left.drop("number")).risk == pytest.approx(risk, abs=1e-14)


def test_one_shot_uniqueness_takes_the_order_of_the_measure(golden: pl.DataFrame) -> None:
    measured = contributions(golden)
    for criterion, scores in (
        ("uniqueness-plus", measured.uniqueness_plus),
        ("uniqueness-star", measured.uniqueness_star),
    ):
        result = eliminate(golden, records=30, criterion=criterion, every=None)
        taken = scores[result.order - 1]
        assert (np.diff(taken) <= 1e-9).all()
        assert taken[-1] >= np.delete(scores, result.order - 1).max() - 1e-9


def test_entropy_and_pls_take_the_largest_of_the_measure(golden: pl.DataFrame) -> None:
    names = golden.columns
    measured = contributions(golden, ordinal=names, pls="linear")
    squares = contributions(golden, ordinal=names, pls="quadratic")
    assert measured.entropy is not None
    assert measured.pls is not None
    assert squares.pls is not None
    assert measured.filtered_entropy is not None
    for criterion, scores in (
        ("entropy", measured.entropy),
        ("pls", measured.pls.score),
        ("pls-quadratic", squares.pls.score),
        ("filtered-entropy", measured.filtered_entropy),
    ):
        result = eliminate(golden, records=30, criterion=criterion, every=None, ordinal=names)
        expected = np.lexsort((np.arange(len(scores)), -scores))[:30]
        assert result.order.tolist() == measured.record[expected].tolist()


def test_a_score_of_ones_own_removes_the_largest_and_ties_go_by_number(
    golden: pl.DataFrame,
) -> None:
    score = np.arange(400) % 7
    for every in (None, 5):
        result = eliminate(golden, records=70, criterion="score", score=score, every=every)
        expected = sorted(range(400), key=lambda index: (-score[index], index))[:70]
        assert result.order.tolist() == [index + 1 for index in expected]
        assert result.risk[-1] == qar(result.table(golden)).risk


def test_factors_and_training_reach_the_prediction(golden: pl.DataFrame) -> None:
    measured = contributions(golden, pls="linear", factors=1, train=0.5)
    assert measured.pls is not None
    result = eliminate(golden, records=9, criterion="pls", every=None, factors=1, train=0.5)
    expected = np.argsort(-measured.pls.score, kind="stable")[:9] + 1
    assert result.order.tolist() == expected.tolist()


def test_several_steps_give_each_criterion_with_each_of_them(golden: pl.DataFrame) -> None:
    names = ["contribution", "uniqueness-plus"]
    results = eliminate(golden, records=20, criterion=names, every=[None, 5, 1])
    assert [(str(one.criterion), one.every) for one in results] == [
        (name, step) for name in names for step in (None, 5, 1)
    ]
    alone = eliminate(golden, records=20, criterion="uniqueness-plus", every=5)
    assert (alone.order == results[4].order).all()
    (single,) = eliminate(golden, records=20, every=[5])
    assert single.every == 5
    picture = draw(results).to_dict()
    drawn = {
        row["criterion"]
        for layer in picture["layer"]
        for row in _rows(picture, layer)
        if "criterion" in row
    }
    assert drawn == {one.name for one in results} | {"bound"}


def test_a_share_is_taken_as_its_decimals_say(golden: pl.DataFrame) -> None:
    assert len(eliminate(golden.head(30), share=0.1).order) == 3
    assert len(eliminate(golden.head(29), share=0.1).order) == 2


def test_several_criteria_give_a_list(golden: pl.DataFrame) -> None:
    result = eliminate(golden, records=5, criterion=["contribution", "top-uniqueness"], every=1)
    assert [str(one.criterion) for one in result] == ["contribution", "top-uniqueness"]
    alone = eliminate(golden, records=5, criterion="contribution", every=1)
    assert (alone.order == result[0].order).all()


@pytest.mark.parametrize("size", [1, 2, 4])
def test_any_size_of_combination(golden: pl.DataFrame, size: int) -> None:
    few = golden.head(80)
    result = eliminate(few, records=20, size=size, every=5)
    first = naive_elimination.order(few.rows(), size, "top-uniqueness", 5, 20)
    assert result.order.tolist() == [index + 1 for index in first]
    assert result.risk[-1] == qar(result.table(few), size=size).risk


def test_records_that_were_dropped_keep_their_numbers() -> None:
    people = pl.DataFrame({"a": [None, 1, 1, 2, 3], "b": [1, 1, 1, None, 2], "c": [1, 2, 2, 2, 9]})
    result = eliminate(people, records=1, size=2, missing="drop")
    assert result.order.tolist() == [5]
    assert (result.records, result.rows, result.dropped) == (3, 5, 2)
    assert result.table(people).rows == 4
    assert any("2 of 5 records" in note for note in result.notes)


def test_ties_go_by_the_number_of_the_record() -> None:
    same = {"a": [1] * 6, "b": [2] * 6, "c": [3] * 6}
    for criterion in ("top-uniqueness", "contribution", "uniqueness-plus", "uniqueness-star"):
        assert eliminate(same, records=4, criterion=criterion, every=2).order.tolist() == [
            1,
            2,
            3,
            4,
        ]


def test_a_record_has_the_same_number_in_every_result_and_the_first_is_1() -> None:
    people = {"a": [1, 1, 1, 2], "b": [1, 1, 1, 2], "c": [1, 1, 1, 2]}  # the last is unique
    removed = eliminate(people, records=1, size=2)
    assert removed.order.tolist() == removed.to_dict()["order"] == [4]
    assert removed.table(people).rows == 3
    measured = contributions(people, size=2)
    assert measured.record.tolist() == measured.to_frame()["record"].to_list() == [1, 2, 3, 4]
    result = suda(people)
    assert result.record.tolist() == result.to_frame()["record"].to_list() == [1, 2, 3, 4]
    assert result.record[result.score.argmax()] == 4


# ---- the findings of the paper, on a made-up table like its own


def test_the_findings_of_the_paper_at_twenty_per_cent(survey: pl.DataFrame) -> None:
    names = ["contribution", "uniqueness-plus", "entropy"]
    once = {
        name: one.reduction[-1]
        for name, one in zip(
            names, eliminate(survey, share=0.2, criterion=names, every=None), strict=True
        )
    }
    anew = {
        name: eliminate(survey, share=0.2, criterion=name).reduction[-1]
        for name in ("uniqueness-plus", "top-uniqueness")
    }
    assert once["uniqueness-plus"] > 1.5 * once["contribution"] > 0  # Fig. 10
    assert once["entropy"] < 0  # Fig. 7: the risk grows
    assert anew["uniqueness-plus"] > once["uniqueness-plus"]
    assert anew["top-uniqueness"] > anew["uniqueness-plus"]


def test_proper_elimination_is_best_for_a_few_records_and_short_sighted_for_many(
    survey: pl.DataFrame,
) -> None:
    result = eliminate(survey, records=1500, criterion="contribution", every=1)
    other = eliminate(survey, records=1500, every=100)
    assert result.reduction[100] > 2 * other.reduction[other.removed == 100][0]
    assert result.reduction[-1] < other.reduction[-1]
    assert 0 < result.lowest < 1500


# ---- the result


@pytest.fixture(scope="module")
def small(golden: pl.DataFrame) -> Elimination:
    return eliminate(golden, records=40, every=10)


def test_only_the_first_of_them_can_be_left_out(golden: pl.DataFrame, small: Elimination) -> None:
    table = so.read(golden)
    first = small.table(table, n=10)
    assert first.rows == 390
    assert qar(first).risk == small.risk[1]
    assert small.table(table, n=0).rows == 400
    with pytest.raises(BadChoice, match="from 0 to 40, not 41"):
        small.table(table, n=41)
    with pytest.raises(BadChoice, match="399 records"):
        small.table(golden.head(399))


def test_frame_dict_and_words(small: Elimination) -> None:
    frame = small.to_frame()
    assert frame["removed"].to_list() == [0, 10, 20, 30, 40]
    assert frame["reduction"].to_list() == small.reduction.tolist()
    plain = json.loads(json.dumps(small.to_dict(), allow_nan=False))
    assert plain["order"] == small.order.tolist()
    assert plain["bound"] == small.bound.tolist()
    assert plain["worth_trying"] is small.worth_trying
    words = "Removing 40 of 400 records (10.0%) by top-uniqueness, every 10, lowers the risk from"
    assert str(small).startswith(f"{words} 0.6757 to ")
    assert "<table" in small._repr_html_()


def test_the_picture_has_a_curve_for_each_criterion_and_the_bound(golden: pl.DataFrame) -> None:
    result = eliminate(golden, records=40, criterion=["contribution", "top-uniqueness"], every=1)
    picture = draw(result).to_dict()
    by_mark = {layer["mark"].get("strokeDash") and "limit": layer for layer in picture["layer"]}
    rows = [row for layer in picture["layer"] for row in _rows(picture, layer)]
    names = {row["criterion"] for row in rows if "criterion" in row}
    assert names == {"contribution, every 1", "top-uniqueness, every 1", "bound"}
    assert _rows(picture, by_mark["limit"])[-1]["reduction"] == result[0].bound[-1]
    assert result[0].plot().to_dict()["layer"]


def _rows(picture: dict[str, Any], layer: dict[str, Any]) -> list[dict[str, Any]]:
    data = layer["data"]
    rows: list[dict[str, Any]] = data.get("values") or picture["datasets"][data["name"]]
    return rows


def test_where_nothing_can_be_achieved_it_is_not_worth_trying() -> None:
    everybody_in_a_crowd = {name: [i % 5 for i in range(100)] for name in "abcd"}
    assert not eliminate(everybody_in_a_crowd, share=0.1).worth_trying
    everybody_apart = {name: list(range(100)) for name in "abcd"}
    result = eliminate(everybody_apart, share=0.1)
    assert not result.worth_trying
    assert result.risk.tolist() == [1, 1]
    one_in_ten_rare = {name: [max(0, i - 90) for i in range(100)] for name in "abcd"}
    result = eliminate(one_in_ten_rare, share=0.09)
    assert result.worth_trying
    assert sorted(result.order.tolist()) == list(range(92, 101))


# ---- what it refuses, in one sentence


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "either how many records"),
        ({"records": 3, "share": 0.1}, "and not both"),
        ({"records": 0}, "1 or more, not 0"),
        ({"records": 2.5}, "1 or more, not 2.5"),
        ({"records": True}, "1 or more, not True"),
        ({"records": 400}, "at least one must remain"),
        ({"share": 1.0}, "between 0 and 1"),
        ({"share": "half"}, "not 'half'"),
        ({"share": 0.001}, "less than one record"),
        ({"records": 3, "every": 0}, "1 or more, or None"),
        ({"records": 3, "every": "x"}, "not 'x'"),
        ({"records": 3, "criterion": "uniqueness"}, "Did you mean"),
        ({"records": 3, "criterion": []}, "No criterion"),
        ({"records": 3, "criterion": "entropy", "every": 1}, "let every be 100 or more"),
        ({"records": 3, "criterion": "pls", "every": 99}, "pls takes the whole table"),
        ({"records": 3, "ordinal": ["c00"]}, "ordinal has a meaning for entropy and pls only"),
        ({"records": 3, "rng": 1}, "rng has a meaning for pls only"),
        ({"records": 3, "factors": 1}, "factors has a meaning for pls only"),
        ({"records": 3, "every": []}, "every is an empty list"),
        ({"records": 3, "every": [5, 0]}, "1 or more, or None"),
        ({"records": 3, "criterion": "filtered-entropy", "every": 5}, "let every be 100"),
        ({"records": 3, "criterion": "score"}, "give both the criterion and score"),
        ({"records": 3, "score": [1] * 400}, "give both the criterion and score"),
        ({"records": 3, "criterion": "score", "score": [1]}, "score has 1 numbers"),
        ({"records": 3, "alpha": 0.1}, "alpha must not be larger"),
    ],
)
def test_what_has_no_meaning_is_refused(
    golden: pl.DataFrame, options: dict[str, object], words: str
) -> None:
    with pytest.raises(BadChoice, match=words):
        eliminate(golden, **options)  # type: ignore[call-overload]


def test_entropy_of_columns_without_an_order_is_refused() -> None:
    people = {"a": ["x", "y", "z"], "b": [1, 2, 3], "c": [1, 1, 2]}
    with pytest.raises(UnusableColumn, match="'a'"):
        eliminate(people, records=1, criterion="entropy", size=2)


def test_wildcards_are_refused_where_they_occur() -> None:
    with pytest.raises(UndefinedMeasure, match="matches everything"):
        eliminate({"a": [1, None, 2], "b": [1, 2, 2]}, records=1, size=1, missing="wildcard")


def test_tables_that_do_not_fit_are_refused_with_the_size_they_need(
    golden: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("singleout.core.memory.available_memory", lambda: 300_000)
    with pytest.raises(UnusableTable, match=r"(Following|Counting) .* needs about .* of memory"):
        eliminate(golden, records=200)
