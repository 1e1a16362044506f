"""The public function: any data, any policy, groups, weights, several questions at once."""

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import singleout as so
from singleout.errors import BadChoice, UndefinedMeasure, UnknownColumns, UnusableColumn
from singleout.kernels.grouping import match

# sdcMicro's hand-checkable table (its expected counts for missing values and weights)
HAND = {
    "A": [2, 3, 2, 2, 3, 3, 1, 2],
    "B": [3, 3, 3, 3, 3, 3, 4, 3],
    "C": [1, 3, None, 2, 1, 1, None, 1],
    "w": [18, 45.5, 39, 17, 92, 8, 123.5, 51],
}
KEYS = ["A", "B", "C"]

cell = st.one_of(st.none(), st.sampled_from(["a", "b", "c"]))
tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.tuples(*[cell] * width), min_size=1, max_size=40)
)


def frame_of(records: list[tuple[str | None, ...]]) -> pl.DataFrame:
    names = [f"c{place}" for place in range(len(records[0]))]
    return pl.DataFrame(records, schema=dict.fromkeys(names, pl.String), orient="row")


# ---- missing values


def test_missing_as_a_value_on_the_hand_made_table() -> None:
    found = so.anonymity_sets(HAND, KEYS, weight="w")
    assert found.per_record.tolist() == [2, 1, 1, 1, 2, 2, 1, 2]
    assert found.unique == 4
    assert found.sets == 6
    assert found.weighted_per_record.tolist() == [69, 45.5, 39, 17, 100, 100, 123.5, 69]


def test_missing_as_a_wildcard_on_the_hand_made_table() -> None:
    found = so.anonymity_sets(HAND, KEYS, missing="wildcard", weight="w")
    assert found.per_record.tolist() == [3, 1, 4, 2, 2, 2, 1, 3]
    assert found.weighted_per_record.tolist() == [108, 45.5, 125, 56, 100, 100, 123.5, 108]
    assert (found.k, found.unique, found.at_most(2), found.records) == (1, 2, 5, 8)


def test_the_hand_made_table_completed() -> None:
    complete = HAND | {"C": [1, 3, 1, 2, 1, 1, 1, 1]}
    for policy in ("value", "wildcard", "drop"):
        found = so.anonymity_sets(complete, KEYS, missing=policy, weight="w")
        assert found.per_record.tolist() == [3, 1, 3, 1, 2, 2, 1, 3]
        expected = [108, 45.5, 108, 17, 100, 100, 123.5, 108]
        assert found.weighted_per_record.tolist() == expected
        assert found.sets == 5  # nothing is missing, so there are sets under every policy


def test_missing_dropped_on_the_hand_made_table() -> None:
    found = so.anonymity_sets(HAND, KEYS, missing="drop", weight="w")
    assert found.per_record.tolist() == [2, 1, 0, 1, 2, 2, 0, 2]
    assert (found.records, found.dropped, found.unique) == (6, 2, 2)
    assert found.weighted_per_record.tolist() == [69, 45.5, 0, 17, 100, 100, 0, 69]
    assert "2 of 8 records lack a quasi-identifier and were left out." in found.notes


def test_a_record_unique_only_through_a_null_is_unique_as_a_value_and_not_as_a_wildcard() -> None:
    people = {"sex": ["f", "f", None]}
    assert so.anonymity_sets(people, ["sex"]).per_record.tolist() == [2, 2, 1]
    found = so.anonymity_sets(people, ["sex"], missing="wildcard")
    assert found.per_record.tolist() == [3, 3, 3]
    assert found.unique == 0


def test_wildcard_matching_is_not_transitive() -> None:
    found = so.anonymity_sets({"x": ["a", None, "b"]}, ["x"], missing="wildcard")
    assert found.per_record.tolist() == [2, 3, 2]  # the null matches both, they not each other


@pytest.mark.parametrize(
    "measure",
    ["sets", "histogram", "mean", "quartiles", "median", "shannon_entropy", "min_entropy",
     "power_sums"],
)  # fmt: skip
def test_what_needs_sets_says_that_wildcards_have_none(measure: str) -> None:
    found = so.anonymity_sets(HAND, KEYS, missing="wildcard")
    with pytest.raises(UndefinedMeasure, match="not transitive"):
        getattr(found, measure)
    for call in (found.kl_distance, found.degree_of_anonymity, found.plot):
        with pytest.raises(UndefinedMeasure, match="not transitive"):
            call()
    assert found.to_dict()["sets"] is None


@given(tables)
def test_per_record_counts_are_the_naive_twins(records: list[tuple[str | None, ...]]) -> None:
    frame = frame_of(records)
    names = frame.columns
    as_value = so.anonymity_sets(frame, names)
    assert as_value.per_record.tolist() == naive.sizes_of_records(records)
    assert as_value.histogram == _histogram(records)
    wild = so.anonymity_sets(frame, names, missing="wildcard")
    assert wild.per_record.tolist() == naive.matching(records)
    whole = [record for record in records if None not in record]
    dropped = so.anonymity_sets(frame, names, missing="drop")
    assert dropped.records == len(whole)
    assert dropped.dropped == len(records) - len(whole)
    sizes = dict(zip(whole, naive.sizes_of_records(whole), strict=True))
    assert dropped.per_record.tolist() == [sizes.get(record, 0) for record in records]


def _histogram(records: list[tuple[str | None, ...]]) -> dict[int, int]:
    sizes = sorted(naive.group_sizes(records).values())
    return {size: sizes.count(size) for size in sizes}


@given(tables, st.randoms(use_true_random=False))
def test_wildcard_weights_are_the_naive_twins(
    records: list[tuple[str | None, ...]],
    random: "random.Random",  # noqa: F821
) -> None:
    weights = [random.randint(0, 20) / 4 for _ in records]
    frame = frame_of(records).with_columns(pl.Series("w", weights))
    found = so.anonymity_sets(frame, frame.columns[:-1], missing="wildcard", weight="w")
    assert found.weighted_per_record.tolist() == naive.matching(records, weights)


def test_wildcards_in_many_records_are_matched_both_ways_alike(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({n: rng.integers(0, 9, 4000).astype(str) for n in "abcd"}).with_columns(
        pl.col("b", "c").replace("0", None)
    )
    answers = []
    for cost in (-(10**12), 10**12):
        monkeypatch.setattr(match, "_PAIR_OF_PATTERNS", cost)
        answers.append(so.anonymity_sets(frame, list("abcd"), missing="wildcard").per_record)
    assert np.array_equal(*answers)
    assert answers[0].min() >= 1


# ---- what must not matter


@given(tables, st.randoms(use_true_random=False))
def test_order_of_rows_and_columns_and_labels_do_not_matter(
    records: list[tuple[str | None, ...]],
    random: "random.Random",  # noqa: F821
) -> None:
    frame = frame_of(records)
    expected = so.anonymity_sets(frame, frame.columns).histogram
    order = list(range(len(records)))
    random.shuffle(order)
    shuffled = frame[order]
    assert so.anonymity_sets(shuffled, frame.columns[::-1]).histogram == expected
    relabelled = frame.with_columns(pl.all().replace({"a": "zz", "b": "1", "c": "01"}))
    assert so.anonymity_sets(relabelled, frame.columns).histogram == expected


def test_the_index_of_a_data_frame_does_not_matter() -> None:
    plain = pd.DataFrame({"x": [1, 1, 2], "y": ["a", "a", None]})
    for index in ([5, 5, 5], [2, 1, 0], pd.MultiIndex.from_tuples([(1, 2), (1, 2), (3, 4)])):
        found = so.anonymity_sets(plain.set_index(pd.Index(index)), ["x", "y"])
        assert found.per_record.tolist() == [2, 2, 1]


def test_pandas_polars_pyarrow_and_file_agree(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "n": [1, 1, None, 2, 2],
            "f": [0.5, 0.5, None, None, 1.5],
            "t": ["a", "a", None, "b", "c"],
            "b": [True, True, False, None, None],
        }
    )
    frame.write_csv(tmp_path / "x.csv")
    frame.write_parquet(tmp_path / "x.parquet")
    sources = [frame, frame.lazy(), frame.to_pandas(), frame.to_arrow(), frame.to_dict()]
    sources += [tmp_path / "x.csv", str(tmp_path / "x.parquet"), so.read(frame)]
    for policy in so.MissingPolicy:
        answers = [so.anonymity_sets(s, frame.columns, missing=policy).per_record for s in sources]
        for answer in answers:
            assert answer.tolist() == answers[0].tolist()


def test_two_nans_are_the_same_missing_value() -> None:
    frame = pl.DataFrame({"x": [float("nan"), None, float("nan"), 1.0]})
    assert so.anonymity_sets(frame, ["x"]).per_record.tolist() == [3, 3, 3, 1]


# ---- groups


def test_groups_are_measured_like_tables_of_their_own() -> None:
    rng = np.random.default_rng(12)
    frame = pl.DataFrame(
        {
            "town": rng.choice(["Ede", "Oss", None], 500).tolist(),
            "age": rng.integers(0, 30, 500),
            "sex": rng.choice(["f", "m", None], 500).tolist(),
        }
    )
    for policy in so.MissingPolicy:
        found = so.anonymity_sets(frame, ["age", "sex"], by="town", missing=policy)
        assert list(found.groups) == ["Ede", "Oss", None]
        for town, part in found.groups.items():
            alone = frame.filter(pl.col("town").eq_missing(town))
            expected = so.anonymity_sets(alone, ["age", "sex"], missing=policy)
            assert part.to_dict() == expected.to_dict()
            assert np.array_equal(part.per_record, expected.per_record)


def test_groups_by_several_columns_are_named_by_their_values() -> None:
    people = {"a": [1, 1, 2], "b": ["x", "y", "x"], "c": [1, 1, 1]}
    found = so.anonymity_sets(people, ["c"], by=["a", "b"])
    assert list(found.groups) == [(1, "x"), (1, "y"), (2, "x")]
    assert all(part.records == 1 for part in found.groups.values())


def test_the_correlation_of_group_size_with_median_is_pearsons() -> None:
    people = {"town": ["a"] * 6 + ["b"] * 3 + ["c"], "x": [1, 1, 1, 2, 2, 2, 1, 1, 2, 1]}
    found = so.anonymity_sets(people, ["x"], by="town")
    medians = [part.median for part in found.groups.values()]
    assert medians == [3, 1.5, 1]
    expected = np.corrcoef([6, 3, 1], medians)[0, 1]
    assert found.size_median_correlation == pytest.approx(expected)


# ---- several quasi-identifiers


def test_a_list_of_lists_gives_a_list_of_the_same_answers() -> None:
    rng = np.random.default_rng(5)
    frame = pl.DataFrame({name: rng.integers(0, 4, 3000) for name in "abcde"})
    questions = [["a", "b", "c"], ["a"], ["b", "c"], ["c", "b"], list("abcde"), ["d", "e"]]
    together = so.anonymity_sets(frame, questions)
    for names, answer in zip(questions, together, strict=True):
        alone = so.anonymity_sets(frame, names)
        assert answer.quasi_identifiers == tuple(names)
        assert answer.to_dict() == alone.to_dict()


def test_one_name_is_one_quasi_identifier() -> None:
    people = {"town": ["a", "a", "b"]}
    assert so.anonymity_sets(people, "town").unique == 1
    assert so.anonymity_sets(people, [["town"]])[0].unique == 1


def test_a_column_named_twice_counts_once() -> None:
    assert so.anonymity_sets({"x": [1, 1]}, ["x", "x"]).quasi_identifiers == ("x",)


def test_quasi_identifiers_and_weights_come_from_roles() -> None:
    table = so.read(HAND, roles={**dict.fromkeys(KEYS, "quasi-identifier"), "w": "weight"})
    found = so.anonymity_sets(table)
    assert found.quasi_identifiers == ("A", "B", "C")
    assert found.weighted_per_record[0] == 69


def test_the_policy_of_the_table_holds_unless_another_is_given() -> None:
    table = so.read(HAND, missing="drop")
    assert so.anonymity_sets(table, KEYS).dropped == 2
    assert so.anonymity_sets(table, KEYS, missing="value").dropped == 0


# ---- what is wrong, or strange


@pytest.mark.parametrize("nothing", [None, [], [[]], [["x"], []]])
def test_no_quasi_identifier_gets_a_sentence(nothing: object) -> None:
    with pytest.raises(BadChoice, match=r"No quasi-identifiers were given.*\['x'\]"):
        so.anonymity_sets({"x": [1]}, nothing)


def test_names_mixed_with_lists_get_a_sentence() -> None:
    with pytest.raises(BadChoice, match="mixes names and lists"):
        so.anonymity_sets({"x": [1], "y": [1]}, ["x", ["y"]])


@pytest.mark.parametrize("options", [{"by": "gendr"}, {"weight": "gendr"}])
def test_unknown_columns_get_the_nearest_name(options: dict[str, str]) -> None:
    for data in ({"gender": [1]}, so.read({"gender": [1]})):
        with pytest.raises(UnknownColumns, match="Did you mean 'gender'"):
            so.anonymity_sets(data, ["gender"], **options)


def test_an_unknown_policy_gets_a_sentence() -> None:
    with pytest.raises(BadChoice, match=r"'wildcrad' .* Did you mean 'wildcard'\?"):
        so.anonymity_sets({"x": [1]}, ["x"], missing="wildcrad")


@pytest.mark.parametrize("weights", [[1, None], [1, -1], [1, float("inf")]])
def test_a_weight_that_is_missing_or_negative_gets_a_sentence(weights: list[float]) -> None:
    with pytest.raises(UnusableColumn, match="'w' cannot be the weight"):
        so.anonymity_sets({"x": [1, 2], "w": weights}, ["x"], weight="w")


def test_one_record_works_and_says_so() -> None:
    found = so.anonymity_sets({"x": ["only"]}, ["x"])
    assert (found.unique, found.k, found.sets, found.quartiles) == (1, 1, 1, (1, 1, 1))
    assert "There is only one record, and it is unique whatever the columns." in found.notes


def test_a_column_missing_throughout_works_and_says_so() -> None:
    people = {"x": [None, None], "y": ["a", "b"]}
    found = so.anonymity_sets(people, ["x", "y"])
    assert found.unique == 2
    assert "Column 'x' is missing in every record, so it tells nobody apart." in found.notes
    dropped = so.anonymity_sets(people, ["x", "y"], missing="drop")
    assert (dropped.records, dropped.dropped, dropped.k, dropped.sets) == (0, 2, 0, 0)
    assert dropped.per_record.tolist() == [0, 0]
    assert dropped.to_dict()["unique_share"] == 0
    wild = so.anonymity_sets(people, ["x", "y"], missing="wildcard")
    assert wild.per_record.tolist() == [1, 1]


# ---- how it looks


def test_the_frame_has_a_row_for_all_and_one_for_each_group() -> None:
    people = {"town": ["a", "a", "b"], "x": [1, 2, 2]}
    frame = so.anonymity_sets(people, ["x"], by="town").to_frame()
    assert frame["group"].to_list() == [None, "a", "b"]
    assert frame["records"].to_list() == [3, 2, 1]
    assert so.anonymity_sets(people, ["x"]).to_frame().height == 1


def test_the_dictionary_is_plain_json() -> None:
    import json

    found = so.anonymity_sets({"d": pd.to_datetime(["2020-01-01", None]), "x": [1, 1]}, "x", by="d")
    again = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert again["groups"][1]["group"] is None
    assert again["histogram"] == {"2": 1}


def test_a_result_survives_pickling() -> None:
    found = pickle.loads(pickle.dumps(so.anonymity_sets(HAND, KEYS, weight="w", by="A")))
    assert found.per_record.tolist() == [2, 1, 1, 1, 2, 2, 1, 2]
    assert found.groups[2].records == 4


def test_a_result_says_what_it_found_in_a_line() -> None:
    found = so.anonymity_sets({"x": [1, 1, 2]}, ["x"])
    assert str(found) == "x: 3 records in 2 sets; 1 (33.3%) are unique, k = 1"


def test_results_cannot_be_changed() -> None:
    found = so.anonymity_sets({"x": [1, 1, 2]}, ["x"])
    with pytest.raises(AttributeError):
        found.missing = "drop"
    with pytest.raises(ValueError, match="read-only"):
        found.per_record[0] = 9


# ---- values that Python or a narrow type would merge


@pytest.mark.parametrize(
    "kind", [pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64]
)
def test_integers_of_every_width_are_counted_over_their_full_range(kind: type[pl.DataType]) -> None:
    low, high = (pl.select(edge).item() for edge in (kind.min(), kind.max()))
    frame = pl.DataFrame({"x": pl.Series([low, high, high, 5, low + 1], dtype=kind)})
    assert so.anonymity_sets(frame, ["x"]).per_record.tolist() == [1, 2, 2, 1, 1]


def test_groups_that_python_takes_for_the_same_key_stay_apart() -> None:
    mixed = {"g": [1, True, "x", 1.0, 1], "a": [1, 2, 3, 4, 5]}
    found = so.anonymity_sets(mixed, ["a"], by="g")
    # 1 and 1.0 are one value; the truth value is another, though Python takes it for the same key
    assert [part.records for part in found.groups.values()] == [3, 1, 1]


def test_numbers_for_column_names_are_taken_as_text() -> None:
    frame = pd.DataFrame([[1, 2], [1, 3]])
    assert so.anonymity_sets(frame, [0, 1]).unique == 2


def test_results_are_not_given_by_a_direct_identifier() -> None:
    table = so.read({"name": ["Ann"], "a": [1]}, roles={"name": "direct-identifier"})
    with pytest.raises(BadChoice, match="identifies people directly"):
        so.anonymity_sets(table, ["a"], by="name")


def test_groups_without_records_do_not_enter_the_correlation() -> None:
    people = {"g": ["a", "a", "b", "b", "b", "c"], "x": [None, None, 1, 1, 2, 3]}
    found = so.anonymity_sets(people, ["x"], by="g", missing="drop")
    assert found.groups["a"].records == 0
    assert found.size_median_correlation == pytest.approx(
        np.corrcoef([3, 1], [found.groups["b"].median, found.groups["c"].median])[0, 1]
    )


def test_labels_of_the_source_name_the_groups() -> None:
    table = so.read({"sex": [1.0, 2.0], "a": [1, 1]}).with_descriptions(
        {}, {"sex": {1.0: "male", 2.0: "female"}}
    )
    frame = so.anonymity_sets(table, ["a"], by="sex").to_frame()
    assert frame["group"].to_list() == [None, "1: male", "2: female"]


def test_dates_beyond_the_calendar_are_counted() -> None:
    far = pl.DataFrame({"d": pl.Series([10**18, 10**18 + 1, 10**18]).cast(pl.Datetime("ms"))})
    assert so.anonymity_sets(far, ["d"]).per_record.tolist() == [2, 1, 2]


def test_counts_of_parts_merge_in_public() -> None:
    parts = [so.count({"x": values}, ["x"]) for values in (["a", "b"], ["b", None])]
    assert dict(parts[0].merge(parts[1])) == {("a",): 1, ("b",): 2, (None,): 1}
    with pytest.raises(BadChoice, match="name at least one"):
        so.count({"x": [1]}, [])
