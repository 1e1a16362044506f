"""What classes publish without a written hierarchy: intervals, sets, and their shares."""

from __future__ import annotations

import math
import re
from datetime import date
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import singleout as so
from singleout.core.table import Column
from singleout.treatment.hierarchies.intervals import contains, parse_interval
from singleout.treatment.hierarchies.propose import propose
from singleout.treatment.hierarchies.publish import Published, class_labels, order_of


def column(values: list[Any]) -> Column:
    return so.read({"x": values})["x"]


def published(
    found: Column, classes: list[list[Any]], ordered: bool | None = None
) -> tuple[list[Any], list[float]]:
    """Return the labels and shares of classes of values."""
    code_of = {value: code for code, value in enumerate([*found.values, None])}
    of_class = [number for number, values in enumerate(classes) for _ in values]
    codes = [code_of[value] for values in classes for value in values]
    tree = propose(found, ordered).fit(found)
    levels = np.full(len(classes), tree.levels - 1)
    answer = class_labels(
        found, tree, np.array(of_class), np.array(codes), levels, order_of(found, ordered)
    )
    return [answer.labels[code] for code in answer.codes], answer.shares.tolist()


def test_numbers_publish_the_interval_of_their_own_values() -> None:
    ages = column([30, 34, 38, 41, 70])
    labels, shares = published(ages, [[34, 41], [70], [30, 34], [34, 38, 41]])
    assert labels == ["34-41", 70, "30-34", "34-41"]
    assert shares == pytest.approx([3 / 5, 1 / 5, 2 / 5, 3 / 5])


def test_text_of_numbers_is_ordered_as_numbers_are() -> None:
    rooms = column(["2", "10", "3", "N", "2"])
    labels, shares = published(rooms, [["2", "3"], ["10"], ["2", "N"]])
    assert labels == ["2-3", "10", "2 or N"]
    assert shares == pytest.approx([2 / 4, 1 / 4, 2 / 4])


@pytest.mark.parametrize(
    ("values", "members", "label"),
    [
        ([1.5, 2.25, 7.0], [1.5, 2.25], "1.5 to 2.25"),
        ([-5, 3, 8], [-5, 3], "-5 to 3"),
        ([date(2021, 3, 5), date(2021, 4, 2), date(2022, 1, 1)],
         [date(2021, 3, 5), date(2021, 4, 2)], "2021-03-05 to 2021-04-02"),
        (["31/01/2019", "05/03/2021", "01/02/2020"], ["31/01/2019", "01/02/2020"],
         "31/01/2019 to 01/02/2020"),
        (["0-4", "5-9", "10-14", "15+"], ["5-9", "15+"], "5+"),
    ],
)  # fmt: skip
def test_an_interval_reads_as_its_values_do(
    values: list[Any], members: list[Any], label: str
) -> None:
    assert published(column(values), [members])[0] == [label]


def test_names_publish_sets_of_at_most_five_and_beyond_that_the_label_of_the_tree() -> None:
    names = [f"job {letter}" for letter in "abcdefg"]
    jobs = column(names)
    labels, shares = published(jobs, [names[:2], names[1:6], names[:6], names[3:4]])
    assert labels == [
        "job a or job b",
        "job b or job c or job d or job e or job f",
        "*",
        "job d",
    ]
    assert shares == pytest.approx([2 / 7, 5 / 7, 1, 1 / 7])


def test_missing_among_the_values_is_named() -> None:
    labels, shares = published(column([1, 2, 3, 4, None]), [[1, 3], [2, None], [None]])
    assert labels == ["1-3", "2 or (missing)", None]
    assert shares == pytest.approx([3 / 5, 2 / 5, 1 / 5])
    many = column([*range(10), None])
    assert published(many, [[0, 1, 2, 3, 4, None]]) == (["*"], [1.0])


def test_labels_of_values_are_the_words_of_sets() -> None:
    table = so.read({"x": [1.0, 2.0, 3.0]}).with_descriptions(
        {}, {"x": {1.0: "nurse", 2.0: "cook"}}
    )
    assert published(table["x"], [[1.0, 2.0], [1.0, 3.0]])[0] == ["nurse or cook", "nurse or 3"]


def test_equal_classes_share_a_label() -> None:
    found = column(["a", "b", "c"])
    tree = propose(found).fit(found)
    answer = class_labels(
        found, tree, np.array([0, 0, 1, 1, 1, 2]), np.array([0, 1, 1, 0, 0, 2]), np.array([1, 1, 1])
    )
    assert answer.codes.tolist() == [0, 0, 1] or answer.codes.tolist() == [1, 1, 0]
    assert len(answer.labels) == 2


def naive(found: Column, classes: list[list[int]], ordered: bool) -> list[tuple[Any, float]]:
    """What each class publishes, from the definition: whole numbers, or words."""
    size = len(found.values)
    answer: list[tuple[Any, float]] = []
    for members in classes:
        values = [found.values[code] for code in sorted(set(members))]
        if len(values) == 1:
            answer.append((values[0], 1 / size))
        elif ordered:
            low, high = min(values), max(values)
            between = sum(low <= value <= high for value in found.values)
            answer.append((f"{low}-{high}", between / size))
        elif len(values) <= 5:
            answer.append((" or ".join(map(str, values)), len(values) / size))
        else:
            answer.append(("*", 1.0))
    return answer


@given(st.lists(st.integers(0, 99), min_size=1, max_size=40), st.booleans(), st.data())
def test_many_classes_publish_what_each_alone_would(
    numbers: list[int], ordered: bool, data: st.DataObject
) -> None:
    found = column(numbers if ordered else [f"w{number:02}" for number in numbers])
    code = st.integers(0, len(found.values) - 1)
    classes = data.draw(st.lists(st.lists(code, min_size=1, max_size=8), min_size=1, max_size=12))
    members = [[found.values[code] for code in codes] for codes in classes]
    labels, shares = published(found, members, ordered)
    expected = naive(found, classes, ordered)
    assert labels == [label for label, _ in expected]
    assert shares == pytest.approx([share for _, share in expected])
    if ordered:
        for label, values in zip(labels, members, strict=True):
            interval = parse_interval(str(label))
            assert interval is not None
            assert all(contains(interval, value) for value in values)


def test_the_answer_says_what_it_holds() -> None:
    answer = Published(("a",), np.zeros(2, dtype=np.int64), np.ones(2))
    assert "codes" not in repr(answer)


@pytest.mark.parametrize("method", ["local", "full-domain"])
@pytest.mark.parametrize(
    "numbers",
    [
        pl.Series([2**53 + 2 * i + 1 for i in range(4)]),
        pl.Series([2**53 + i for i in range(60)]),
        pl.Series([-(2**53) - i for i in range(60)]),
        pl.Series([2**64 - 1 - 3 * i for i in range(40)], dtype=pl.UInt64),
        pl.Series([str(-(2**53) - i) for i in range(30)]),
    ],
)
def test_intervals_of_numbers_too_large_for_floats_hold_their_numbers(
    numbers: pl.Series, method: str
) -> None:
    found = so.suggest(pl.DataFrame({"id": numbers}), quasi_identifiers="id", k=2, method=method)
    labels = found.apply().to_frame()["id"]
    assert found.after.k >= 2
    for label, number in zip(labels.to_list(), map(int, numbers), strict=True):
        low, high = ends(str(label))
        assert low <= number <= high


def ends(label: str) -> tuple[float, float]:
    """Return the ends of an interval as whole numbers."""
    if label == "*":
        return -math.inf, math.inf
    if label.endswith("+"):
        return int(label[:-1]), math.inf
    if label.startswith("<"):
        return -math.inf, int(label[1:]) - 1
    both = re.fullmatch(r"(-?\d+)(?:-| to )(-?\d+)", label)
    assert both is not None
    return int(both[1]), int(both[2])
