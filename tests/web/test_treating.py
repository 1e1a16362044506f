"""The list of steps with undo and redo, and the edits of a tree: no server, no browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singleout.errors import BadChoice
from singleout.web.errors import Refused
from singleout.web.treating import trees
from singleout.web.treating.forms import asked_of, step_of
from singleout.web.treating.history import changing, history_of, undoing
from singleout.web.workspaces import Source, Workspace, write_json

AGE = [["34", "30-39", "*"], ["35", "30-39", "*"], ["41", "40-49", "*"], ["52", "50-59", "*"]]


class Form(dict[str, str]):
    """Fields as a browser sends them; one that is sent several times is written a|b."""

    def getlist(self, name: str) -> list[str]:
        """Return all values of a field."""
        return self[name].split("|") if name in self else []


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    write_json(tmp_path / "state.json", {})
    made = Workspace(tmp_path)
    made.choose(Source("upload", "people.csv", str(tmp_path / "upload-1.csv")))
    return made


def take(workspace: Workspace, *steps: dict[str, object]) -> None:
    with changing(workspace) as keep:
        keep(history_of(workspace).now.with_steps(steps))


def test_what_was_undone_can_be_taken_back_until_something_else_is_done(
    workspace: Workspace,
) -> None:
    age, name = {"recode": "age", "width": 5}, {"drop": ["name"]}
    take(workspace, age)
    take(workspace, age, name)
    undoing(workspace, -1)
    assert history_of(workspace).now.steps == (age,)
    undoing(workspace, 1)
    assert history_of(workspace).now.steps == (age, name)
    undoing(workspace, -2)
    assert history_of(workspace).now.steps == ()
    take(workspace, name)
    assert not history_of(workspace).can_redo
    undoing(workspace, -9)
    assert history_of(workspace).now.steps == ()


def test_steps_of_other_data_are_not_taken_over(workspace: Workspace) -> None:
    take(workspace, {"drop": ["name"]})
    workspace.choose(Source("upload", "other.csv", str(workspace.folder / "upload-2.csv")))
    assert history_of(workspace).now.steps == ()
    assert not history_of(workspace).can_undo


def test_a_tree_is_kept_once_however_many_versions_there_are(workspace: Workspace) -> None:
    rows = [[f"value {number}", "all", "*"] for number in range(500)]
    with changing(workspace) as keep:
        keep(history_of(workspace).now.with_tree("job", rows))
    one = workspace.file("treat.json").stat().st_size
    for width in range(1, 20):
        take(workspace, {"recode": "age", "width": width})
    assert workspace.file("treat.json").stat().st_size < 1.5 * one
    assert history_of(workspace).now.trees == {"job": rows}


def test_nodes_move_to_a_node_that_exists() -> None:
    found = trees.grouped([[*row[:2], row[1][0] + "x", "*"] for row in AGE], 0, ["52"], "40-49")
    assert found[3] == ["52", "40-49", "4x", "*"]


def test_a_node_with_the_name_of_another_joins_it() -> None:
    found = trees.renamed(AGE, 1, ["50-59"], "40-49")
    assert [row[1] for row in found] == ["30-39", "30-39", "40-49", "40-49"]


def test_what_would_be_no_tree_is_refused() -> None:
    with pytest.raises(BadChoice, match="on this level"):
        trees.grouped(AGE, 2, ["*"], "all")
    with pytest.raises(BadChoice, match="Tick at least one"):
        trees.grouped(AGE, 0, ["99"], "old")
    with pytest.raises(BadChoice, match="name is missing"):
        trees.renamed(AGE, 1, ["30-39"], " ")
    with pytest.raises(BadChoice, match="Rename it first"):
        trees.apart([["a", "x", "*"], ["b", "x", "*"], ["c", "a", "*"]], 1, ["x"])


@given(st.data())
def test_a_tree_stays_a_tree_over_the_same_values_whatever_is_done_to_it(
    data: st.DataObject,
) -> None:
    rows = [list(row) for row in AGE]
    for _ in range(data.draw(st.integers(1, 6))):
        level = data.draw(st.integers(0, len(rows[0]) - 1))
        there = sorted({row[level] for row in rows})
        labels = data.draw(st.lists(st.sampled_from(there), min_size=1, unique=True))
        name = data.draw(st.sampled_from(["a", "b", "30-39", "*", "34"]))
        change = data.draw(st.sampled_from(["grouped", "renamed", "apart", "without_level"]))
        given_ = {"grouped": (labels, name), "renamed": (labels, name), "apart": (labels,)}
        try:
            rows = getattr(trees, change)(rows, level, *given_.get(change, ()))
        except BadChoice:
            continue
    assert [row[0] for row in rows] == [row[0] for row in AGE]
    for level in range(len(rows[0]) - 1):  # a label has one label above it
        assert len({row[level] for row in rows}) == len(
            {tuple(row[level : level + 2]) for row in rows}
        )
    assert len({row[-1] for row in rows}) == 1
    assert len({len(row) for row in rows}) == 1


def test_numbers_are_read_as_people_write_them() -> None:
    form = Form(column="income", width="2,5", top="1 000")
    assert step_of("width", form, []) == {"recode": "income", "width": 2.5, "top": 1000}
    assert step_of("cuts", Form(column="age", cuts="65 18, 30"), [])["cuts"] == [18, 30, 65]
    with pytest.raises(Refused, match="number"):
        step_of("width", Form(column="age", width="ten"), [])
    with pytest.raises(Refused, match="agree"):
        step_of("shuffle", Form(column="age"), [])


def test_a_policy_of_the_form_is_parted_into_what_plans_have_and_what_searches_take() -> None:
    form = Form(k="5", unique_share="2.5 %", t="0.3", method="full-domain", max_suppressed="1")
    form |= {"keep-0": "fixed", "keep-1": "more"}
    limits, asked = asked_of(Form(form), ["age", "sex"], {"age": AGE, "income": AGE})
    assert limits == {"k": 5, "unique_share": 0.025}
    assert asked == {
        "t": 0.3,
        "method": "full-domain",
        "max_suppressed": 0.01,
        "fixed": ["age"],
        "importance": {"sex": 3},
        "hierarchies": {"age": AGE},
    }
    with pytest.raises(Refused, match="no_limit"):
        asked_of(Form(), ["age"], {})
    with pytest.raises(BadChoice, match="level from 1"):
        asked_of(Form(highest_risk="9"), ["age"], {})
