"""A plan as a file: lines in refusals, hostile files, and a round trip that loses nothing."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ConfigDict

from singleout.assessment.gate import read_policy
from singleout.assessment.plan.plan import Plan
from singleout.assessment.rating.scales import EXPLOITABILITIES, INFERENCES
from singleout.errors import BadChoice, InputError, SingleoutError, UnreadableFile
from singleout.io.yaml.file import Mistake, Origin, checked, parse_yaml
from singleout.io.yaml.text import scalar, yaml_text

PLAN = """\
title: Patients of 2022
data: people.csv
missing: drop
columns:
  age:
    role: quasi-identifier
    exposure: EE
  disease:
    role: sensitive
    material: 3
    values:
      no: 1
      on: 2
      "yes": 3
      HIV: 4
  1:
    role: other
combinations:
  neighbour: [age]
policy: {highest_risk: 2, k: 3, unique_share: 5 %}
methods:
  qar: {enabled: off}
"""


def refused(text: str) -> str:
    with pytest.raises(InputError) as error:
        Plan.parse(text)
    sentence = str(error.value)
    assert "\n" not in sentence
    return sentence


# ---- reading


def test_words_stay_as_they_are_written() -> None:
    plan = Plan.parse(PLAN)
    assert plan.columns["disease"].values == {"no": 1, "on": 2, "yes": 3, "HIV": 4}
    assert list(plan.columns) == ["age", "disease", "1"]
    assert plan.policy.unique_share == 0.05
    assert not plan.methods.qar.enabled


def test_a_plan_is_read_from_a_file_also_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN, encoding="utf-8-sig")
    assert Plan.read(path) == Plan.parse(PLAN) == Plan.of(str(path)) == Plan.of(path)


@pytest.mark.parametrize(
    ("change", "line", "sentence"),
    [
        (("exposure: EE", "exposre: EE"), 7, "'exposre' is not known here, but role, exposure,"),
        (("exposure: EE", "exposre: EE"), 7, "did you mean 'exposure'?"),
        (("policy:", "polizy:"), 20, "'polizy' is not known here, but title"),
        (("policy:", "polizy:"), 20, "did you mean 'policy'?"),
        (("k: 3", "k: three"), 20, "'k' must be a whole number, not 'three'."),
        (("role: sensitive", "role: sensible"), 9, "did you mean 'sensitive'?"),
        (("role: sensitive", "exposure: EE"), 8, "'role' is missing"),
        (("material: 3", "exposure: EE"), 10, "exposure says how a quasi-identifier is found"),
        (("HIV: 4", "HIV: 7"), 15, "'7' is not a severity"),
        (("HIV: 4", "no: 4"), 15, "'no' stands here twice; give it once."),
        (("HIV: 4", "? [a]\n      : 4"), 15, "a key must be a word."),
        (("[age]", "[age, dissease]"), 19, "'dissease' is not among the columns; did you mean 'd"),
        (("[age]", "[age, disease]"), 19, "holds every sensitive column"),
        (("{enabled: off}", "{enabled: maybe}"), 22, "'enabled' must be yes or no, not 'maybe'."),
        (("missing: drop", "missing: drip"), 3, "did you mean 'drop'?"),
        (("title: Patients of 2022", "title: [a, b]"), 1, "'title' must be text, not a list."),
        (("  neighbour: [age]", "  neighbour:\n  - age\n  - age"), 21, "'age' stands here twice"),
        (("missing: drop", "missing: [drop"), 4, "this is not YAML"),
    ],
)
def test_a_mistake_is_said_with_its_line(change: tuple[str, str], line: int, sentence: str) -> None:
    assert change[0] in PLAN
    said = refused(PLAN.replace(*change))
    assert said.startswith(f"plan.yaml, line {line}: ")
    assert sentence in said


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "policy: {}",
            "line 1: the policy asks for nothing; give at least one of highest_risk, k,",
        ),
        ("policy:\n  k: 1\n", "line 1: the policy accepts everything: no data exceed k: 1; give"),
        ("policy:\n", "line 1: 'policy' must have entries such as 'name: value', not nothing."),
        ("policy:\n  k: 3\n  unique_share:\n", "line 3: 'unique_share' has no value; give one, or"),
        ("columns: {}", "'columns' says nothing; give entries such as 'name: value', or leave it"),
        ("combinations: {}", "'combinations' says nothing; give entries"),
        (
            "title: x\nmethods: {}",
            "line 2: 'methods' says nothing; give at least one of rating, identity, qar,",
        ),
        ("methods:\n  qar: {}", "line 2: 'qar' says nothing; give at least one of enabled, size,"),
        ("population: {}", "'population' says nothing; give at least one of sampling_fraction"),
        (
            "matrices: {}",
            "'matrices' says nothing; give at least one of inference, exploitability, risk",
        ),
        ("title:", "'title' has no value; give one, or leave it out."),
        ("columns:\n  a:\n    role: sensitive\n    values: {}", "line 4: 'values' says nothing"),
        ("columns:\n  a:\n    role: other\n    coding: null", "line 4: 'coding' has no value"),
    ],
)
def test_a_line_that_says_nothing_is_refused(text: str, sentence: str) -> None:
    assert sentence in refused(text)


@pytest.mark.parametrize("policy", [{}, {"k": None}, {"k": 1}, {"highest_risk": "Critical"}])
def test_a_plan_in_python_has_no_policy_that_gates_nothing(policy: dict[str, Any]) -> None:
    with pytest.raises(
        BadChoice, match=r"policy: the policy (asks for nothing|accepts everything)"
    ):
        Plan.of({"policy": policy})


def test_a_column_that_the_table_lacks_is_said_with_its_line() -> None:
    plan = Plan.parse(PLAN)
    with pytest.raises(BadChoice, match=r"^plan.yaml, line 8: the table has no column 'disease'"):
        plan.check(["age", "Diseases", "1"])
    (warning,) = Plan.parse("columns:\n  a: {role: quasi-identifier}\n").check(["a"])
    assert warning == "plan.yaml, line 2: 'a' has no exposure and counts as EE, found easily."


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "plan.yaml is empty; it should be a plan."),
        (b"# nothing\n", "plan.yaml is empty"),
        (b"\xff\xfe\x00", "is not text in UTF-8"),
        (b"a: \x00", "is not a YAML file"),
        (b"- a\n- b\n", "the whole must have entries such as 'name: value', not a list."),
        (b"just words\n", "the whole must have entries such as 'name: value', not text."),
        (b"a: 1\n---\nb: 2\n", "this is not YAML"),
        (b"title: &a [*a]\n", "does an alias (*) refer to itself?"),
        (b"[" * 1200, "plan.yaml"),
        (b'title: "\\UFFFFFFFF"\n', "plan.yaml is not a YAML file"),
        (b"title: !!python/object/apply:os.system [ls]\n", "'title' must be text, not a list."),
    ],
)
def test_a_file_that_is_no_plan_is_refused(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "plan.yaml"
    path.write_bytes(content)
    with pytest.raises(InputError) as error:
        Plan.read(path)
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


def test_halves_of_a_character_are_joined_and_one_alone_is_refused() -> None:
    assert Plan.parse('title: "\\ud83d\\ude00"').title == "\N{GRINNING FACE}"
    for text in ('title: "\\ud800"', 'columns:\n  "\\udfff": {role: other}'):
        said = refused(text)
        assert "half of a character; write the character itself." in said
        assert said.encode("utf-8")  # so that a screen can show it
    for values in ({"title": "\ud800"}, {"columns": {"\ud800": {"role": "other"}}}):
        with pytest.raises(BadChoice, match="half of a character"):
            Plan.of(values)


def test_aliases_cannot_make_a_small_file_endless(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    path = tmp_path / "plan.yaml"
    path.write_text("\n".join(lines))
    with pytest.raises(UnreadableFile, match="more or deeper values than a plan can have"):
        Plan.read(path)


def test_a_file_that_is_missing_a_folder_or_too_large_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="cannot be read: No such file"):
        Plan.read(tmp_path / "none.yaml")
    with pytest.raises(UnreadableFile, match="cannot be read: Is a directory"):
        Plan.read(tmp_path)
    large = tmp_path / "large.yaml"
    large.write_bytes(b"#" * 2_000_001)
    with pytest.raises(UnreadableFile, match="too large for a plan: more than 2 MB"):
        Plan.read(large)


pieces = st.sampled_from(
    [
        "a",
        "columns",
        ":",
        ": ",
        "- ",
        "\n",
        "\n  ",
        "[",
        "]",
        "{",
        "}",
        ",",
        "&x ",
        "*x",
        "!!t ",
        "!<",
        "|",
        ">",
        "'",
        '"',
        "\\",
        "\\U0011",
        "? ",
        "%YAML 9",
        "---",
        "...",
        "<<",
        "#",
        "\t",
        "role",
        "é",
    ]
)


@given(st.lists(pieces, max_size=25).map("".join))
def test_any_text_is_a_plan_or_refused_in_one_sentence(text: str) -> None:
    said = ""
    try:
        Plan.parse(text)
    except InputError as error:
        said = str(error)
    assert "\n" not in said


# ---- writing

names = st.text(
    st.characters(exclude_categories=("Cs",)), min_size=1, max_size=12
) | st.sampled_from(
    [
        "no",
        "yes",
        "null",
        "~",
        "1",
        "1.5",
        "<script>",
        "=cmd()",
        "a: b",
        "# x",
        "- x",
        "&a",
        "*a",
        "\u202e",
        "\x1b[2J",
        "two\nlines",
        "\x85",
        "\ufeff",
        "'",
        '"',
        "?",
        "{",
        "2022-01-01",
        "<<",
    ]
)
levels = st.integers(1, 4)
matrices = st.lists(st.lists(levels, min_size=4, max_size=4), min_size=4, max_size=4)


@st.composite
def plans(draw: st.DrawFn) -> dict[str, Any]:
    """Return what the file of some plan could hold."""
    columns: dict[str, Any] = {}
    for name in draw(st.lists(names, unique=True, max_size=5)):
        role = draw(st.sampled_from(["quasi-identifier", "sensitive", "other", "household"]))
        columns[name] = {"role": role, "scale": draw(st.sampled_from(["nominal", "ordinal"]))}
        if role == "quasi-identifier":
            columns[name]["exposure"] = draw(levels)
        if role == "sensitive":
            columns[name]["values"] = draw(st.dictionaries(names, levels, max_size=3))
            columns[name]["moral"] = draw(st.none() | levels)
            columns[name]["coding"] = draw(st.none() | names)
    known = [name for name, column in columns.items() if column["role"] == "quasi-identifier"]
    plan: dict[str, Any] = {"columns": columns, "title": draw(st.none() | names)}
    if known:
        plan["combinations"] = {draw(names): known}
    plan["missing"] = draw(st.sampled_from(["value", "wildcard", "drop"]))
    plan["policy"] = {
        "k": draw(st.none() | st.integers(2, 99)),
        "highest_risk": draw(st.integers(1, 3)),
    }
    plan["policy"]["unique_share"] = draw(st.none() | st.floats(0, 1))
    plan["population"] = {"sampling_fraction": draw(st.none() | st.floats(0, 1, exclude_min=True))}
    plan["matrices"] = {"risk": draw(matrices)}
    plan["methods"] = {
        "suda": {"max_size": draw(st.sampled_from([1, 3, "all"])), "enabled": draw(st.booleans())}
    }
    return plan


@given(plans())
def test_reading_what_was_written_gives_the_same_plan(given_plan: dict[str, Any]) -> None:
    plan = Plan.of(given_plan)
    text = plan.to_yaml()
    assert Plan.parse(text) == plan
    assert Plan.parse(json.dumps(plan.to_dict())) == plan
    # a reader that makes numbers and truth values of words reads the same plan
    assert Plan.of(yaml.safe_load(text)) == plan
    assert all(char == "\n" or char.isprintable() for char in text)


def test_a_plan_is_written_to_a_file_and_read_again(tmp_path: Path) -> None:
    plan = Plan.parse(PLAN)
    plan.write(tmp_path / "copy.yaml")
    assert Plan.read(tmp_path / "copy.yaml") == plan
    with pytest.raises(UnreadableFile, match="There is no folder"):
        plan.write(tmp_path / "none" / "copy.yaml")


def test_a_plan_that_says_nothing_is_a_file_all_the_same() -> None:
    assert Plan.parse(Plan().to_yaml()) == Plan()


def test_matrices_are_written_as_the_figures_show_them() -> None:
    changed = [[1, 1, 1, 1], [1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 4, 4]]
    lines = Plan.of({"matrices": {"exploitability": changed}}).to_yaml().splitlines()
    assert lines[1:] == [
        "  exploitability:",
        "    Critical: [3, 3, 4, 4]",
        "    Severe: [2, 2, 2, 2]",
        "    Moderate: [1, 1, 1, 1]",
        "    Weak: [1, 1, 1, 1]",
    ]
    assert INFERENCES[3] == "Critical"
    assert EXPLOITABILITIES[3] == "Very easy"


def test_signs_that_steer_a_terminal_are_written_as_numbers() -> None:
    assert yaml_text({"\x1b[2J\u202e": 1}) == '"\\e[2J\\U0000202E": 1\n'
    assert scalar("\u202e") == '"\\U0000202E"'
    assert yaml_text({}) == ""


# ---- the general part, for other models


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")
    size: int


class Outer(BaseModel):
    model_config = ConfigDict(extra="forbid")
    parts: list[Inner]
    either: Inner | str = "x"


def test_any_model_gets_its_sentences_with_lines_and_the_nearest_key() -> None:
    text = "parts:\n  - size: 1\n  - sizze: 2\n"
    values, origin = parse_yaml(text, "thing", name="thing.yaml")
    assert values == {"parts": [{"size": "1"}, {"sizze": "2"}]}
    with pytest.raises(BadChoice, match=r"thing.yaml, line 3: 'sizze' is not known here, but size"):
        checked(Outer, values, origin)
    values, origin = parse_yaml("parts:\n  - size: 1\neither: [1]", "thing", name="thing.yaml")
    with pytest.raises(BadChoice, match=r"line 3: 'either' must have entries"):
        checked(Outer, values, origin)


def test_where_a_value_was_read_is_no_part_of_it() -> None:
    assert Origin("plan", "a.yaml", {("x",): 3}) == Origin()
    assert Origin("plan", "a.yaml", {("x",): 3}).line(("x", "y", 1)) == 3
    assert str(Origin("plan").refusal(Mistake((), "it is odd."))) == (
        "In the plan, as a whole: it is odd."
    )


# ---- files of data in place of a plan


@pytest.mark.parametrize(
    "data",
    [
        "Anna Smith,0612345678,HIV\nBob Jones,0687654321,flu\n",
        "Anna Smith\n",
        "Anna Smith,HIV: 10\n",
        "Anna Smith;HIV: 10\nAnna Smith;HIV: 10\n",
        "- Anna Smith\n- HIV\n",
    ],
)
def test_a_file_of_data_that_is_taken_for_a_plan_is_not_quoted(tmp_path: Path, data: str) -> None:
    (tmp_path / "people.csv").write_text(data)
    for read in (Plan.read, read_policy):
        with pytest.raises(SingleoutError) as refusal:
            read(tmp_path / "people.csv")
        said = str(refusal.value)
        assert said.startswith("people.csv, line ")
        for value in ("Anna", "Smith", "HIV", "06"):
            assert value not in said


def test_numbers_too_large_to_mean_anything_are_refused_where_they_stand() -> None:
    for text, sentence in (
        ("population: {size: 1" + "0" * 400 + "}", "'size' must be at most 1000000000000"),
        ("policy: {k: 1" + "0" * 6000 + "}", "'k' is too large a number."),
    ):
        with pytest.raises(BadChoice, match=r"^plan\.yaml, line 1: ") as refusal:
            Plan.parse(text)
        assert sentence in str(refusal.value)
        assert len(str(refusal.value)) < 200


def test_a_plan_without_a_policy_is_refused_as_one(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text("data: x.csv\ncolumns:\n  a: {role: other}\n")
    with pytest.raises(BadChoice, match="a plan without a policy; add one, or give a file"):
        read_policy(tmp_path / "plan.yaml")


@pytest.mark.parametrize(
    "wrong", [{"k": 0}, {"unique_share": 1.5}, {"tolerated": 1}, {"records_at_risk": -0.1}]
)
def test_the_schema_refuses_what_the_plan_refuses(wrong: dict[str, Any]) -> None:
    plan = {"columns": {"age": {"role": "quasi-identifier"}}, "policy": {"k": 3, **wrong}}
    assert list(Draft202012Validator(json.loads(Plan.schema_json())).iter_errors(plan))
    with pytest.raises(SingleoutError):
        Plan.of(plan)
