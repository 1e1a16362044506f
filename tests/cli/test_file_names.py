"""Names and options that no file can have: one sentence and exit code 2, wherever they stand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import singleout as so
from run_command import refused, singleout
from singleout.assessment.gate import read_policy
from singleout.assessment.plan.plan import Plan
from singleout.errors import BadChoice, SingleoutError, UnreadableFile, UnusableColumn

PEOPLE = "a,b\n1,2\n1,3\n"
PLAN = "columns:\n  a: {role: quasi-identifier}\n  b: {role: sensitive}\n"
NOT_UTF8 = os.fsdecode(b"x\xff.csv")
UNREADABLE = {
    "links in a circle": ("loop", "Too many levels of symbolic links"),
    "an unknown user": ("~nosuchuser/file.csv", "~nosuchuser"),
    "not UTF-8": (NOT_UTF8, r"'x\xff.csv' is not text in UTF-8; write it in UTF-8, and if it is"),
    "too long": ("n" * 300, "File name too long"),
    "a folder": ("folder", "folder"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "plan.yaml").write_text(PLAN)
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / NOT_UTF8).write_text(PEOPLE)
    (tmp_path / "folder").mkdir()
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("case", UNREADABLE)
@pytest.mark.parametrize(
    "command",
    [
        ["sets", "NAME", "--qi", "a"],
        ["assess", "people.csv", "--plan", "NAME"],
        ["assess", "people.csv", "--plan", "plan.yaml", "--policy", "NAME"],
        ["compare", "people.csv", "NAME", "--plan", "plan.yaml"],
        ["funnel", "NAME"],
        ["columns", "sqlite:///NAME#people"],
    ],
    ids=" ".join,
)
def test_a_file_that_cannot_be_read_is_one_sentence(command: list[str], case: str) -> None:
    name, words = UNREADABLE[case]
    said = refused(singleout(*(part.replace("NAME", name) for part in command)))
    assert words in said or "cannot be read: Is a directory" in said or "sqlite" in command[-1]


@pytest.mark.parametrize("option", ["--na", "--where", "--qi", "--csv", "--delimiter"])
def test_an_option_that_is_no_text_is_one_sentence(option: str) -> None:
    said = refused(singleout("sets", "people.csv", "--qi", "a", option, os.fsdecode(b"\xff")))
    assert said == (
        "'\\xff' is not text in UTF-8; write it in UTF-8, and if it is the name of a file, rename "
        "the file."
    )


# ---- the same in Python


@pytest.mark.parametrize("name", [NOT_UTF8, "a\0b", "\ud800", "~nosuchuser/x", "n" * 300, "loop"])
@pytest.mark.usefixtures("folder")
def test_every_reader_of_a_file_refuses_such_a_name(name: str) -> None:
    for read in (so.read, Plan.read, read_policy):
        with pytest.raises(UnreadableFile) as refusal:
            read(name)
        assert str(refusal.value).encode("utf-8")


@pytest.mark.parametrize("name", ["half.json", "half.ndjson"])
def test_half_a_character_in_a_file_is_refused_and_a_whole_one_is_read(
    tmp_path: Path, name: str
) -> None:
    def written(value: str) -> Path:
        record = f'{{"a": "{value}", "b": 1}}'
        text = f"[{record}]" if name.endswith(".json") else f"{record}\n"
        (tmp_path / name).write_text(text, encoding="ascii")
        return tmp_path / name

    for half in (r"\ud800", r"\udc00x", r"\ud800\ud800", r"x\uDBFFy"):
        with pytest.raises(UnusableColumn, match="Column 'a' holds half of a character"):
            so.read(written(half))
    assert list(so.read(written(r"\ud83d\ude00"))["a"].values) == ["\N{GRINNING FACE}"]
    assert list(so.read(written(r"\\ud800"))["a"].values) == [r"\ud800"]


def test_half_a_character_in_python_is_refused() -> None:
    for values in (["\ud800", "x"], ["\ud800", 1]):
        with pytest.raises(UnusableColumn, match="holds half of a character"):
            so.read({"a": values})
    with pytest.raises(SingleoutError, match="holds half of a character; rename it"):
        so.read({"\ud800": [1, 2]})
    with pytest.raises(BadChoice, match="half of a character"):
        read_policy({"k": "\ud800"})
