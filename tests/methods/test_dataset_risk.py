"""The risk of a table as a function of distinct counts: Béra et al. (2023), section 2."""

import json
import math
import pickle
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_qar
import singleout as so
from singleout.core.wording import stated_percent
from singleout.errors import BadChoice
from singleout.methods.qar import result as dataset_risk
from singleout.methods.qar.measure import Tail, fit, ones_for_certainty, position, risk_of
from singleout.methods.qar.pareto import Estimator, excess_at, fit_moments, ordered_draws
from singleout.methods.qar.result import DatasetRisk, combination_name

GOLDEN = naive_qar.distinct_counts(naive_qar.golden_records(), 3)
NAMES = tuple("abcdefghijkl")

shares = st.sampled_from([0.001, 0.01, 0.05, 0.1, 0.25, 0.5])


@st.composite
def questions(draw: st.DrawFn) -> tuple[list[int], int, float, float]:
    """Counts with many ties, some equal to the number of records, alpha and tail."""
    records = draw(st.integers(1, 40))
    values = draw(st.lists(st.integers(1, records), min_size=1, max_size=4))
    counts = st.one_of(st.sampled_from([*values, records]), st.integers(1, records))
    distinct = draw(st.lists(counts, min_size=1, max_size=120))
    alpha, tail = sorted([draw(shares), draw(shares)])
    return distinct, records, alpha, tail


def golden(**options: float) -> DatasetRisk:
    return DatasetRisk(NAMES, 3, 400, np.array(GOLDEN), **options)  # type: ignore[arg-type]


# ---- the verified values


def test_the_golden_table_has_its_verified_counts() -> None:
    assert np.array(naive_qar.golden_records()).sum() == 8986
    assert GOLDEN[:5] == [24, 29, 30, 33, 40]
    assert sum(GOLDEN) == 32_121


def test_the_golden_table_has_its_verified_risk() -> None:
    found = fit(GOLDEN, 400)
    assert found.threshold == 0.614875
    assert found.exceedances == 11
    assert found.shape == pytest.approx(-0.3000119111262, abs=1e-12)
    assert found.scale == pytest.approx(0.2085130604109, abs=1e-12)
    assert found.risk == pytest.approx(0.6756883097401, abs=1e-12)
    assert found.warnings == ()
    assert risk_of(GOLDEN, 400) == found.risk


def test_the_other_estimator_and_alpha_have_their_verified_risks() -> None:
    assert risk_of(GOLDEN, 400, estimator="unbiased") == pytest.approx(0.6755157369987, abs=1e-12)
    assert risk_of(GOLDEN, 400, alpha=0.001) == pytest.approx(0.7207014444375, abs=1e-12)


# ---- the naive twin


@given(questions())
def test_the_fit_is_that_of_the_naive_twin(question: tuple[list[int], int, float, float]) -> None:
    distinct, records, alpha, tail = question
    found = fit(distinct, records, alpha=alpha, tail=tail)
    expected = naive_qar.dataset_risk(distinct, records, alpha, tail)
    assert found.risk == pytest.approx(expected.risk, rel=1e-12)
    assert found.threshold == pytest.approx(expected.threshold, rel=1e-15)
    assert found.exceedances == expected.exceedances
    assert (found.shape is None) == math.isnan(expected.shape)
    if found.shape is not None:
        assert found.shape == pytest.approx(expected.shape, rel=1e-9, abs=1e-9)
        assert found.scale == pytest.approx(expected.scale, rel=1e-9)
        assert found.scale > 0


@given(questions())
def test_the_unbiased_estimator_is_that_of_the_naive_twin_where_it_is_defined(
    question: tuple[list[int], int, float, float],
) -> None:
    distinct, records, alpha, tail = question
    found = fit(distinct, records, alpha=alpha, tail=tail, estimator="unbiased")
    if found.estimator == Estimator.PLOTTING:  # all exceedances are equal
        assert found.risk == risk_of(distinct, records, alpha, tail)
        return
    expected = naive_qar.dataset_risk(distinct, records, alpha, tail, "unbiased")
    assert found.risk == pytest.approx(expected.risk, rel=1e-9)


@pytest.mark.parametrize("estimator", ["plotting", "unbiased"])
def test_an_exceedance_clipped_below_the_threshold_leaves_no_tail_above_it(estimator: str) -> None:
    # theta = 1 enters as 15/16, which is less than u, interpolated between 7/8 and 1
    distinct, records, alpha, tail = [*[1] * 9, 7, 8], 8, 0.095, 0.1
    found = fit(distinct, records, alpha=alpha, tail=tail, estimator=estimator)
    expected = naive_qar.dataset_risk(distinct, records, alpha, tail, estimator)
    assert 15 / 16 < found.threshold < 1
    assert (found.risk, expected.risk) == (found.threshold, expected.threshold)
    assert found.threshold == pytest.approx((7 + 8 / 15) / 8, rel=1e-15)
    assert found.exceedances == expected.exceedances == 1
    assert found.shape is None
    assert math.isnan(expected.shape)


@given(questions())
def test_the_risk_is_a_share_above_the_threshold_and_grows_as_alpha_falls(
    question: tuple[list[int], int, float, float],
) -> None:
    distinct, records, alpha, tail = question
    found = fit(distinct, records, alpha=alpha, tail=tail)
    assert found.threshold * (1 - 1e-12) <= found.risk <= 1
    assert risk_of(distinct, records, alpha / 10, tail) >= found.risk * (1 - 1e-12)
    assert min(distinct) / records <= found.empirical <= max(distinct) / records


@given(questions(), st.randoms(use_true_random=False))
def test_the_order_of_the_combinations_does_not_matter(
    question: tuple[list[int], int, float, float],
    random: "random.Random",  # noqa: F821
) -> None:
    distinct, records, alpha, tail = question
    expected = fit(distinct, records, alpha=alpha, tail=tail)
    random.shuffle(distinct)
    assert fit(distinct, records, alpha=alpha, tail=tail) == expected


# ---- the quantile, exactly


def test_floats_would_misplace_the_threshold_first_at_73_combinations() -> None:
    wrong = [n for n in range(14, 20_001) if position(n, 0.05)[0] != _in_floats(n, 0.05)]
    assert wrong[0] == 73
    assert len(wrong) > 100


def _in_floats(n: int, tail: float) -> int:
    return math.floor((n + 1 / 3) * (1 - tail) + 1 / 3)


@given(st.integers(1, 300), shares)
def test_the_position_is_that_of_hyndman_and_fans_type_8(n: int, tail: float) -> None:
    k, g = position(n, tail)
    assert 1 <= k <= n
    assert 0 <= g < 1
    numbers = np.arange(1.0, n + 1)
    mine = k + g
    assert mine == pytest.approx(np.quantile(numbers, 1 - tail, method="median_unbiased"), abs=1e-9)


def test_counts_equal_to_the_threshold_do_not_exceed_it() -> None:
    # in floats (1 - g) t + g t is often a little less than t
    false_alarms = 0
    for records in range(50, 400):
        theta = 41 / records
        _, g = position(60, 0.05)
        false_alarms += (1 - g) * theta + g * theta < theta
        assert fit([41] * 60, records).exceedances == 0
    assert false_alarms > 0


def test_a_share_of_ones_is_compared_exactly() -> None:
    # 0.07 * 100 is more than 7 in floats
    assert ones_for_certainty(100, 0.07) == 7
    assert risk_of([9] * 7 + [3] * 93, 9, alpha=0.07, tail=0.1) == 1
    assert risk_of([9] * 6 + [3] * 94, 9, alpha=0.07, tail=0.1) < 1


# ---- the edges


def test_if_enough_combinations_tell_everybody_apart_the_risk_is_one() -> None:
    found = fit([10] * 3 + [*range(1, 10)] * 20, 10)
    assert (found.risk, found.shape, found.scale) == (1.0, None, None)
    assert "3 of 183 combinations tell all records apart" in found.warnings[0]


def test_a_threshold_of_one_is_a_risk_of_one() -> None:
    for n in range(1, 60):
        found = fit([7] * n, 7, alpha=0.001)
        assert (found.threshold, found.risk) == (1, 1)


def test_a_few_combinations_that_tell_everybody_apart_enter_the_fit_below_one() -> None:
    distinct = [*range(100, 299), 400]
    found = fit(distinct, 400, alpha=0.001)
    assert found.risk == 1  # one of 200 is more than 0.1 %
    found = fit(distinct, 400, alpha=0.01)
    assert found.risk < 1
    assert "entered the fit as 0.99875" in found.warnings[-1]
    top = Tail.of(np.sort(distinct), 400, 0.05)
    theta = 1 - 1 / 800
    assert top.excesses[-1] + top.level == pytest.approx(math.log(theta / (1 - theta)))


def test_without_an_exceedance_the_risk_is_the_threshold_and_says_so() -> None:
    for distinct in ([5], [5, 5, 5], [1, 5, 9], [4] * 100):
        found = fit(distinct, 20)
        assert found.risk == found.threshold == max(distinct) / 20
        assert (found.exceedances, found.shape, found.scale) == (0, None, None)
        assert found.warnings[0].startswith("No combination lies above the threshold")


@pytest.mark.parametrize(("columns", "above"), [(3, 0), (5, 0), (11, 8), (12, 11), (18, 41)])
def test_few_exceedances_get_a_warning(columns: int, above: int) -> None:
    sets = math.comb(columns, 3)
    found = fit(range(1, sets + 1), 2 * sets)
    assert found.exceedances == above
    assert any("fewer than 10 mean little" in text for text in found.warnings) == (0 < above < 10)


def test_a_single_or_equal_exceedances_are_defined_for_both_estimators() -> None:
    for m in (1, 2, 5):
        distinct = [10] * (20 * m) + [30] * m
        plotting = fit(distinct, 100)
        unbiased = fit(distinct, 100, estimator="unbiased")
        assert plotting.exceedances == m
        assert 0.1 < plotting.risk < 1
        assert plotting.scale is not None
        assert unbiased.risk == plotting.risk
        assert unbiased.estimator == Estimator.PLOTTING
        assert unbiased.warnings[0].startswith("All combinations above the threshold have the same")
        assert not any("the same theta" in text for text in plotting.warnings)


def test_one_record_has_the_risk_one() -> None:
    assert fit([1, 1, 1], 1).risk == 1


def test_a_threshold_that_floats_cannot_tell_from_the_next_count_does_not_fail() -> None:
    for n in range(1, 200):
        for tail in (1 / 3, 2 / 3, 0.9999999999999999, 1e-300):
            for distinct in ([1] * (n - 1) + [2], range(1, n + 1)):
                found = fit(distinct, max(distinct) + 1, alpha=min(tail, 1e-9), tail=tail)
                assert 0 < found.risk <= 1


def test_a_minute_alpha_gives_a_risk_near_one_and_no_overflow() -> None:
    heavy = [10] * 95 + [11, 12, 14, 60, 999]
    assert 0.9 < risk_of(heavy, 1000, alpha=5e-324) <= 1


def test_an_unknown_estimator_gets_a_sentence() -> None:
    with pytest.raises(BadChoice, match=r"'plot' is not a known estimator.*'plotting'"):
        fit([1, 2], 3, estimator="plot")


# ---- the distribution


def test_a_shape_of_zero_is_the_limit() -> None:
    for span in (0.1, 1.0, 5.0):
        near = [float(excess_at(shape, 2.0, span)) for shape in (-1e-7, -1e-9, 0.0, 1e-9, 1e-7)]
        assert near == pytest.approx([2 * span] * 5, rel=1e-6)
        assert near == sorted(near)


def test_the_quantiles_undo_the_distribution_function() -> None:
    for shape in (-0.8, -0.3, 0.4):
        spans = np.linspace(0.01, 6, 50)
        x = excess_at(shape, 1.7, spans)
        beyond = (1 + shape * x / 1.7) ** (-1 / shape)
        assert beyond == pytest.approx(np.exp(-spans), rel=1e-9)


def test_draws_ascend_and_their_fit_finds_the_distribution_again() -> None:
    for shape, scale in ((-0.4, 0.9), (0.0, 1.0), (0.2, 0.3)):
        draws = ordered_draws(shape, scale, 20_000, 5, np.random.default_rng(1))
        assert (np.diff(draws, axis=1) >= 0).all()
        for estimator in Estimator:
            shapes, scales = fit_moments(draws, estimator)
            assert shapes == pytest.approx(shape, abs=0.05)
            assert scales == pytest.approx(scale, rel=0.05)


def test_the_moments_are_those_of_the_naive_twin() -> None:
    excesses = np.sort(np.random.default_rng(2).random(30))
    for estimator in Estimator:
        mine = fit_moments(excesses, estimator)
        assert mine == pytest.approx(naive_qar.generalised_pareto(excesses.tolist(), estimator))


# ---- how sure it is


def test_the_interval_holds_the_risk_and_is_the_same_every_time() -> None:
    found = golden()
    low, high = found.interval or (1, 0)
    assert low < found.risk < high
    assert golden().interval == found.interval
    assert found.confidence_interval(rng=7) == found.confidence_interval(rng=7)
    assert found.confidence_interval(rng=np.random.default_rng(7)) == found.confidence_interval(
        rng=7
    )
    assert found.confidence_interval(rng=7) != found.confidence_interval(rng=8)


def test_a_higher_level_and_a_smaller_alpha_give_a_wider_interval() -> None:
    def width(found: DatasetRisk, level: float) -> float:
        low, high = found.confidence_interval(level) or (1, 0)
        return high - low

    assert width(golden(), 0.5) < width(golden(), 0.95) < width(golden(), 0.99)
    assert width(golden(), 0.95) < width(golden(alpha=0.001), 0.95)


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    level, shape, scale = -0.5, -0.2, 0.3
    truth = 1 / (1 + math.exp(-(level + float(excess_at(shape, scale, math.log(5))))))
    records, hits, tables = 10**7, 0, 60
    for seed in range(tables):
        draws = ordered_draws(shape, scale, 50, 1, np.random.default_rng(seed))[0]
        counts = (records / (1 + np.exp(-(level + draws)))).astype(np.int64)
        below = np.full(950, int(records / (1 + math.exp(-level))))
        found = DatasetRisk(NAMES, 1, records, np.concatenate([below, counts]))
        low, high = found.confidence_interval(rng=seed, repeats=400) or (1, 0)
        hits += low <= truth <= high
    assert 0.85 <= hits / tables <= 1


def test_drawing_in_parts_changes_no_more_than_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = golden().confidence_interval(repeats=3000)
    monkeypatch.setattr(dataset_risk, "_DRAWS_AT_ONCE", 1000)
    assert golden().confidence_interval(repeats=3000) == pytest.approx(whole, abs=0.005)


def test_without_a_fit_there_is_no_interval() -> None:
    assert DatasetRisk(NAMES, 12, 20, np.array([5])).interval is None


@pytest.mark.parametrize("options", [{"level": 0}, {"level": 1}, {"level": 95}, {"repeats": 0}])
def test_an_impossible_interval_gets_a_sentence(options: dict[str, int]) -> None:
    with pytest.raises(BadChoice, match=next(iter(options))):
        golden().confidence_interval(**options)


# ---- how it looks


def test_the_combinations_are_listed_worst_first() -> None:
    frame = golden().combinations_ranked
    assert frame.columns == ["columns", "distinct", "theta"]
    assert frame.height == 220
    assert frame.row(0) == ("j+k+l", 283, 283 / 400)
    assert frame.row(-1) == ("a+b+c", 24, 24 / 400)
    assert frame["distinct"].is_sorted(descending=True)
    assert golden().worst == ("j", "k", "l")
    by_name = dict(frame.select("columns", "distinct").iter_rows())
    sets = naive_qar.column_sets(12, 3)
    named = ["+".join(NAMES[c] for c in columns) for columns in sets]
    assert by_name == dict(zip(named, GOLDEN, strict=True))


def test_ties_are_listed_in_the_order_of_the_columns() -> None:
    found = DatasetRisk(("x", "y", "z"), 2, 9, np.array([4, 5, 4]))
    assert found.combinations_ranked["columns"].to_list() == ["x+z", "x+y", "y+z"]


def test_a_plus_sign_within_a_name_is_escaped() -> None:
    assert combination_name(["a+b", "c"]) == r"a\+b+c"
    found = DatasetRisk(("a+b", "c"), 2, 9, np.array([4]))
    assert found.combinations_ranked["columns"].to_list() == [r"a\+b+c"]


def test_a_result_says_what_it_means_in_a_line() -> None:
    assert str(golden()) == (
        "T(3, 1%) = 0.6757: the riskiest 1% of the combinations of 3 columns split the records "
        "into 67.6 or more groups per 100 records (at 100 everyone is alone)"
    )
    alone = DatasetRisk(("x",), 1, 3, np.array([3]), alpha=0.001)
    assert str(alone) == (
        "T(1, 0.1%) = 1.0000: the riskiest 0.1% of the columns tell every record apart: "
        "everyone is alone"
    )
    assert stated_percent(0.025) == "2.5%"


@pytest.mark.parametrize("distinct", [GOLDEN, [5] * 220, [400] * 220, [*GOLDEN[:-1], 400]])
def test_the_dictionary_is_plain_json_and_the_frame_has_one_row(distinct: list[int]) -> None:
    found = DatasetRisk(NAMES, 3, 400, np.array(distinct), notes=("A note.",))
    again = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert again["risk"] == found.risk
    assert again["warnings"] == list(found.warnings)
    assert len(again["quasi_identifiers"]) == 220
    assert len(found.to_dict(top=3)["quasi_identifiers"]) == 3
    frame = found.to_frame()
    assert frame.height == 1
    assert frame["shape"].dtype == pl.Float64
    assert frame.row(0, named=True)["shape"] == found.shape
    assert "risk" in found._repr_html_()


def test_a_result_cannot_be_changed_and_survives_pickling() -> None:
    found = golden()
    with pytest.raises(AttributeError):
        found.alpha = 0.5  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        found.distinct[0] = 9
    again = pickle.loads(pickle.dumps(found))
    assert (again.risk, again.interval) == (found.risk, found.interval)
    assert "array" not in repr(found)


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_the_picture_shows_the_fit_in_three_panels(kind: str, tmp_path: Path) -> None:
    golden().plot().save(tmp_path / f"x.{kind}")
    if kind == "svg":
        text = (tmp_path / "x.svg").read_text()
        for words in ("threshold u = 0.6149", "risk T = 0.6757", "Mean excess", "QQ plot"):
            assert words in text


def test_several_alphas_share_one_picture(tmp_path: Path) -> None:
    dataset_risk.draw([golden(), golden(alpha=0.001)]).save(tmp_path / "x.svg")
    text = (tmp_path / "x.svg").read_text()
    assert "risk T at 1% = 0.6757" in text
    assert "risk T at 0.1% = 0.7207" in text
    golden().plot().save(tmp_path / "one.svg")
    assert text.count("QQ plot") == (tmp_path / "one.svg").read_text().count("QQ plot")


@pytest.mark.parametrize("distinct", [[5], [5, 5, 5], [1, 5, 20], [20] * 9, [10] * 20 + [15]])
def test_whatever_the_counts_there_is_a_picture(distinct: list[int], tmp_path: Path) -> None:
    found = DatasetRisk(tuple(map(str, range(len(distinct)))), 1, 20, np.array(distinct))
    found.plot().save(tmp_path / "x.svg")
    text = (tmp_path / "x.svg").read_text()
    assert ("QQ plot" in text) == (found.shape is not None)


def test_the_mean_excess_is_the_mean_of_what_lies_above() -> None:
    from singleout.methods.qar.chart import mean_excess

    points = mean_excess(np.array([1.0, 2.0, 2.0, 5.0]))
    assert points == [{"above": 1.0, "mean": 2.0}, {"above": 2.0, "mean": 3.0}]
    many = mean_excess(np.arange(5000.0))
    assert len(many) == 400
    assert many[0] == {"above": 0.0, "mean": 2500.0}


def test_the_bars_hold_every_combination() -> None:
    from singleout.methods.qar.chart import theta_bars

    for theta in (np.array(GOLDEN) / 400, np.array([0.5]), np.linspace(0, 1, 10_000)):
        bars = theta_bars(theta)
        assert sum(bar["combinations"] for bar in bars) == len(theta)
        assert bars[0]["low"] <= theta.min() <= theta.max() <= bars[-1]["high"]


# ---- what the interval is for


def test_the_interval_holds_the_quantile_of_the_distribution_that_gave_the_excesses() -> None:
    chance = np.random.default_rng(7)
    records, threshold, shape, scale = 10**7, 0.13, -0.2, 0.7
    level = np.log(threshold / (1 - threshold))
    truth = 1 / (1 + np.exp(-(level + excess_at(shape, scale, np.log(0.05 / 0.01)))))
    held = 0
    for _ in range(60):
        above = level + ordered_draws(shape, scale, 49, 1, chance)[0]
        theta = np.concatenate([chance.uniform(0.01, threshold, 920), 1 / (1 + np.exp(-above))])
        distinct = np.round(records * theta).astype(np.int64)
        names = tuple(f"c{place}" for place in range(19))
        low, high = DatasetRisk(names, 3, records, distinct).interval or (0, 0)
        held += bool(low <= truth <= high)
    assert held >= 52  # 95 % of 60 are 57


def test_the_interval_is_none_for_other_columns_and_says_so() -> None:
    whole = so.qar(so.demo(), so.demo().columns[:22])
    counts = dict(zip(combinations(range(22), 3), whole.distinct.tolist(), strict=True))
    chance = np.random.default_rng(1)
    held = 0
    for _ in range(40):
        chosen = np.sort(chance.choice(22, 14, replace=False)).tolist()
        distinct = np.array([counts[place] for place in combinations(chosen, 3)])
        names = tuple(whole.columns[place] for place in chosen)
        low, high = DatasetRisk(names, 3, whole.records, distinct).interval or (0, 0)
        held += bool(low <= whole.empirical <= high)
    assert held < 20
    assert "says nothing about other columns" in whole.to_dict()["interval_of"]


def test_whole_numbers_of_groups_have_no_decimals_and_are_not_exceeded() -> None:
    answer = so.qar({"a": [1, 1, 2, 2], "b": [1, 1, 2, 2], "c": [1, 1, 2, 2]}, size=2)
    assert answer.risk == 0.5
    assert "split the records into 50 or more groups per 100 records" in str(answer)
