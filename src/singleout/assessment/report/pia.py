"""An assessment for the PIA software of the CNIL: the risk of illegitimate access to data.

The file is what "Import" of that software takes: ``pia``, ``answers``, ``measures``,
``evaluations`` and ``comments``, as its releases 1 to 3 write and read them (LINCnil/pia, the
importer in ``pia.service.ts`` and the questions in ``pia_architecture.json``). The answers are
those to questions 121 (which data) and 321 to 326 (illegitimate access: impacts, threats, sources,
measures, severity, likelihood), the last two with gauges from 1 to 4. The structure follows the
source of the software; no running copy of it has been fed with such a file.

What an assessment of data cannot know is left open: who is responsible, which measures are in
place, what the evaluator says.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from singleout.assessment.findings import worst_first
from singleout.assessment.rating.attackers import Kind
from singleout.assessment.rating.rows import Row
from singleout.assessment.report.content import time_of_report
from singleout.assessment.result import Assessment
from singleout.core.choices import Role
from singleout.core.text import json_text, printable
from singleout.core.wording import figure, stated_percent
from singleout.methods.levels import level_name
from singleout.report.say import say

__all__ = ["pia_export", "pia_text"]

_DATA, _IMPACTS, _THREATS, _SOURCES, _SEVERITY, _LIKELIHOOD = 121, 321, 322, 323, 325, 326
_PIA = 1  # the number of the PIA within the file; the software gives it another one
_SHOWN = 5
_ACTIONS = 3
_INSIDE, _OUTSIDE = (1, 2), (3, 4)  # exposures


def pia_export(assessment: Assessment, when: datetime | None = None) -> dict[str, Any]:
    """Return an assessment as the PIA software of the CNIL imports it.

    The severity is that of the CNIL; the likelihood is the exploitability, whose four levels are
    taken for negligible, limited, significant and maximum. ``when`` as in `time_of_report`.
    """
    made = f"{time_of_report(when):%Y-%m-%dT%H:%M:%S}.000Z"
    answers = [
        _answer(_DATA, text=_data(assessment)),
        _answer(_IMPACTS, chips=_impacts(assessment)),
        _answer(_THREATS, chips=_threats(assessment)),
        _answer(_SOURCES, chips=_sources(assessment)),
        _answer(_SEVERITY, text=_severity(assessment), gauge=assessment.severity),
        _answer(_LIKELIHOOD, text=_likelihood(assessment), gauge=assessment.exploitability),
    ]
    return {
        "pia": {
            "id": _PIA,
            "name": _plain(assessment.plan.title or assessment.facts.source),
            "category": "",
            "status": 0,  # work in progress: people have to finish it
            "is_example": 0,
            "is_archive": 0,
            "author_name": "",
            "evaluator_name": "",
            "validator_name": "",
            "structure_id": "",
            "progress": 0,
            "created_at": made,
            "updated_at": made,
        },
        "answers": [
            {"id": number, "pia_id": _PIA, **answer, "created_at": made, "updated_at": made}
            for number, answer in enumerate(answers, start=1)
        ],
        "measures": [],
        "evaluations": [],
        "comments": [],
    }


def pia_text(assessment: Assessment, when: datetime | None = None) -> str:
    """Return the same as the text of a JSON file."""
    return json_text(pia_export(assessment, when))


def _answer(
    question: int,
    *,
    text: str | None = None,
    chips: Sequence[str] = (),
    gauge: int | None = None,
) -> dict[str, Any]:
    data = {"text": text, "gauge": gauge, "list": list(dict.fromkeys(chips))}
    return {"reference_to": question, "data": data}


# ---- text that others wrote


def _plain(text: object) -> str:
    """Return text that is harmless whether it is shown as text or as HTML."""
    return printable(text).replace("<", "‹").replace(">", "›").replace("&", "+")


def _paragraphs(sentences: Sequence[str]) -> str:
    """Return sentences as the HTML that the editor of the software holds."""
    return "".join(f"<p>{html.escape(printable(sentence))}</p>" for sentence in sentences)


def _names(columns: Sequence[str]) -> str:
    names = ", ".join(map(_plain, columns[:_SHOWN]))
    if len(columns) <= _SHOWN:
        return names
    return say("pia.and_more", names=names, more=len(columns) - _SHOWN)


# ---- the answers


def _data(assessment: Assessment) -> str:
    """Return which data there are: columns by what they are for."""
    facts, plan = assessment.facts, assessment.plan
    sizes = {"records": facts.rows, "columns": len(facts.columns)}
    sentences = [say("pia.data", source=facts.source, **sizes)]
    if facts.sha256 is not None:
        sentences.append(say("pia.sha256", sha256=facts.sha256))
    for role in (Role.DIRECT_IDENTIFIER, Role.QUASI_IDENTIFIER, Role.SENSITIVE):
        names = plan.with_role(role)
        if names:
            sentences.append(say(f"pia.roles.{role}", columns=", ".join(names)))
    return _paragraphs(sentences)


def _impacts(assessment: Assessment) -> list[str]:
    """Return what would be disclosed, each with its severity."""
    worst: dict[str | None, int] = {}
    for row in assessment.ratings:
        worst[row.sensitive] = max(row.severity, worst.get(row.sensitive, 1))
    return [
        say(
            f"pia.impacts.{'identity' if name is None else 'disclosure'}",
            column=_plain(name),
            impact=level_name("severity", level).lower(),
            level=level,
        )
        for name, level in sorted(worst.items(), key=lambda item: -item[1])
    ]


def _threats(assessment: Assessment) -> list[str]:
    """Return what an attacker could do with all that is equally easy to find, easiest first."""
    threats: dict[tuple[int, tuple[str, ...]], list[str | None]] = {}
    named = assessment.direct_identifiers
    direct = []
    if named:
        direct = [
            say("pia.threats.direct", how=level_name("exploitability", 4), columns=_names(named))
        ]
    for row in sorted(_by_exposure(assessment), key=lambda row: -row.exploitability):
        aims = threats.setdefault((row.exploitability, row.combination.columns), [])
        aims.append(row.sensitive)
    return direct + [
        _threat(level_name("exploitability", level), columns, aims)
        for (level, columns), aims in threats.items()
    ]


def _threat(how: str, columns: Sequence[str], aims: Sequence[str | None]) -> str:
    sensitive = [name for name in aims if name is not None]
    return say(
        f"pia.threats.{'infers' if sensitive else 'singles_out'}",
        how=how,
        columns=_names(columns),
        sensitive=_names(sensitive),
    )


def _sources(assessment: Assessment) -> list[str]:
    exposures = {row.combination.exposure for row in _by_exposure(assessment)}
    sources = []
    if exposures.intersection(_INSIDE):
        sources.append(say("pia.sources.inside"))
    if exposures.intersection(_OUTSIDE):
        sources.append(say("pia.sources.outside"))
    return sources


def _by_exposure(assessment: Assessment) -> list[Row]:
    return [row for row in assessment.ratings if row.combination.kind == Kind.EXPOSURE]


def _severity(assessment: Assessment) -> str:
    level = assessment.severity
    row = next(row for row in worst_first(assessment.ratings) if row.severity == level)
    sentence = say(
        f"pia.severity.{'identity' if row.sensitive is None else 'disclosure'}",
        name=level_name("severity", level),
        level=level,
        column=row.sensitive,
    )
    return _paragraphs([sentence])


def _what_helps(assessment: Assessment) -> Iterator[str]:
    """Yield what was found to lower the risk, what helps without that, and what comes first."""
    names = [action for action in assessment.actions if action.before is None]
    if names:
        found = assessment.findings
        falls = assessment.by_certainty and found.without_names < found.level
        key = "lower_together" if falls else "first"
        yield say(f"pia.likelihood.{key}", action=" ".join(action.what for action in names))
    measured = [action for action in assessment.actions if action.before is not None]
    for action in measured[: _ACTIONS - bool(names)]:
        before, after = action.before, action.after
        assert before is not None
        if after is not None and after.level < before.level:
            yield say("pia.likelihood.lower", action=action.what)
        elif after is not None and after.at_risk < before.at_risk:
            numbers = {"before": before.at_risk, "after": after.at_risk}
            yield say("pia.likelihood.fewer", action=action.what, **numbers)


def _likelihood(assessment: Assessment) -> str:
    from singleout import __version__

    row, sets, level = assessment.worst, assessment.anonymity, assessment.exploitability
    exposure = level_name("exposure", row.combination.exposure)
    why = say("pia.likelihood.found", exposure=exposure, rate=figure(row.measured.rate, ".3f"))
    if assessment.direct_identifiers:
        why = say("pia.likelihood.direct")
    sentences = [
        assessment.verdict,
        say(
            "pia.likelihood.levels",
            name=level_name("exploitability", level),
            level=level,
            why=why,
            risk=level_name("risk", assessment.level),
            risk_level=assessment.level,
        ),
        say(
            "pia.likelihood.unique",
            unique=sets.unique,
            records=sets.records,
            share=stated_percent(sets.unique_share, 4),
            k=sets.k,
        ),
        *_what_helps(assessment),
        say("pia.likelihood.version", version=__version__),
    ]
    return _paragraphs(sentences)
