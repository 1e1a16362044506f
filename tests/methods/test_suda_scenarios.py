"""Several keys in one run, identifiers that nobody declared, and files without a header."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import singleout as so
from singleout.cli.main import app
from singleout.errors import BadChoice, SingleoutError

KEYS = {"neighbour": ["AGEP", "SEX", "MSP"], "employer": ["AGEP", "INDP_CAT", "EDU"]}


def run(*words: object) -> str:
    done = CliRunner().invoke(app, [str(word) for word in words])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


# ---- scenarios


def test_every_scenario_has_the_result_that_it_has_alone() -> None:
    found = so.suda.scenarios(so.demo(), KEYS, sampling_fraction=0.05)
    for name, columns in KEYS.items():
        alone = so.suda(so.demo(), columns, sampling_fraction=0.05)
        assert found[name].score.tolist() == alone.score.tolist()
        assert found[name].dis == alone.dis
    rows = {row["scenario"]: row for row in found.comparison.to_dicts()}
    assert rows["employer"]["unique"] > rows["neighbour"]["unique"]
    assert str(found).startswith("Of 2 scenarios, employer singles out most: ")
    frame = found.to_frame()
    assert len(frame) == 7634
    assert frame["score (employer)"].to_list() == found["employer"].score.tolist()
    assert list(found) == list(KEYS)
    bars = found.plot().to_dict()["vconcat"][0]
    assert bars["title"]["text"] == "Unique records of each scenario"
    assert set(json.loads(found.to_json())["scenarios"]) == set(KEYS)


def test_records_that_one_scenario_drops_are_still_there_for_the_others() -> None:
    data = {"a": [1, 1, None, 2], "b": [1, 2, 2, 1]}
    found = so.suda.scenarios(data, {"one": "a", "two": "b"}, missing="drop")
    assert found.to_frame()["record"].to_list() == [1, 2, 3, 4]
    assert found.to_frame()["score (one)"].to_list()[2] is None


def test_what_is_no_scenario_is_refused() -> None:
    for keys in ({}, ["a"]):
        with pytest.raises(BadChoice, match="Scenarios are columns by name"):
            so.suda.scenarios({"a": [1]}, keys)


def test_the_command_line_compares_keys(tmp_path: Path) -> None:
    data, out, picture = tmp_path / "x.csv", tmp_path / "out.csv", tmp_path / "p.svg"
    data.write_text("id,a,b,c\n1,1,1,1\n2,1,2,2\n3,2,1,2\n4,2,2,1\n5,2,2,1\n")
    words = ["suda", data, "--key", "one=a,b", "--key", "two=a,c", "--id", "id"]
    said = run(*words, "-o", out, "--plot", picture)
    assert "Scenarios" in said
    assert "singles out most" in said
    assert "<svg" in picture.read_text()
    with out.open() as stream:
        rows = list(csv.DictReader(stream))
    assert [row["id"] for row in rows] == ["1", "2", "3", "4", "5"]
    assert rows[0]["kind (one)"] == "random"
    answer = json.loads(run(*words, "--json"))
    assert [row["scenario"] for row in answer["comparison"]] == ["one", "two"]
    for more, sentence in [
        (["--key", "a,b"], "is no key"),
        (["--key", "x=a", "--key", "x=b"], "twice"),
        (["--key", "x=a", "--record", "1"], "--record is for one key"),
    ]:
        with pytest.raises(SingleoutError, match=sentence):
            run("suda", data, *more)


# ---- identifiers


def people(**more: Any) -> dict[str, Any]:
    rng = np.random.default_rng(3)
    return {"sex": rng.integers(0, 2, 60), "age": rng.integers(0, 30, 60), **more}


def test_an_identifier_that_was_not_declared_is_left_out_with_a_note() -> None:
    plain = so.suda(people())
    for numbers in (np.arange(60), [f"P{n:04}" for n in range(60)]):
        found = so.suda(people(who=numbers))
        assert found.columns == ("sex", "age")
        assert found.score.tolist() == plain.score.tolist()
        assert found.notes[0].startswith("Column 'who' was left out: every record has a value of")
    named = so.suda(people(who=np.arange(60)), ["sex", "age", "who"])
    assert named.columns == ("sex", "age", "who")
    assert "it alone singles out everybody" in named.notes[0]


def test_measurements_dates_and_few_records_are_no_identifiers() -> None:
    rng = np.random.default_rng(4)
    assert "income" in so.suda(people(income=rng.normal(size=60))).columns
    days = np.arange("2020-01-01", 60, dtype="datetime64[D]").astype("datetime64[ms]")
    assert "born" in so.suda(people(born=[day.item().date() for day in days])).columns
    few = {"age": [1, 2, 3], "sex": [1, 1, 2]}
    assert so.suda(few).columns == ("age", "sex")
    assert so.suda({**few, "person_id": [7, 8, 9]}).columns == ("age", "sex")
    assert so.suda({"id": [1, 2, 3]}).columns == ("id",)  # nothing else is there


# ---- no header

HEADERLESS = "1981-02-03,f,north,Anna Smith\n1975-01-01,m,north,John Miller\n" + "".join(
    f"19{60 + n}-03-0{1 + n % 9},{'fm'[n % 2]},{('north', 'south')[n % 2]},John Miller\n"
    for n in range(30)
)


@pytest.mark.parametrize(
    "words",
    [
        ["suda", "{}"],
        ["columns", "{}"],
        ["sets", "{}", "--qi", "f,north"],
        ["qar", "{}", "--qi", "f,north,1981-02-03", "--size", "1", "--tail", "0.9"],
        ["contributions", "{}", "--qi", "f,north,1981-02-03", "--size", "1", "--tail", "0.9"],
        ["discrimination", "{}", "--qi", "f", "--sensitive", "north"],
        ["attacker-risk", "{}", "--qi", "f,north"],
        ["diversity", "{}", "--qi", "f", "--sensitive", "north"],
        ["assess", "{}"],
    ],
    ids=lambda words: words[0],
)
def test_a_file_without_a_header_is_noticed_by_every_command(
    tmp_path: Path, words: list[str]
) -> None:
    data = tmp_path / "people.csv"
    data.write_text(HEADERLESS)
    said = run(*(word.format(data) for word in words))
    assert said.count("as if the file had no header") == 1


def test_a_file_with_a_header_is_not_suspected(tmp_path: Path) -> None:
    data = tmp_path / "people.csv"
    data.write_text(
        "born,sex,region\n" + HEADERLESS.replace(",Anna Smith", "").replace(",John Miller", "")
    )
    assert "header" not in run("suda", data)
