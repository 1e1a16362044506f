"""Predictions from gated records: intervals cover, bounds hold, results are the ordinary ones."""

from __future__ import annotations

import time
from itertools import islice

import numpy as np
import pytest
from gated_tables import DATA, Table, exact_singletons, gated, generated, real_tables
from hypothesis import given, settings
from hypothesis import strategies as st

from singleout.errors import BadChoice
from singleout.predict import GroupSizes, Singletons, UniquenessProbability
from singleout.repository.answering.limits import Evidence
from singleout.repository.answering.prediction import predict_from, share_function
from singleout.repository.documents.record import Coverage, Numbers, Record
from singleout.repository.publishing.publishable import publishable

KEY = bytes(range(32))
PEOPLE = (10, 40, 150, 600)


def record_of(counts: list[int], cells: int, **others: object) -> Record:
    """Return a record without noise, as a personal repository has it."""
    table = {"age": list(range(len(counts))), "people": counts}
    exact = publishable(table, ["age"], counts="people", cells=cells, tier="none")
    return exact.model_copy(update=others)


# ---- coverage


def outcomes(tables: list[Table]) -> list[tuple[bool, bool, float]]:
    """Return for each table whether the interval and the bounds hold the exact number."""
    found = []
    for index, (counts, cells) in enumerate(tables):
        record = gated(counts, cells, KEY)
        if record is None:
            continue
        people = min(PEOPLE[index % len(PEOPLE)], int(counts.sum()) // 5)
        exact = exact_singletons(counts, people)
        prediction = predict_from(record, people)
        (low, high), (least, most) = prediction.mean_interval(), prediction.bounds
        room = 1e-9 * people
        covered = low - room <= exact <= high + room
        bounded = least - room <= exact <= most + room
        assert low <= prediction.mean <= high
        found.append((covered, bounded, abs(prediction.mean - exact) / people))
    return found


def test_intervals_cover_two_hundred_generated_populations() -> None:
    found = outcomes(list(generated(215)))
    assert len(found) >= 200
    covered, bounded, errors = zip(*found, strict=True)
    assert np.mean(covered) >= 0.94
    assert all(bounded)
    assert np.median(errors) < 0.005
    assert np.quantile(errors, 0.9) < 0.03


@pytest.mark.skipif(not DATA.exists(), reason="needs the shared data")
def test_intervals_cover_dutch_postcodes_and_belgian_municipalities() -> None:
    covered, bounded, errors = zip(*outcomes(list(real_tables())), strict=True)
    assert np.mean(covered) >= 0.94
    assert all(bounded)
    assert np.median(errors) < 0.003


def test_the_interval_of_the_number_covers_what_chance_draws() -> None:
    rng = np.random.default_rng(8)
    inside = 0
    for counts, cells in islice(generated(60, seed=11), 40):
        record = gated(counts, cells, KEY)
        if record is None:
            inside += 1
            continue
        people = min(60, int(counts.sum()) // 5)
        drawn = rng.multivariate_hypergeometric(counts, people)
        low, high = predict_from(record, people).interval()
        inside += low <= int((drawn == 1).sum()) <= high
    assert inside >= 37


# ---- limits


def partitions(total: int, most: int, parts: int) -> list[list[int]]:
    if total == 0:
        return [[]]
    if parts == 0:
        return []
    return [
        [first, *rest]
        for first in range(min(total, most), 0, -1)
        for rest in partitions(total - first, first, parts - 1)
    ]


def test_limits_hold_for_every_population_with_the_same_numbers() -> None:
    tables = partitions(14, 14, 8)
    for people in (3, 7, 14):
        for counts in tables[::8]:
            prediction = predict_from(record_of(counts, 8), people)
            least, most = prediction.bounds
            exact = exact_singletons(np.array(counts), people)
            assert least - 1e-6 <= exact <= most + 1e-6, (counts, people)


def test_limits_enclose_those_of_an_exhaustive_search() -> None:
    evidence = Evidence(6, 12, 12.0, {"s2": (0.2, 0.002)})
    share = share_function(2, 5, 12)
    exact = {
        tuple(counts): (
            sum(c * (c - 1) for c in counts) / 132,
            exact_singletons(np.array(counts), 5) / 5,
        )
        for counts in partitions(12, 12, 6)
    }
    low, high = evidence.limits(share, 4.5) or (1.0, 0.0)
    near = [alone for s2, alone in exact.values() if abs(s2 - 0.2) <= 0.01]
    assert near
    assert low <= min(near) <= max(near) <= high
    assert high - low < max(near) - min(near) + 0.2


def test_the_least_misfit_of_numbers_that_belong_together_is_nothing() -> None:
    counts = [9, 7, 5, 5, 3, 1]
    people = sum(counts)
    known = {
        "s2": (sum(c * (c - 1) for c in counts) / (people * (people - 1)), 1e-4),
        "support": (6.0, 0.1),
    }
    assert Evidence(6, people, 9.0, known).misfit == pytest.approx(0, abs=1e-6)
    known["s2"] = (0.9, 1e-4)
    assert Evidence(6, people, 9.0, known).misfit > 100


# ---- results


def test_a_prediction_has_the_ordinary_results() -> None:
    counts, cells = next(generated(1))
    record = gated(counts, cells, KEY)
    assert record is not None
    found = predict_from(record, 50)
    assert isinstance(found, Singletons)
    assert isinstance(found.group_sizes, GroupSizes)
    assert isinstance(found.uniqueness, UniquenessProbability)
    assert found.group_sizes.unique == pytest.approx(found.mean, rel=1e-6)
    assert (found.low, found.high) == found.bounds
    low, high = found.interval()
    assert 0 <= low <= found.mean <= high <= 50
    assert found.pmf().sum() == pytest.approx(1, abs=1e-6)
    plain = found.to_dict()
    assert plain["record"] == record.id
    assert plain["bounds"][0] <= plain["mean_interval"][0] <= plain["mean"]
    assert plain["group_sizes"][1]["size"] == 1
    assert found.below(2)[0] == pytest.approx(found.share)
    assert found.below(5)[0] >= found.share
    assert 0 <= found.probability_any <= 1
    assert "50 people" in str(found)
    assert found.to_frame().height == 51


def test_a_wider_level_gives_a_wider_interval() -> None:
    counts, cells = next(generated(1, seed=6))
    record = gated(counts, cells, KEY)
    assert record is not None
    found = predict_from(record, 50)
    narrow, wide = found.mean_interval(0.5), found.mean_interval(0.99)
    assert wide[0] <= narrow[0] <= narrow[1] <= wide[1]


@pytest.mark.parametrize("people", [0, 1, 2])
def test_few_people_are_unique_or_nearly_so(people: int) -> None:
    found = predict_from(record_of([30, 20, 10, 5, 5], 6), people)
    assert found.mean <= people
    assert found.to_dict()["mean"] == pytest.approx(found.mean)


def test_all_people_of_an_exact_record_are_as_many_unique_as_were_counted() -> None:
    counts = [1] * 40 + [2] * 30 + [3] * 20 + [10] * 10
    found = predict_from(record_of(counts, 120), sum(counts))
    least, most = found.bounds
    assert least - 1e-6 <= 40 <= most + 1e-6
    assert found.mean == pytest.approx(40, rel=0.15)


def test_more_people_than_counted_are_drawn_with_replacement() -> None:
    found = predict_from(record_of([30, 20, 10, 5, 5], 6), 200)
    assert not found.without_replacement
    assert any("with replacement" in note for note in found.notes)


def test_a_record_without_cells_needs_the_number_of_them() -> None:
    record = Record.legacy_tuple(["age"], {}, 0.1)
    with pytest.raises(BadChoice, match="give cells="):
        predict_from(record, 40)
    assert predict_from(record, 40, cells=95).mean > 0


def test_a_sample_is_a_distribution_and_not_a_counted_population() -> None:
    numbers = Numbers(people=500, cells=95, kappa=0.1, s2=0.0125, s3=0.00018)
    record = Record(
        quasi_identifier=({"attribute": "age"},), numbers=numbers, coverage=Coverage(kind="sample")
    )
    found = predict_from(record, 40)
    assert not found.without_replacement
    low, high = found.mean_interval()
    assert low <= found.mean <= high


_NUMBER = st.one_of(st.none(), st.floats(0, 2))


@settings(max_examples=40)
@given(
    people=st.sampled_from([None, 0, 2, 3, 1_000, 17_400_000]),
    cells=st.sampled_from([1, 2, 95, 10**4, 10**15]),
    largest=st.sampled_from([None, 1, 10, 5_000]),
    kappa=st.floats(0, 40),
    sums=st.tuples(_NUMBER, _NUMBER, _NUMBER),
    asked=st.sampled_from([0, 1, 2, 40, 5_000]),
)
def test_no_numbers_make_a_prediction_fail(
    people: int | None,
    cells: int,
    largest: int | None,
    kappa: float,
    sums: tuple[float | None, float | None, float | None],
    asked: int,
) -> None:
    s2, s3, small = sums
    numbers = Numbers(
        people=people, cells=cells, largest=largest, kappa=kappa, s2=s2, s3=s3, small=small
    )
    found = predict_from(Record(quasi_identifier=({"attribute": "age"},), numbers=numbers), asked)
    low, high = found.mean_interval()
    assert low <= found.mean <= high
    assert 0 <= found.bounds[0] <= found.bounds[1] <= asked
    found.to_dict()


def test_a_prediction_takes_a_fraction_of_a_second() -> None:
    counts, cells = next(generated(1))
    record = gated(counts, cells, KEY)
    assert record is not None
    predict_from(record, 40).to_dict()
    start = time.perf_counter()
    predict_from(record, 41).to_dict()
    assert time.perf_counter() - start < 2
