"""`so.person`: one's own risk beside the average, from records and from counts."""

from __future__ import annotations

import json
import stat
from collections import Counter

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_own as naive
import singleout as so
from singleout.errors import BadChoice, UnknownColumns, UnusableTable
from singleout.predict.own.matching import code_of

PEOPLE = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(1, 3), st.sampled_from("fm")),
    min_size=1,
    max_size=8,
)
NAMES = ("town", "age", "sex")


def frame_of(people):
    return pl.DataFrame(people, schema=NAMES, orient="row")


def cell_of(values):
    return dict(zip(NAMES, values, strict=True))


@given(PEOPLE, st.data())
def test_the_whole_table_says_what_a_list_of_people_says(people, data):
    mine = data.draw(st.sampled_from(people))
    slow = naive.own(people, mine)
    counted = Counter(people)
    table = pl.DataFrame(
        [(*cell, size) for cell, size in counted.items()], schema=[*NAMES, "n"], orient="row"
    )
    records = so.person(frame_of(people), cell_of(mine))
    for found in (records, so.person(table, cell_of(mine), counts="n")):
        assert found.members == slow["members"]
        assert [answer.left for answer in found.answers] == slow["left"]
        assert [answer.without for answer in found.answers] == slow["without"]
        assert found.unique == (slow["members"] == 1)
        assert found.match == pytest.approx(1 / slow["members"])
        for name in ("average_unique", "average_match", "average_set", "as_small"):
            assert getattr(found, name) == pytest.approx(float(slow[name]), rel=1e-12)


@settings(max_examples=25)
@given(PEOPLE, st.data())
def test_among_some_of_the_people_it_is_the_mean_over_all_draws(people, data):
    mine = data.draw(st.sampled_from(people))
    k = data.draw(st.integers(1, len(people)))
    found = so.person(frame_of(people), cell_of(mine), people=k)
    for name, value in naive.drawn(people, mine, k).items():
        assert getattr(found, name) == pytest.approx(float(value), rel=1e-10, abs=1e-12)


def test_a_sample_of_a_larger_population_is_drawn_from_with_replacement():
    table = {"age": [30] * 60 + [31] * 39 + [99]}
    found = so.person(table, {"age": 99}, people=1000)
    assert found.unique == pytest.approx(0.99**999)
    assert found.expected_set == pytest.approx(1 + 999 * 0.01)
    same = so.predict.for_person([0.6, 0.39, 0.01], 2, people=1000)
    assert found.match == pytest.approx(same.expected_match)
    assert "count as a sample" in found.notes[0]


def test_who_is_far_rarer_than_others_is_warned():
    table = {"age": [30] * 60 + [31] * 39 + [99], "sex": ["f", "m"] * 50}
    rare = so.person(table, {"age": 99, "sex": "m"})
    assert rare.outlier
    assert [answer.rare for answer in rare.answers] == [True, False]
    assert rare.warnings == ("You stand out by age = 99: the average tells little about you.",)
    assert str(rare).startswith("Of 100 people nobody else has your values")
    common = so.person(table, {"age": 30, "sex": "m"})
    assert not common.outlier
    assert common.warnings == ()
    assert str(common).startswith("29 other people of 100 have the same values as you")


def test_a_combination_can_be_rare_though_no_answer_is():
    table = {"a": ["x"] * 50 + ["y"] * 50, "b": ["p"] * 50 + ["q"] * 49 + ["p"]}
    found = so.person(table, {"a": "y", "b": "p"})
    assert [answer.rare for answer in found.answers] == [False, False]
    assert found.warnings == (
        "Your combination is far less common than that of most people: the average tells little "
        "about you.",
    )


def test_values_that_nobody_has_together_are_bounded_and_not_refused():
    table = {"age": [30, 30, 31, 31], "sex": ["f", "f", "m", "m"]}
    found = so.person(table, {"age": 30, "sex": "m"})
    assert (found.members, found.unique, found.match, found.outlier) == (0, 1, 1, True)
    most = 1 - 0.05 ** (1 / 4)  # (1 - p)^4 = 5%
    assert f"at most {most:.2g} of the people" in found.warnings[0]
    assert f"at least {100 * (1 - most) ** 3:.1f}%" in found.warnings[0]
    assert str(found) == "Nobody of the 4 people in the data has these values together"


def test_the_most_telling_answer_is_the_one_to_keep():
    table = {"age": [30, 31, 32, 33], "sex": ["f", "f", "f", "m"]}
    found = so.person(table, {"age": 30, "sex": "f"})
    assert (found.most_telling.column, found.most_telling.without) == ("age", 3)


# ---- values are text


@pytest.mark.parametrize(
    ("wanted", "values", "labels", "code"),
    [
        ("1056", [1011, 1056], {}, 1),
        (1056, ["1011", "1056"], {}, 1),
        ("1056", [1011.0, 1056.0], {}, 1),
        ("f", ["F", "M"], {}, 0),
        (" Den  Haag ", ["Urk", "den haag"], {}, 1),
        ("01", ["1", "01"], {}, 1),
        ("female", [1, 2], {1: "male", 2: "Female"}, 1),
        (None, ["a", "b"], {}, 2),
    ],
)
def test_a_value_is_found_as_people_write_it(wanted, values, labels, code):
    assert code_of("column", wanted, values, labels)[0] == code


def test_an_ambiguous_value_is_not_guessed():
    with pytest.raises(BadChoice, match="'f' could be several values of 'sex': 'F', ' F'"):
        code_of("sex", "f", ["F", " F"], {})


def test_a_value_that_nobody_has_is_refused_with_what_there_is():
    with pytest.raises(BadChoice, match=r"has 'Utrehct' as 'town'.*Did you mean 'Utrecht'\?"):
        so.person({"town": ["Utrecht", "Urk"]}, {"town": "Utrehct"})


@pytest.mark.parametrize(
    ("cell", "options", "error", "says"),
    [
        ({}, {}, BadChoice, "Give your values by column"),
        ("age=3", {}, BadChoice, "Give your values by column"),
        ({"Age": 3}, {}, UnknownColumns, "age"),
        ({"n": 3}, {"counts": "n"}, BadChoice, "leave it out of cell"),
        ({"age": 3}, {"people": 0}, BadChoice, "people"),
    ],
)
def test_what_cannot_be_asked_is_refused(cell, options, error, says):
    with pytest.raises(error, match=says):
        so.person({"age": [3, 4], "n": [1, 2]}, cell, **options)


def test_counts_of_nobody_are_refused():
    with pytest.raises(UnusableTable, match="nobody in the data"):
        so.person({"age": [3, 4], "n": [0, 0]}, {"age": 3}, counts="n")


# ---- everywhere


def test_it_is_the_same_in_a_database(tmp_path):
    pytest.importorskip("duckdb")
    path = tmp_path / "cells.csv"
    path.write_text(
        "PC4,gender,YoB,n\n1056,F,1981,3\n1056,F,1981,2\n1056,M,1981,9\n1011,F,1950,40\n"
    )
    mine = {"PC4": "1056", "gender": "F", "YoB": "1981"}
    here = so.person(path, mine, counts="n")
    there = so.person(path, mine, counts="n", engine="database")
    assert here.members == 5  # the two rows of one cell are added up
    assert there.to_dict() | {"source": ""} == here.to_dict() | {"source": ""}


def test_the_page_holds_the_answers_escaped_and_is_its_owners_alone(tmp_path):
    table = {"<b>town": ["<script>alert(1)</script>", "Urk"], "age": [30, 31]}
    found = so.person(table, {"<b>town": "<script>alert(1)</script>", "age": 30})
    path = found.to_html(tmp_path / "mine.html")
    text = path.read_text()
    assert "<script" not in text
    assert "&lt;script&gt;alert(1)" in text
    assert "nobody else has your values" in text
    assert "Chance that a guess names you" in text
    assert "http" not in text.replace('http-equiv="Content-Security-Policy"', "").replace(
        "http://www.w3.org/2000/svg", ""
    )
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(BadChoice, match=r"end the name in \.html"):
        found.to_html(tmp_path / "mine.csv")


def test_the_result_is_plain_values_and_a_picture():
    found = so.person({"age": [30, 31, 31]}, {"age": 31})
    assert json.loads(found.to_json())["answers"][0]["left"] == 2
    assert found.to_frame().columns == ["column", "value", "people", "left", "without", "rare"]
    assert found.plot().to_dict()["title"]["text"].startswith("How many people are left")
