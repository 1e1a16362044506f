"""Places compared, curves over people and tables like A.1: Koot (2012), 4.4, 5.5, 6.2, app. A."""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_singletons as naive
from singleout import predict
from singleout.errors import BadChoice, UnusableColumn, UnusableTable
from singleout.predict.comparing.fits import fitted

TOWNS = {"town": ["A"] * 3 + ["B"] * 3, "age": [1, 2, 3] * 2, "n": [20, 20, 20, 50, 9, 1]}


@given(
    st.lists(st.lists(st.integers(1, 30), min_size=2, max_size=5), min_size=1, max_size=4),
    st.integers(1, 5),
)
def test_each_place_has_the_numbers_of_its_own_distribution(
    towns: list[list[int]], people: int
) -> None:
    rows = [(t, age, n) for t, ages in enumerate(towns) for age, n in enumerate(ages)]
    data = dict(zip(("town", "age", "n"), map(list, zip(*rows, strict=True)), strict=True))
    found = predict.places(data, "age", "town", people, cells=5, counts="n")
    for row, ages in zip(found.rows, towns, strict=True):
        shares = np.array(ages) / sum(ages)
        alone = people * float((shares * (1 - shares) ** (people - 1)).sum())
        assert row.unique == pytest.approx(alone)
        assert row.phi[0] == pytest.approx(alone / people)
        assert row.kl == pytest.approx(float((shares * np.log(5 * shares)).sum()), abs=1e-12)
        assert row.population == sum(ages)


def test_records_and_counts_of_them_give_the_same() -> None:
    records = {
        name: [value for value, n in zip(TOWNS[name], TOWNS["n"], strict=True) for _ in range(n)]
        for name in ("town", "age")
    }
    counted = predict.places(TOWNS, "age", "town", [2, 5], counts="n")
    assert predict.places(records, "age", "town", [2, 5]).to_dict() == counted.to_dict()


def test_rows_of_the_same_cell_are_added_up() -> None:
    halves = {name: values * 2 for name, values in TOWNS.items()}
    whole = predict.places(TOWNS, "age", "town", 3, counts="n")
    twice = predict.places(halves, "age", "town", 3, counts="n")
    assert [row.population for row in twice.rows] == [120, 120]
    assert [row.unique for row in twice.rows] == [row.unique for row in whole.rows]


@pytest.mark.parametrize("engine", ["local", "database"])
def test_every_engine_counts_the_same_places(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "towns.parquet"
    pl.DataFrame(TOWNS).write_parquet(path)
    found = predict.places(str(path), "age", "town", 4, counts="n", engine=engine)
    here = predict.places(TOWNS, "age", "town", 4, counts="n")
    assert found.to_frame().equals(here.to_frame())


def test_the_order_and_the_smallest_place_are_choices() -> None:
    data = {"town": ["A", "B", "B", "C"], "age": [1, 1, 2, 2], "n": [3, 20, 10, 7]}
    ask = {"columns": "age", "by": "town", "people": 2, "counts": "n"}
    assert predict.places(data, **ask, sort="people").places == ("B", "C", "A")
    assert predict.places(data, **ask, sort="distance").places == ("A", "C", "B")
    some = predict.places(data, **ask, least=7)
    assert some.places == ("B", "C")
    assert "1 place has fewer than 7 people and was left out." in some.notes
    drawn = predict.places(data, **{**ask, "people": 5}, without_replacement=True)
    assert drawn.places == ("B", "C")


# ---- lines in the distance


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(-50, 50)), min_size=3, max_size=20))
def test_the_line_is_that_of_numpy(points: list[tuple[float, float]]) -> None:
    x, y = np.array(points).T
    fit = fitted("unique", 5, points, lambda _: 1.0)
    if np.ptp(x) < 1e-3 or np.ptp(y) < 1e-3:
        return
    assert fit.slope is not None
    assert fit.r2 is not None
    slope, intercept = np.polyfit(x, y, 1)
    assert fit.slope == pytest.approx(slope, rel=1e-6, abs=1e-6)
    assert fit.at(0.5) == pytest.approx(intercept + slope / 2, rel=1e-6, abs=1e-6)
    assert fit.r2 == pytest.approx(np.corrcoef(x, y)[0, 1] ** 2, abs=1e-6)
    assert fit.approximation_error == pytest.approx(np.abs(y - 1).max())


def test_the_approximations_are_those_of_the_thesis() -> None:
    # 4.4.1: 0.84 · 10⁻² · exp(−k² κ / N); Laren has 0.0914 nats
    found = predict.table({"Laren": predict.Distribution.from_summary(cells=95, kl=0.0914)}, 29)
    assert math.exp(found.approximate("all-unique", 29, 0.0)) == pytest.approx(0.0084, abs=5e-5)
    drop = found.approximate("all-unique", 29, 0.0914) - found.approximate("all-unique", 29, 0.0)
    assert drop == pytest.approx(-(29**2) / 95 * 0.0914)
    # (5.4) and (6.2) with a = k / N
    ages = predict.table({"town": [1 / 80] * 80}, 60, formula="kl")
    a, kappa = 60 / 80, 0.086
    alone = math.exp(-a) * (1 + a * (a - 2) * kappa)
    assert ages.approximate("unique", 60, kappa) == pytest.approx(60 * alone)
    assert ages.approximate("phi1", 60, kappa) == pytest.approx(alone)
    pairs = a * math.exp(-a) * (1 + (a**2 + 2 - 4 * a) * kappa)
    assert ages.approximate("phi2", 60, kappa) == pytest.approx(pairs)


def test_190_ages_by_sex_and_41_people_of_the_thesis() -> None:
    (row,) = predict.table(190, 41).rows
    assert row.all_unique == pytest.approx(0.0095, abs=5e-5)


def test_belgian_municipalities_behave_as_the_dutch_of_the_thesis(real_data: Path) -> None:
    file = str(real_data / "be_municipality_age.csv")
    ask = {"columns": "age", "by": "NIS", "counts": "number", "least": 1000}
    full = predict.places(file, **ask, people=[29, 60, 90, 120], cells=95, where="age <= 94")
    young = predict.places(file, **ask, people=[60, 90, 120], cells=80, where="age <= 79")
    assert len(full.places) == 580
    # Figure 4.1: the logarithm of the chance depends linearly on the distance
    assert full.fit("all-unique", 29).r2 > 0.95
    # ... and typically a factor of about 3 below that of equally likely ages
    logs = [row.log_all_unique for row in full.at(29)]
    assert 1.5 < math.exp(full.uniform[0].log_all_unique - float(np.median(logs))) < 4
    # Figure 5.1: a line in the distance; (5.4) itself fits ages 0 to 79 better than all ages
    for people in (60, 90, 120):
        assert full.fit("unique", people).r2 > 0.9
        errors = [found.fit("unique", people).approximation_error for found in (full, young)]
        assert errors[1] < errors[0] < 1.5
    # "highest for k = 90, ... recall that N = 95 here"
    means = {k: np.mean([row.unique for row in full.at(k)]) for k in (60, 90, 120)}
    assert max(means, key=lambda k: means[k]) == 90
    # Figure 5.2: the variance falls with the distance for the full population
    assert full.fit("variance", 60).slope < 0


# ---- several numbers of people


def test_table_a1_in_one_call(golden: Path) -> None:
    exact = json.loads((golden / "predict-golden.json").read_text())["zeta_table_A1"]
    grid = predict.table(range(1, 21), people=range(1, 51)).grid("none-unique")
    assert grid["people"].to_list() == list(range(1, 51))
    for cells in range(1, 21):
        assert grid[str(cells)].to_list() == pytest.approx(exact[str(cells)][:50], abs=1e-12)


def test_curves_of_two_places_and_of_equally_likely_ages() -> None:
    # Figure 4.3: Laren and Urk differ in their distances
    stand_in = predict.Distribution.from_summary
    found = predict.table(
        {"Laren": stand_in(cells=95, kl=0.0914), "Urk": stand_in(cells=95, kl=0.4011)},
        people=range(5, 81, 5),
    )
    assert found.people == tuple(range(5, 81, 5))
    for laren, urk, even in zip(found.of("Laren"), found.of("Urk"), found.uniform, strict=True):
        assert urk.all_unique < laren.all_unique < even.all_unique
    assert found.warnings  # the cells themselves are not known
    curves = found.plot("all-unique").to_dict()
    assert {row["place"] for row in _values(curves)} == {"Laren", "Urk", "equally likely"}


def _values(chart: object) -> list[dict[str, object]]:
    if isinstance(chart, dict):
        own = [chart] if "place" in chart else []
        return own + [row for part in chart.values() for row in _values(part)]
    return [row for part in chart for row in _values(part)] if isinstance(chart, list) else []


def test_the_numbers_are_those_of_the_naive_twin() -> None:
    shares = [0.4, 0.3, 0.2, 0.1]
    for row in predict.table({"a": shares}, [2, 3, 4]).rows:
        law = naive.law_by_cells(
            [Fraction(share).limit_denominator(10) for share in shares], row.people
        )
        assert row.none_unique == pytest.approx(float(law[0]))
        assert row.all_unique == pytest.approx(float(law[row.people]))
        assert row.unique == pytest.approx(float(naive.mean(law)))
        assert row.sd**2 == pytest.approx(float(naive.variance(law)))


def test_pictures_choose_what_is_across() -> None:
    towns = {"town": list("AAABBBCCC"), "age": [1, 2, 3] * 3, "n": [1, 2, 3, 1, 1, 1, 5, 1, 1]}
    found = predict.places(towns, "age", "town", [2, 3], counts="n")
    for measure in ("all-unique", "none-unique", "unique", "variance", "phi1", "phi2", "phi3"):
        assert "concat" in found.plot(measure).to_dict()
        assert "layer" in found.plot(measure, against="people").to_dict()
    assert "layer" in predict.places(towns, "age", "town", range(2, 9), counts="n").plot().to_dict()
    with pytest.raises(BadChoice, match="'distance' or 'people', not 'height'"):
        found.plot(against="height")
    with pytest.raises(BadChoice, match="different numbers of cells"):
        predict.table([3, 4, 5], 2).plot(against="distance")


def test_hostile_names_of_places_are_escaped_in_pictures() -> None:
    towns = {"town": ["\x1b[31mA", "\u202eB"], "age": [1, 2]}
    chart = predict.places(towns, "age", "town", [2, 3]).plot().to_dict()
    names = {row["place"] for row in _values(chart)}
    assert len(names) == 3
    assert all(str(name).isprintable() for name in names)


@pytest.mark.parametrize(
    ("asked", "error", "sentence"),
    [
        ({"by": None}, BadChoice, "which column holds the places"),
        ({"people": None}, BadChoice, "how many people there will be"),
        ({"people": []}, BadChoice, "people is empty"),
        ({"people": 0}, BadChoice, "people must be a whole number, 1 or more, not 0"),
        ({"cells": 2}, BadChoice, "cells is 2, but 3 cells have people in them"),
        ({"columns": "town"}, BadChoice, "cannot be the place and the answer at once"),
        ({"columns": None}, BadChoice, "name those that make a cell"),
        ({"counts": "town"}, BadChoice, "says how many people a row stands for"),
        ({"sort": "height"}, BadChoice, "choose people or distance"),
        ({"least": 1000}, UnusableTable, "No place has 1,000 people or more"),
        ({"formula": "no"}, BadChoice, "is not a formula"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    asked: dict[str, object], error: type[Exception], sentence: str
) -> None:
    ask = {"columns": "age", "by": "town", "people": 3, "counts": "n", **asked}
    with pytest.raises(error, match=sentence):
        predict.places(TOWNS, **ask)


def test_parts_of_people_and_odd_distributions_are_refused() -> None:
    with pytest.raises(UnusableColumn, match="not whole"):
        predict.places({**TOWNS, "n": [0.5] * 6}, "age", "town", 3, counts="n")
    with pytest.raises(BadChoice, match="distributions by name"):
        predict.table(["a"], 3)
    with pytest.raises(BadChoice, match="at least one distribution"):
        predict.table([], 3)
    with pytest.raises(BadChoice, match="There is no place 'Z'"):
        predict.table([3], 3).of("Z")
    with pytest.raises(BadChoice, match="Nothing was predicted for 9 people"):
        predict.table([3], 3).at(9)
