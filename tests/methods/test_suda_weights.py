"""DIS by weights: the share of the population that the records are."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import singleout as so
from run_command import singleout
from singleout.errors import BadChoice, SingleoutError

PEOPLE = pl.DataFrame(
    {"a": [1, 1, 2, 3, 4, 4], "b": [1, 2, 2, 2, 1, 1], "w": [3.0, 3.0, 3.0, 3.0, 4.0, 4.0]}
)


def test_weights_give_the_sampling_fraction_and_dis_and_say_so() -> None:
    found = so.suda(PEOPLE, ["a", "b"], weights="w")
    stated = so.suda(PEOPLE, ["a", "b"], sampling_fraction=6 / 20)
    assert found.sampling_fraction == 6 / 20
    assert (found.dis, found.dis_score.tolist()) == (stated.dis, stated.dis_score.tolist())
    assert found.notes == (
        "DIS takes 30.0% of the population to be in the data: 6 records stand for 20 people by "
        "'w'.",
    )


def test_a_column_with_the_role_weight_is_taken_by_itself_and_not_combined() -> None:
    table = so.read(PEOPLE).with_roles({"w": "weight"})
    for known in (["a", "b"], None):
        found = so.suda(table, known)
        assert (found.columns, found.sampling_fraction) == (("a", "b"), 0.3)
    assert so.suda(table, ["a"], sampling_fraction=0.1).sampling_fraction == 0.1
    assert so.suda(PEOPLE, ["a", "b"]).sampling_fraction is None


def test_weights_of_fewer_people_than_records_give_no_dis() -> None:
    light = PEOPLE.with_columns(w=pl.lit(0.5))
    found = so.suda(light, ["a", "b"], weights="w")
    assert found.sampling_fraction is None
    assert "fewer than the 6 records" in found.notes[0]
    with pytest.raises(BadChoice, match="fewer than the 6 records"):
        so.suda(light, ["a", "b"], weights="w", threshold=0.1)


def test_weights_serve_thresholds_simulations_groups_and_scenarios() -> None:
    found = so.suda(PEOPLE, ["a"], weights="w", threshold=0.1, by="b")
    assert [part.sampling_fraction for part in found.groups.values()] == [0.3, 0.3]
    both = so.suda.scenarios(PEOPLE, {"one": ["a"], "two": ["a", "b"]}, weights="w")
    assert [both[name].sampling_fraction for name in both] == [0.3, 0.3]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"weights": "w", "sampling_fraction": 0.1}, "weights and sampling_fraction both say"),
        ({"weights": "w", "population": PEOPLE}, "weights and population both say"),
        ({"weights": "a"}, "so it is not combined"),
        ({"weights": "x"}, "Columns not found"),
    ],
)
def test_what_contradicts_weights_is_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(SingleoutError, match=words):
        so.suda(PEOPLE, ["a", "b"], **options)


def test_the_command_takes_weights(tmp_path: Path) -> None:
    PEOPLE.write_csv(tmp_path / "people.csv")
    words = ["suda", "people.csv", "--weights", "w", "--json"]
    done = singleout(*words, "--qi", "a,b", cwd=tmp_path)
    assert json.loads(done.stdout)["results"][0]["sampling_fraction"] == 0.3
    done = singleout(*words, "--key", "x=a,b", cwd=tmp_path)
    assert '"dis"' in done.stdout
