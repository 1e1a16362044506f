"""Steps as a file and in Python: what they can say, and what is refused with its line."""

import json
import stat
from pathlib import Path

import jsonschema
import polars as pl
import pytest

from singleout.errors import BadChoice, UnreadableFile
from singleout.treatment.hierarchies.hierarchy import Hierarchy
from singleout.treatment.steps.models import Drop, Recode
from singleout.treatment.steps.steps import Steps, steps_schema_text

EVERYTHING = """\
perturb: yes
steps:
  - recode: age
    width: 5
    offset: 2
    top: 80
  - recode: height
    cuts: [150, 160.5, 170]
  - recode: income
    top: 90000
    bottom: 100
  - recode: weight
    round: 0.5
  - recode: zip
    prefix: 3
  - recode: born
    date: quarter
  - recode: job
    groups: {care: [nurse, doctor], "no": [none]}
    other: rest
  - recode: town
    rare: 20
  - recode: sex
    hierarchy: [[f, '*'], [m, '*']]
    level: 1
  - drop: [name, phone]
  - suppress: records
    where: age > 100
    rows: remove
  - suppress: records
    k: 5
    columns: [age, sex]
  - suppress: cells
    columns: [town]
    where: town = 'x'
  - suppress: cells
    columns: [age, sex]
    k: 5
    method: uniques
    importance: {sex: 2}
    max_size: 3
  - generalise: [age, zip]
    k: 5
    hierarchies: {age: age.csv}
    sensitive: {illness: {caps: {HIV: 10 %}, t: 0.2}}
    importance: {zip: 2}
    max_suppressed: 2 %
  - shuffle: [income]
    seed: 4
  - shuffle: records
  - microaggregate: [height, weight]
    k: 4
"""


def test_everything_that_a_file_can_say_is_read_and_written_again() -> None:
    steps = Steps.parse(EVERYTHING)
    assert len(steps) == 18
    assert Steps.parse(steps.to_yaml()) == steps
    assert Steps.of(steps.to_dict()) == steps
    assert Steps.of(json.loads(json.dumps(steps.to_dict()))) == steps
    assert steps[14].entries()["max_suppressed"] == 0.02  # type: ignore[attr-defined]


def test_every_step_has_a_sentence_of_its_own() -> None:
    sentences = Steps.parse(EVERYTHING).sentences
    assert len(set(sentences)) == len(sentences)
    assert sentences[0] == "age becomes intervals of 5 (open from 80)."
    assert sentences[2] == (
        "income: smaller numbers than 100 become 100 and larger numbers than 90000 become 90000."
    )
    assert sentences[5] == "born keeps the quarter of its dates only."
    assert sentences[6] == "Values of job are taken together as care, no, all others rest."
    assert sentences[9] == "Columns left out: name, phone."
    assert sentences[10] == "Removed are records with age > 100."
    assert "HIV at most 10%" in sentences[14]
    assert all(sentence.endswith(".") for sentence in sentences)


def test_the_schema_accepts_what_the_model_accepts() -> None:
    schema = json.loads(steps_schema_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    validator.validate(Steps.parse(EVERYTHING).to_dict())
    assert not validator.is_valid({"steps": [{"recode": "age", "wdth": 5}]})
    assert not validator.is_valid({"step": []})


def test_steps_are_taken_in_every_form(tmp_path: Path) -> None:
    path = tmp_path / "steps.yaml"
    steps = Steps.of([{"recode": "age", "width": 5}])
    steps.write(path)
    assert Steps.of(path) == Steps.of(str(path)) == steps
    assert Steps.of(steps) is steps
    assert Steps.of({"recode": "age", "width": 5}) == steps
    assert Steps.of({"steps": [{"recode": "age", "width": 5.0}]}) == steps
    assert Steps.of([Recode(recode="age", width=5)]) == steps
    assert Steps.of(Recode(recode="age", width=5)) == steps
    assert Steps.read(path).folder == tmp_path
    assert Steps.read(path).file("age.csv") == tmp_path / "age.csv"
    with pytest.raises(BadChoice, match="exists already"):
        steps.write(path)
    with pytest.raises(BadChoice, match="cannot be made of a int"):
        Steps.of(3)  # type: ignore[arg-type]


def test_a_hierarchy_is_taken_as_rows_as_a_frame_and_as_itself() -> None:
    rows = [["f", "*"], ["m", "*"]]
    expected = Recode(recode="sex", hierarchy=rows, level=1)
    frame = pl.DataFrame(rows, schema=["a", "b"], orient="row")
    assert Recode(recode="sex", hierarchy=frame, level=1) == expected
    built = Hierarchy.of_rows("sex", rows)
    assert Recode(recode="sex", hierarchy=built, level=1) == expected
    assert Recode(recode="n", hierarchy=[[1, "*"], [2.0, "*"]], level=1).hierarchy == [
        ["1", "*"],
        ["2", "*"],
    ]


def test_no_steps_are_steps() -> None:
    steps = Steps.parse("steps: []")
    assert len(steps) == 0
    assert Steps.parse(steps.to_yaml()) == steps


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("steps:\n  - recode: age\n    widths: 5", 3, "did you mean 'width'?"),
        ("steps:\n  - recode: age\n    width: x", 3, "'width' must be a number, not 'x'"),
        ("steps:\n  - recode: age\n    width: -1", 3, "'width' must be more than 0"),
        ("steps:\n  - recode: age\n    width:", 3, "'width' has no value"),
        ("steps:\n  - recode: age", 2, "how 'age' is recoded is not said"),
        ("steps:\n  - recode: age\n    width: 5\n    round: 3", 4, "in another step"),
        ("steps:\n  - recode: age\n    round: 5\n    top: 3", 4, "alone or with width"),
        ("steps:\n  - recode: age\n    round: 5\n    offset: 3", 4, "offset is for width only"),
        ("steps:\n  - recode: age\n    cuts: [30, 18]", 3, "cuts must ascend, not 30, 18"),
        ("steps:\n  - recode: age\n    top: 1\n    bottom: 2", 4, "bottom must be less than top"),
        ("steps:\n  - recode: sex\n    hierarchy: a.csv", 3, "the level to publish is missing"),
        (
            "steps:\n  - recode: s\n    level: 1\n    hierarchy:\n      - [a, b, '*']\n      - [b]",
            6,
            "the row has 1 levels, and the first one 3",
        ),
        (
            "steps:\n  - recode: s\n    groups:\n      a: [x, y]\n      b: [z, x]",
            5,
            "'x' is in the group 'a' already",
        ),
        ("steps:\n  - recode: d\n    date: years", 3, "did you mean 'year'?"),
        ("steps:\n  - drp: age", 2, "did you mean 'drop'?"),
        ("steps:\n  - drop: [a, b, a]", 2, "'a' stands here twice"),
        ("steps:\n  - drop: a\n    recode: b", 2, "are two steps"),
        ("steps:\n  - 3", 2, "a step is an entry such as 'recode: age'"),
        ("steps:\n  - suppress: rows", 2, "must be records or cells, not 'rows'"),
        ("steps:\n  - suppress: records\n    columns: [a]", 2, "say which records"),
        ("steps:\n  - suppress: records\n    k: 5", 2, "columns are missing"),
        ("steps:\n  - suppress: records\n    k: 1\n    columns: a", 3, "at least 2"),
        ("steps:\n  - suppress: records\n    where: a >\n    rows: remove", 3, "cannot be read"),
        (
            "steps:\n  - suppress: cells\n    columns: a\n    where: a > 1\n    method: peel",
            5,
            "no",
        ),
        ("steps:\n  - suppress: cells\n    columns: a\n    k: 3\n    max_size: 2", 5, "uniques"),
        (
            "steps:\n  - generalise: [a]\n    k: 3\n    importance:\n      b: 2",
            5,
            "'b' is not among the columns",
        ),
        (
            "steps:\n  - generalise: [a]\n    k: 3\n    sensitive:\n      a: {l: 2}",
            5,
            "'a' is generalised itself",
        ),
        ("steps:\n  - drop: a\n  - recode: b\n    width: 2\n  - shuffle: c", 5, "perturb: true"),
        ("steps:\n  - microaggregate: [a]", 2, "write 'perturb: true' above the steps"),
        ("steps:\n  - drop: [a]\n  - recode: a\n    width: 2", 3, "'a' was dropped by a step"),
        ("stps: []", 1, "did you mean 'steps'?"),
    ],
)
def test_a_mistake_in_a_file_is_a_sentence_with_its_line(
    text: str, line: int, sentence: str
) -> None:
    with pytest.raises(BadChoice) as refused:
        Steps.parse(text)
    assert str(refused.value).startswith(f"steps.yaml, line {line}: ")
    assert sentence in str(refused.value)


def test_what_is_no_yaml_is_refused() -> None:
    with pytest.raises(UnreadableFile, match="not YAML"):
        Steps.parse("steps: [")


def test_hostile_names_survive_a_file() -> None:
    names = ["no", "a: b", "-", "x\u202e", "'\"", "# c", "1", "null", "new\nline"]
    steps = Steps.of([{"drop": names}, {"recode": "yes", "groups": {"*": names}}])
    assert Steps.parse(steps.to_yaml()) == steps
    assert "\u202e" not in steps.to_yaml()
    assert "\u202e" not in str(steps)


def test_a_mistake_in_python_has_its_path() -> None:
    with pytest.raises(BadChoice, match=r"In the steps, steps\[1\]\.width: 'width' must be"):
        Steps.of([{"drop": "a"}, {"recode": "b", "width": "x"}])
    with pytest.raises(BadChoice, match="In the step, width: 'width' must be a number"):
        Recode(recode="a", width="x")  # type: ignore[arg-type]
    assert Drop(drop="a").columns_changed == ("a",)  # type: ignore[arg-type]


def test_an_outline_has_no_rows_of_hierarchies_and_the_file_is_for_its_owner(
    tmp_path: Path,
) -> None:
    rows = [["1990-05-17", "1990", "*"], ["1991-02-03", "1991", "*"]]
    steps = Steps.of(
        [
            {"recode": "born", "hierarchy": rows, "level": 1},
            {"generalise": ["born", "zip"], "k": 2, "hierarchies": {"born": rows, "zip": "z.csv"}},
            {"drop": ["name"]},
        ]
    )
    extent = {"values": 2, "levels": 3}
    assert steps.outline() == [
        {"recode": "born", "hierarchy": extent, "level": 1},
        {"generalise": ["born", "zip"], "k": 2, "hierarchies": {"born": extent, "zip": "z.csv"}},
        {"drop": ["name"]},
    ]
    assert steps.hold_values
    assert steps.to_dict()["steps"][0]["hierarchy"] == rows
    assert not Steps.of([{"drop": ["name"]}]).hold_values
    steps.write(tmp_path / "steps.yaml")
    assert stat.S_IMODE((tmp_path / "steps.yaml").stat().st_mode) == 0o600
    assert Steps.read(tmp_path / "steps.yaml").to_dict() == steps.to_dict()
