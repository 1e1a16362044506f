"""The job that looks for treatments which meet a policy: the frontier of risk against loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from singleout.core.language import LANGUAGES, speaking, spoken
from singleout.web.charts import chart_text
from singleout.web.jobs import Job
from singleout.web.opening import opened
from singleout.web.work import Task
from singleout.web.workspaces import write_json

if TYPE_CHECKING:
    from singleout.assessment.suggest.result import Suggestion

__all__ = ["found_by", "steps_of_point", "suggest"]

_POINTS = "points.json"  # not among the files of the job: steps may hold values


def suggest(task: Task, asked: dict[str, Any]) -> dict[str, Any]:
    """Search, and return every treatment that was tried."""
    from singleout.assessment.suggest.function import suggest as search

    source, plan = task.workspace.source, task.workspace.plan()
    assert source is not None
    with opened(source) as counter:
        records = counter.held if counter.held is not None else counter.records(None)
        found = search(records, plan, **asked)
        trials = found.trials
    write_json(task.folder / _POINTS, [trial.treatment.steps.to_dict() for trial in trials])
    said = {}
    for code in LANGUAGES:  # whoever switches the language afterwards finds the same
        with speaking(code):
            said[code] = _in_words(found)
    return {
        "asked": asked,
        "reached": found.reached,
        "limits": found.goal.limits,
        "before": found.before.to_dict(),
        "best": next(i for i, trial in enumerate(trials) if trial is found.best),
        "said": said,
    }


def _in_words(found: Suggestion) -> dict[str, Any]:
    """Return what is said of a search and of its points, in the language spoken now."""
    from singleout.report.say import say

    points = [
        {
            **trial.to_dict(),
            "kind": trial.kind(found.best),
            "sentences": [str(one) for one in trial.treatment.steps.sentences],
            "columns": dict(trial.treatment.by_column),
        }
        for trial in found.trials
    ]
    return {
        "summary": str(found),
        "unmet": [str(one) for one in found.unmet],
        "blocked": [str(one) for one in found.blocked],
        "notes": [str(one) for one in found.notes],
        "points": points,
        "chart": chart_text(found.plot()),
        "title": str(say("web.treat.policy.frontier")),
    }


def found_by(job: Job) -> dict[str, Any]:
    """Return what a search has found, in the language spoken now."""
    result = job.result
    return {**result, **result["said"][spoken()]}


def steps_of_point(job: Job, number: int) -> dict[str, Any] | None:
    """Return the steps of a treatment that a search has tried; None if there is none."""
    import json

    points = json.loads((job.folder / _POINTS).read_text(encoding="utf-8"))
    if not 0 <= number < len(points):
        return None
    found: dict[str, Any] = points[number]
    return found
