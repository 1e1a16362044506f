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
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from singleout.assessment.rating.attackers import Kind
from singleout.assessment.rating.rows import Row
from singleout.assessment.rating.scales import EXPLOITABILITIES, EXPOSURES, SEVERITIES
from singleout.assessment.report.content import time_of_report
from singleout.assessment.result import Assessment
from singleout.assessment.words import worst_first
from singleout.core.choices import Role
from singleout.core.text import json_text, printable

__all__ = ["pia_export", "pia_text"]

_DATA, _IMPACTS, _THREATS, _SOURCES, _SEVERITY, _LIKELIHOOD = 121, 321, 322, 323, 325, 326
_PIA = 1  # the number of the PIA within the file; the software gives it another one
_SHOWN = 5
_INSIDE, _OUTSIDE = (1, 2), (3, 4)  # exposures


def pia_export(assessment: Assessment, when: datetime | None = None) -> dict[str, Any]:
    """Return an assessment as the PIA software of the CNIL imports it.

    The severity is that of the CNIL; the likelihood is the exploitability, whose four levels are
    taken for negligible, limited, significant and maximum.

    Parameters
    ----------
    assessment
        What was found.
    when
        The time to put on it; now, or that of SOURCE_DATE_EPOCH, if not given.
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
    more = f" and {len(columns) - _SHOWN} more" if len(columns) > _SHOWN else ""
    return f"{', '.join(map(_plain, columns[:_SHOWN]))}{more}"


# ---- the answers


def _data(assessment: Assessment) -> str:
    """Return which data there are: columns by what they are for."""
    facts, plan = assessment.facts, assessment.plan
    said = [f"{facts.source}: {facts.rows:,} records, {len(facts.columns):,} columns."]
    if facts.sha256 is not None:
        said.append(f"SHA-256 of the file: {facts.sha256}.")
    for role, words in (
        (Role.DIRECT_IDENTIFIER, "Identify people directly"),
        (Role.QUASI_IDENTIFIER, "Can be known to others"),
        (Role.SENSITIVE, "Sensitive"),
    ):
        names = plan.with_role(role)
        if names:
            said.append(f"{words}: {', '.join(names)}.")
    return _paragraphs(said)


def _impacts(assessment: Assessment) -> list[str]:
    """Return what would be disclosed, each with its severity."""
    worst: dict[str | None, int] = {}
    for row in assessment.ratings:
        worst[row.sensitive] = max(row.severity, worst.get(row.sensitive, 1))
    return [
        f"{'Being identified' if name is None else f'Disclosure of {_plain(name)}'}: "
        f"{SEVERITIES[level - 1].lower()} impact ({level} of 4)"
        for name, level in sorted(worst.items(), key=lambda item: -item[1])
    ]


def _threats(assessment: Assessment) -> list[str]:
    """Return what an attacker could do with all that is equally easy to find, easiest first."""
    threats: dict[tuple[int, tuple[str, ...]], list[str | None]] = {}
    named = assessment.direct_identifiers
    direct = [f"{EXPLOITABILITIES[-1]}: who sees {_names(named)} knows who it is"] if named else []
    for row in sorted(_by_exposure(assessment), key=lambda row: -row.exploitability):
        aims = threats.setdefault((row.exploitability, row.combination.columns), [])
        aims.append(row.sensitive)
    return direct + [
        f"{EXPLOITABILITIES[level - 1]}: who knows {_names(columns)} {_aim(aims)}"
        for (level, columns), aims in threats.items()
    ]


def _aim(sensitive: Sequence[str | None]) -> str:
    names = [name for name in sensitive if name is not None]
    return f"infers {_names(names)}" if names else "singles people out"


def _sources(assessment: Assessment) -> list[str]:
    exposures = {row.combination.exposure for row in _by_exposure(assessment)}
    sources = []
    if exposures.intersection(_INSIDE):
        sources.append("People inside the organisation who know what it keeps elsewhere")
    if exposures.intersection(_OUTSIDE):
        sources.append("People outside who know, or can find, the quasi-identifiers of others")
    return sources


def _by_exposure(assessment: Assessment) -> list[Row]:
    return [row for row in assessment.ratings if row.combination.kind == Kind.EXPOSURE]


def _severity(assessment: Assessment) -> str:
    level = assessment.severity
    row = next(row for row in worst_first(assessment.ratings) if row.severity == level)
    aim = "being identified" if row.sensitive is None else f"a disclosure of {row.sensitive}"
    return _paragraphs(
        [
            f"{SEVERITIES[level - 1]} ({level} of 4): the impact of {aim} by the plan of the "
            "assessment, the largest of its bodily, material and moral impact."
        ]
    )


def _likelihood(assessment: Assessment) -> str:
    from singleout import __version__

    row, sets, level = assessment.worst, assessment.anonymity, assessment.exploitability
    why = (
        f"the attributes are found by {EXPOSURES[row.combination.exposure - 1]} means, and their "
        f"discrimination rate is {row.measured.rate:.3f}"
    )
    if assessment.direct_identifiers:
        why = "the data hold what identifies people directly"
    said = [
        assessment.verdict,
        f"{EXPLOITABILITIES[level - 1]} ({level} of 4): {why}. Risk by both: "
        f"{assessment.level_name} ({assessment.level} of 4).",
        f"{sets.unique:,} of {sets.records:,} records ({100 * sets.unique_share:.4g}%) are unique "
        f"in the quasi-identifiers; k = {sets.k:,}.",
        *(f"Would lower it: {action.what}" for action in assessment.actions[:3]),
        f"Measured by singleout {__version__}.",
    ]
    return _paragraphs(said)
