"""The first look at a file: its columns, what their values are like, and what each may mean.

No value of a column that may name people is kept, and no value that fewer than three records have.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from singleout.core.choices import Role
from singleout.web.opening import opened
from singleout.web.work import Task
from singleout.web.workspaces import write_json

if TYPE_CHECKING:
    from singleout.assessment.guess.guess import GuessedPlan
    from singleout.assessment.guess.subject import Guess, Subject

__all__ = ["look"]

WORKBOOKS = (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods")
_SHOWN = 4  # values of a column
_FEWEST = 3  # records that have a value which is shown


def look(task: Task) -> dict[str, Any]:
    """Read the data of a workspace, and guess a plan unless there is one."""
    from singleout.assessment.guess.guess import guess_from
    from singleout.assessment.guess.subjects import subjects_of

    source = task.workspace.source
    assert source is not None
    _list_sheets(task, source.data)
    with opened(source) as counter:
        subjects = subjects_of(counter)
        guessed = guess_from(subjects, counter)
        rows, notes = counter.rows, list(counter.notes)
        held = counter.held is not None
    plan = task.workspace.plan()
    if plan is None:
        plan = guessed.plan
        task.workspace.keep_plan(plan)
    by_name = {guess.column: guess for guess in guessed.guesses}
    personal = {*guessed.plan.with_role(Role.DIRECT_IDENTIFIER), *_named(plan.columns)}
    columns = [
        _column(subject, by_name[subject.column.name], rows, hide=subject.column.name in personal)
        for subject in subjects
    ]
    return {
        "records": rows,
        "count": counter.count,
        "columns": columns,
        "held": held,
        "notes": [str(note) for note in (*notes, *guessed.warnings)],
        "counts": list(guessed.counts),
        "unexplained": list(guessed.unexplained),
        "fits": _fits(plan, [subject.column.name for subject in subjects], guessed),
    }


def _list_sheets(task: Task, data: str) -> None:
    """Keep the names of the sheets of a workbook: who is asked which to read must know them."""
    if not data.lower().endswith(WORKBOOKS):
        return
    import fastexcel

    with suppress(fastexcel.FastExcelError, OSError):  # the reader says what is wrong
        names = fastexcel.read_excel(data).sheet_names
        write_json(task.folder / "sheets.json", names)


def _named(columns: Mapping[str, Any]) -> set[str]:
    return {name for name, one in columns.items() if one.role == Role.DIRECT_IDENTIFIER}


def _fits(plan: Any, names: list[str], guessed: GuessedPlan) -> list[str]:
    """Return what is odd about a plan for this table; one that does not fit is refused."""
    counted = [*names, *(guess.column for guess in guessed.guesses if guess.column not in names)]
    return [str(warning) for warning in plan.check(counted)]


def _column(subject: Subject, guess: Guess, rows: int, *, hide: bool) -> dict[str, Any]:
    seen = subject.look
    frequent = sorted(seen.counted, key=lambda pair: -pair[1])[:_SHOWN]
    labels = {str(value): words for value, words in subject.column.labels.items()}
    return {
        "name": subject.column.name,
        "description": subject.column.description,
        "kind": _kind(subject),
        "distinct": seen.distinct,
        "missing": 1 - seen.records / rows if rows else 0.0,
        "hidden": hide,
        "frequent": []
        if hide
        else [
            {"value": text, "label": labels.get(text, ""), "share": held / rows}
            for text, held in frequent
            if held >= _FEWEST
        ],
        "offered": [] if hide else list(guess.offered),
        "guess": {
            "roles": [str(role) for role in guess.roles],
            "exposure": None if guess.exposure is None else guess.exposure.name,
            "severity": max(guess.impacts) if guess.impacts else None,
            "sure": guess.sure,
            "reason": str(guess.reason),
            "understood": guess.understood,
        },
    }


def _kind(subject: Subject) -> str:
    if subject.look.dates:
        return "date"
    return "number" if subject.look.numeric else "text"
