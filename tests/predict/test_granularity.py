"""How identifying observed columns are at each granularity (Figures 4.4, 6.3 to 6.5)."""

from __future__ import annotations

import json
from math import log

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_granularity as naive
from run_command import refused, singleout
from singleout.errors import BadChoice, UndefinedMeasure, UnusableColumn, UnusableTable
from singleout.predict import correlated, granularity, width_for

AGES = st.lists(st.tuples(st.integers(0, 9), st.integers(-4, 6)), min_size=2, max_size=7)


@settings(max_examples=40)
@given(AGES, st.sampled_from([1, 2, 3, 5]), st.sampled_from([1, 4]), st.data())
def test_it_is_the_mean_over_all_draws_of_people(people, first, second, data):
    k = data.draw(st.integers(1, len(people)))
    table = pl.DataFrame(people, schema=["a", "b"], orient="row")
    found = granularity(table, {"a": first, "b": [second]}, k, top={"a": 6}).rows[0]
    cells, distance, unique = naive.measured(people, (first, second), k, (6, 10**6))
    # nobody is drawn twice, since any of so few people is more than 1 % of them
    assert found.cells == cells
    assert found.kl == pytest.approx(distance, abs=1e-12)
    assert found.unique_share == pytest.approx(float(unique), abs=1e-10)
    one = granularity(table, {"a": first}, k).rows[0]
    assert one.unique_share == pytest.approx(
        float(naive.measured([p[:1] for p in people], (first,), k)[2]), abs=1e-10
    )


def test_places_are_apart_and_have_the_same_cells():
    table = {"town": ["a", "a", "b", "b", "b"], "age": [0, 1, 0, 0, 3], "n": [1, 1, 2, 1, 1]}
    found = granularity(table, {"age": [1, 2]}, 2, by="town", counts="n")
    assert [(row.place, row.widths, row.cells) for row in found.rows] == [
        ("a", (1.0,), 4), ("b", (1.0,), 4), ("a", (2.0,), 2), ("b", (2.0,), 2),
    ]  # fmt: skip
    assert found.rows[0].unique_share == 1
    assert found.rows[0].kl == pytest.approx(log(2))
    assert found.rows[2].unique_share == 0  # both ages are one interval
    assert found.rows[1].unique_share == pytest.approx(0.5)  # of four, one has another age
    assert found.plot().to_dict()["title"]["text"].startswith("What coarser statistics do")


def test_places_with_too_few_people_are_left_out_with_a_note():
    table = {"town": ["a", "b", "b"], "age": [0, 0, 3]}
    found = granularity(table, {"age": 1}, 2, by="town")
    assert [row.place for row in found.rows] == ["b"]
    assert found.notes[-1] == "1 place with fewer than 2 people was left out."
    with pytest.raises(BadChoice, match="No place has 9 people"):
        granularity(table, {"age": 1}, 9, by="town")


def test_the_narrowest_granularity_keeps_the_share_everywhere():
    table = {"town": ["a"] * 4 + ["b"] * 4, "age": [0, 1, 2, 3, 0, 2, 4, 6]}
    found = granularity(table, {"age": [1, 2, 4, 8]}, 2, by="town")
    kept = found.narrowest(unique=0.7)
    assert (kept.widths, kept.place) == ((4.0,), "b")
    assert kept.unique_share == pytest.approx(2 / 3)
    with pytest.raises(UndefinedMeasure, match="give wider ones"):
        granularity(table, {"age": 1}, 2).narrowest(0.01)


def test_heights_and_weights_as_in_figures_6_4_and_6_5(real_data):
    """Of 40 people with 2 cm and 2 kg a normal law expects 24.115 unique ones (rho = .5028)."""
    both = pl.read_csv(real_data / "socr_height_weight.csv").select(
        (pl.nth(1) * 2.54).alias("height"), (pl.nth(2) * 0.45359237).alias("weight")
    )
    widths = [0.5, 1, 2, 5]
    found = granularity(both, {"height": widths, "weight": widths}, [5, 40])
    at = {(row.widths, row.people): row for row in found.rows}
    assert len(at) == 32
    assert at[(2, 2), 40].singletons == pytest.approx(24.115, abs=0.25)
    covariance = [[4.83**2, 12.844], [12.844, 5.289**2]]
    for (wide, people), row in at.items():
        normal = correlated(people, covariance=covariance, widths=wide)
        assert row.unique_share == pytest.approx(normal.share_unique, abs=0.03)
        assert row.independent_share > row.unique_share  # dependence makes people alike
    assert "facet" in found.plot().to_dict()


def test_belgian_municipalities_as_in_figure_4_4(real_data):
    path = real_data / "be_municipality_age.csv"
    found = granularity(path, {"age": [1, 5]}, 29, by="NIS", counts="number", where="NIS < 12000")
    rows = found.to_frame()
    assert rows["place"].n_unique() > 20
    fine, coarse = (rows.filter(pl.col("width of age") == width)["kl_nats"] for width in (1, 5))
    # grouping cannot make the shares less even within cells of the same width
    assert (coarse < fine + 0.02).all()
    assert 0.03 < fine.median() < 0.2


@pytest.mark.parametrize(
    ("widths", "options", "error", "says"),
    [
        ([1], {}, BadChoice, "widths by column"),
        ({"age": 0}, {}, BadChoice, "positive"),
        ({"age": []}, {}, BadChoice, "positive"),
        ({"age": 1}, {"top": {"sex": 3}}, BadChoice, "not rounded"),
        ({"age": 1}, {"top": {"age": "old"}}, BadChoice, "must be a number"),
        ({"age": 1}, {"by": "age"}, BadChoice, "one use only"),
        ({"sex": 1}, {}, UnusableColumn, "'f', which is no number"),
        ({"none": 1}, {}, UnusableTable, "Nobody"),
    ],
)
def test_what_cannot_be_rounded_is_refused(widths, options, error, says):
    table = pl.DataFrame(
        {"age": [1, 2], "sex": ["f", "m"], "none": [None, None]},
        schema_overrides={"none": pl.Int64},
    )
    with pytest.raises(error, match=says):
        granularity(table, widths, 2, **options)


# ---- commands


@pytest.fixture
def ages(tmp_path):
    path = tmp_path / "ages.csv"
    path.write_text("town,age,n\n" + "".join(f"{t},{a},{9 + a}\n" for t in "xy" for a in range(90)))
    return path


def test_granularity_on_the_command_line(ages, tmp_path):
    asked = ("predict", "granularity", "--data", ages, "--qi", "age", "--count", "n", "-k", "40")
    done = singleout(
        *asked, "--width", "1,2,5", "--top", 79, "--unique", "40%", "--plot", tmp_path / "g.svg"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "at most 40% of the people are unique: age in intervals of 2" in done.stdout
    assert (tmp_path / "g.svg").read_text().startswith("<svg")
    found = json.loads(singleout(*asked, "--width", "1,2", "--by", "town", "--json").stdout)
    assert [row["place"] for row in found["rows"]] == ["x", "y", "x", "y"]
    python = granularity(ages, {"age": [1, 2]}, 40, by="town", counts="n").to_dict()
    assert found["rows"] == python["rows"]
    for wrong in (
        (),
        ("--width", "a"),
        ("--width", "1", "--width", "2"),
        ("--width", "1", "--top", "x"),
    ):
        assert refused(singleout(*asked, *wrong))


def test_width_for_on_the_command_line(ages):
    done = singleout("predict", "width-for", "--normal", 5.665, "--unique", "80%", "-k", 10)
    assert "from a width of 0.5 on" in done.stdout
    asked = ("--data", ages, "--qi", "age", "--count", "n", "--unique", "0.3", "-k", 40, "--json")
    found = json.loads(singleout("predict", "width-for", *asked).stdout)
    same = width_for({age: 2 * (9 + age) for age in range(90)}, 0.3, 40)
    assert found["width"] == pytest.approx(same.width)
    for wrong in ((), ("--normal", 5), ("--normal", -1, "--unique", "5%", "-k", 10)):
        assert refused(singleout("predict", "width-for", *wrong))


def test_correlated_on_the_command_line(tmp_path):
    asked = ("predict", "correlated", "--sd", "4.83,5.289", "--width", "2,2", "-k", 40)
    done = singleout(*asked, "--correlation", 0.5028, "--plot", tmp_path / "c.svg")
    assert "Of 40 people 24.12 (60.3%) are alone in their cell; 25.64 if" in done.stdout
    linear = json.loads(
        singleout(*asked, "--correlation", 0.5028, "--method", "exact", "--json").stdout
    )
    assert linear["singletons"] == pytest.approx(24.115, abs=0.002)
    for wrong in (("--correlation", 2), ("--correlation", "0.1,0.2"), ("--method", "magic")):
        assert refused(singleout(*asked, *wrong))
    assert refused(singleout("predict", "correlated"))


def test_for_person_on_the_command_line():
    done = singleout("predict", "for-person", "--probability", "10%", "-k", 20)
    assert "unique with a chance of 13.51%" in done.stdout
    found = json.loads(
        singleout(
            "predict", "for-person", "--probability", 0.1, "-k", 20, "--sample", 5, "--json"
        ).stdout
    )
    assert found["unique_if_unique_in_sample"] == pytest.approx(0.9**15)
    for wrong in ((), ("--probability", "2", "-k", 5), ("--probability", "x", "-k", 5)):
        assert refused(singleout("predict", "for-person", *wrong))


def test_it_is_the_same_in_a_database(ages):
    pytest.importorskip("duckdb")
    asked = {"by": "town", "counts": "n", "top": {"age": 79}}
    here = granularity(ages, {"age": [1, 5]}, 40, **asked)
    there = granularity(ages, {"age": [1, 5]}, 40, engine="database", **asked)
    assert there.to_dict()["rows"] == here.to_dict()["rows"]
