"""Data that is counted elsewhere gives the answers of data that is here, and no more is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from singleout.assessment.assess import assess
from singleout.assessment.comparison.compare import compare
from singleout.core.table import Table
from singleout.engines import open as choose
from singleout.engines.base import CounterBase
from singleout.engines.counter import DistinctCounts
from singleout.engines.counting import count
from singleout.engines.local import engine as local_engine
from singleout.engines.local.counter import LocalCounter
from singleout.engines.reading import read
from singleout.errors import (
    BadChoice,
    UndefinedMeasure,
    UnknownColumns,
    UnusableTable,
)
from singleout.methods.anonymity.function import anonymity_sets
from singleout.methods.discrimination.function import discrimination_rate
from singleout.methods.qar.contributions import contributions
from singleout.methods.qar.function import qar
from singleout.methods.suda.function import suda
from singleout.predict import Distribution
from singleout.treatment.eliminate import eliminate

POLICIES = ("value", "drop", "wildcard")


class Elsewhere(LocalCounter):
    """A table that is not in this process's memory."""

    held = None  # type: ignore[assignment]
    records = CounterBase.records
    facts = CounterBase.facts
    policy = CounterBase.policy


class CountsOnly(Elsewhere):
    """A table elsewhere that gives no value of a cell away."""

    def fetch(self, columns: Any = None) -> NoReturn:
        raise AssertionError(f"{columns} were fetched")

    def counts(self, columns: Any, weight: Any = None) -> NoReturn:  # noqa: ARG002
        raise AssertionError(f"the values of {columns} were asked for")

    def ranked_counts(self, columns: Any, weight: Any = None) -> Any:
        return LocalCounter(self.table).ranked_counts(columns, weight)


class WithWorkers(Elsewhere):
    """A table on a cluster: tasks are spread."""

    spreads_tasks = True
    ran = 0

    def run(self, *args: Any, **options: Any) -> Any:
        for answer in super().run(*args, **options):
            self.ran += 1
            yield answer


cells = {
    "age": st.sampled_from([20, 30, 40, None]),
    "zip": st.sampled_from(["a", "b", None]),
    "sex": st.sampled_from(["f", "m"]),
    "ill": st.sampled_from(["flu", "colds", None]),
    "weight": st.integers(0, 5),
}
records = st.lists(st.fixed_dictionaries(cells), min_size=1, max_size=12)


def table_of(rows: list[dict[str, Any]]) -> Table:
    return read({name: [row[name] for row in rows] for name in cells})


# ---- anonymity sets


@given(
    records,
    st.lists(
        st.lists(st.sampled_from(["age", "zip", "sex"]), min_size=1, unique=True),
        min_size=1,
        max_size=3,
    ),
    st.sampled_from([(), ("sex",), ("zip",), ("age", "sex")]),
    st.sampled_from(POLICIES),
    st.sampled_from([None, "weight"]),
)
def test_anonymity_sets_are_those_of_the_table_here(rows, wanted, by, missing, weight):
    table = table_of(rows)
    # with wildcards, weights and the values of groups are asked for; see below
    kind = Elsewhere if (weight or by) and missing == "wildcard" else CountsOnly
    here = anonymity_sets(table, wanted, by=by, missing=missing, weight=weight)
    there = anonymity_sets(kind(table), wanted, by=by, missing=missing, weight=weight)
    assert [found.to_dict() for found in there] == [found.to_dict() for found in here]
    assert [found.to_frame().rows() for found in there] == [f.to_frame().rows() for f in here]


def test_one_quasi_identifier_gives_one_result_and_repeated_names_count_once():
    table = read({"a": [1, 1, 2], "b": [1, 2, 2]})
    found = anonymity_sets(CountsOnly(table), ["a", "b", "a"])
    assert found.quasi_identifiers == ("a", "b")
    assert anonymity_sets(CountsOnly(table), "a").to_dict() == anonymity_sets(table, "a").to_dict()


def test_all_quasi_identifiers_are_counted_in_one_go():
    class Once(CountsOnly):
        asked = 0

        def profiles(self, *args: Any, **options: Any) -> Any:
            self.asked += 1
            return super().profiles(*args, **options)

    counter = Once(read({"a": [1, 1, 2], "b": [1, 2, 2], "c": [1, None, 1]}))
    anonymity_sets(counter, [["a"], ["b"], ["a", "b"], ["c"]])
    assert counter.asked == 1
    anonymity_sets(counter, [["a"], ["b"], ["a", "b"], ["c"], ["c", "a"]], missing="drop")
    assert counter.asked == 3  # those with gaps and those without


def test_where_weights_meet_wildcards_no_value_is_asked_for():
    for weights in ([0.5, 1.5, 2.0], ["0.5", "1.5", "2"]):
        table = read({"a": [1, None, 2], "w": weights})
        found = anonymity_sets(CountsOnly(table), "a", missing="wildcard", weight="w")
        here = anonymity_sets(table, "a", missing="wildcard", weight="w")
        assert found.to_dict() == here.to_dict()
        assert found.weighted_minimum == 2.0


def test_sizes_of_records_are_not_known_elsewhere_and_it_says_what_would_work():
    counter = CountsOnly(read({"a": [1, 1, 2], "w": [1, 2, 3]}))
    found = anonymity_sets(counter, "a", weight="w")
    assert found.weighted_minimum == 3
    for measure in ("per_record", "weighted_per_record"):
        with pytest.raises(UndefinedMeasure, match='engine="local"'):
            getattr(found, measure)
    with pytest.raises(UndefinedMeasure, match="weight="):
        _ = anonymity_sets(counter, "a").weighted_per_record


def test_records_in_memory_are_counted_as_their_table():
    table = read({"a": [1, 1, 2]})
    assert anonymity_sets(LocalCounter(table), "a").per_record.tolist() == [2, 2, 1]
    fetched = Elsewhere(table).records()
    assert anonymity_sets(fetched, "a", engine="local").per_record.tolist() == [2, 2, 1]


def test_what_is_wrong_is_said_as_here():
    counter = CountsOnly(read({"age": [1, 1, 2], "b": [1, 2, 2]}))
    with pytest.raises(BadChoice, match=r"No quasi-identifiers.*\['age', 'b'\]"):
        anonymity_sets(counter)
    with pytest.raises(UnknownColumns, match="Did you mean 'age'"):
        anonymity_sets(counter, "agee")
    with pytest.raises(UnknownColumns):
        anonymity_sets(counter, "age", by="nothing")
    with pytest.raises(BadChoice, match="missing-value policy"):
        anonymity_sets(counter, "age", missing="valued")
    with pytest.raises(BadChoice, match="give engine and where to what makes it"):
        anonymity_sets(counter, "age", where="b = 1")


class Empty(CountsOnly):
    rows = 0  # type: ignore[assignment]


def test_a_table_without_records_has_nobody_to_single_out():
    counter = Empty(read({"a": [1], "b": [2]}))
    for ask in (
        lambda: anonymity_sets(counter, "a"),
        lambda: qar(counter, size=1),
        lambda: discrimination_rate(counter, "a", "b"),
        lambda: count(counter, ["a"]),
        lambda: suda(counter),
        lambda: read(counter),
    ):
        with pytest.raises(UnusableTable, match="has no rows: there is nobody"):
            ask()


# ---- the risk of the table


@given(records, st.integers(1, 3), st.sampled_from(POLICIES), st.sampled_from([0.01, 0.2]))
def test_qar_is_that_of_the_table_here(rows, size, missing, alpha):
    table = table_of(rows)
    columns = ["age", "zip", "sex", "ill"]
    options = {"size": size, "alpha": [alpha, 0.3], "tail": 0.4, "missing": missing}
    here = said_or_found(lambda: qar(table, columns, **options))
    there = said_or_found(lambda: qar(CountsOnly(table), columns, **options))
    assert there == here


def said_or_found(ask: Callable[[], Any]) -> Any:
    """Return the answers as plain values, or the sentence that there are none."""
    try:
        return [found.to_dict() for found in ask()]
    except (UnusableTable, UndefinedMeasure) as error:
        return type(error), str(error)


def test_all_columns_are_combined_if_none_are_named():
    table = read({"a": [1, 1, 2], "b": [1, 2, 2], "c": [1, 2, 3]})
    assert qar(CountsOnly(table), size=2).columns == ("a", "b", "c")
    with pytest.raises(BadChoice, match="No columns were given"):
        qar(CountsOnly(table), [])
    with pytest.raises(BadChoice, match="larger than the number of columns"):
        qar(CountsOnly(table), size=4)


class Approximate(CountsOnly):
    def distinct_counts(self, *args: Any, **options: Any) -> DistinctCounts:
        exact = super().distinct_counts(*args, **options).counts
        return DistinctCounts((exact * 1.3).astype(np.int64), relative_error=0.05)


def test_estimates_stay_within_what_is_possible():
    rows = 200
    table = read({name: np.arange(rows) // every for every, name in enumerate("abcdef", start=1)})
    found = qar(Approximate(table), size=2, tail=0.5)
    assert found.distinct.max() <= rows
    assert found.relative_error == 0.05
    assert found.to_dict()["relative_error"] == 0.05


def test_the_error_of_estimates_is_in_the_interval_and_in_words():
    rng = np.random.default_rng(1)
    table = read({name: rng.integers(0, k, 500) for k, name in enumerate("abcdefg", start=2)})
    exact = qar(CountsOnly(table), size=3, tail=0.3)
    found = qar(Approximate(table), size=3, tail=0.3)
    assert (exact.count_interval, exact.relative_error) == (None, 0.0)
    low, high = found.count_interval
    assert low < found.risk < high
    same = qar(table, size=3, tail=0.3)
    without = type(same)(same.columns, 3, 500, found.distinct, tail=0.3).interval
    assert found.interval[0] == pytest.approx(without[0] - (found.risk - low))
    assert found.interval[1] == pytest.approx(min(1, without[1] + high - found.risk))
    assert found.to_dict()["count_interval"] == [low, high]
    (words,) = [text for text in found.warnings if "estimates" in text]
    assert f"from {low:.4f} to {high:.4f}" in words
    assert "relative standard error of 5%" in words
    narrow, wide = found.confidence_interval(0.5), found.confidence_interval(0.99)
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_without_a_fit_there_is_still_the_error_of_the_counts():
    table = read({name: np.arange(100) // 30 for name in "abc"})
    found = qar(Approximate(table), size=2)
    assert found.shape is None
    assert found.interval == found.count_interval


# ---- the discrimination rate


@given(
    records,
    st.sampled_from([["age"], ["age", "zip"], ["sex", "zip", "age"]]),
    st.sampled_from(["paper", "mutual-information", "worst-value"]),
    st.sampled_from(POLICIES),
)
def test_the_discrimination_rate_is_that_of_the_table_here(rows, names, variant, missing):
    table = table_of(rows)
    asked = (names, "ill", variant, missing)
    here = said_or_found(lambda: [discrimination_rate(table, *asked)])
    same(said_or_found(lambda: [discrimination_rate(Elsewhere(table), *asked)]), here)
    if isinstance(here, list):
        silent = discrimination_rate(CountsOnly(table), *asked)
        same(silent.to_dict(top=0), here[0] | {"values": []})


def same(one: Any, other: Any) -> None:
    """Numbers may differ by the rounding of sums, nothing else may."""
    if isinstance(one, dict):
        assert list(one) == list(other)
        for name in one:
            same(one[name], other[name])
    elif isinstance(one, list):
        assert len(one) == len(other)
        for mine, theirs in zip(one, other, strict=True):
            same(mine, theirs)
    elif isinstance(one, float):
        assert one == pytest.approx(other, abs=1e-12)
    else:
        assert one == other


def test_values_are_asked_for_when_they_are_looked_at_and_then_only():
    table = read({"age": [1, 1, 2, None], "ill": ["a", "a", "b", "c"]})
    found = discrimination_rate(CountsOnly(table), "age", "ill")
    assert found.level
    assert found.to_dict(top=0)["values"] == []
    with pytest.raises(AssertionError, match="were asked for"):
        _ = found.values
    with pytest.raises(UndefinedMeasure, match='engine="local"'):
        _ = found.per_record


def test_roles_are_not_known_elsewhere():
    counter = CountsOnly(read({"age": [1, 1], "ill": ["a", "b"]}))
    with pytest.raises(BadChoice, match="No quasi-identifiers"):
        discrimination_rate(counter, None, "ill")
    with pytest.raises(BadChoice, match="Name the sensitive column"):
        discrimination_rate(counter, "age")
    with pytest.raises(BadChoice, match="nothing left to guess"):
        discrimination_rate(counter, "age", "age")


# ---- counts


@given(records)
def test_counts_are_those_of_the_table_here(rows):
    table = table_of(rows)
    names = ["age", "zip"]
    assert dict(count(Elsewhere(table), names)) == dict(count(table, names))


# ---- special uniques


@given(records, st.integers(1, 4), st.sampled_from(["value", "never", "drop"]), st.booleans())
def test_special_uniques_are_those_of_the_table_here(rows, size, missing, listed):
    table = table_of(rows)
    columns = ["age", "zip", "sex", "ill"]
    options = {"max_size": size, "missing": missing, "list_uniques": listed}
    counter = WithWorkers(table)
    try:
        here = suda(table, columns, **options)
    except UnusableTable:
        with pytest.raises(UnusableTable, match="none is left to compare"):
            suda(counter, columns, **options)
        return
    there = suda(counter, columns, **options)
    assert there.to_dict() == here.to_dict()
    assert there.to_frame().equals(here.to_frame())
    assert (counter.ran > 0) != listed
    if listed:
        assert list(there.uniques) == list(here.uniques)


def test_an_engine_without_workers_is_searched_here():
    table = read({"a": [1, 1, 2], "b": [1, 2, 2]})
    there, here = suda(Elsewhere(table)), suda(table)
    assert there.to_dict() == here.to_dict()


# ---- what is fetched


@pytest.fixture(scope="module")
def people() -> Table:
    rng = np.random.default_rng(3)
    return read(
        {
            "age": rng.integers(20, 40, 60),
            "zip": rng.integers(0, 9, 60),
            "sex": rng.integers(0, 2, 60),
            "job": rng.integers(0, 12, 60),
            "ill": rng.choice(["flu", "colds", "none"], 60),
        }
    )


PLAN = {
    "columns": {
        "age": {"role": "quasi-identifier", "exposure": "EE"},
        "zip": {"role": "quasi-identifier", "exposure": "EE"},
        "ill": {"role": "sensitive", "moral": 4},
    }
}


def test_measures_of_single_records_fetch_the_table(people):
    counter = LocalCounter(people)
    columns = ["age", "zip", "sex", "job"]
    assert (
        contributions(counter, columns, 2, tail=0.3).to_dict()
        == contributions(people, columns, 2, tail=0.3).to_dict()
    )
    options = {"records": 5, "columns": columns, "size": 2, "tail": 0.3}
    assert eliminate(counter, **options).to_dict() == eliminate(people, **options).to_dict()
    there, here = assess(counter, PLAN), assess(people, PLAN)
    assert there.to_dict() == here.to_dict()
    assert there.facts.sha256 is None
    assert compare(counter, counter, PLAN).to_dict() == compare(people, people, PLAN).to_dict()


# ---- conditions


def test_a_condition_leaves_the_records_that_meet_it():
    data = {"age": [10, 20, 30, None], "sex": ["f", "m", "m", "f"], "zip": [1, 2, 2, 1]}
    table = read(data, ["sex"], where="age >= 20")
    assert table.columns == ("sex",)
    assert table.rows == 2
    assert list(table["sex"].values) == ["m"]  # no value of those who are left out
    assert table.notes == ("Only the records that meet the condition were looked at: age >= 20.",)
    found = anonymity_sets(data, ["zip"], where="age >= 20")
    assert (found.records, found.sets) == (2, 1)
    assert found.notes == table.notes


def test_a_condition_on_a_table_keeps_its_roles_and_policy():
    table = read({"age": [10, 20, None], "w": [1, 2, "x"]}, missing="drop", roles={"w": "weight"})
    found = read(table, where="age > 5")
    assert (found.missing, found.weight, found.rows) == ("drop", "w", 2)
    assert not found["age"].has_missing
    assert anonymity_sets(table, "age", where="age > 5").weighted_total == 3


@given(records, st.sampled_from(["sex = 'f'", "age > 20 and ill is not null", "zip is null"]))
def test_a_condition_gives_the_same_as_filtered_data(rows, where):
    table = table_of(rows)
    mask = choose.condition_of(where).mask(table)
    if not mask.any():
        with pytest.raises(UnusableTable, match="No record of dict of columns meets the condition"):
            anonymity_sets(table, ["age", "zip"], where=where)
        return
    part = table_of([row for row, kept in zip(rows, mask, strict=True) if kept])
    there, here = read(table, where=where), part
    assert [list(c.values) for c in there] == [list(c.values) for c in here]
    assert [c.codes.tolist() for c in there] == [c.codes.tolist() for c in here]
    assert [c.levels for c in there] == [c.levels for c in here]
    assert [c.codes.dtype for c in there] == [c.codes.dtype for c in here]


def test_every_function_takes_a_condition(people):
    older, columns = "age >= 30", ["age", "zip", "sex"]
    part = read(people, where=older)
    options: dict[str, Any] = {"size": 2, "tail": 0.5, "alpha": 0.2}
    assert qar(people, columns, where=older, **options).records == part.rows
    assert contributions(people, columns, where=older, **options).records == part.rows
    removal = eliminate(people, records=2, columns=columns, where=older, **options)
    assert removal.rows == part.rows
    assert suda(people, columns, where=older).records == part.rows
    assert discrimination_rate(people, "zip", "ill", where=older).records == part.rows
    assert count(people, columns, where=older).records == part.rows
    assert assess(people, PLAN, where=older).facts.reading == {"where": "age >= 30"}
    found = compare(people, people, PLAN, where=older)
    assert (found.before.facts.rows, found.after.facts.rows) == (part.rows, part.rows)


def test_a_condition_is_a_text():
    with pytest.raises(BadChoice, match="condition written as text"):
        read({"a": [1]}, where=3)
    with pytest.raises(UnknownColumns):
        read({"a": [1]}, where="b = 3")
    with pytest.raises(BadChoice, match="No columns were asked for"):
        read({"a": [1]}, [], where="a = 1")


# ---- which engine


def engine_for(data: Any) -> str:
    return choose.choose_engine(data).name


class Lends:
    """An engine whose counter is there already."""

    name = "elsewhere"

    def __init__(self, counter: LocalCounter) -> None:
        self._counter = counter

    def counter(self, *_: Any) -> LocalCounter:
        return self._counter


def test_frames_and_files_are_here():
    for data in ({"a": [1]}, pl.DataFrame({"a": [1]}), "people.csv", b"people.csv", 3):
        assert choose.choose_engine(data).name == "local"


@pytest.mark.parametrize(
    ("data", "home"),
    [
        ("postgresql://user:secret@host/db#people", "database"),
        ("duckdb:///people.db#people", "database"),
        ("https://user:secret@example.org/people.csv", "local"),
        ("C:\\people.csv", "local"),
        ("", "local"),
        ("a\0b", "local"),
        ("~nobody-of-this-name/*.csv", "local"),
    ],
)
def test_text_is_where_it_says(data, home):
    assert choose.choose_engine(data).name == home


def test_several_files_and_folders_of_parquet_are_counted_by_the_database(tmp_path):
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "one.parquet")
    (tmp_path / "odd[1].csv").write_text("a\n1\n")
    (tmp_path / "empty").mkdir()
    assert engine_for(tmp_path) == "database"
    assert engine_for(tmp_path / "*.parquet") == "database"
    assert engine_for(tmp_path / "*.csv") == "database"
    assert engine_for(tmp_path / "odd[1].csv") == "local"
    assert engine_for(tmp_path / "*.xyz") == "local"
    assert engine_for(tmp_path / "empty") == "local"


@pytest.mark.parametrize(
    ("engine", "data"),
    [
        ("database", {"a": [1]}),
        ("database", "https://user:secret@host/t.csv"),
        ("spark", {"a": [1]}),
        ("spark", "postgresql://user:secret@host/db#t"),
    ],
)
def test_an_engine_that_cannot_take_the_data_says_so_without_a_password(engine, data):
    with pytest.raises(BadChoice, match=f"The {engine} engine cannot take") as refused:
        choose.open_data(data, engine)
    assert "secret" not in str(refused.value)


def test_other_words_and_things_are_no_engine():
    with pytest.raises(BadChoice, match="Did you mean 'spark'"):
        choose.open_data({"a": [1]}, "sparc")
    with pytest.raises(BadChoice, match="a URL is given as data") as refused:
        choose.open_data({"a": [1]}, "postgresql://user:secret@host/db")
    assert "secret" not in str(refused.value)
    with pytest.raises(BadChoice, match=r"so\.Database or so\.Spark"):
        choose.open_data({"a": [1]}, 3)


# ibis asks DuckDB in a way that DuckDB calls old
@pytest.mark.filterwarnings("ignore::DeprecationWarning:ibis.*")
def test_a_file_that_is_too_large_is_counted_by_the_database_with_a_note(tmp_path, monkeypatch):
    pytest.importorskip("ibis")
    file = tmp_path / "people.csv"
    file.write_text("a,b\n1,x\n1,y\n2,x\n")
    monkeypatch.setattr(local_engine, "available_memory", lambda: 10)
    found = anonymity_sets(file, "a")
    assert found.sets == 2
    assert "too much for the 10 bytes of memory that are free" in found.notes[0]
    assert "embedded database" in found.notes[0]
    assert anonymity_sets(file, "a", engine="local").notes == ()
    assert read(file, delimiter=",").notes == ()  # parse options are for the local reader
    monkeypatch.setattr(local_engine, "available_memory", lambda: 10**9)
    assert anonymity_sets(file, "a").notes == ()


def test_options_of_files_have_no_meaning_elsewhere():
    with pytest.raises(BadChoice, match="sheet has no meaning for dict of columns"):
        read(Elsewhere(read({"a": [1]})), sheet="one")
    with pytest.raises(BadChoice, match="missing_values has no meaning"):
        read(Elsewhere(read({"a": [1]})), missing_values=["NA"])


def test_reading_from_elsewhere_takes_columns_roles_and_a_policy():
    counter = Elsewhere(read({"a": [1, 2], "b": [3, 4]}))
    table = read(counter, ["b"], missing="drop", roles={"b": "weight"})
    assert (table.columns, table.missing, table.weight) == (("b",), "drop", "b")
    with pytest.raises(UnknownColumns):
        read(counter, ["c"])


def test_a_counter_that_was_given_stays_open_and_one_that_was_made_is_closed(monkeypatch):
    class Closing(Elsewhere):
        closed = 0

        def close(self) -> None:
            self.closed += 1

    counter = Closing(read({"a": [1, 2], "b": [3, 4]}))
    anonymity_sets(counter, "a")
    read(counter)
    assert counter.closed == 0
    monkeypatch.setattr(choose, "choose_engine", lambda *_: choose.Choice(Lends(counter)))
    anonymity_sets("elsewhere", "a")
    assert counter.closed == 1
    found = discrimination_rate("elsewhere", "a", "b")
    assert counter.closed == 2
    assert found.values.height == 2
    assert counter.closed == 3


# ---- tasks


def test_tasks_run_on_threads_and_an_error_ends_them():
    counter = LocalCounter(read({"a": [1]}))
    answers = counter.run(lambda shared, task: shared * task, 3, range(5), name="x", what="x")
    assert sorted(answers) == [0, 3, 6, 9, 12]

    def fail(_shared: Any, task: int) -> int:
        if task == 2:
            raise BadChoice("no")
        return task

    with pytest.raises(BadChoice, match="no"):
        list(counter.run(fail, None, range(5), name="x", what="x"))


# ---- predictions


def test_predictions_take_the_distribution_of_data_that_is_elsewhere():
    table = read({"sex": ["f", "f", "m", "m", "m"], "old": [1, 0, 1, 1, 0]})
    here = Distribution.from_table(table, "sex")
    there = Distribution.from_table(Elsewhere(table), "sex")
    assert there.to_dict() == here.to_dict()
    old = Distribution.from_table(table, "sex", where="old = 1")
    assert old.population == 3
    margins = read({"sex": ["f", "m", "x"], "people": [3, 4, 5]})
    found = Distribution.from_table(Elsewhere(margins), counts="people")
    assert found.population == 12
    assert Distribution.from_table(margins, counts="people", where="sex != 'x'").population == 7
    with pytest.raises(BadChoice, match="No columns were given"):
        Distribution.from_table(Elsewhere(table))
    with pytest.raises(BadChoice, match="was counted already"):
        Distribution.from_table(count(table, ["sex"]), where="sex = 'f'")
