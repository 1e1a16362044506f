"""Questionnaires: from a file, in other codings, with joint tables, and what is wrong with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_funnel as naive
from singleout.errors import BadChoice, UnreadableFile
from singleout.predict.distribution.distribution import Distribution
from singleout.predict.questionnaire.independent import combined, no_questions
from singleout.predict.questionnaire.questionnaire import Questionnaire
from singleout.predict.set_sizes.shares import share_below

AGES: dict[str, Any] = {
    "name": "age",
    "codings": [
        {"name": "year", "counts": {"1981": 30, "1982": 10, "1993": 40, "1994": 20}},
        {"name": "decade", "groups": {"80s": "1981..1982", "90s": ["1993", "1994"]}},
        {"name": "own", "shares": {"young": 0.6, "old": 0.4}},
    ],
}
SEX: dict[str, Any] = {"name": "sex", "shares": {"f": 0.5, "m": 0.5}}
TOWN: dict[str, Any] = {"name": "town", "shares": {"Ely": 0.2, "Ham": 0.8}}
BY_DECADE: dict[str, Any] = {
    "questions": ["sex", "age"],
    "shares": {"f": {"80s": 0.1, "90s": 0.4}, "m": {"80s": 0.3, "90s": 0.2}},
}


def made(*questions: dict[str, Any], **more: Any) -> Questionnaire:
    return Questionnaire.from_dict({"population": 1000, "questions": list(questions), **more})


SHARES = st.lists(st.integers(1, 20), min_size=1, max_size=6).map(
    lambda counts: [count / sum(counts) for count in counts]
)


# ---- combinations of independent questions


@given(st.lists(SHARES, max_size=4), st.integers(1, 60), st.integers(2, 8))
def test_combining_is_the_same_as_listing_all_combinations(
    questions: list[list[float]], people: int, size: int
) -> None:
    found = combined(map(Distribution.from_probabilities, questions))
    cells = naive.cells_of(questions)
    assert found.cells == len(cells)
    assert found.support == len(cells)
    assert found.power_sum(1) == pytest.approx(1)
    assert found.power_sum(3) == pytest.approx(sum(p**3 for p in cells))
    assert (np.diff(found.probabilities) < 0).all()
    for limit in (2, size):
        expected = naive.share_below(cells, people, limit)
        assert share_below(found, people, limit) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_putting_cells_together_loses_no_cell_and_no_person_and_is_said() -> None:
    rng = np.random.default_rng(3)
    questions = [Distribution.from_probabilities(rng.dirichlet(np.ones(n))) for n in (40, 30, 9, 5)]
    exact = combined(questions, groups=1 << 20)
    assert exact.notes == ()
    merged = combined(questions, groups=1 << 10)
    assert len(merged.probabilities) <= 1 << 10
    assert "were put together" in merged.notes[0]
    assert merged.support == exact.support == 40 * 30 * 9 * 5
    assert merged.power_sum(1) == pytest.approx(1, abs=1e-12)
    for people in (10, 1000, 100_000):
        for size in (2, 5):
            true = share_below(exact, people, size)
            assert share_below(merged, people, size) == pytest.approx(true, rel=1e-4)


def test_many_questions_of_many_options_need_little_room() -> None:
    one = Distribution.from_probabilities(np.arange(1, 31) / 465)
    found = combined([one] * 12)
    assert found.cells == pytest.approx(30.0**12)
    assert found.multiplicity.sum() == pytest.approx(30.0**12)
    assert found.power_sum(1) == pytest.approx(1)
    assert found.entropy == pytest.approx(12 * one.entropy, rel=1e-6)


def test_before_the_first_question_everybody_is_in_one_set() -> None:
    assert share_below(no_questions(), 10, 2) == 0
    assert share_below(no_questions(), 1, 2) == 1
    assert share_below(no_questions(), 4, 5) == 1
    assert share_below(no_questions(), 5, 5) == 0
    assert share_below(no_questions(), 5, 1) == 0


def test_nobody_is_drawn_twice_where_the_population_is_counted() -> None:
    counted = Distribution.from_counts([2, 2, 1])
    # all five are drawn: only the fifth is alone
    assert share_below(counted, 5, 2, without_replacement=True) == pytest.approx(0.2)
    assert share_below(counted, 5, 3, without_replacement=True) == pytest.approx(1)


# ---- codings and tables


def test_groups_add_up_the_options_of_the_first_coding() -> None:
    decade = made(AGES)["age"].coding("decade")
    assert decade.options == ("80s", "90s")
    assert decade.shares.tolist() == pytest.approx([0.4, 0.6])


def test_the_answer_chooses_the_coding_that_has_it() -> None:
    asked = made(AGES, SEX)
    assert asked.funnel({"age": "1982"}).size == pytest.approx(100)
    assert asked.funnel({"age": "80s"}).size == pytest.approx(400)
    with pytest.raises(BadChoice, match="It is one of the coding 'decade'"):
        asked.funnel({"age": "80s"}, codings={"age": "year"})


def test_a_table_in_a_coarser_coding_spreads_over_the_finer_options() -> None:
    asked = made(AGES, SEX, joint=[BY_DECADE])
    # 0.1 of all are f of the 80s, three quarters of whom were born in 1981
    assert asked.funnel({"sex": "f", "age": "1981"}).size == pytest.approx(75)
    assert asked.funnel({"sex": "f", "age": "80s"}).size == pytest.approx(100)
    assert asked.funnel({"age": "80s", "sex": "f"}, mode="independent").size == pytest.approx(200)


def test_bounds_rest_on_what_tables_say_for_certain() -> None:
    asked = made(AGES, SEX, TOWN, joint=[BY_DECADE])
    assert asked.funnel({"sex": "f", "age": "80s"}).bounds == pytest.approx((100, 100))
    # how the 80s spread over years among women only is not known
    assert asked.funnel({"sex": "f", "age": "1981"}).bounds == pytest.approx((0, 300))
    found = asked.funnel({"sex": "f", "age": "90s", "town": "Ham"}, mode="bounds")
    assert found.size is None
    assert found.bounds == pytest.approx((200, 400))  # 0.4 + 0.8 - 1 of the people at least


def test_a_table_that_cannot_be_set_against_the_coding_is_not_used_and_that_is_said() -> None:
    asked = made(AGES, SEX, joint=[BY_DECADE])
    found = asked.funnel({"sex": "f", "age": "young"})
    assert found.size == pytest.approx(300)
    assert "The joint table of 'sex', 'age' is not used" in found.warnings[0]


def test_overlapping_tables_give_the_population_of_the_largest_entropy() -> None:
    joint = [
        {"questions": ["sex", "age"], "shares": BY_DECADE["shares"]},
        {
            "questions": ["age", "town"],
            "counts": {"80s": {"Ely": 20, "Ham": 20}, "90s": {"Ely": 0, "Ham": 60}},
        },
    ]
    asked = made(AGES, SEX, TOWN, joint=joint)
    given = {"sex": "f", "age": "80s", "town": "Ely"}
    # given the decade, sex and town say nothing about each other
    assert asked.funnel(given).size == pytest.approx(1000 * 0.1 * 0.2 / 0.4, rel=1e-6)
    # and so does not to ask for it: 0.1 * 0.5 + 0.4 * 0
    dropped = asked.model({"age": "decade"}).share({1: 0, 2: 0})
    assert dropped == pytest.approx(0.1 * 0.5, rel=1e-6)


def test_the_order_of_a_tables_questions_does_not_matter() -> None:
    turned = {
        "questions": ["age", "sex"],
        "shares": {"80s": {"f": 0.1, "m": 0.3}, "90s": {"f": 0.4, "m": 0.2}},
    }
    one, other = made(AGES, SEX, joint=[BY_DECADE]), made(AGES, SEX, joint=[turned])
    assert one.risk().unique == pytest.approx(other.risk().unique, rel=1e-12)


# ---- what a questionnaire gives away


def test_risk_is_that_of_all_combinations() -> None:
    asked = made(AGES, SEX, TOWN, people=12)
    found = asked.risk()
    cells = naive.cells_of([[0.3, 0.1, 0.4, 0.2], [0.5, 0.5], [0.2, 0.8]])
    last = found.rows[-1]
    assert found.unique == pytest.approx(naive.share_below(cells, 12, 2))
    assert found.share_below(5) == pytest.approx(naive.share_below(cells, 12, 5))
    assert last.total_bits == pytest.approx(-sum(p * np.log2(p) for p in cells))
    assert sum(row.bits for row in found.rows) == pytest.approx(last.total_bits)
    assert last.mean_set == pytest.approx(1 + 999 * sum(p * p for p in cells))
    assert last.rarest_set == pytest.approx(1000 * min(cells))
    assert last.commonest_set == pytest.approx(1000 * max(cells))
    assert found.rows[0].unique == pytest.approx(naive.share_below([0.3, 0.1, 0.4, 0.2], 12, 2))
    assert "drawn independently" in " ".join(found.notes)  # 12 of 1,000 are more than 1 %


def test_dependence_tells_less_than_independence() -> None:
    together = made(AGES, SEX, joint=[BY_DECADE]).risk()
    apart = made(AGES, SEX).risk()
    assert together.rows[-1].total_bits < apart.rows[-1].total_bits
    assert together.rows[-1].bits == pytest.approx(
        -sum(p * np.log2(p) for p in (0.1, 0.4, 0.3, 0.2)) + sum(p * np.log2(p) for p in (0.4, 0.6))
    )


def test_comparing_codings_shows_each_way_to_ask_and_not_to_ask() -> None:
    asked = made(AGES, SEX, people=10)
    found = asked.compare("age")
    assert [(row.coding, row.options, row.asked) for row in found.rows] == [
        ("year", 4, True),
        ("decade", 2, False),
        ("own", 2, False),
        ("drop", 1, False),
    ]
    for row in found.rows:
        assert row.unique == pytest.approx(asked.risk(codings={"age": row.coding}).unique)
    unique = [row.unique for row in found.rows]
    assert unique[0] > unique[1] > unique[3]
    assert {row.question for row in asked.compare().rows} == {"age", "sex"}
    assert "Between" in str(found)


def test_ask_says_which_coding_is_asked() -> None:
    asked = made({**AGES, "ask": "decade"}, people=10)
    assert asked.risk().rows[0].coding == "decade"
    assert [row.asked for row in asked.compare().rows] == [False, True, False, False]


def test_the_paths_are_the_rarest_and_the_most_common_answers() -> None:
    asked = made(AGES, SEX, TOWN, joint=[BY_DECADE])
    rarest, commonest = asked.path("rarest"), asked.path("commonest")
    assert [step.answer for step in rarest.steps] == ["1982", "f", "Ely"]
    assert rarest.size == pytest.approx(1000 * 0.25 * 0.1 * 0.2)
    assert [step.answer for step in commonest.steps] == ["1993", "f", "Ham"]
    with pytest.raises(BadChoice, match="'best' is not a path"):
        asked.path("best")


def test_an_answer_that_nobody_gives_is_not_on_the_rarest_path() -> None:
    asked = made({"name": "a", "shares": {"never": 0, "seldom": 0.1, "often": 0.9}})
    assert asked.path().steps[0].answer == "seldom"
    with pytest.raises(BadChoice, match="Nobody answers 'never' to 'a'"):
        asked.funnel({"a": "never"})


def test_without_a_number_of_people_everybody_answers() -> None:
    found = made(SEX).risk()
    assert found.people == 1000
    assert "all of them count" in " ".join(found.notes)


def test_results_are_frames_dicts_and_pictures() -> None:
    asked = made(AGES, SEX, people=10)
    for found in (asked.risk(), asked.compare()):
        assert len(found.to_frame()) == len(found.rows)
        json.dumps(found.to_dict(), allow_nan=False)
        assert "share of people who are unique" in json.dumps(found.plot().to_dict())
        assert "<table" in found._repr_html_()


def test_a_result_cannot_be_changed_through_what_it_returns() -> None:
    asked = made(AGES, SEX, joint=[BY_DECADE])
    risk, ways = asked.risk(people=10), asked.compare(people=10)
    unique = risk.unique
    risk.to_dict()["questions"][-1]["unique"] = 77
    ways.to_dict()["codings"][0]["unique"] = 77
    assert risk.unique == unique
    assert ways.rows[0].unique <= 1
    for numbers in (asked["age"].coding("decade").shares, asked.tables[0].shares):
        with pytest.raises(ValueError, match="read-only"):
            numbers[0] = 1


def test_the_sample_is_a_questionnaire() -> None:
    asked = Questionnaire.sample()
    assert asked.notes == ()
    assert asked.title == "Visitors of a museum"
    year, band = (asked.risk(codings={"age": coding}) for coding in ("year of birth", "age band"))
    assert year.unique > 1.4 * band.unique
    assert year.warnings == ()
    assert asked.funnel({"age": "30-39", "sex": "female"}).bits == pytest.approx(3.676, abs=1e-3)


def test_the_schema_names_what_a_file_may_hold() -> None:
    schema = Questionnaire.json_schema()
    assert set(schema["properties"]) == {"title", "population", "people", "questions", "joint"}
    assert schema["additionalProperties"] is False


# ---- files


def write(folder: Path, text: str) -> Path:
    path = folder / "q.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_labels_stay_as_they_are_written(tmp_path: Path) -> None:
    text = "population: 10\nquestions:\n- name: smokes\n  shares: {no: 75 %, yes: 25%}\n"
    asked = Questionnaire.read(write(tmp_path, text))
    assert asked["smokes"].coding().options == ("no", "yes")
    assert asked.funnel({"smokes": "yes"}).size == pytest.approx(2.5)


def test_rounded_shares_are_scaled_and_that_is_said(tmp_path: Path) -> None:
    text = "population: 10\nquestions:\n- name: a\n  shares: {x: 0.333, y: 0.333, z: 0.333}\n"
    asked = Questionnaire.read(write(tmp_path, text))
    assert asked["a"].coding().shares.sum() == pytest.approx(1)
    assert asked.notes == ("The shares of 'a' add up to 0.999; they were scaled to 1.",)


HEAD = "population: 100\nquestions:\n- name: sex\n  shares: {f: 0.5, m: 0.5}\n"
AGE = """- name: age
  codings:
  - name: year
    counts: {'1': 3, '2': 5, '3': 2}
  - name: band
"""
BAD = {
    "an unknown key": (HEAD.replace("shares", "share"), 4, "did you mean 'shares'?"),
    "shares over 1": (HEAD.replace("0.5, m", "0.9, m"), 4, "add up to 1.4; they must add up to 1"),
    "a word for a number": (HEAD.replace("100", "many"), 1, "must be a whole number, not 'many'"),
    "a negative share": (HEAD.replace("m: 0.5", "m: -0.5"), 4, "must be at least 0"),
    "no options": (HEAD.replace("{f: 0.5, m: 0.5}", "{}"), 4, "'shares' says nothing; give"),
    "nothing to choose": (HEAD.replace("  shares: {f: 0.5, m: 0.5}\n", ""), 3, "and has none"),
    "both": (HEAD + "  counts: {f: 1}\n", 3, "has shares and counts"),
    "zeros": (HEAD + "- name: a\n  counts: {x: 0}\n", 6, "are all 0"),
    "the same name": (HEAD + "- name: sex\n  counts: {x: 1}\n", 5, "already a question 'sex'"),
    "a key twice": (HEAD + "people: 3\npeople: 4\n", 6, "'people' stands here twice"),
    "too many people": (HEAD + "people: 101\n", 5, "101 people cannot answer out of"),
    "no groups first": (
        HEAD + "- name: a\n  codings:\n  - name: x\n    groups: {a: b}\n",
        8,
        "not groups",
    ),
    "a coding called drop": (HEAD + "- name: drop\n  counts: {x: 1}\n", 5, "choose another name"),
    "a number too large": (HEAD.replace("100", "1" + 400 * "0"), 1, "'population'"),
    "no codings": (HEAD + "- name: a\n  codings: []\n", 5, "empty list of codings"),
    "codings and shares": (
        HEAD + AGE + "    groups: {x: 1..3}\n  counts: {a: 1}\n",
        5,
        "has codings and",
    ),
    "left out": (HEAD + AGE + "    groups: {low: 1..2}\n", 10, "'3' of 'year' is in none"),
    "in two": (HEAD + AGE + "    groups: {low: 1..2, high: 2..3}\n", 10, "more than one group"),
    "unknown option": (HEAD + AGE + "    groups: {low: 1..x}\n", 10, "has no option 'x'"),
    "backwards": (HEAD + AGE + "    groups: {low: 3..1}\n", 10, "'3' stands after '1'"),
    "coding twice": (
        HEAD + AGE + "    groups: {x: 1..3}\n  - name: band\n    groups: {x: 1..3}\n",
        11,
        "already has a coding 'band'",
    ),
    "unknown coding": (
        HEAD + AGE + "    groups: {x: 1..3}\n  ask: bands\n",
        11,
        "Did you mean 'band'?",
    ),
    "a table of no question": (
        HEAD + "joint:\n- questions: [sex, agee]\n  counts: {f: {x: 1}}\n",
        6,
        "no question 'agee'",
    ),
    "a table of one": (HEAD + "joint:\n- questions: [sex]\n  counts: {f: 1}\n", 6, "too few"),
    "a table of itself": (
        HEAD + "joint:\n- questions: [sex, sex]\n  counts: {f: {f: 1}}\n",
        6,
        "only once",
    ),
}
TABLE = HEAD + "- name: a\n  shares: {x: 0.3, y: 0.7}\njoint:\n- questions: [sex, a]\n"
BAD_TABLES = {
    "no numbers": (TABLE, 8, "either shares or counts"),
    "flat": (TABLE + "  shares: {f: 0.5, m: 0.5}\n", 9, "stand under 2 options each"),
    "no number": (TABLE + "  shares: {f: {x: a}}\n", 9, "a number must stand here"),
    "unknown": (TABLE + "  shares:\n    f: {x: 0.3, z: 0.7}\n", 9, "'z' is not an option of 'a'"),
    "contradicts": (
        TABLE + "  shares:\n    f: {x: 0.3, y: 0.3}\n    m: {x: 0, y: 0.4}\n",
        9,
        "the share of 'f' in 'sex' is 0.6, and by the question itself 0.5",
    ),
}


@pytest.mark.parametrize("case", [*BAD, *BAD_TABLES])
def test_a_mistake_is_one_sentence_with_its_line(case: str, tmp_path: Path) -> None:
    text, line, words = (BAD | BAD_TABLES)[case]
    with pytest.raises((BadChoice, UnreadableFile)) as error:
        Questionnaire.read(write(tmp_path, text))
    said = str(error.value)
    assert said.startswith(f"q.yaml, line {line}: "), said
    assert words in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("a: [", "q.yaml, line 1: this is not YAML"),
        ("questions: &a\n- *a\n", "more or deeper values"),
        ("- a\n", "must have entries"),
        ("questions: []\n", "too few"),
        ("[" * 1500, "not"),
    ],
)
def test_a_file_that_is_no_questionnaire_is_refused(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises((BadChoice, UnreadableFile), match=words):
        Questionnaire.read(write(tmp_path, text))


def test_a_mistake_in_plain_values_says_where_it_is() -> None:
    with pytest.raises(BadChoice) as error:
        made({"name": "a", "codings": [{"name": "x", "shares": {"p": 0.2}}]})
    assert str(error.value) == (
        "In the questionnaire, questions[0].codings[0].shares: the shares of 'a' add up to 0.2; "
        "they must add up to 1."
    )


def test_tables_that_contradict_each_other_are_refused() -> None:
    three = [{"name": name, "shares": {"x": 0.5, "y": 0.5}} for name in "abc"]
    never = {"x": {"x": 0, "y": 0.5}, "y": {"x": 0.5, "y": 0}}
    pairs = [("a", "b"), ("b", "c"), ("a", "c")]
    tables = [{"questions": list(pair), "shares": never} for pair in pairs]
    with pytest.raises(ValueError, match="No joint table has these margins"):
        made(*three, joint=tables).risk()


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (lambda asked: asked.funnel({}), "No answers were given"),
        (lambda asked: asked.funnel({"sexe": "f"}), "Did you mean 'sex'?"),
        (
            lambda asked: asked.funnel({"sex": "female"}),
            "'sex' has no option 'female'; it has: f, m",
        ),
        (lambda asked: asked.funnel({"sex": "f"}, codings={"sex": "drop"}), "is dropped"),
        (
            lambda asked: asked.funnel({"sex": "f"}, codings={"ag": "x"}),
            "There is no question 'ag'",
        ),
        (lambda asked: asked.funnel({"sex": "f"}, mode="joint"), "needs joint tables"),
        (lambda asked: asked.funnel({"sex": "f"}, population=0), "population must be"),
        (lambda asked: asked.risk(codings={"sex": "fine"}), "'sex' has no coding 'fine'"),
        (lambda asked: asked.risk(people=1001), "cannot answer out of a population of 1,000"),
        (lambda asked: asked.risk(people=0), "people must be a whole number, 1 or more"),
        (lambda asked: asked.path(codings={"sex": "drop", "age": "drop"}), "Every question"),
        (lambda asked: asked.compare("x"), "There is no question 'x'"),
    ],
)
def test_what_cannot_be_asked_is_refused(question: Any, words: str) -> None:
    with pytest.raises(BadChoice) as error:
        question(made(SEX, AGES))
    assert words in str(error.value)


def test_a_population_is_needed() -> None:
    asked = Questionnaire.from_dict({"questions": [SEX]})
    with pytest.raises(BadChoice, match="does not say how many people could answer"):
        asked.risk()
    assert asked.risk(population=10).people == 10
