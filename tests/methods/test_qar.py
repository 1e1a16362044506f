"""The public function: any data, any choice, the same answer whatever must not matter."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_qar
import singleout as so
from singleout.core import memory
from singleout.errors import BadChoice, UndefinedMeasure, UnknownColumns, UnusableTable
from singleout.methods.qar import question as asked
from singleout.methods.qar.function import qar
from singleout.methods.qar.measure import Tail, fit
from singleout.methods.qar.pareto import Estimator, free_moments

NAMES = list("abcdefghijkl")

cell = st.integers(0, 3)
tables = st.integers(1, 7).flatmap(
    lambda width: st.lists(st.tuples(*[cell] * width), min_size=1, max_size=30)
)


def frame_of(records: list[tuple[int, ...]]) -> pl.DataFrame:
    return pl.DataFrame(records, schema=NAMES[: len(records[0])], orient="row")


@pytest.fixture(scope="module")
def golden_frame() -> pl.DataFrame:
    return frame_of(naive_qar.golden_records())


# ---- the answer


def test_the_golden_table_has_its_verified_risk(golden_frame: pl.DataFrame) -> None:
    found = qar(golden_frame)
    assert found.risk == pytest.approx(0.6756883097401, abs=1e-12)
    assert found.shape == pytest.approx(-0.3000119111262, abs=1e-12)
    assert found.scale == pytest.approx(0.2085130604109, abs=1e-12)
    assert (found.threshold, found.exceedances) == (0.614875, 11)
    assert found.distinct[:5].tolist() == [24, 29, 30, 33, 40]
    assert found.distinct.sum() == 32_121
    assert (found.size, found.records, found.combinations) == (3, 400, 220)
    assert (found.alpha, found.tail, found.estimator) == (0.01, 0.05, "plotting")
    assert found.columns == tuple(NAMES)
    assert found.warnings == found.notes == ()
    unbiased = qar(golden_frame, estimator="unbiased")
    assert unbiased.risk == pytest.approx(0.6755157369987, abs=1e-12)


@given(tables, st.integers(1, 4))
def test_the_answer_is_the_naive_twins(records: list[tuple[int, ...]], size: int) -> None:
    size = min(size, len(records[0]))
    found = qar(frame_of(records), size=size, alpha=0.1, tail=0.25)
    distinct = naive_qar.distinct_counts(records, size)
    expected = naive_qar.dataset_risk(distinct, len(records), 0.1, 0.25)
    assert found.distinct.tolist() == distinct
    assert found.risk == pytest.approx(expected.risk, rel=1e-12)
    assert found.combinations_ranked["theta"].to_list() == sorted(
        (h / len(records) for h in distinct), reverse=True
    )


def test_several_alphas_are_as_many_separate_answers(golden_frame: pl.DataFrame) -> None:
    alphas = [0.01, 0.001, 0.05]
    together = qar(golden_frame, alpha=alphas)
    assert isinstance(together, list)
    for alpha, answer in zip(alphas, together, strict=True):
        assert answer.to_dict() == qar(golden_frame, alpha=alpha).to_dict()
        assert answer.distinct is together[0].distinct  # counted once
    assert [a.risk for a in qar(golden_frame, alpha=np.array(alphas))] == [a.risk for a in together]
    assert together[1].risk == pytest.approx(0.7207014444375, abs=1e-12)
    assert together[2].risk == pytest.approx(together[2].threshold)  # alpha is the tail


# ---- what must not matter


def test_the_order_of_the_columns_does_not_matter(golden_frame: pl.DataFrame) -> None:
    expected = qar(golden_frame)
    mixed = qar(golden_frame.select(NAMES[::-1]), columns=[*"fedcbalkjihg"])
    assert mixed.fit == expected.fit
    assert mixed.interval == expected.interval
    assert sorted(mixed.distinct) == sorted(expected.distinct)


def test_the_number_of_threads_does_not_matter(
    golden_frame: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("SINGLEOUT_THREADS", threads)
        answers.append(qar(golden_frame).to_dict())
    assert answers[0] == answers[1] == answers[2]


def test_pandas_polars_and_file_agree(golden_frame: pl.DataFrame, tmp_path: Path) -> None:
    golden_frame.write_csv(tmp_path / "x.csv")
    golden_frame.write_parquet(tmp_path / "x.parquet")
    sources = [golden_frame.to_pandas(), golden_frame.to_arrow(), tmp_path / "x.csv"]
    sources += [str(tmp_path / "x.parquet"), so.read(golden_frame), golden_frame.to_dict()]
    expected = qar(golden_frame).to_dict()
    for source in sources:
        assert qar(source).to_dict() == expected
        some = qar(source, columns=["b", "k", "l", "a"], size=2)
        assert some.columns == ("b", "k", "l", "a")
        assert some.worst == ("k", "l")


# ---- columns


def test_identifiers_weights_and_households_are_left_out_and_said() -> None:
    frame = {name: [1, 2, 2, 1] for name in ("id", "w", "home", "x", "y", "pay")}
    roles = {"id": "direct-identifier", "w": "weight", "home": "household", "pay": "sensitive"}
    found = qar(so.read(frame, roles=roles), size=2)
    assert found.columns == ("x", "y", "pay")
    assert found.notes == (
        "Column 'id' was left out: its role is direct-identifier.",
        "Column 'w' was left out: its role is weight.",
        "Column 'home' was left out: its role is household.",
    )
    named = qar(so.read(frame, roles=roles), columns=["id", "x"], size=2)
    assert (named.columns, named.notes) == (("id", "x"), ())


def test_one_name_is_one_column_and_a_name_given_twice_counts_once() -> None:
    people = {"x": [1, 1, 2], "y": [1, 2, 3]}
    assert qar(people, "x", size=1).columns == ("x",)
    assert qar(people, ["x", "y", "x"], size=2).columns == ("x", "y")


# ---- missing values


def test_a_missing_value_is_a_value_or_a_reason_to_leave_the_record_out() -> None:
    people = {"x": [1, 1, None, 2], "y": [1, None, 1, 2], "z": [None, 1, 1, 1]}
    as_value = qar(people, ["x", "y"], size=1)
    assert as_value.distinct.tolist() == [3, 3]
    assert (as_value.records, as_value.dropped, as_value.missing) == (4, 0, "value")
    dropped = qar(people, ["x", "y"], size=1, missing="drop")
    assert dropped.distinct.tolist() == [2, 2]
    assert (dropped.records, dropped.dropped, dropped.missing) == (2, 2, "drop")
    assert dropped.notes == (
        "2 of 4 records lack a value in one of the columns and were left out.",
    )
    assert qar(so.read(people, missing="drop"), ["x", "y"], size=1).dropped == 2


def test_wildcards_make_no_groups_and_say_so() -> None:
    people = {"x": [1, None], "y": [1, 2]}
    with pytest.raises(UndefinedMeasure, match="records do not fall into groups"):
        qar(people, size=1, missing="wildcard")
    assert qar(people, ["y"], size=1, missing="wildcard").risk == 1  # nothing is missing there


def test_if_no_record_is_complete_that_is_said() -> None:
    with pytest.raises(UnusableTable, match="Every record lacks a value"):
        qar({"x": [1, None], "y": [None, 1]}, size=1, missing="drop")


# ---- small tables never fail


@pytest.mark.parametrize("size", [1, 2, 3])
def test_one_record_or_constant_columns_have_an_answer(size: int) -> None:
    alone = qar({name: ["only"] for name in "abc"}, size=size)
    assert alone.risk == 1
    constant = qar({name: [0] * 10 for name in "abc"}, size=size)
    assert constant.risk == constant.empirical == 0.1
    assert constant.warnings


def test_more_columns_than_records_have_an_answer() -> None:
    rng = np.random.default_rng(3)
    found = qar({str(name): rng.integers(0, 2, 4) for name in range(30)})
    assert 0 < found.risk <= 1


# ---- what is wrong


@pytest.mark.parametrize("size", [0, -1, 2.5, "3", None, True])
def test_a_size_that_is_no_whole_number_gets_a_sentence(size: object) -> None:
    with pytest.raises(BadChoice, match="size must be a whole number of columns"):
        qar({"x": [1]}, size=size)  # type: ignore[call-overload]


def test_a_size_beyond_the_columns_gets_a_sentence() -> None:
    with pytest.raises(BadChoice, match="size is 3, larger than the number of columns"):
        qar({"x": [1], "y": [1]})


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        ({"alpha": 0}, "alpha must lie between 0 and 1"),
        ({"alpha": 1.0}, "alpha must lie between 0 and 1"),
        ({"alpha": float("nan")}, "alpha must lie between 0 and 1"),
        ({"alpha": "0.01"}, "alpha must be a number"),
        ({"alpha": [0.01, None]}, "alpha must be a number"),
        ({"alpha": []}, "No alpha was given"),
        ({"tail": 1}, "tail must lie between 0 and 1"),
        ({"alpha": 0.1}, r"alpha is 0\.1 and tail is 0\.05"),
        ({"estimator": "unbiassed"}, "Did you mean 'unbiased'"),
        ({"missing": "drp"}, "Did you mean 'drop'"),
        ({"columns": []}, "No columns were given"),
    ],
)
def test_choices_without_meaning_get_a_sentence(choices: dict[str, object], sentence: str) -> None:
    with pytest.raises(BadChoice, match=sentence):
        qar({"x": [1, 2]}, **{"size": 1, **choices})  # type: ignore[call-overload]


def test_unknown_columns_get_the_nearest_name() -> None:
    for data in ({"gender": [1]}, so.read({"gender": [1]})):
        with pytest.raises(UnknownColumns, match="Did you mean 'gender'"):
            qar(data, ["gendr"], size=1)


def test_a_table_of_identifiers_only_gets_a_sentence() -> None:
    table = so.read({"id": [1]}, roles={"id": "direct-identifier"})
    with pytest.raises(BadChoice, match="name the columns to combine"):
        qar(table, size=1)


def test_too_many_combinations_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asked, "MAX_COMBINATIONS", 100)
    with pytest.raises(BadChoice, match=r"There are 220 combinations of 3 of 12 columns.*100"):
        qar({name: [1] for name in NAMES})


def test_a_table_that_cannot_fit_is_refused_with_the_size_it_needs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 1000)
    with pytest.raises(UnusableTable, match=r"220 combinations of 3 columns on 1 records.*kB"):
        qar({name: [1] for name in NAMES})


# ---- a fit that contradicts the data

# theta spreads evenly, and a few combinations lie apart above all others
THREE_ABOVE = [*range(1000, 1813), *[1840] * 3]
FOUR_ABOVE = [*range(1000, 1812), *[2200] * 4]


def test_a_distribution_that_would_end_below_an_observed_theta_is_made_to_reach_it() -> None:
    found = fit(THREE_ABOVE, 10_000, alpha=0.001)
    excesses = Tail.of(np.array(THREE_ABOVE), 10_000, 0.05).excesses
    free_shape, free_scale = (float(part) for part in free_moments(excesses, Estimator.PLOTTING))
    assert -free_scale / free_shape < excesses[-1]
    assert found.constrained
    assert found.scale == free_scale
    assert found.shape is not None
    assert -free_scale / found.shape == pytest.approx(excesses[-1], rel=1e-12)
    assert any("would end below a theta that was observed" in text for text in found.warnings)


def test_a_risk_that_clearly_more_combinations_exceed_names_the_safer_figure() -> None:
    found = fit(FOUR_ABOVE, 10_000, alpha=0.001)
    assert found.above == 4  # of 816, where alpha allows one
    assert found.risk < found.empirical == 0.22
    assert any(
        "4 combinations (0.49% of all) lie above T, where T allows 0.10%: the empirical quantile, "
        "0.2200, is the safer figure." in text
        for text in found.warnings
    )


def test_a_fit_that_agrees_with_the_data_has_no_such_warning() -> None:
    counts = naive_qar.distinct_counts(naive_qar.golden_records(), 3)
    found = fit(counts, 400)
    assert not found.constrained
    assert found.above == sum(count > found.risk * 400 for count in counts)
    assert found.warnings == ()
