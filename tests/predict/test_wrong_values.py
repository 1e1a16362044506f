"""Wrong values of a register and what they do to sets: Koot (2012), 3.2.3."""

import json
from pathlib import Path

import numpy as np
import pytest

from run_command import refused, singleout
from singleout import predict
from singleout.errors import BadChoice

PEOPLE = {"age": [a % 40 for a in range(200)], "sex": ["f" if a % 3 else "m" for a in range(200)]}


def _one_by_one(share: float, repeats: int) -> list[tuple[int, int, int]]:
    """Move one value after the other, as the model is told."""
    random = np.random.default_rng(3)
    truth = list(zip(PEOPLE["age"], PEOPLE["sex"], strict=True))
    answers = []
    for _ in range(repeats):
        seen = []
        for person in truth:
            values = list(person)
            for at, name in enumerate(("age", "sex")):
                if random.random() < share:
                    others = [value for value in PEOPLE[name] if value != values[at]]
                    values[at] = others[random.integers(len(others))]
            seen.append(tuple(values))
        alone = [seen.count(values) == 1 for values in seen]
        right = [a == b for a, b in zip(seen, truth, strict=True)]
        both = sum(a and b for a, b in zip(alone, right, strict=True))
        answers.append((len(truth) - sum(right), sum(alone), both))
    return answers


def test_simulated_registers_are_those_of_moving_values_one_by_one() -> None:
    found = predict.wrong_values(PEOPLE, ["age", "sex"], share=0.15, repeats=400)
    naive = np.array(_one_by_one(0.15, 100))
    for mine, theirs in zip((found.wrong, found.apparent, found.right), naive.T, strict=True):
        error = np.hypot(theirs.std() / 10, mine.std() / 20)
        assert abs(mine.mean() - theirs.mean()) < 4 * error + 1e-9


def test_without_errors_nothing_changes_and_the_seed_decides() -> None:
    right = predict.wrong_values(PEOPLE, ["age", "sex"], share=0, repeats=2)
    assert set(right.apparent) == set(right.right) == {right.unique}
    again = [predict.wrong_values(PEOPLE, ["age", "sex"], seed=5).to_dict() for _ in range(2)]
    assert again[0] == again[1]


def test_counts_and_a_column_of_one_value() -> None:
    data = {"age": [1, 2, 3], "town": ["A"] * 3, "n": [1, 500, 500]}
    found = predict.wrong_values(data, ["age", "town"], share=0.01, counts="n")
    assert (found.people, found.unique) == (1001, 1)
    assert 5 < found.wrong.mean() < 40
    with pytest.raises(BadChoice, match="share must"):
        predict.wrong_values(PEOPLE, "age", share=2)


def test_the_command_says_what_errors_do(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    rows = zip(*PEOPLE.values(), strict=True)
    path.write_text("age,sex\n" + "\n".join(f"{age},{sex}" for age, sex in rows))
    words = ["predict", "errors", path, "--qi", "age,sex"]
    done = singleout(*words, "--share", 0.05, "--plot", tmp_path / "e.svg")
    assert (done.returncode, done.stderr) == (0, "")
    assert "wrong" in done.stdout
    answer = json.loads(singleout(*words, "--json").stdout)["errors"]
    assert answer["people"] == 200
    assert "Say with --qi" in refused(singleout("predict", "errors", path))
